"""Export the seam network: an encoder of sides and a joint head, as two ONNX files."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from sherd.train.onnx_files import export_network
from sherd.train.seam_network import EncodedSides, SeamNetwork

__all__ = ["ENCODER_FILE", "JOINT_FILE", "export_seam"]

ENCODER_FILE = "seam-encoder.onnx"
JOINT_FILE = "seam-joint.onnx"


class _Pairs(nn.Module):
    """The joint head with plain tensors in place of encoded sides."""

    def __init__(self, network: SeamNetwork) -> None:
        super().__init__()
        self.joint = network.joint

    def forward(
        self,
        first: Tensor,
        second: Tensor,
        first_context: Tensor,
        second_context: Tensor,
        first_embedding: Tensor,
        second_embedding: Tensor,
    ) -> Tensor:
        left = EncodedSides(first, first_embedding, first_context)
        right = EncodedSides(second, second_embedding, second_context)
        return torch.as_tensor(self.joint(left, right))


def export_seam(network: SeamNetwork, folder: Path) -> None:
    """Write both halves of a seam network to a folder."""
    sides = torch.randn(2, 4, 64, 64)
    network.eval()
    export_network(
        network.encoder,
        {"sides": sides},
        ["features", "embedding", "context"],
        folder / ENCODER_FILE,
    )
    with torch.no_grad():
        encoded = network.encoder(sides)
    export_network(
        _Pairs(network),
        {
            "first": encoded.features,
            "second": encoded.features.flip(0),
            "first_context": encoded.context,
            "second_context": encoded.context.flip(0),
            "first_embedding": encoded.embedding,
            "second_embedding": encoded.embedding.flip(0),
        },
        ["logit"],
        folder / JOINT_FILE,
    )

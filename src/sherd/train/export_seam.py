"""The seam network as ONNX files, an encoder of sides and a joint head; and the way back."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from sherd.train.onnx_files import export_network
from sherd.train.seam_network import EncodedSides, SeamNetwork

__all__ = ["ENCODER_FILE", "JOINT_FILE", "export_seam", "read_seam"]

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


def read_seam(folder: Path) -> SeamNetwork:
    """Read the network back from the files that `export_seam` wrote, to train on from there.

    The pedigree `seam.toml` beside them knows the temperature of the embedding.
    """
    pedigree = tomllib.loads((folder / "seam.toml").read_text(encoding="utf8"))
    state = {"log_scale": torch.tensor(float(np.log(pedigree["embedding_scale"])))}
    for file, prefix in ((ENCODER_FILE, "encoder."), (JOINT_FILE, "")):
        for weight in onnx.load(folder / file).graph.initializer:
            values = numpy_helper.to_array(weight).astype(np.float32)
            state[prefix + weight.name.removesuffix(".half")] = torch.from_numpy(values)
    network = SeamNetwork()
    state |= {k: v for k, v in network.state_dict().items() if k.endswith("num_batches_tracked")}
    wanted = network.state_dict().keys()
    network.load_state_dict({name: value for name, value in state.items() if name in wanted})
    return network.eval()

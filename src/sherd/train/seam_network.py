"""The seam network: one look at each side, then a joint look at the best candidates.

A side is a piece turned (or mirrored) so that the side in question is at the right end. The encoder
looks at the half of the piece next to the side at full resolution and at the whole piece at half
resolution. It keeps rows apart (16 along a side of 64), since an edge that crosses the gap must
meet itself on the other side. The embedding is for a shortlist by matrix product; the joint head
sees the features of both sides with the gap between them.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["EncodedSides", "JointHead", "SeamNetwork", "SideEncoder"]


class EncodedSides(NamedTuple):
    """What the encoder says of B sides."""

    features: Tensor  # [B, 96, 16, 4] along the side x towards the gap
    embedding: Tensor  # [B, 576], of length 1
    context: Tensor  # [B, 64]


class NormedConvolution(nn.Module):
    """A convolution and its batch norm; at test time one convolution with scaled weights.

    The scaling stays a step of its own in an exported graph, so that weights stored in half
    precision are exactly the trained ones; the runtime multiplies once, when it loads them.
    """

    def __init__(self, channels_in: int, channels: int, size: int, stride: int = 1) -> None:
        super().__init__()
        padding = 1 if size > 1 else 0
        self.convolution = nn.Conv2d(channels_in, channels, size, stride, padding, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        """Transform [B, C, H, W]."""
        if self.training:
            return torch.as_tensor(self.norm(self.convolution(x)))
        norm, plain = self.norm, self.convolution
        assert norm.running_var is not None
        assert norm.running_mean is not None
        scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        shift = norm.bias - norm.running_mean * scale
        weight = plain.weight * scale[:, None, None, None]
        return F.conv2d(x, weight, shift, plain.stride, plain.padding)


class ResidualBlock(nn.Module):
    """Two normed 3x3 convolutions, added to the input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = NormedConvolution(channels, channels, 3)
        self.second = NormedConvolution(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Transform [B, C, H, W]."""
        return F.relu(x + self.second(F.relu(self.first(x))))


def _convolution(channels_in: int, channels: int, size: int, stride: int) -> nn.Sequential:
    return nn.Sequential(NormedConvolution(channels_in, channels, size, stride), nn.ReLU())


def _halve(channels_in: int, channels: int) -> nn.Sequential:
    return _convolution(channels_in, channels, 4, 2)


class SideEncoder(nn.Module):
    """Encode sides [B, 4, 64, 64] (colour in -1..1, 0 where lost; known mask) once each."""

    def __init__(self, near: int = 48, middle: int = 128, deep: int = 160, joint: int = 96) -> None:
        super().__init__()
        blocks = ResidualBlock
        self.near = nn.Sequential(_halve(4, near), blocks(near), blocks(near), blocks(near))
        self.middle = nn.Sequential(_halve(near, middle), blocks(middle), blocks(middle))
        self.deep_entry = _halve(middle, deep)
        self.deep = nn.Sequential(blocks(deep), blocks(deep))
        self.whole = nn.Sequential(_halve(4, 64), blocks(64), _halve(64, deep), blocks(deep))
        self.up = nn.Conv2d(deep, middle, 1)
        self.mix = blocks(middle)
        self.features = _convolution(middle, joint, 1, 1)
        self.rows = nn.Conv2d(middle, 32, (1, 4))
        self.context = nn.Linear(deep, 64)

    def forward(self, sides: Tensor) -> EncodedSides:
        """Encode sides [B, 4, 64, 64], the side in question at the right end."""
        strip = self.middle(self.near(sides[..., 32:]))  # [B, 128, 16, 8]
        whole = self.whole(F.avg_pool2d(sides, 2))  # [B, 160, 8, 8]
        deep = self.deep(self.deep_entry(strip) + whole[..., 4:])  # [B, 160, 8, 4]
        lifted = F.interpolate(self.up(deep), scale_factor=2, mode="nearest")
        edge = self.mix(strip + lifted)[..., 4:]  # [B, 128, 16, 4]
        context = self.context(whole.mean((2, 3)) + deep.mean((2, 3)))  # [B, 64]
        embedding = torch.cat([self.rows(edge)[..., 0].flatten(1), context], 1)
        unit = F.normalize(embedding.float(), dim=-1)
        return EncodedSides(self.features(edge), unit, context)


class JointHead(nn.Module):
    """Judge pairs of encoded sides with the gap between them: one logit a pair."""

    def __init__(self, joint: int = 96, channels: int = 128, context: int = 64) -> None:
        super().__init__()
        self.look = nn.Sequential(
            ResidualBlock(joint),
            _convolution(joint, channels, 3, 2),
            ResidualBlock(channels),
            ResidualBlock(channels),
        )
        self.judge = nn.Sequential(
            nn.Linear(2 * channels + 2 * context + 1, 128), nn.ReLU(), nn.Linear(128, 1)
        )

    def forward(self, first: EncodedSides, second: EncodedSides) -> Tensor:
        """Judge P pairs: logits [P]. Rows of the two sides line up (one of them is mirrored)."""
        cosine = (first.embedding * second.embedding).sum(1, keepdim=True)
        seen = self.look(torch.cat([first.features, second.features.flip(3)], 3))
        product = first.context * second.context
        difference = (first.context - second.context).abs()
        summary = torch.cat(
            [seen.mean((2, 3)), seen.amax((2, 3)), product, difference, cosine.to(seen.dtype)], 1
        )
        return torch.as_tensor(self.judge(summary)[:, 0])


class SeamNetwork(nn.Module):
    """Encoder and joint head together, with the learned temperature of the embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = SideEncoder()
        self.joint = JointHead()
        self.log_scale = nn.Parameter(torch.tensor(2.5))

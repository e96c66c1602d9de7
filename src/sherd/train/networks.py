"""Generator and discriminator of Bridger, Danon and Tal, "Solving Jigsaw Puzzles With Eroded
Boundaries" (CVPR 2020), as their published code builds them.

A pair is a picture of 64 x 128: two pieces side by side, values in [-1, 1]. `known` [B, 1, 64, 128]
is 1 at the pixels that erosion left and 0 at the lost ones: the outer ring of both pieces, hence
the gap in the middle and the border of the pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

__all__ = [
    "LEVELS",
    "PIECE",
    "RESIDUAL_RANGE",
    "SLOPE",
    "Discriminator",
    "Generator",
    "Judge",
    "ModelConfig",
    "SampleNorm",
    "bridged",
    "discriminator_view",
    "hole_of",
    "initialise",
    "log_odds_and_cost",
    "roughness",
]

PIECE = 64
LEVELS = 6
SLOPE = 0.2
RESIDUAL_RANGE = 8.0
"""A residual generator strays from the straight line by at most so many times the roughness."""


@dataclass(frozen=True)
class ModelConfig:
    """Everything needed to rebuild a generator and its discriminator from their weights."""

    width: int = 64
    """Channels of the generator's first level."""
    most: int = 8
    """Channels of the innermost levels, as a multiple of `width`."""
    discriminator_width: int = 64
    mask_channel: bool = False
    """Whether the generator is told which pixels are lost, beside their fill colour."""
    erosion: int = 0
    """The one erosion this model is for; 0: one model for every erosion."""
    average: str = "probabilities"
    """What is averaged over the discriminator's patches: `probabilities` or `logits`."""
    residual: bool = False
    """Whether the generator adds to straight lines across the gap, or paints it anew."""

    @property
    def fill(self) -> float:
        """Value of lost pixels: black as in the paper; the middle where a mask tells them."""
        return 0.0 if self.mask_channel else -1.0


class SampleNorm(nn.Module):
    """Normalise each channel of each sample by its own statistics, then scale and shift.

    The published code runs batch normalisation in training mode with batches of one, also when
    it scores, which is this. Written out so that a compiler can fuse it in any memory layout.
    """

    def __init__(self, channels: int) -> None:
        """Start as the mere normalisation of `channels` channels."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.eps = 1e-5

    def forward(self, values: Tensor) -> Tensor:
        """Normalise `values` [B, C, H, W] over H and W, in single precision."""
        wide = values.float()
        variance, mean = torch.var_mean(wide, dim=(2, 3), correction=0, keepdim=True)
        scale = torch.rsqrt(variance + self.eps) * self.weight[:, None, None]
        return ((wide - mean) * scale + self.bias[:, None, None]).to(values.dtype)


def _down(inside: int, outside: int) -> nn.Sequential:
    """One encoder level: half the height and width."""
    return nn.Sequential(
        nn.Conv2d(inside, outside, 4, 2, 1), SampleNorm(outside), nn.LeakyReLU(SLOPE)
    )


def _up(inside: int, outside: int) -> nn.Sequential:
    """One decoder level: twice the height and width."""
    return nn.Sequential(
        nn.ConvTranspose2d(inside, outside, 4, 2, 1), SampleNorm(outside), nn.ReLU()
    )


def hole_of(known: Tensor) -> Tensor:
    """The gap between the pieces: lost pixels of the centre half, in rows with known pixels.

    `known` [B, 1, H, W] -> 1 inside the gap, 0 elsewhere, [B, 1, H, W].
    """
    width = known.shape[3]
    centre = torch.zeros_like(known[:1, :, :1])
    centre[..., width // 4 : -width // 4] = 1
    return (1 - known) * known.amax(3, keepdim=True) * centre


def bridged(pixels: Tensor, known: Tensor) -> Tensor:
    """Fill the gap row by row with a straight line between the pieces' outermost known pixels.

    `pixels` [B, 3, H, W], `known` [B, 1, H, W] -> [B, 3, H, W]; outside the gap nothing changes,
    and what lies under lost pixels has no say. A row that is lost in one of the pieces takes the
    colour of the other.
    """
    half = known.shape[3] // 2
    # Numbers 1, 2, ... count columns away from the outer edges; 0: no known pixel in that half.
    count = torch.arange(1, half + 1, device=known.device, dtype=known.dtype)
    left_numbers, right_numbers = known[..., :half] * count, known[..., half:] * count.flip(0)
    left, right = left_numbers.amax(3, keepdim=True), right_numbers.amax(3, keepdim=True)
    at_left = ((left_numbers == left) & (left > 0)).to(pixels.dtype)
    at_right = ((right_numbers == right) & (right > 0)).to(pixels.dtype)
    first = (pixels[..., :half] * at_left).sum(3, keepdim=True)  # [B, 3, H, 1]
    last = (pixels[..., half:] * at_right).sum(3, keepdim=True)
    first, last = torch.where(left > 0, first, last), torch.where(right > 0, last, first)
    column = torch.arange(1, 2 * half + 1, device=known.device, dtype=known.dtype)
    share = ((column - left) / (2 * half + 1 - right - left)).clamp(0, 1)
    line = (first + (last - first) * share).to(pixels.dtype)
    return torch.where(hole_of(known) > 0, line, pixels)


def roughness(pixels: Tensor, known: Tensor) -> Tensor:
    """Mean step from pixel to pixel down the centre half, in rows with known ones: [B, 1, 1, 1].

    `pixels` [B, 3, H, W] with the gap filled, `known` [B, 1, H, W].
    """
    width = pixels.shape[3]
    centre = pixels[..., width // 4 : -width // 4].float()
    rows = known.amax(3, keepdim=True)
    both = rows[:, :, 1:] * rows[:, :, :-1]  # [B, 1, H - 1, 1]
    steps = (centre[:, :, 1:] - centre[:, :, :-1]).abs().mean((1, 3), keepdim=True)
    return (steps * both).sum(2, keepdim=True) / both.sum(2, keepdim=True).clamp(min=1)


class Generator(nn.Module):
    """Encoder-decoder with skip connections whose output replaces nothing but the gap.

    A `residual` one sees the gap filled by straight lines, and its output is added to them, in
    units of the pair's roughness: the norms make it forget how strong the contrasts are.
    """

    def __init__(
        self, width: int = 64, most: int = 8, mask_channel: bool = False, residual: bool = False
    ) -> None:
        """Build six levels down and six up; the channels double from `width` to `most * width`."""
        super().__init__()
        self.mask_channel, self.residual = mask_channel, residual
        channels = [width * min(2**level, most) for level in range(LEVELS)]
        inputs = [4 if mask_channel else 3, *channels[:-1]]
        # The innermost map is 1 x 2: too small to be normalised by its own statistics.
        innermost = nn.Sequential(nn.Conv2d(inputs[-1], channels[-1], 4, 2, 1), nn.ReLU())
        outer = [_down(*sizes) for sizes in zip(inputs[:-1], channels[:-1], strict=True)]
        self.encoder = nn.ModuleList([*outer, innermost])
        ups = [_up(channels[-1], channels[-2])]
        ups += [_up(2 * channels[level], channels[level - 1]) for level in range(LEVELS - 2, 0, -1)]
        last = nn.Sequential(nn.ConvTranspose2d(2 * width, 3, 4, 2, 1), nn.Tanh())
        self.decoder = nn.ModuleList([*ups, last])

    def forward(self, pixels: Tensor, known: Tensor) -> Tensor:
        """Fill the gap of `pixels` [B, 3, 64, 128]; every other pixel is copied from the input."""
        start = bridged(pixels, known) if self.residual else pixels
        values = torch.cat([start, known], 1) if self.mask_channel else start
        skips: list[Tensor] = []
        for level in self.encoder:
            values = level(values)
            skips.append(values)
        values = self.decoder[0](skips.pop())
        for level in list(self.decoder)[1:]:
            values = level(torch.cat([values, skips.pop()], 1))
        values = values.to(pixels.dtype)
        if self.residual:
            values = start + RESIDUAL_RANGE * roughness(start, known) * values
            values = values.to(pixels.dtype).clamp(-1, 1)
        return torch.where(hole_of(known) > 0, values, pixels)

    def begin_with_lines(self) -> None:
        """Silence the last layer, so that a residual generator starts at the straight lines."""
        last = cast(nn.Sequential, self.decoder[-1])[0]
        for parameter in last.parameters():
            nn.init.zeros_(parameter)


class Discriminator(nn.Module):
    """Markovian discriminator: a map of logits, each about one patch of the centre picture."""

    def __init__(self, width: int = 64) -> None:
        """Build three levels of stride 2 and two of stride 1."""
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, width, 4, 2, 1),
            nn.LeakyReLU(SLOPE),
            *_down(width, 2 * width),
            *_down(2 * width, 4 * width),
            nn.Conv2d(4 * width, 8 * width, 4, 1, 1),
            SampleNorm(8 * width),
            nn.LeakyReLU(SLOPE),
            nn.Conv2d(8 * width, 1, 4, 1, 1),
        )

    def forward(self, view: Tensor) -> Tensor:
        """Judge `view` [B, 3, H, W]: logits [B, 1, h, w], 6 x 6 for 64 x 64."""
        logits: Tensor = self.layers(view)
        return logits


def discriminator_view(picture: Tensor, known: Tensor, erosion: int) -> Tensor:
    """What the discriminator may see of a pair: the centre half without the outer ring.

    `picture` [B, 3, 64, 128], real or generated. Its outer `erosion` rows are lost in generated
    pictures, and would give them away. With one erosion for all they are cut off:
    [B, 3, 64 - 2 erosion, 64]. With erosion 0, for mixed erosions, they are set to zero where
    `known` has nothing, in real pictures too: [B, 3, 64, 64].
    """
    width = picture.shape[3]
    centre = picture[..., width // 4 : -width // 4]
    if erosion:
        return centre[:, :, erosion:-erosion]
    return centre * known.amax(3, keepdim=True)


def log_odds_and_cost(logits: Tensor, average: str) -> tuple[Tensor, Tensor]:
    """Log-odds and -log of the probability (each [B]) that a logit map [B, 1, h, w] stands for.

    `probabilities`: the paper's mean of the patches' probabilities. `logits`: the probability of
    their mean logit, in which one confident patch can outweigh many undecided ones.
    """
    flat = logits.float().flatten(1)
    if average == "logits":
        odds = flat.mean(1)
        return odds, F.softplus(-odds)
    count = math.log(flat.shape[1])
    log_yes = torch.logsumexp(F.logsigmoid(flat), 1) - count
    log_no = torch.logsumexp(F.logsigmoid(-flat), 1) - count
    return log_yes - log_no, -log_yes


class Judge(nn.Module):
    """Generator and discriminator in a row: how badly two pieces fit, and the filled gap."""

    def __init__(self, config: ModelConfig) -> None:
        """Build both networks as `config` says, with PyTorch's own initial weights."""
        super().__init__()
        self.config = config
        self.generator = Generator(config.width, config.most, config.mask_channel, config.residual)
        self.discriminator = Discriminator(config.discriminator_width)

    def forward(self, pixels: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
        """Return -log of the neighbour probability [B] and the filled pair [B, 3, 64, 128]."""
        filled = self.generator(pixels, known)
        view = discriminator_view(filled, known, self.config.erosion)
        _, cost = log_odds_and_cost(self.discriminator(view), self.config.average)
        return cost, filled


def initialise(network: nn.Module, random: torch.Generator) -> None:
    """Draw the weights as the published code does: N(0, 0.02), scales N(1, 0.02), biases 0."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d | nn.ConvTranspose2d | SampleNorm):
            mean = 1.0 if isinstance(module, SampleNorm) else 0.0
            nn.init.normal_(module.weight, mean, 0.02, generator=random)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

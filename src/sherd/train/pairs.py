"""Pairs of neighbouring pieces, drawn from photographs on the device, a whole batch at a time."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from sherd.train.networks import PIECE
from sherd.train.photos import PhotoStore

__all__ = [
    "EROSION_WEIGHTS",
    "MOST_EROSION",
    "Dice",
    "Seams",
    "draw_erosions",
    "draw_seams",
    "erase",
    "known_masks",
    "lay_down",
    "mirror",
    "recolour",
    "whole",
]

MOST_EROSION = 8
EROSION_WEIGHTS = (1.0, 2.0, 1.5, 2.0, 1.0, 1.0, 0.7, 0.7)
"""How often a model for every erosion sees erosion 1, 2, ... 8."""


def known_masks(device: torch.device) -> Tensor:
    """Masks of known pixels of a pair, one per erosion 0..8: float [9, 1, 64, 128]."""
    masks = torch.zeros(MOST_EROSION + 1, 1, PIECE, PIECE, device=device)
    for erosion in range(MOST_EROSION + 1):
        masks[erosion, :, erosion : PIECE - erosion, erosion : PIECE - erosion] = 1
    return torch.cat([masks, masks], 3)


def whole(bytes_: Tensor) -> Tensor:
    """Map bytes 0..255 to float -1..1."""
    return bytes_.float() / 127.5 - 1


def erase(original: Tensor, known: Tensor, fill: float) -> Tensor:
    """Set the lost pixels of `original` [B, 3, 64, 128] to `fill`."""
    return torch.where(known > 0, original, torch.full_like(original, fill))


def lay_down(pieces: Tensor) -> Tensor:
    """Turn pieces [..., 64, 64] a quarter counter-clockwise: what was above is now to the left."""
    return torch.rot90(pieces, 1, (-2, -1))


class Dice:
    """Random draws on a device from one generator whose state can be saved."""

    def __init__(self, device: torch.device, seed: int) -> None:
        """Seed the generator."""
        self.device = device
        self.generator = torch.Generator(device)
        self.generator.manual_seed(seed)

    def uniform(self, *shape: int) -> Tensor:
        """Numbers in [0, 1)."""
        return torch.rand(shape, generator=self.generator, device=self.device)

    def normal(self, *shape: int) -> Tensor:
        """Numbers from N(0, 1)."""
        return torch.randn(shape, generator=self.generator, device=self.device)

    def gumbel(self, *shape: int) -> Tensor:
        """Gumbel noise; adding it to log-weights and taking the largest draws by weight."""
        return -torch.log(-torch.log(self.uniform(*shape).clamp(1e-9, 1 - 1e-7)))

    def below(self, limit: Tensor) -> Tensor:
        """One whole number in [0, limit) for each entry of `limit` (int64)."""
        drawn = (self.uniform(*limit.shape).double() * limit).long()
        return torch.minimum(drawn, limit - 1)

    def chance(self, probability: float, *shape: int) -> Tensor:
        """Booleans that are true with this probability."""
        return self.uniform(*shape) < probability


def draw_erosions(dice: Dice, count: int) -> Tensor:
    """Erosions 1..8 (int64 [count]) by `EROSION_WEIGHTS`."""
    weights = torch.tensor(EROSION_WEIGHTS, device=dice.device)
    return 1 + torch.multinomial(weights, count, True, generator=dice.generator)


@dataclass(frozen=True)
class Seams:
    """True neighbours, and true pieces with a wrong neighbour; all float [B, 3, 64, 128]."""

    positive: Tensor
    negative: Tensor


def draw_seams(store: PhotoStore, dice: Dice, count: int, with_negatives: bool = True) -> Seams:
    """Draw `count` pairs of neighbours from random grids over random photographs.

    The negative replaces one side of the pair by another piece of the same grid, never by one of
    the pair itself. Vertical pairs are laid down. Half of all pairs are mirrored left-right, the
    paper's only augmentation.
    """
    photo = dice.below(torch.full((count,), len(store), device=store.device))
    height, width = store.sizes(photo, torch.zeros_like(photo, dtype=torch.bool))
    rows, columns = height // PIECE, width // PIECE
    top, left = dice.below(height % PIECE + 1), dice.below(width % PIECE + 1)
    down = dice.chance(0.5, count).long()
    row, column = dice.below(rows - down), dice.below(columns - (1 - down))
    first = row * columns + column
    second = (row + down) * columns + column + 1 - down
    other = dice.below(rows * columns - 2)
    other = other + (other >= first)
    other = other + (other >= second)

    def piece(cell: Tensor) -> Tensor:
        """Cut the pieces at grid positions `cell` [B]: float [B, 3, 64, 64]."""
        y = top + PIECE * (cell // columns)
        x = left + PIECE * (cell % columns)
        cut = store.windows(photo, y, x, PIECE, PIECE)
        return whole(torch.where(down[:, None, None, None] > 0, lay_down(cut), cut))

    a, b = piece(first), piece(second)
    mirrored = dice.chance(0.5, count)
    positive = mirror(torch.cat([a, b], 3), mirrored)
    if not with_negatives:
        return Seams(positive, positive[:0])
    wrong, keep_first = piece(other), dice.chance(0.5, count)[:, None, None, None]
    negative = torch.cat([torch.where(keep_first, a, wrong), torch.where(keep_first, wrong, b)], 3)
    return Seams(positive, mirror(negative, mirrored))


def mirror(pictures: Tensor, chosen: Tensor, axis: int = 3) -> Tensor:
    """Mirror the pictures [B, 3, H, W] where `chosen` (bool [B]) along `axis`."""
    return torch.where(chosen[:, None, None, None], pictures.flip(axis), pictures)


def recolour(pictures: Tensor, dice: Dice) -> Tensor:
    """Vary the colours of pictures [B, 3, H, W] in [-1, 1], each in its own way.

    Gamma and contrast per picture or channel, channel order, sometimes grey, a little noise.
    Neighbouring pieces come from one camera, so both sides of a seam are always changed alike.
    """
    count = len(pictures)
    order = dice.uniform(count, 3).argsort(1)
    order = torch.where(dice.chance(0.25, count, 1), order, torch.arange(3, device=dice.device))
    unit = torch.gather(pictures, 1, order[:, :, None, None].expand_as(pictures)) / 2 + 0.5
    grey = unit.mean(1, keepdim=True)
    unit = torch.where(_column(dice.chance(0.05, count)), grey, unit)
    common, own = dice.normal(count, 1), dice.normal(count, 3)
    gamma = torch.exp(0.25 * common + 0.08 * own) ** dice.chance(0.6, count, 1).float()
    unit = unit.clamp(1e-4, 1) ** gamma[:, :, None, None]
    contrast = 1 + dice.chance(0.4, count) * (dice.uniform(count) * 0.6 - 0.4)
    shift = dice.chance(0.4, count) * (dice.uniform(count) * 0.2 - 0.1)
    unit = (unit - 0.5) * _column(contrast) + 0.5 + _column(shift)
    strength = dice.chance(0.25, count) * dice.uniform(count) * 0.015
    unit = unit + dice.normal(*unit.shape) * _column(strength)
    return unit.clamp(0, 1) * 2 - 1


def _column(values: Tensor) -> Tensor:
    """Shape one value per picture [B] so that it multiplies pictures: [B, 1, 1, 1]."""
    return values[:, None, None, None]

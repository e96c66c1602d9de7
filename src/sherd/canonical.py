"""Bring pieces of any size to the size that the networks were trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.pieces import Pieces

__all__ = ["canonical_pieces", "resampling_matrix"]

Floats = NDArray[np.float32]

_MOSTLY_KNOWN = 0.5  # a resampled pixel counts as known from this share of known ones


def canonical_pieces(pieces: Pieces, size: int = 64) -> Floats:
    """Resample whole cells to `size`: f32 [N, 4, size, size].

    Three channels of colour in -1..1, exactly 0 where lost, and the known mask. Lost pixels have
    no say in their neighbours: colours are averaged over known pixels only.
    """
    known = pieces.known.astype(np.float32)[:, None]  # [N, 1, H, W]
    colour = np.moveaxis(pieces.pixels, 3, 1).astype(np.float32) / 127.5 - 1
    if (pieces.height, pieces.width) != (size, size):
        down = resampling_matrix(pieces.height, size)
        right = resampling_matrix(pieces.width, size).T
        weight = down @ known @ right
        colour = (down @ (colour * known) @ right) / np.maximum(weight, 1e-3)
        known = (weight > _MOSTLY_KNOWN).astype(np.float32)
    return np.concatenate([np.clip(colour, -1, 1) * known, known], axis=1)


def resampling_matrix(length: int, size: int) -> Floats:
    """Make the [size, length] matrix of cubic resampling, widened when it shrinks."""
    scale = length / size
    support = max(scale, 1.0)
    centre = (np.arange(size) + 0.5) * scale - 0.5
    distance = np.abs(np.arange(length)[None, :] - centre[:, None]) / support
    weights = _cubic(distance)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


def _cubic(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate Keys' cubic convolution kernel (a = -1/2) at distances x >= 0."""
    near = 1.5 * x**3 - 2.5 * x**2 + 1
    far = -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))

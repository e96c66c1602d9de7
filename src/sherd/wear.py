"""Which pixels of a piece the years have worn away: evenly, or more here and less there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.borders import inside

__all__ = ["even_wear", "uneven_wear"]

_WAVE = 8  # pixels between two independent depths along a side


def even_wear(pieces: int, height: int, width: int, erode: int) -> NDArray[np.bool_]:
    """[pieces, height, width] True on the outer `erode` pixels."""
    worn = ~inside(height, width, erode)
    return np.broadcast_to(worn, (pieces, height, width))


def uneven_wear(
    pieces: int, height: int, width: int, least: int, most: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """[pieces, height, width] True where wear of `least` to `most` pixels has come.

    Each row and column of each side has its own depth, which varies smoothly along the side.
    """
    rows, cols = np.arange(height)[:, None], np.arange(width)
    left, right = (_depths(pieces, height, least, most, rng)[:, :, None] for _ in range(2))
    top, bottom = (_depths(pieces, width, least, most, rng)[:, None, :] for _ in range(2))
    return np.asarray(
        (cols < left) | (cols >= width - right) | (rows < top) | (rows >= height - bottom)
    )


def _depths(
    pieces: int, length: int, least: int, most: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """[pieces, length] depth of wear along one side: interpolated noise, rounded."""
    nodes = rng.uniform(least - 0.5, most + 0.5, (pieces, length // _WAVE + 2))
    at = np.arange(length) / _WAVE
    before = at.astype(np.int64)
    share = at - before
    depth = nodes[:, before] * (1 - share) + nodes[:, before + 1] * share
    return np.clip(np.rint(depth), least, most).astype(np.int64)

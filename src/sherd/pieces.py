"""Pieces: the pixels that are given, which of them are known, and where they came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pieces"]


@dataclass(frozen=True)
class Pieces:
    """N pieces of one size, eroded borders and all.

    pixels: u8 [N, H, W, 3], an 8-bit RGB copy for networks and measures. H x W is the size of a
        cell: pixels that were cropped away (`lost`) are a ring of unknown ones.
    known: bool [N, H, W], False where a pixel is lost or not to be trusted.
    names: where each piece came from (a file name, a place in a mosaic).
    given_turn: [N] quarter turns clockwise applied to the given picture so that all pieces have
        one shape (w x h and h x w count as one size where pieces may be turned); else zeros.
    lost: pixels that were cropped away on each side of the given pictures.
    """

    pixels: NDArray[np.uint8]
    known: NDArray[np.bool_]
    names: tuple[str, ...]
    given_turn: NDArray[np.int32]
    lost: int = 0

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def height(self) -> int:
        """Height of a cell in pixels."""
        return int(self.pixels.shape[1])

    @property
    def width(self) -> int:
        """Width of a cell in pixels."""
        return int(self.pixels.shape[2])

    @property
    def square(self) -> bool:
        """Whether cells are as wide as high."""
        return self.height == self.width

    @classmethod
    def from_arrays(
        cls, pixels: NDArray[np.uint8], known: NDArray[np.bool_] | None = None
    ) -> Pieces:
        """Make pieces from arrays: u8 [N, H, W, 3] and bool [N, H, W] (all known if None)."""
        pixels = np.ascontiguousarray(pixels, np.uint8)
        known = np.ones(pixels.shape[:3], np.bool_) if known is None else known
        names = tuple(f"piece {i}" for i in range(len(pixels)))
        return cls(pixels, known, names, np.zeros(len(pixels), np.int32))

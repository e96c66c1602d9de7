"""THE convention: sides, turns, and strips that face their partner.

- A *side* of a piece: 0 right, 1 bottom, 2 left, 3 top (clockwise). Side id = 4·piece + side.
- A *turn*: quarter turns clockwise applied to a piece. After `t` turns, side `s` of the piece
  points where side `(s + t) % 4` of an unturned piece points.
- A *strip* of a side: the piece turned so that this side is on the right. Two sides that meet
  face each other, so the rows of one strip run against the rows of the other: row r of side a
  touches row L-1-r of side b. This one rule serves every pair of sides, turned or not.
- (row, col) order everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BOTTOM",
    "LEFT",
    "RIGHT",
    "STEP",
    "TOP",
    "Relations",
    "opposite",
    "side_id",
    "strips",
    "turn_picture",
]

RIGHT, BOTTOM, LEFT, TOP = range(4)
STEP: NDArray[np.int32] = np.array([(0, 1), (1, 0), (0, -1), (-1, 0)], dtype=np.int32)
"""(row, col) step from a cell to its neighbour on side 0..3."""


def opposite(side: int) -> int:
    """Give the side that meets `side` of an unturned neighbour."""
    return (side + 2) % 4


def side_id(piece: int, side: int) -> int:
    """Number a side of a piece among all 4N sides."""
    return 4 * piece + side


def turn_picture(picture: NDArray[np.generic], turns: int) -> NDArray[np.generic]:
    """Turn a picture [H, W, ...] clockwise by `turns` quarter turns."""
    return np.rot90(picture, k=-turns, axes=(0, 1))


def strips(pictures: NDArray[np.generic], side: int, depth: int) -> NDArray[np.generic]:
    """Cut the strip of one side out of every piece, turned so that the side is on the right.

    Args:
        pictures: [N, H, W, ...] pieces of one size.
        side: 0..3.
        depth: columns of the strip; the last column is the outermost.

    Returns:
        [N, L, depth, ...], where L is the length of the side (H for right and left, else W).
    """
    turned = np.rot90(pictures, k=side, axes=(1, 2))  # counter-clockwise: side -> right
    return turned[:, :, turned.shape[2] - depth :]


@dataclass(frozen=True)
class Relations:
    """Which sides can meet.

    turns: pieces may be turned; otherwise only right-left and bottom-top seams exist.
    square: width equals height; otherwise only sides of equal length can meet.
    """

    turns: bool = False
    square: bool = True

    def partners(self, side: int) -> tuple[int, ...]:
        """List the sides (0..3) of another piece that can meet `side`."""
        if not self.turns:
            return (opposite(side),)
        if self.square:
            return (0, 1, 2, 3)
        return (side % 2, side % 2 + 2)

    def candidates_per_side(self, pieces: int) -> int:
        """Count the sides that one side can meet in a bag of `pieces`."""
        return len(self.partners(0)) * (pieces - 1)

    def pair_groups(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Group the relations into (sides that look, sides that are looked at) blocks.

        Together the blocks hold every directed pair of sides exactly once.
        """
        if not self.turns:
            return tuple(((side,), (opposite(side),)) for side in range(4))
        if self.square:
            return (((0, 1, 2, 3), (0, 1, 2, 3)),)
        return (((0, 2), (0, 2)), ((1, 3), (1, 3)))

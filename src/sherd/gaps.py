"""Pictures of two pieces side by side with the gap between them, as the paper's networks see them.

A picture is of 64 x 128 pixels. The first side of a pair is the right side of the left piece, the
second one the left side of the right piece; a seam between an upper and a lower piece is laid down.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sherd.borders import inside
from sherd.canonical import canonical_pieces
from sherd.events import Listener, Note
from sherd.pieces import Pieces

__all__ = ["PIECE", "gap_batches", "worn_pieces"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Places = NDArray[np.intp]

PIECE = 64  # pixels of a piece as the networks know it
_MOST_EROSION = 8  # of the pieces that the networks were trained on
_PAIRS_PER_BATCH = 64


def worn_pieces(pieces: Pieces, erosion: int, on: Listener) -> Floats:
    """Bring pieces to the size and the wear that the networks were trained on.

    Args:
        pieces: any pieces.
        erosion: the one erosion that the networks are for, 0 if they are for 1 to 8 pixels.
        on: told where the pieces are worn more or less than the networks know.

    Returns:
        [N, 4, 64, 64] colour in -1..1, 0 where lost, and the known mask.
    """
    canonical = canonical_pieces(pieces, PIECE)
    depth = _usual_wear(canonical[:, 3])
    if depth > (erosion or _MOST_EROSION):
        on(
            Note(
                f"inpaint: the pieces have lost {depth} of {PIECE} pixels a side, more than the "
                f"{erosion or _MOST_EROSION} that the networks were trained for"
            )
        )
    # A gap of nothing is none that they know: without wear the outermost pixels count as lost.
    return canonical * inside(PIECE, PIECE, erosion or 1)


def _usual_wear(known: Floats) -> int:
    """Tell how many columns and rows most pieces [N, 64, 64] have lost at a side."""
    middle = known[:, PIECE // 2], known[:, :, PIECE // 2]
    lines = np.concatenate([*middle, *(line[:, ::-1] for line in middle)])  # [4N, 64]
    return int(np.median((lines > 0).argmax(axis=1)))


def gap_batches(canonical: Floats, pairs: Ints) -> Iterator[tuple[Places, Floats, Floats]]:
    """Make the pictures of pairs of sides, batch by batch.

    Args:
        canonical: [N, 4, 64, 64] from `worn_pieces`.
        pairs: [P, 2] side ids.

    Yields:
        Which pairs [B], their pixels [B, 3, 64, 128] and what is known of them [B, 1, 64, 128].
    """
    ways = pairs % 4
    for way in np.unique(ways, axis=0):  # pieces of a batch are all turned alike
        those = np.flatnonzero((ways == way).all(axis=1))
        for start in range(0, len(those), _PAIRS_PER_BATCH):
            chosen = those[start : start + _PAIRS_PER_BATCH]
            halves = [
                np.rot90(canonical[pairs[chosen, end] // 4], way[end] + 2 * end, axes=(2, 3))
                for end in (0, 1)
            ]
            both = np.concatenate(halves, axis=3)
            yield chosen, np.ascontiguousarray(both[:, :3]), np.ascontiguousarray(both[:, 3:])

"""Borders: the outermost known pixels of every side, and scoring all sides by comparing them.

Worn pieces have no pixels at the seam itself. What the classical measures call the border is the
outermost *known* pixel of each row, however deep it lies, and the known pixel inside of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.errors import InputError
from sherd.events import Listener, Progress
from sherd.pieces import Pieces
from sherd.scores import Scores, shortlist_size, top_candidates
from sherd.sides import Relations, strips

__all__ = [
    "Borders",
    "CostBlocks",
    "borders_of",
    "least_shared_rows",
    "score_borders",
    "shared_rows",
]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_BLOCK_ENTRIES = 4_000_000  # costs held at a time: 16 MB


@dataclass(frozen=True)
class Borders:
    """Borders of M sides of one length L, rows as in the strips of `sides`.

    outer: u8 [M, L, 3], the outermost known pixel of each row.
    inner: u8 [M, L, 3], the pixel inside of it.
    known: bool [M, L], False for rows without two adjacent known pixels in the outer half of the
        piece; their pixels mean nothing.
    """

    outer: NDArray[np.uint8]
    inner: NDArray[np.uint8]
    known: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.known)

    def facing(self) -> Borders:
        """Run the rows the other way, as a partner that faces these sides sees them."""
        return Borders(self.outer[:, ::-1], self.inner[:, ::-1], self.known[:, ::-1])


CostBlocks = Callable[[Borders, Borders], Callable[[slice], Floats]]
"""A measure: given the borders of A sides that look and of B sides that face them (rows lined
up), make a function that gives the costs [sides of the slice, B]."""


def borders_of(pieces: Pieces, sides: tuple[int, ...]) -> Borders:
    """Find the borders of these sides (of one length) of every piece, side after side."""
    if min(pieces.height, pieces.width) < 2:
        raise InputError(
            f"Pieces of {pieces.width}x{pieces.height} pixels have no gradient across their "
            "sides; give pieces of at least 2x2 pixels."
        )
    found = [_borders_of_side(pieces, side) for side in sides]
    return Borders(
        np.concatenate([borders.outer for borders in found]),
        np.concatenate([borders.inner for borders in found]),
        np.concatenate([borders.known for borders in found]),
    )


def _borders_of_side(pieces: Pieces, side: int) -> Borders:
    across = pieces.height if side % 2 else pieces.width
    depth = across // 2 + 1  # further in, a pixel belongs to the opposite side
    known = np.asarray(strips(pieces.known, side, depth), np.bool_)  # [N, L, depth]
    pixels = strips(pieces.pixels, side, depth)  # [N, L, depth, 3]
    adjacent = known[:, :, 1:] & known[:, :, :-1]
    inner = depth - 2 - adjacent[:, :, ::-1].argmax(axis=2)  # [N, L] column of the inner pixel
    piece, row = np.ogrid[: known.shape[0], : known.shape[1]]
    return Borders(
        np.asarray(pixels[piece, row, inner + 1], np.uint8),
        np.asarray(pixels[piece, row, inner], np.uint8),
        np.asarray(adjacent.any(axis=2), np.bool_),
    )


def shared_rows(queries: Borders, targets: Borders) -> NDArray[np.bool_]:
    """Mark the rows [L] that any two sides share: not the corners of worn pieces."""
    return np.asarray(queries.known.any(axis=0) & targets.known.any(axis=0))


def least_shared_rows(rows: NDArray[np.bool_]) -> float:
    """Say how many rows two sides must share to be compared: a quarter of those in use [L].

    A mean over a handful of pixels is small by chance too often.
    """
    return max(1.0, float(rows.sum()) / 4)


def score_borders(
    pieces: Pieces,
    relations: Relations,
    measure: CostBlocks,
    *,
    sharpness: float,
    made_by: Mapping[str, str],
    on: Listener,
) -> Scores:
    """Compare every side with all that it can meet, block by block.

    Args:
        pieces: the pieces.
        relations: which sides can meet.
        measure: how to compare borders.
        sharpness: how strongly a lower cost is believed.
        made_by: provenance for the scores.
        on: told of the progress after each block.
    """
    sides, k = 4 * len(pieces), shortlist_size(len(pieces), relations)
    candidates = np.full((sides, k), -1, np.int32)
    kept = np.full((sides, k), np.inf, np.float32)
    done = 0
    for looking, faced in relations.pair_groups():
        costs = measure(borders_of(pieces, looking), borders_of(pieces, faced).facing())
        row_sides, col_sides = _side_ids(pieces, looking), _side_ids(pieces, faced)
        step = max(16, _BLOCK_ENTRIES // len(col_sides))
        for start in range(0, len(row_sides), step):
            block = slice(start, start + step)
            rows = row_sides[block]
            candidates[rows], kept[rows] = top_candidates(costs(block), rows, col_sides, k)
            done += len(rows)
            on(Progress("scoring", done, sides))
    return Scores.from_costs(relations, candidates, kept, sharpness=sharpness, made_by=made_by)


def _side_ids(pieces: Pieces, sides: tuple[int, ...]) -> Ints:
    """Number these sides of all pieces, in the order of `borders_of`."""
    first = 4 * np.arange(len(pieces), dtype=np.int32)
    return np.concatenate([first + np.int32(side) for side in sides])

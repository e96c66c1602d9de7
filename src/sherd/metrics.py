"""How right a layout is, and whose fault the errors are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.errors import InputError
from sherd.layout import Layout, islands_of, seams_of, turn_layout
from sherd.scores import Scores

__all__ = ["Measures", "board_energy", "measure", "seams_right", "search_gap"]


@dataclass(frozen=True)
class Measures:
    """The measures of one layout against the truth, all but the counts in 0..1.

    neighbour: right/down adjacencies of the truth that the layout has.
    direct_frame: pieces in their right absolute cell, aligned to the frame.
    direct_start: the same, the board shifted so that the start piece is right (the count of
        the paper's public solver).
    perfect: every piece in its cell (and turned right).
    largest_island: pieces in the largest group that is joined by right seams.
    """

    neighbour: float
    direct_frame: float
    direct_start: float
    perfect: bool
    largest_island: float
    seams: int
    pieces: int


def board_energy(scores: Scores, layout: Layout, *, with_frame: bool = False) -> float:
    """Sum the scores of all seams of a layout.

    with_frame adds the "meets nothing" score of every side that meets nothing, so that each side
    is explained once; it is needed wherever the shape of the board is not given.
    """
    seams = seams_of(layout)
    energy = float(scores.of(seams[:, 0], seams[:, 1]).sum(dtype=np.float64))
    if with_frame and scores.alone is not None:
        free = np.repeat(layout.placed, 4)
        free[seams.ravel()] = False
        energy += float(scores.alone[free].sum(dtype=np.float64))
    return energy


def search_gap(scores: Scores, layout: Layout, truth: Layout) -> float:
    """Give the energy that the search missed: energy of the truth minus that of the layout.

    Where it is positive the search is at fault; otherwise the scores are.
    """
    return board_energy(scores, truth) - board_energy(scores, layout)


def seams_right(layout: Layout, truth: Layout) -> NDArray[np.bool_]:
    """[E] whether each seam of the layout is one of the truth."""
    true = {frozenset(pair) for pair in seams_of(truth).tolist()}
    right = [frozenset(pair) in true for pair in seams_of(layout).tolist()]
    return np.array(right, np.bool_)


def measure(layout: Layout, truth: Layout) -> Measures:
    """Measure a layout against the truth.

    A picture found upside down or on its side counts as right up to that turn: no seam can tell
    it, and the turn that fits best is taken. Pieces that the truth does not place are ignored.
    """
    if len(layout.turn) != len(truth.turn) or not truth.placed.any():
        raise InputError(
            f"A truth that places {truth.placed.sum()} of {len(truth.turn)} pieces cannot judge a "
            f"layout of {len(layout.turn)} pieces; give the truth of this very puzzle."
        )
    right = seams_right(layout, truth)
    true_seams = len(seams_of(truth))
    placed_truly = int(truth.placed.sum())
    views = [turn_layout(layout, turns) for turns in range(4)]
    frame = max(_in_place(view, truth, np.zeros(2, np.int32)) for view in views)
    start = max(_in_place(view, truth, _start_shift(view, truth)) for view in views)
    islands = islands_of(layout, right)
    largest = int((islands == 0).sum())
    return Measures(
        neighbour=float(right.sum()) / true_seams if true_seams else 1.0,
        direct_frame=frame / placed_truly,
        direct_start=start / placed_truly,
        perfect=frame == placed_truly,
        largest_island=largest / placed_truly,
        seams=true_seams,
        pieces=placed_truly,
    )


def _in_place(layout: Layout, truth: Layout, shift: NDArray[np.int32]) -> int:
    """Count the pieces whose cell (after a shift), turn and board are right."""
    same = (layout.cell + shift == truth.cell).all(axis=1) & (layout.turn == truth.turn)
    return int((same & (layout.board == truth.board) & truth.placed).sum())


def _start_shift(layout: Layout, truth: Layout) -> NDArray[np.int32]:
    """Give the (row, col) shift that brings the start piece into its true cell."""
    start = layout.start
    if start is None or layout.board[start] < 0 or truth.board[start] < 0:
        return np.zeros(2, np.int32)
    return np.asarray(truth.cell[start] - layout.cell[start], np.int32)

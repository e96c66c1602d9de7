"""Read tables of logits that were saved for work on the search, as scores whose truth is known.

An .npz file holds for each puzzle KEY an array [2 or 4, N, N] (logits of "j lies right of i", of
"j lies below i"; more is passed over) and KEY_rc, its rows and columns. Pieces are numbered row by
row, so that the truth is 0, 1, 2, ... in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sherd.layout import BoardSpec, Layout
from sherd.metrics import board_energy
from sherd.scores import Scores
from sherd.sides import BOTTOM, LEFT, RIGHT, TOP, Relations, opposite


@dataclass(frozen=True)
class Puzzle:
    """A table with its board and its truth."""

    name: str
    scores: Scores
    board: BoardSpec
    truth: Layout

    @property
    def truth_energy(self) -> float:
        """The energy that a search should reach."""
        return board_energy(self.scores, self.truth)

    @property
    def cell(self) -> str:
        """What it is averaged with: its size and the wear that its name tells."""
        return f"{self.scores.pieces} pieces, e = {self.name.split('_')[1]}"


def read_puzzles(paths: list[Path], wanted: str = "") -> Iterator[Puzzle]:
    """Read every puzzle whose name contains `wanted`."""
    for path in paths:
        with np.load(path) as saved:
            for key in saved.files:
                if f"{key}_rc" in saved.files and wanted in key:
                    rows, cols = (int(size) for size in saved[f"{key}_rc"])
                    scores = scores_of(saved[key][:2].astype(np.float32))
                    yield Puzzle(key, scores, BoardSpec(rows, cols), Layout.from_grid(rows, cols))


def scores_of(logits: NDArray[np.float32]) -> Scores:
    """Make scores of pieces that are not turned from logits [2, N, N] (right of, below)."""
    pieces = logits.shape[1]
    right, below = logits
    candidates = np.zeros((4 * pieces, pieces - 1), np.int32)
    rows = np.zeros(candidates.shape, np.float32)
    others = np.array([np.delete(np.arange(pieces), piece) for piece in range(pieces)])
    for side, table in ((RIGHT, right), (BOTTOM, below), (LEFT, right.T), (TOP, below.T)):
        candidates[side::4] = 4 * others + opposite(side)
        rows[side::4] = np.take_along_axis(table, others, 1)
    return Scores.from_logits(Relations(), candidates, rows)

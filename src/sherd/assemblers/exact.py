"""Proof for small boards: branch and bound over all layouts.

Cells are filled row by row; a branch is left when even the best score that each open seam could
still get does not lift it above the best board known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd._core import best_board
from sherd.assemblers.rounds import Task
from sherd.scores import FLOOR

__all__ = ["better_board", "can_be_proved"]

Ints = NDArray[np.int32]

_MOST_PIECES, _MOST_TURNED = 9, 6  # more would take minutes in the worst case


def can_be_proved(task: Task) -> bool:
    """Whether the board is small enough, and nothing is tied that the proof does not know."""
    most = _MOST_TURNED if task.scores.relations.turns else _MOST_PIECES
    return task.rows * task.cols <= most and not task.ties.table.any()


def better_board(task: Task, energy: float) -> Ints | None:
    """Give the best of all boards [cells] if its energy is higher than this one, else None."""
    cells, _ = best_board(
        np.ascontiguousarray(task.scores.candidates, np.int32),
        np.ascontiguousarray(task.scores.score, np.float32),
        task.alone,
        FLOOR,
        task.scores.relations.turns,
        task.rows,
        task.cols,
        energy,
    )
    return np.array(cells, np.int32) if cells else None

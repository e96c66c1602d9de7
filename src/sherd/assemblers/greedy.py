"""Greedy: lay one piece after another beside those that lie already, surest first.

Paikin and Tal, "Solving multiple square jigsaw puzzles with missing pieces", CVPR 2015, with the
bonuses that only the authors' program has. `docs/assemblers.md` words the rules and says where
they differ from both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sherd._core import greedy
from sherd.events import Listener, Progress
from sherd.layout import BoardSpec, Layout, turn_layout
from sherd.scores import Scores
from sherd.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Greedy"]


class Greedy:
    """Grows one group of pieces from the most distinctive one. It has no randomness."""

    def assemble(
        self, scores: Scores, board: BoardSpec, stop: Stop, rng: np.random.Generator, on: Listener
    ) -> Layout:
        """Lay all pieces; when `stop` says so, return those that lie so far.

        A board of known size is never outgrown; of unknown size it becomes the bounding box.
        Scores without costs are taken as costs with the sign turned. `stop` is told how many
        pieces lie: there is one layout only, and every piece improves it.
        """
        board.check(scores.pieces)
        cost = -scores.score if scores.cost is None else scores.cost
        placed, start = greedy(
            np.ascontiguousarray(scores.candidates, np.int32),
            np.ascontiguousarray(cost, np.float32),
            board.rows or 0,
            board.cols or 0,
            scores.relations.turns,  # the picture may have been given lying on its side
            board.missing > 0,
            _poll(scores.pieces, stop, on),
        )
        on(Progress("placing", int((placed[:, 2] >= 0).sum()), scores.pieces))
        return _layout(placed, None if start < 0 else start, board)


def _poll(pieces: int, stop: Stop, on: Listener) -> Callable[[int], bool]:
    """Make what the kernel asks every 50 ms, told how many pieces lie."""

    def poll(count: int) -> bool:
        on(Progress("placing", count, pieces))
        return stop(float(count))

    return poll


def _layout(placed: NDArray[np.int32], start: int | None, board: BoardSpec) -> Layout:
    """Make the layout from rows (row, col, turn) [N, 3] whose bounding box begins at (0, 0)."""
    cell, turn, here = placed[:, :2], placed[:, 2], placed[:, 2] >= 0
    if board.rows is None or board.cols is None:
        return Layout.from_cells(cell, turn, here, start=start)
    upright = bool((cell[here] < (board.rows, board.cols)).all())
    if upright:
        return Layout.from_cells(cell, turn, here, (board.rows, board.cols), start)
    # With turned pieces nothing says how the picture stands: it was found lying on its side.
    return turn_layout(Layout.from_cells(cell, turn, here, (board.cols, board.rows), start), 1)

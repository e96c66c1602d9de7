"""Gallagher's tree-based assembly.

A. C. Gallagher, "Jigsaw puzzles with pieces of unknown orientation", CVPR 2012.

1. *Tree.* A link of two sides is as clear as its cost is small beside the second smallest of the
   row. Clearest first, links join trees of pieces (Kruskal), each tree on a plane of its own; a
   link that would lay one piece on another is passed over.
2. *Trimming.* Where the size of the board is known, the window of that size that holds most pieces
   of the largest tree is cut out of it.
3. *Filling.* The pieces that are left go into the holes, those with most neighbours first and in
   them the piece and turn with the lowest total cost; then beside the rest.

Nothing is drawn at random, so the same scores always give the same layout.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sherd._core import tree_layout
from sherd.events import Listener, Progress
from sherd.layout import BoardSpec, Layout, turn_layout
from sherd.scores import Scores
from sherd.stop import Stop

__all__ = ["Tree"]

LINKS_PER_SIDE = 50
"""The best links of a side enter the tree; whatever else meets there is left to the filling."""


class Tree:
    """Grows a tree of joins, trims it to the board, and fills the holes (Gallagher 2012).

    It needs neither the size of the board nor the turns of the pieces.
    """

    def assemble(
        self, scores: Scores, board: BoardSpec, stop: Stop, rng: np.random.Generator, on: Listener
    ) -> Layout:
        """Place all pieces on one board; on a stop, those that are placed so far.

        Scores without costs are judged by their negative scores. Without a board size all pieces
        lie in one bounding box. Where pieces are missing, the cells with the worst fit stay empty.

        Args:
            scores: [4N, K] rows of candidates.
            board: its size, if known, and how many pieces are missing from it.
            stop: asked about every 50 ms, before there is a layout to judge.
            rng: not used.
            on: told how many pieces are joined or laid.
        """
        board.check(scores.pieces)

        def ask(done: int) -> bool:
            on(Progress("placing", done, scores.pieces))
            return stop(-np.inf)

        cost = -scores.score if scores.cost is None else scores.cost
        found = tree_layout(
            np.ascontiguousarray(scores.candidates),
            np.ascontiguousarray(cost),
            rows=board.rows or 0,
            cols=board.cols or 0,
            missing=board.missing,
            turns=scores.relations.turns,
            square=scores.relations.square,
            links_per_side=LINKS_PER_SIDE,
            ask=ask,
        )  # [N, 4] row, col, turn, whether placed
        on(Progress("placing", int(found[:, 3].sum()), scores.pieces))
        layout = Layout.from_cells(found[:, :2], found[:, 2], found[:, 3] > 0)
        return _on_board(layout, board)


def _on_board(layout: Layout, board: BoardSpec) -> Layout:
    """Lay what was found on a board of known size, by a quarter turn if it only fits that way."""
    if board.rows is None or board.cols is None:
        return layout
    rows, cols = layout.shapes[0]
    if rows > board.rows or cols > board.cols:
        layout = turn_layout(layout, 1)
    return replace(layout, shapes=((board.rows, board.cols),))

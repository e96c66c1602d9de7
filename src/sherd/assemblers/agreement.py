"""What warm boards agree on, as a bonus on the scores by which islands are merged.

Where the search freezes, islands of right pieces are in each other's way. Merged anew in the free
plane, by the evidence of all seams in contact and of what warm boards showed, they give starts that
the moves alone do not reach.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sherd._core import island_layouts
from sherd.assemblers.cells import meetings
from sherd.scores import FLOOR, Scores

__all__ = ["agreed_scores", "island_boards", "shares_of_candidates"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

# What a contact is worth is its score + offset, at least -cap; islands join above the threshold.
SETTINGS = ((3, 4, 0.5), (4, 8, 1), (3, 2, 1), (2, 4, 0.5), (5, 8, 1), (4, 4, 0.5))
_DEPTH = 5  # candidates of a side that islands may meet by


def shares_of_candidates(scores: Scores, visited: Ints, rows: int, cols: int) -> Floats:
    """Give the share of visited boards [S, cells] in which each candidate is met, [4N, K]."""
    share = np.zeros(scores.candidates.shape, np.float32)
    for partner in meetings(visited, scores.pieces, rows, cols):
        share += (scores.candidates == partner[:, None]) & (partner >= 0)[:, None]
    return share / np.float32(max(len(visited), 1))


def agreed_scores(scores: Scores, share: Floats, bonus: float) -> Scores:
    """Lower the score of each candidate by the bonus times the share [4N, K] that lack it."""
    lowered = np.maximum(scores.score - np.float32(bonus) * (1 - share), FLOOR)
    order = np.argsort(np.where(scores.candidates >= 0, -lowered, np.inf), axis=1, kind="stable")
    return replace(
        scores,
        candidates=np.take_along_axis(scores.candidates, order, 1),
        score=np.take_along_axis(lowered, order, 1),
        cost=None,
    )


def island_boards(scores: Scores, rows: int, cols: int, bonus: float = 0.0) -> Ints:
    """Merge islands under several settings and lay them out: boards [S, rows * cols].

    `bonus` is what `agreed_scores` took off and the offsets give back.
    """
    settings = np.array(SETTINGS) + np.array([bonus, 0, 0])
    return island_layouts(
        np.ascontiguousarray(scores.candidates, np.int32),
        np.ascontiguousarray(scores.score, np.float32),
        FLOOR,
        scores.relations.turns,
        rows,
        cols,
        _DEPTH,
        np.round(settings * 1024).astype(np.int32),
    )

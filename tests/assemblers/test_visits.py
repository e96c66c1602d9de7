"""Recorded visits: their shares are the probabilities that all boards together give."""

from __future__ import annotations

import numpy as np
import pytest
from tests.assemblers.search_reference import every_board, random_table, slow_energy

from sherd.assemblers.cells import meetings
from sherd.assemblers.rounds import Task
from sherd.assemblers.ties import Ties
from sherd.assemblers.visits import record
from sherd.scores import Scores
from sherd.sides import Relations


def enumerated_shares(
    scores: Scores, rows: int, cols: int, turns: bool
) -> dict[tuple[int, int], float]:
    """Weigh every board by the exponential of its energy: the probability that two sides meet."""
    pieces = scores.pieces
    boards = np.array(list(every_board(pieces, rows * cols, turns)), np.int32)
    alone = scores.alone is not None
    energy = np.array([slow_energy(scores, cells, rows, cols, alone) for cells in boards])
    weight = np.exp(energy - energy.max())
    weight /= weight.sum()
    partner = meetings(boards, pieces, rows, cols)
    shares: dict[tuple[int, int], float] = {}
    for a in range(4 * pieces):
        for b in np.unique(partner[:, a]):
            shares[a, int(b)] = float(weight[partner[:, a] == b].sum())
    return shares


@pytest.mark.parametrize(
    ("shape", "holes", "relations", "seed"),
    [
        ((2, 2), 0, Relations(), 1),
        ((2, 3), 0, Relations(), 2),
        ((2, 3), 1, Relations(), 3),
        ((1, 3), 0, Relations(turns=True), 4),
        ((2, 2), 1, Relations(turns=True), 5),
    ],
)
def test_recording_equals_enumeration(
    shape: tuple[int, int], holes: int, relations: Relations, seed: int
) -> None:
    """Recorded shares are the probabilities that all boards together give, to 0.03."""
    rows, cols = shape
    pieces = rows * cols - holes
    scores = random_table(pieces, seed, relations=relations, sharpness=1.0, alone=holes > 0)
    ties = Ties(None, pieces, rows, cols)
    task = Task(scores, rows, cols, scores.alone, ties)
    start = np.full(rows * cols, 4 * pieces, np.int32)
    start[:pieces] = 4 * np.arange(pieces)
    visited = record(task, start, seed, 1, exchanges=6000)
    partner = meetings(visited, pieces, rows, cols)
    for (a, b), share in enumerated_shares(scores, rows, cols, relations.turns).items():
        assert (partner[:, a] == b).mean() == pytest.approx(share, abs=0.03)

"""Retrieval counts how often the true neighbour comes first."""

from pathlib import Path

import numpy as np
import pytest

from sherd.bench.protocol import Protocol
from sherd.bench.retrieval import retrieval, run_retrieval
from sherd.layout import Layout
from sherd.scores import Scores
from sherd.sides import Relations


def test_each_side_with_a_true_neighbour_counts_once():
    """In a row of three pieces, three of four sides have their neighbour first by score."""
    candidates = np.full((12, 2), -1, np.int32)
    # piece 0 right, piece 1 left and right, piece 2 left; side id = 4 * piece + side
    candidates[0], candidates[6], candidates[4], candidates[10] = (6, 10), (0, 8), (10, 2), (0, 4)
    score = np.tile(np.array([-0.1, -3], np.float32), (12, 1))
    cost = np.tile(np.array([5, 2], np.float32), (12, 1))
    scores = Scores(Relations(), candidates, score, cost)
    found = retrieval(scores, Layout.from_grid(1, 3))
    assert (found.by_score, found.by_cost) == (0.75, 0.25)


def test_a_scorer_without_costs_has_no_retrieval_by_cost(
    protocol: Protocol, data: Path, plugin: str
):
    """A scorer that reads the truth finds every neighbour, in every cell of the protocol."""
    seen: list[str] = []
    cells = run_retrieval(
        protocol, data, f"{plugin}:Reading", on=lambda task: seen.append(task.picture.name)
    )
    assert seen == ["2.png", "2.png", "10.png", "10.png"]
    assert list(cells) == [("mit-70", 0), ("mit-70", 2)]
    for found in cells.values():
        assert [(one.by_score, one.by_cost) for one in found] == [(1.0, None)] * 2


def test_costs_are_ranked_by_themselves(protocol: Protocol, data: Path, plugin: str):
    """Costs that say nothing do not profit from scores that do."""
    cells = run_retrieval(
        protocol.narrowed(erosion=[0]), data, f"{plugin}:Costly", on=lambda task: None
    )
    for found in cells["mit-70", 0]:
        assert found.by_cost == pytest.approx(0.0)

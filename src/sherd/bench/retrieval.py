"""Retrieval: how often a scorer ranks the true neighbour of a side first, before any placing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sherd.bench.predict import Task, puzzle_of, tasks_of
from sherd.bench.protocol import Protocol
from sherd.events import ignore
from sherd.layout import Layout, seams_of
from sherd.scorers import find_scorer
from sherd.scores import Scores
from sherd.sides import Relations

__all__ = ["Retrieval", "retrieval", "run_retrieval"]


@dataclass(frozen=True)
class Retrieval:
    """Shares of the sides with a true neighbour for which it comes first of all candidates.

    by_score: by the symmetric score.
    by_cost: by the directed cost of the side that looks; None if the scorer has no costs.
    """

    by_score: float
    by_cost: float | None


def retrieval(scores: Scores, truth: Layout) -> Retrieval:
    """Measure top-1 retrieval over all four sides of all pieces."""
    seams = seams_of(truth)
    sides, partners = np.concatenate([seams, seams[:, ::-1]]).T  # each seam from both sides
    by_score = float((scores.candidates[sides, 0] == partners).mean())
    if scores.cost is None:
        return Retrieval(by_score, None)
    cheapest = scores.cost[sides].argmin(axis=1)
    return Retrieval(by_score, float((scores.candidates[sides, cheapest] == partners).mean()))


def run_retrieval(
    protocol: Protocol,
    root: Path,
    scorer: str,
    *,
    limit: int | None = None,
    on: Callable[[Task], None],
) -> dict[tuple[str, int], list[Retrieval]]:
    """Score every puzzle of a protocol.

    Args:
        protocol: which puzzles.
        root: the folder of the picture sets.
        scorer: its name.
        limit: pictures of each set, or None for all.
        on: called before each puzzle.

    Returns:
        What was found for each (set name, erosion), picture by picture.
    """
    cells: dict[tuple[str, int], list[Retrieval]] = {}
    for task in tasks_of(protocol, root, limit):
        on(task)
        pieces, truth = puzzle_of(task, protocol)
        relations = Relations(protocol.turns, pieces.square)
        found = retrieval(find_scorer(scorer).score(pieces, relations, ignore), truth)
        cells.setdefault((task.part.name, task.erosion), []).append(found)
    return cells

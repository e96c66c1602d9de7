"""The proof for small boards: against brute force, and the search against it."""

from __future__ import annotations

import pytest
from tests.assemblers.search_reference import every_board, random_table, slow_energy

from sherd.assemblers.exact import better_board, can_be_proved
from sherd.assemblers.rounds import Rounds, Task
from sherd.assemblers.ties import Ties
from sherd.events import ignore
from sherd.sides import Relations
from sherd.stop import Never


@pytest.mark.parametrize(
    ("shape", "holes", "relations"),
    [
        ((2, 3), 0, Relations()),
        ((2, 3), 1, Relations()),
        ((1, 3), 0, Relations(turns=True)),
        ((2, 2), 1, Relations(turns=True)),
    ],
)
def test_proof_equals_brute_force(shape: tuple[int, int], holes: int, relations: Relations) -> None:
    """Branch and bound finds the best of all boards, and nothing that is better than it."""
    rows, cols = shape
    for seed in range(6):
        pieces = rows * cols - holes
        scores = random_table(
            pieces, seed, relations=relations, alone=holes > 0, levels=seed % 2 * 2 or None
        )
        task = Task(scores, rows, cols, scores.alone, Ties(None, pieces, rows, cols))
        assert can_be_proved(task)
        best = max(
            slow_energy(scores, cells, rows, cols, holes > 0)
            for cells in every_board(pieces, rows * cols, relations.turns)
        )
        cells = better_board(task, -1e6)
        assert cells is not None
        found = slow_energy(scores, cells, rows, cols, holes > 0)
        assert found == pytest.approx(best, abs=0.02)
        assert better_board(task, best + 0.02) is None


def test_search_without_proof_comes_close() -> None:
    """One round alone reaches what is proved best on 95 of 100 flat tables, else misses a hair."""
    missed = []
    for seed in range(100):
        turned, rows, cols = (seed % 3 == 0, 2, 3) if seed % 3 == 0 else (False, 3, 3)
        relations, sharp = Relations(turns=turned), seed % 7 + 0.5
        levels = seed % 4 or None
        scores = random_table(
            rows * cols, seed, relations=relations, sharpness=sharp, levels=levels
        )
        task = Task(scores, rows, cols, None, Ties(None, rows * cols, rows, cols))
        search = Rounds(task, seed, 1)
        search.round(Never(), ignore)
        search.polish()
        if (better := better_board(task, search.energy)) is not None:
            missed.append(slow_energy(scores, better, rows, cols, alone=False) - search.energy)
    assert len(missed) <= 5
    assert max(missed, default=0) < 0.3

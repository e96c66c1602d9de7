"""Saved predictions are judged cell by cell."""

from collections.abc import Callable

import numpy as np
import pytest

from sherd.bench.evaluate import judge, percent_lost, summarise
from sherd.bench.records import Record
from sherd.layout import Layout

Factory = Callable[..., Record]


@pytest.fixture
def swapped() -> dict[str, object]:
    """A 2x3 layout with the pieces of the first two cells exchanged."""
    return Record.pack(Layout.from_grid(2, 3).relabelled(np.array([1, 0, 2, 3, 4, 5])))


@pytest.mark.parametrize(("piece", "erosion", "percent"), [(64, 2, 7), (64, 4, 14), (28, 0, 0)])
def test_erosion_in_the_words_of_the_paper(piece: int, erosion: int, percent: int):
    """2 and 4 px of 64 are the 7 % and 14 % of the paper."""
    assert round(percent_lost(piece, erosion)) == percent


def test_measures_are_averaged_over_pictures(record: Factory, swapped: dict[str, object]):
    """One perfect and one swapped puzzle: half perfect, 4 of 6 pieces right in the other."""
    (found,) = summarise([record("1.png"), record("2.png", layout=swapped)])
    assert (found.puzzles, found.seeds, found.perfect) == (2, 1, 1.0)
    assert found.direct_frame == pytest.approx((1 + 4 / 6) / 2)
    assert found.neighbour == pytest.approx((1 + 3 / 7) / 2)
    assert (found.scoring_seconds, found.placing_seconds) == (0.25, 0.5)


def test_seeds_are_averaged_and_their_spread_is_given(record: Factory, swapped: dict[str, object]):
    """Two seeds of one puzzle, one perfect: perfect counts a half, the spread is half the gap."""
    (found,) = summarise([record(seed=1), record(seed=2, layout=swapped)])
    assert (found.puzzles, found.seeds, found.perfect) == (1, 2, 0.5)
    assert found.spread == pytest.approx((1 - 3 / 7) / 2)


@pytest.mark.parametrize(
    ("energy", "below"), [(-1.5, False), (-1.0, False), (-1.6, True), (-1.5 - 1e-9, False)]
)
def test_the_search_is_at_fault_below_the_energy_of_the_truth(
    record: Factory, energy: float, below: bool
):
    """Only a layout of clearly lower energy than the truth counts as missed by the search."""
    assert judge(record(energy=energy)).below_truth == below


def test_the_start_piece_decides_the_shift(record: Factory):
    """A board shifted by one column is right by the start piece and wrong by the frame."""
    grid = Layout.from_grid(2, 3)
    shifted = Layout(
        grid.cell + np.array([0, 1], np.int32), grid.turn, grid.board, ((2, 4),), start=4
    )
    found = judge(record(layout=Record.pack(shifted))).measures
    assert (found.direct_frame, found.direct_start) == (0.0, 1.0)


def test_cells_are_kept_apart_and_ordered_by_erosion(record: Factory):
    """Erosions, sets and assemblers have rows of their own, in the order of the paper's tables."""
    made = [
        record(set=name, erosion=erosion, assembler=assembler)
        for name in ("b", "a")
        for erosion in (4, 2)
        for assembler in ("tree", "greedy")
    ]
    rows = [(s.cell.erosion, s.cell.set, s.assembler) for s in summarise(made)]
    assert rows == [(e, n, a) for e in (2, 4) for n in "ba" for a in ("tree", "greedy")]

"""How right a layout is: the measures on cases that can be counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.errors import InputError
from sherd.layout import Layout, seams_of, turn_layout
from sherd.metrics import board_energy, measure, seams_right, search_gap
from sherd.scores import FLOOR, Scores, top_candidates
from sherd.sides import Relations


def from_rows(*rows: list[int], start: int | None = None) -> Layout:
    """Make a layout of unturned pieces from rows of piece numbers, -1 where a cell is empty."""
    grid = np.array(rows)
    pieces = int(grid.max()) + 1
    cell = np.zeros((pieces, 2), np.int32)
    for row, col in np.argwhere(grid >= 0):
        cell[grid[row, col]] = row, col
    placed = np.isin(np.arange(pieces), grid)
    shape = (grid.shape[0], grid.shape[1])
    return Layout.from_cells(cell, np.zeros(pieces, np.int32), placed, shape, start)


def random_scores(pieces: int, seed: int, *, turns: bool = True) -> Scores:
    """Draw a full table of scores with alone scores."""
    rng = np.random.default_rng(seed)
    sides = np.arange(4 * pieces, dtype=np.int32)
    cost = rng.uniform(0.1, 1, (len(sides), len(sides))).astype(np.float32)
    relations = Relations(turns)
    k = relations.candidates_per_side(pieces)
    candidates, kept = top_candidates(cost, sides, sides, k)
    scores = Scores.from_costs(relations, candidates, kept, sharpness=1.0)
    return replace(scores, alone=-rng.uniform(0, 3, len(sides)).astype(np.float32))


def test_the_truth_is_perfect() -> None:
    """The truth itself has every measure at its best."""
    truth = Layout.from_grid(3, 4)
    found = measure(truth, truth)
    assert (found.neighbour, found.direct_frame, found.direct_start) == (1, 1, 1)
    assert found.perfect
    assert found.largest_island == 1
    assert (found.seams, found.pieces) == (17, 12)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_whole_turn_is_no_error(turns: int) -> None:
    """A picture found upside down or on its side is perfect."""
    truth = Layout.from_grid(3, 4)
    found = measure(turn_layout(truth, turns), truth)
    assert found.perfect
    assert found.neighbour == found.direct_start == 1


def test_two_pieces_swapped() -> None:
    """Two neighbours swapped in a row of four keep no seam of their own: only a pair is right."""
    truth = Layout.from_grid(1, 4)
    found = measure(from_rows([1, 0, 2, 3]), truth)
    assert found.neighbour == pytest.approx(1 / 3)
    assert found.direct_frame == pytest.approx(2 / 4)
    assert found.largest_island == pytest.approx(2 / 4)
    assert not found.perfect


def test_shifted_by_one_is_right_from_the_start_piece() -> None:
    """A row moved along the frame has no piece in its cell, but all but one beside its start."""
    truth = Layout.from_grid(1, 4)
    shifted = from_rows([3, 0, 1, 2], start=1)
    found = measure(shifted, truth)
    assert found.direct_frame == 0
    assert found.direct_start == pytest.approx(3 / 4)
    assert found.neighbour == pytest.approx(2 / 3)
    nowhere = measure(replace(shifted, start=None), truth)
    assert nowhere.direct_start == nowhere.direct_frame


def test_a_start_piece_that_is_not_placed_shifts_nothing() -> None:
    """Without a cell the start piece cannot align the board."""
    truth = Layout.from_grid(1, 3)
    found = measure(from_rows([-1, 1, 2], start=0), truth)
    assert found.direct_start == found.direct_frame == pytest.approx(2 / 3)


def test_a_turned_piece_is_not_in_place() -> None:
    """A piece in its cell but turned is wrong, and so are its seams."""
    truth = Layout.from_grid(1, 3)
    turned = replace(truth, turn=np.array([0, 0, 2], np.int32))
    found = measure(turned, truth)
    assert found.direct_frame == pytest.approx(2 / 3)
    assert found.neighbour == pytest.approx(1 / 2)
    assert seams_right(turned, truth).tolist() == [True, False]


def test_pieces_without_a_true_place_are_ignored() -> None:
    """A piece that the truth does not place counts neither for nor against a layout."""
    truth = from_rows([0, 1, -1])
    truth = Layout(
        np.append(truth.cell, [[-1, -1]], axis=0).astype(np.int32),
        np.zeros(3, np.int32),
        np.array([0, 0, -1], np.int32),
        truth.shapes,
    )
    found = measure(from_rows([0, 1, 2]), truth)
    assert found.perfect
    assert found.neighbour == 1
    assert found.pieces == 2


def test_one_piece_is_perfect() -> None:
    """A truth without seams has no neighbour errors."""
    found = measure(Layout.from_grid(1, 1), Layout.from_grid(1, 1))
    assert found.neighbour == 1
    assert found.perfect


def test_a_truth_of_another_puzzle_is_refused() -> None:
    """Another number of pieces, or a truth that places none, is a clear error."""
    nothing = replace(Layout.from_grid(1, 2), board=np.full(2, -1, np.int32))
    with pytest.raises(InputError, match="layout of 3 pieces"):
        measure(Layout.from_grid(1, 3), Layout.from_grid(1, 2))
    with pytest.raises(InputError, match="places 0 of 2"):
        measure(Layout.from_grid(1, 2), nothing)


@given(rows=st.integers(1, 4), cols=st.integers(1, 4), seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_measures_do_not_depend_on_names_or_turns(rows: int, cols: int, seed: int) -> None:
    """Relabelling both layouts, or turning one, changes no measure."""
    rng = np.random.default_rng(seed)
    pieces = rows * cols
    truth = Layout.from_grid(rows, cols).relabelled(rng.permutation(pieces).astype(np.int32))
    order = np.arange(pieces, dtype=np.int32)
    some = rng.permutation(pieces)[: rng.integers(0, pieces + 1)]
    order[np.sort(some)] = some  # part of the truth stays as it is
    layout = truth.relabelled(order)
    turn = np.where(rng.random(pieces) < 0.2, rng.integers(0, 4, pieces), 0)
    layout = replace(layout, turn=turn.astype(np.int32), start=0)
    found = measure(layout, truth)
    order = rng.permutation(pieces).astype(np.int32)
    assert measure(layout.relabelled(order), truth.relabelled(order)) == found
    assert measure(turn_layout(layout, int(rng.integers(4))), truth) == found
    assert 0 <= found.neighbour <= 1
    assert found.direct_start <= 1
    assert found.perfect == (found.direct_frame == 1)


@given(rows=st.integers(1, 4), cols=st.integers(2, 4), seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_energy_is_the_sum_over_seams(rows: int, cols: int, seed: int) -> None:
    """The energy adds the score of each seam once, and with the frame that of each free side."""
    scores = random_scores(rows * cols, seed)
    layout = Layout.from_grid(rows, cols)
    seams = seams_of(layout)
    entries = {
        (side, other): score
        for side, (row, values) in enumerate(zip(scores.candidates, scores.score, strict=True))
        for other, score in zip(row.tolist(), values.tolist(), strict=True)
    }
    expected = sum(entries[a, b] for a, b in seams.tolist())
    assert board_energy(scores, layout) == pytest.approx(expected, rel=1e-5)
    assert scores.alone is not None
    free = set(range(4 * rows * cols)) - set(seams.ravel().tolist())
    framed = expected + sum(float(scores.alone[side]) for side in free)
    assert board_energy(scores, layout, with_frame=True) == pytest.approx(framed, rel=1e-5)


def test_a_frame_without_alone_scores_adds_nothing() -> None:
    """Where a table has no alone scores, the frame does not count."""
    scores = replace(random_scores(6, 1), alone=None)
    layout = Layout.from_grid(2, 3)
    assert board_energy(scores, layout, with_frame=True) == board_energy(scores, layout)


def test_a_seam_that_cannot_be_costs_the_floor() -> None:
    """A seam outside the table has the lowest score."""
    scores = random_scores(2, 1, turns=False)
    turned = replace(Layout.from_grid(1, 2), turn=np.array([0, 1], np.int32))
    only = replace(scores, candidates=np.full_like(scores.candidates, -1))
    assert board_energy(only, turned) == FLOOR


def test_the_search_gap_says_whose_fault_it_is() -> None:
    """Positive where the truth has more energy than the layout, negative where it has less."""
    truth = Layout.from_grid(1, 3)
    swapped = from_rows([1, 0, 2])
    scores = random_scores(3, 4)
    gap = board_energy(scores, truth) - board_energy(scores, swapped)
    assert gap != 0
    assert search_gap(scores, swapped, truth) == pytest.approx(gap)
    assert search_gap(scores, truth, swapped) == pytest.approx(-gap)
    assert search_gap(scores, truth, truth) == 0

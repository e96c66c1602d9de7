"""Scores: symmetric log-probabilities over rows of candidates."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd._core import reverse_positions
from sherd.errors import InputError
from sherd.scores import (
    FLOOR,
    Scores,
    costs_to_logits,
    row_log_softmax,
    shortlist_size,
    top_candidates,
)
from sherd.sides import Relations

seeds = st.integers(0, 9999)


def table(pieces: int, k: int, seed: int, relations: Relations | None = None) -> Scores:
    """Make scores from random costs, each row with its k cheapest candidates."""
    relations = relations or Relations(turns=True)
    rng = np.random.default_rng(seed)
    sides = np.arange(4 * pieces, dtype=np.int32)
    cost = rng.gamma(2.0, 1.0, (4 * pieces, 4 * pieces)).astype(np.float32)
    for side in range(4):
        barred = [other for other in range(4) if other not in relations.partners(side)]
        cost[side::4][:, np.isin(sides % 4, barred)] = np.inf
    candidates, kept = top_candidates(cost, sides, sides, k)
    return Scores.from_costs(relations, candidates, kept, sharpness=3.0, made_by={"scorer": "test"})


@settings(deadline=None, max_examples=60)
@given(
    rows=st.integers(1, 12),
    cols=st.integers(1, 30),
    k=st.integers(1, 12),
    levels=st.integers(1, 6),
    seed=seeds,
)
def test_top_candidates_are_the_first_of_a_sorted_row(
    rows: int, cols: int, k: int, levels: int, seed: int
) -> None:
    """The k cheapest come in order, ties by side, without the own piece and infinite costs."""
    rng = np.random.default_rng(seed)
    cost = rng.integers(-levels, levels + 1, (rows, cols)).astype(np.float32)
    cost[rng.random((rows, cols)) < 0.2] = np.inf
    row_sides = rng.permutation(40)[:rows].astype(np.int32)
    col_sides = rng.permutation(40)[:cols].astype(np.int32)
    candidates, kept = top_candidates(cost, row_sides, col_sides, k)
    for row in range(rows):
        open_to = (col_sides // 4 != row_sides[row] // 4) & np.isfinite(cost[row])
        best = sorted(zip(cost[row][open_to], col_sides[open_to], strict=True))[:k]
        best += [(np.inf, -1)] * (k - len(best))
        assert list(zip(kept[row], candidates[row], strict=True)) == best


@settings(deadline=None, max_examples=60)
@given(sides=st.integers(1, 20), k=st.integers(1, 8), seed=seeds)
def test_reverse_positions_find_the_way_back(sides: int, k: int, seed: int) -> None:
    """Entry (a, b) knows where a stands in the row of b, or that it does not."""
    rng = np.random.default_rng(seed)
    k = min(k, sides)
    candidates = np.stack([rng.permutation(sides)[:k] for _ in range(sides)]).astype(np.int32)
    candidates[rng.random(candidates.shape) < 0.3] = -1
    position = reverse_positions(candidates)
    for (row, place), side in np.ndenumerate(candidates):
        found = np.flatnonzero(candidates[side] == row) if side >= 0 else np.array([])
        assert position[row, place] == (found[0] if found.size else -1)


@settings(deadline=None, max_examples=30)
@given(pieces=st.integers(2, 6), k=st.integers(1, 30), turns=st.booleans(), seed=seeds)
def test_scores_are_symmetric_log_probabilities(
    pieces: int, k: int, turns: bool, seed: int
) -> None:
    """Both sides of a seam agree on its score, which lies between the floor and 0."""
    scores = table(pieces, k, seed, Relations(turns))
    rows, places = np.nonzero(scores.candidates >= 0)
    others = scores.candidates[rows, places]
    assert np.array_equal(scores.of(rows, others), scores.of(others, rows))
    assert np.array_equal(scores.of(rows, others), scores.score[rows, places])
    assert (scores.score <= 0).all()
    assert (scores.score >= FLOOR).all()


@settings(deadline=None, max_examples=30)
@given(pieces=st.integers(2, 6), k=st.integers(1, 30), seed=seeds)
def test_a_score_is_the_mean_of_both_rows(pieces: int, k: int, seed: int) -> None:
    """It is the mean of both sides' log-softmax, the floor standing in where one has no entry."""
    scores = table(pieces, k, seed)
    assert scores.cost is not None
    logits = costs_to_logits(scores.cost, 3.0)
    own = {}
    for row, (sides, values) in enumerate(zip(scores.candidates, logits, strict=True)):
        total = np.logaddexp.reduce(values[sides >= 0].astype(float))
        for side, value in zip(sides[sides >= 0], values[sides >= 0], strict=True):
            own[row, int(side)] = max(value - total, FLOOR)
    for (row, place), side in np.ndenumerate(scores.candidates):
        if side >= 0:
            expected = (own[row, int(side)] + own.get((int(side), row), FLOOR)) / 2
            assert scores.score[row, place] == pytest.approx(expected, abs=1e-4)


def test_rows_are_sorted_and_costs_travel_along() -> None:
    """Candidates come best score first; each keeps the cost it came with."""
    rng = np.random.default_rng(2)
    sides = np.arange(24, dtype=np.int32)
    cost = rng.gamma(2.0, 1.0, (24, 24)).astype(np.float32)
    candidates, kept = top_candidates(cost, sides, sides, 20)
    scores = Scores.from_costs(Relations(True), candidates, kept, sharpness=2.0)
    assert (np.diff(scores.score, axis=1) <= 0).all()
    rows = np.repeat(sides, 20)
    assert np.array_equal(
        scores.cost_of(rows, scores.candidates.ravel()), cost[rows, scores.candidates.ravel()]
    )


def test_entries_without_a_candidate_come_last() -> None:
    """Even behind candidates at the floor, with nothing to find there."""
    candidates = np.full((8, 3), -1, np.int32)
    candidates[0] = [-1, 6, -1]
    candidates[6] = [0, -1, -1]
    logits = np.zeros((8, 3), np.float32)
    scores = Scores.from_logits(Relations(), candidates, logits)
    assert scores.candidates[0].tolist() == [6, -1, -1]
    assert scores.score[0].tolist() == [0, FLOOR, FLOOR]
    assert (scores.score[1:6] == FLOOR).all()


def test_unlisted_pairs_have_the_floor() -> None:
    """A pair in nobody's row scores the floor and costs infinitely much."""
    scores = table(6, 2, seed=1)
    listed = {(row, int(b)) for row, sides in enumerate(scores.candidates) for b in sides}
    row, other = next(
        (a, b) for a in range(24) for b in range(24) if {(a, b), (b, a)}.isdisjoint(listed)
    )
    pair = np.array([row], np.int32), np.array([other], np.int32)
    assert scores.of(*pair).tolist() == [FLOOR]
    assert scores.cost_of(*pair).tolist() == [np.inf]


def test_scores_without_costs_say_so() -> None:
    """Asking a learned table for distances is an error that names the cure."""
    scores = Scores.from_logits(
        Relations(), np.array([[6], [7], [4], [5]] * 2, np.int32), np.zeros((8, 1), np.float32)
    )
    with pytest.raises(InputError, match="distance"):
        scores.cost_of(np.array([0], np.int32), np.array([6], np.int32))


@settings(deadline=None, max_examples=30)
@given(factor=st.floats(0.01, 100), seed=seeds)
def test_only_ratios_of_costs_count(factor: float, seed: int) -> None:
    """Costs in another unit give the same probabilities."""
    cost = np.random.default_rng(seed).gamma(2.0, 1.0, (6, 9)).astype(np.float32)
    listed = np.ones(cost.shape, np.bool_)
    one, other = (
        row_log_softmax(costs_to_logits(some, 4.0), listed)
        for some in (cost, cost * np.float32(factor))
    )
    np.testing.assert_allclose(one, other, atol=1e-3)


def test_sharpness_is_how_strongly_a_lower_cost_is_believed() -> None:
    """The best of a row gains with it, and an infinite cost has no chance."""
    cost = np.array([[1.0, 2.0, 3.0, np.inf]] * 2, np.float32)
    weak, strong = (
        row_log_softmax(costs_to_logits(cost, sharpness), np.ones(cost.shape, np.bool_))
        for sharpness in (1.0, 4.0)
    )
    assert (strong[:, 0] > weak[:, 0]).all()
    assert (np.diff(weak[:, :3], axis=1) < 0).all()
    assert (weak[:, 3] == -np.inf).all()


@pytest.mark.parametrize("cost", [np.zeros((8, 3)), np.full((8, 3), np.inf), np.zeros((8, 0))])
def test_degenerate_costs_give_no_warning(cost: np.ndarray) -> None:
    """All equal, nothing listed, or no candidates at all: floors and even shares, never NaN."""
    candidates = np.full(cost.shape, -1, np.int32)
    candidates[0, : cost.shape[1]] = [4, 5, 6][: cost.shape[1]]
    scores = Scores.from_costs(Relations(), candidates, cost.astype(np.float32), sharpness=2.0)
    assert not np.isnan(scores.score).any()


def test_shortlists_begin_where_tables_grow_large() -> None:
    """Every candidate up to 2,000 pieces or 1,000 turned ones, the best 256 a side above."""
    assert shortlist_size(2000, Relations()) == 1999
    assert shortlist_size(2001, Relations()) == 256
    assert shortlist_size(1000, Relations(turns=True)) == 3996
    assert shortlist_size(1001, Relations(turns=True)) == 256
    assert shortlist_size(1414, Relations(turns=True, square=False)) == 2826
    assert shortlist_size(1415, Relations(turns=True, square=False)) == 256
    assert shortlist_size(50, Relations(turns=True)) == 196
    assert shortlist_size(50, Relations(turns=True, square=False)) == 98


def test_a_saved_table_comes_back_whole(tmp_path: Path) -> None:
    """Save and load keep candidates, scores, costs, relations and provenance."""
    scores = table(4, 6, seed=3, relations=Relations(turns=True, square=False))
    scores.save(tmp_path / "scores.npz")
    back = Scores.load(tmp_path / "scores.npz")
    assert back.relations == scores.relations
    assert back.made_by == {"scorer": "test"}
    assert back.alone is None
    assert back.pieces == 4
    for name in ("candidates", "score", "cost"):
        assert np.array_equal(getattr(back, name), getattr(scores, name))


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 broken", b"an array"])
def test_files_that_are_no_tables_are_named(tmp_path: Path, content: bytes) -> None:
    """A wrong file gives one line with its name and the cure."""
    path = tmp_path / "wrong.npz"
    path.write_bytes(content)
    if content == b"an array":
        with path.open("wb") as file:
            np.save(file, np.zeros(3))
    with pytest.raises(InputError, match=r"wrong\.npz.*--save-scores"):
        Scores.load(path)


def test_tables_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    """A candidate that does not exist is found before a kernel trips over it."""
    scores = table(4, 6, seed=3)
    scores.candidates[2, 1] = 16
    scores.save(tmp_path / "scores.npz")
    with pytest.raises(InputError, match="do not fit together"):
        Scores.load(tmp_path / "scores.npz")
    with pytest.raises(ValueError, match="not the number of a row"):
        reverse_positions(scores.candidates)


def test_a_table_of_another_format_is_refused(tmp_path: Path) -> None:
    """Tables of a future version are not misread."""
    path = tmp_path / "future.npz"
    np.savez(path, header=np.array('{"format": 99}'))
    with pytest.raises(InputError, match="format 99"):
        Scores.load(path)

"""The tree assembler against its oracle and its promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sherd.assemblers import find_assembler
from sherd.assemblers.tree import LINKS_PER_SIDE, Tree
from sherd.errors import OptionError
from sherd.events import Event, Progress, ignore
from sherd.layout import BoardSpec, Layout, seams_of, turn_layout
from sherd.scores import Scores, top_candidates
from sherd.sides import Relations
from sherd.stop import Flag, Never

from .tree_reference import assemble as reference_assemble

relations_kinds = st.builds(Relations, turns=st.booleans(), square=st.booleans())


def table(relations: Relations, cost: np.ndarray[Any, Any], k: int | None = None) -> Scores:
    """Make scores from a full table of directed costs [4N, 4N], cut to k candidates a side."""
    sides = np.arange(len(cost), dtype=np.int32)
    may_meet = np.zeros(cost.shape, bool)
    for looking, seen in relations.pair_groups():
        may_meet |= np.isin(sides % 4, looking)[:, None] & np.isin(sides % 4, seen)
    k = k or max(relations.candidates_per_side(len(cost) // 4), 1)
    cost = np.where(may_meet, cost, np.inf).astype(np.float32)
    candidates, kept = top_candidates(cost, sides, sides, k)
    return Scores.from_costs(relations, candidates, kept, sharpness=2.0)


def random_costs(pieces: int, seed: int, *, ties: bool = False) -> np.ndarray[Any, Any]:
    """Draw directed costs [4N, 4N], whole numbers from 0 to 5 where ties are wanted."""
    rng = np.random.default_rng(seed)
    shape = (4 * pieces, 4 * pieces)
    return rng.integers(0, 6, shape).astype(float) if ties else rng.uniform(0.1, 9, shape)


def costs_of(truth: Layout, seed: int, noise: float) -> np.ndarray[Any, Any]:
    """Draw costs that favour the seams of a layout by more or less than the noise."""
    rng = np.random.default_rng(seed)
    cost = rng.uniform(2, 2 + noise, (4 * len(truth.turn), 4 * len(truth.turn)))
    a, b = seams_of(truth).T
    cost[a, b] = rng.uniform(0.1, 1, len(a))
    cost[b, a] = rng.uniform(0.1, 1, len(a))
    return cost


def solve(scores: Scores, board: BoardSpec) -> Layout:
    """Run the assembler to its end, unheard."""
    return Tree().assemble(scores, board, Never(), np.random.default_rng(0), ignore)


def as_picture(layout: Layout, *, turns: bool = True) -> tuple[Any, ...]:
    """Write a layout so that, with turns, all its whole turns are written alike."""
    views = [turn_layout(layout, turn) for turn in range(4 if turns else 1)]
    return min((view.shapes, view.cell.tolist(), view.turn.tolist()) for view in views)


def turned_truth(rows: int, cols: int, seed: int, step: int = 1) -> Layout:
    """Shuffle the pieces of a full board and turn each by a multiple of `step`."""
    rng = np.random.default_rng(seed)
    shuffled = Layout.from_grid(rows, cols).relabelled(
        rng.permutation(rows * cols).astype(np.int32)
    )
    turns = step * rng.integers(0, 4 // step, rows * cols)
    return replace(shuffled, turn=turns.astype(np.int32))


@given(
    relations=relations_kinds,
    rows=st.integers(1, 4),
    cols=st.integers(1, 4),
    missing=st.integers(0, 3),
    known=st.booleans(),
    k=st.none() | st.integers(1, 6),
    ties=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, max_examples=120)
def test_same_as_the_oracle(
    relations: Relations,
    rows: int,
    cols: int,
    missing: int,
    known: bool,
    k: int | None,
    ties: bool,
    seed: int,
) -> None:
    """Any table gives the layout of the plain rules, ties and short rows included."""
    pieces = rows * cols - missing
    assume(pieces > 0)
    if k is not None:
        k = min(k, max(relations.candidates_per_side(pieces), 1))
    scores = table(relations, random_costs(pieces, seed, ties=ties), k)
    board = BoardSpec(rows, cols, missing) if known else BoardSpec()
    spots = reference_assemble(scores, board, LINKS_PER_SIDE)
    spot = np.array([spots[piece] for piece in range(pieces)])
    expected = Layout.from_cells(spot[:, :2], spot[:, 2], np.ones(pieces, bool))
    if known:
        if (np.array(expected.shapes[0]) > (rows, cols)).any():
            expected = turn_layout(expected, 1)
        expected = replace(expected, shapes=((rows, cols),))
    layout = solve(scores, board)
    assert layout.shapes == expected.shapes
    assert layout.cell.tolist() == expected.cell.tolist()
    assert layout.turn.tolist() == expected.turn.tolist()


@pytest.mark.parametrize("relations", [Relations(), Relations(True), Relations(True, False)])
def test_only_the_best_links_of_a_side_enter_the_tree(relations: Relations) -> None:
    """A table of more candidates than enter the tree is also solved by the plain rules."""
    scores = table(relations, random_costs(60, 5))
    spots = reference_assemble(scores, BoardSpec(6, 10), LINKS_PER_SIDE)
    spot = np.array([spots[piece] for piece in range(60)])
    expected = Layout.from_cells(spot[:, :2], spot[:, 2], np.ones(60, bool))
    if expected.shapes != ((6, 10),):
        expected = turn_layout(expected, 1)
    layout = solve(scores, BoardSpec(6, 10))
    assert layout.cell.tolist() == expected.cell.tolist()
    assert layout.turn.tolist() == expected.turn.tolist()


@given(
    relations=relations_kinds,
    rows=st.integers(1, 6),
    cols=st.integers(1, 6),
    missing=st.integers(0, 4),
    known=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, max_examples=40)
def test_every_piece_has_a_cell_of_its_own(
    relations: Relations, rows: int, cols: int, missing: int, known: bool, seed: int
) -> None:
    """However bad the scores, all pieces lie on the board, no two on one cell."""
    pieces = rows * cols - missing
    assume(pieces > 0)
    board = BoardSpec(rows, cols, missing) if known else BoardSpec()
    layout = solve(table(relations, random_costs(pieces, seed)), board)
    assert layout.placed.all()
    assert (layout.cell >= 0).all()
    assert (layout.cell < layout.shapes[0]).all()
    assert len({tuple(cell) for cell in layout.cell.tolist()}) == pieces
    if known:
        assert layout.shapes == ((rows, cols),)
    else:
        assert layout.grid().max(axis=0).min() >= 0
        assert layout.grid().max(axis=1).min() >= 0
    if not relations.turns:
        assert not layout.turn.any()


@given(
    relations=relations_kinds,
    rows=st.integers(1, 4),
    cols=st.integers(1, 4),
    known=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, max_examples=40)
def test_other_names_of_the_pieces_change_nothing(
    relations: Relations, rows: int, cols: int, known: bool, seed: int
) -> None:
    """Without ties, pieces in another order give the same picture (up to a whole turn)."""
    pieces = rows * cols
    cost = random_costs(pieces, seed)
    order = np.random.default_rng(seed).permutation(pieces).astype(np.int32)
    moved = (4 * order[:, None] + np.arange(4)).ravel()  # new side -> old side
    board = BoardSpec(rows, cols) if known else BoardSpec()
    layout = solve(table(relations, cost), board).relabelled(order)
    other = solve(table(relations, cost[np.ix_(moved, moved)]), board)
    turns = relations.turns
    assert as_picture(other, turns=turns) == as_picture(layout, turns=turns)


@given(
    square=st.booleans(),
    rows=st.integers(1, 4),
    cols=st.integers(1, 4),
    known=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(deadline=None, max_examples=40)
def test_pieces_given_turned_change_nothing(
    square: bool, rows: int, cols: int, known: bool, seed: int
) -> None:
    """Where turns are unknown, turning any pieces gives the same picture up to a whole turn."""
    pieces = rows * cols
    cost = random_costs(pieces, seed)
    rng = np.random.default_rng(seed)
    turn = rng.integers(0, 4, pieces) if square else 2 * rng.integers(0, 2, pieces)
    piece, side = np.divmod(np.arange(4 * pieces), 4)
    moved = 4 * piece + (side - turn[piece]) % 4  # side of the turned piece -> given side
    board = BoardSpec(rows, cols) if known else BoardSpec()
    relations = Relations(True, square)
    layout = solve(table(relations, cost), board)
    other = solve(table(relations, cost[np.ix_(moved, moved)]), board)
    back = replace(other, turn=((other.turn + turn) % 4).astype(np.int32))
    assert as_picture(back) == as_picture(layout)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("turns", [True, False])
def test_clear_scores_give_the_truth(turns: bool, known: bool) -> None:
    """Where the true seams are the cheapest, the picture comes out, whatever is known of it."""
    truth = turned_truth(12, 9, 3) if turns else turned_truth(12, 9, 3, step=4)
    scores = table(Relations(turns), costs_of(truth, 1, noise=3))
    layout = solve(scores, BoardSpec(12, 9) if known else BoardSpec())
    assert as_picture(layout, turns=turns) == as_picture(truth, turns=turns)


def test_rectangles_on_their_side() -> None:
    """Pieces that were all given on their side are turned so that they fill the board."""
    upright = turned_truth(5, 8, 4, step=2)
    truth = turn_layout(upright, 1)  # 8 x 5 cells, every piece lying on its side
    layout = solve(table(Relations(True, False), costs_of(truth, 2, noise=3)), BoardSpec(8, 5))
    assert layout.shapes == ((8, 5),)
    assert (layout.turn % 2 == 1).all()
    assert as_picture(layout) == as_picture(truth)


def test_missing_pieces_leave_their_cells_empty() -> None:
    """With clear scores the empty cells are those of the missing pieces."""
    full = turned_truth(7, 7, 6)
    holes = {(3, 3), (1, 5), (5, 0)}
    kept = np.array([tuple(cell) not in holes for cell in full.cell.tolist()])
    truth = full.relabelled(np.flatnonzero(kept).astype(np.int32))
    layout = solve(table(Relations(True), costs_of(truth, 3, noise=3)), BoardSpec(7, 7, 3))
    assert as_picture(layout) == as_picture(truth)


def test_scores_without_costs_are_enough() -> None:
    """A table of symmetric scores alone gives the same picture as its costs."""
    truth = turned_truth(5, 6, 8)
    scores = replace(table(Relations(True), costs_of(truth, 4, noise=3)), cost=None)
    assert as_picture(solve(scores, BoardSpec(5, 6))) == as_picture(truth)


def test_stopped_at_once_returns_a_part() -> None:
    """A stop that is already asked for gives a valid layout with pieces left over."""
    flag = Flag()
    flag.set()
    scores = table(Relations(True), random_costs(20, 1))
    layout = Tree().assemble(scores, BoardSpec(4, 5), flag, np.random.default_rng(0), ignore)
    assert layout.shapes == ((4, 5),)
    assert 1 <= layout.placed.sum() < 20
    assert (layout.cell[layout.placed] >= 0).all()
    assert (layout.cell[~layout.placed] == -1).all()


def test_listeners_hear_the_progress() -> None:
    """Progress begins early, never goes beyond the total, and ends with all pieces."""
    heard: list[Event] = []
    scores = table(Relations(), random_costs(20, 1))
    Tree().assemble(scores, BoardSpec(4, 5), Never(), np.random.default_rng(0), heard.append)
    steps = [event for event in heard if isinstance(event, Progress)]
    assert len(steps) >= 2
    assert {(step.stage, step.total) for step in steps} == {("placing", 20)}
    assert steps[-1].done == 20
    assert all(0 <= step.done <= 20 for step in steps)


def raise_interrupt(event: object) -> None:
    """Raise what Ctrl-C raises."""
    raise KeyboardInterrupt


def test_errors_of_a_listener_come_through() -> None:
    """An interrupt inside the compiled search reaches the caller."""
    scores = table(Relations(), random_costs(20, 1))
    listener: Callable[[Event], None] = raise_interrupt
    with pytest.raises(KeyboardInterrupt):
        Tree().assemble(scores, BoardSpec(4, 5), Never(), np.random.default_rng(0), listener)


def test_board_must_fit() -> None:
    """A board with too few cells is refused before any work."""
    with pytest.raises(OptionError, match="20 pieces"):
        solve(table(Relations(), random_costs(20, 1)), BoardSpec(4, 4))


def test_found_by_name() -> None:
    """The registry knows the assembler as `tree`."""
    assert isinstance(find_assembler("tree"), Tree)

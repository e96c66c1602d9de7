"""Layouts: cells, seams, islands and whole turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.errors import OptionError
from sherd.layout import BoardSpec, Layout, islands_of, seams_of, turn_layout
from sherd.sides import turn_picture


@st.composite
def layouts(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Layout:
    """Draw a layout on one or two boards: shuffled, turned, some cells empty, some pieces out."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    shapes = tuple(draw(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=2)))
    spots = [(b, r, c) for b, (rows, cols) in enumerate(shapes) for r, c in np.ndindex(rows, cols)]
    spots = [spots[i] for i in rng.permutation(len(spots))[: rng.integers(0, len(spots) + 1)]]
    spots += [(-1, -1, -1)] * int(rng.integers(0, 3))
    spot = np.array(spots, np.int32).reshape(-1, 3)[rng.permutation(len(spots))]
    turn = np.where(spot[:, 0] >= 0, rng.integers(0, 4, len(spot)), 0).astype(np.int32)
    layout = Layout(spot[:, 1:].copy(), turn, spot[:, 0].copy(), shapes)
    seams = len(seams_of(layout))
    return replace(layout, confidence=np.linspace(0, 1, seams, dtype=np.float32))


def confidence_by_seam(layout: Layout) -> dict[frozenset[int], float]:
    """Look up the confidence of each seam by its two sides."""
    assert layout.confidence is not None
    pairs = [frozenset(pair) for pair in seams_of(layout).tolist()]
    return dict(zip(pairs, layout.confidence.tolist(), strict=True))


def same(one: Layout, other: Layout) -> bool:
    """Say whether two layouts agree in cells, turns, boards and shapes."""
    tables = ((getattr(one, n), getattr(other, n)) for n in ("cell", "turn", "board"))
    return one.shapes == other.shapes and all(np.array_equal(a, b) for a, b in tables)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((3, None), "both rows and columns"),
        ((None, 3), "both rows and columns"),
        ((0, 4), "no room"),
        ((2, 2, -1), "cannot be missing"),
    ],
)
def test_senseless_boards_are_refused(values: tuple[Any, ...], message: str) -> None:
    """Half a size, an empty board or fewer than no missing pieces is an error at once."""
    with pytest.raises(OptionError, match=message):
        BoardSpec(*values)


def test_a_board_must_fit_the_pieces() -> None:
    """Cells are pieces plus missing pieces, where the size is known."""
    BoardSpec(3, 4).check(12)
    BoardSpec(3, 4, 2).check(10)
    BoardSpec().check(7)
    assert not BoardSpec().known
    assert BoardSpec(3, 4).known
    with pytest.raises(OptionError, match=r"12 cells, but there are 10 pieces; .*--missing 2"):
        BoardSpec(3, 4).check(10)
    with pytest.raises(OptionError, match=r"4 cells, but there are 10 pieces; .*fits\.$"):
        BoardSpec(2, 2).check(10)
    with pytest.raises(OptionError, match=r"10 pieces and 1 missing"):
        BoardSpec(3, 4, 1).check(10)


def test_seams_of_a_small_board() -> None:
    """Of 2 x 3 unturned pieces: four seams to the right, then three below, by side ids."""
    assert seams_of(Layout.from_grid(2, 3)).tolist() == [
        [0, 6],  # right side of piece 0, left side of piece 1
        [4, 10],
        [12, 18],
        [16, 22],
        [1, 15],  # bottom of piece 0, top of piece 3
        [5, 19],
        [9, 23],
    ]


def test_seams_of_a_turned_piece() -> None:
    """Turned clockwise once, a piece has its top on the right; turned twice, its left."""
    pair = Layout.from_grid(1, 2)
    once = replace(pair, turn=np.array([1, 0], np.int32))
    twice = replace(pair, turn=np.array([0, 2], np.int32))
    assert seams_of(once).tolist() == [[3, 6]]
    assert seams_of(twice).tolist() == [[0, 4]]


def test_no_seam_across_an_empty_cell() -> None:
    """Pieces on both sides of a hole do not meet."""
    cell = np.array([(0, 0), (0, 2)], np.int32)
    layout = Layout.from_cells(cell, np.zeros(2, np.int32), np.ones(2, bool), (1, 3))
    assert len(seams_of(layout)) == 0
    assert layout.grid().tolist() == [[0, -1, 1]]


def test_free_cells_are_moved_to_the_corner() -> None:
    """Without a shape the bounding box of the placed pieces becomes the board."""
    cell = np.array([(-3, 5), (-2, 7), (-40, 40)], np.int32)
    placed = np.array([True, True, False])
    layout = Layout.from_cells(cell, np.array([1, 2, 3], np.int32), placed)
    assert layout.shapes == ((2, 3),)
    assert layout.cell.tolist() == [[0, 0], [1, 2], [-1, -1]]
    assert layout.turn.tolist() == [1, 2, 0]
    assert layout.board.tolist() == [0, 0, -1]
    nothing = Layout.from_cells(cell, np.zeros(3, np.int32), np.zeros(3, bool))
    assert nothing.shapes == ((0, 0),)
    assert not nothing.placed.any()


@given(layout=layouts())
@settings(deadline=None, max_examples=60)
def test_a_grid_holds_the_placed_pieces(layout: Layout) -> None:
    """The drawn boards show every placed piece once, in its cell."""
    drawn = []
    for board in range(len(layout.shapes)):
        grid = layout.grid(board)
        assert grid.shape == layout.shapes[board]
        for row, col in np.argwhere(grid >= 0).tolist():
            assert layout.cell[grid[row, col]].tolist() == [row, col]
        drawn += grid[grid >= 0].tolist()
    assert sorted(drawn) == np.flatnonzero(layout.placed).tolist()


@given(layout=layouts(), turns=st.integers(-4, 7))
@settings(deadline=None, max_examples=60)
def test_a_turned_layout_is_the_turned_picture(layout: Layout, turns: int) -> None:
    """Turning a layout turns its drawn boards and its pieces clockwise and keeps all seams."""
    turned = turn_layout(layout, turns)
    for board in range(len(layout.shapes)):
        assert np.array_equal(turned.grid(board), turn_picture(layout.grid(board), turns))
    expected = np.where(layout.placed, (layout.turn + turns) % 4, layout.turn)
    assert turned.turn.tolist() == expected.tolist()
    assert confidence_by_seam(turned) == confidence_by_seam(layout)


@given(layout=layouts(), first=st.integers(0, 3), second=st.integers(0, 3))
@settings(deadline=None, max_examples=40)
def test_turns_add_up(layout: Layout, first: int, second: int) -> None:
    """Two turns in a row are one turn by their sum; four quarters are none."""
    assert same(
        turn_layout(turn_layout(layout, first), second), turn_layout(layout, first + second)
    )
    assert same(turn_layout(layout, 4), layout)


def test_turned_without_confidence() -> None:
    """A layout without confidence has none after a turn."""
    assert turn_layout(Layout.from_grid(2, 2), 1).confidence is None


@given(layout=layouts(), seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_other_names_same_seams(layout: Layout, seed: int) -> None:
    """Relabelled pieces lie where they lay: new piece i is old piece order[i], seam by seam."""
    order = np.random.default_rng(seed).permutation(len(layout.turn)).astype(np.int32)
    start = int(order[-1]) if len(order) else None
    other = replace(layout, start=start).relabelled(order)
    assert other.cell.tolist() == layout.cell[order].tolist()
    assert other.start == (len(order) - 1 if len(order) else None)
    piece, side = np.divmod(seams_of(other), 4)
    assert (4 * order[piece] + side).tolist() == seams_of(layout).tolist()


def test_islands_are_joined_by_sure_seams() -> None:
    """Pieces belong together where a chain of sure seams joins them; the largest group is 0."""
    layout = Layout.from_grid(1, 5)
    assert islands_of(layout, np.array([True, False, True, True])).tolist() == [1, 1, 0, 0, 0]
    assert sorted(islands_of(layout, np.zeros(4, bool)).tolist()) == [0, 1, 2, 3, 4]


def test_pieces_that_are_not_placed_are_on_no_island() -> None:
    """Many unplaced pieces do not count as the largest island."""
    cell = np.array([(0, 0), (0, 1), (0, 0), (0, 0), (0, 0)], np.int32)
    placed = np.array([True, True, False, False, False])
    layout = Layout.from_cells(cell, np.zeros(5, np.int32), placed)
    assert islands_of(layout, np.array([True])).tolist() == [0, 0, -1, -1, -1]


@given(layout=layouts(), seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_islands_are_the_connected_groups(layout: Layout, seed: int) -> None:
    """Islands never shrink with their number, and a sure seam never leaves one."""
    seams = seams_of(layout)
    sure = np.random.default_rng(seed).random(len(seams)) < 0.6
    islands = islands_of(layout, sure)
    assert ((islands >= 0) == layout.placed).all()
    sizes = np.bincount(islands[layout.placed])
    assert (np.diff(sizes) <= 0).all()
    assert (sizes > 0).all()
    first, second = (seams[sure] // 4).T
    assert (islands[first] == islands[second]).all()
    assert len(sizes) >= layout.placed.sum() - sure.sum()

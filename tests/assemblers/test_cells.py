"""Boards as the search holds them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.assemblers.cells import cells_of, layout_of_cells, meetings
from sherd.layout import Layout, seams_of


def test_cells_and_layouts() -> None:
    """A layout written as cells and read again is the same."""
    cell = np.array([[0, 1], [1, 0], [1, 2]], np.int32)
    turn = np.array([3, 0, 2], np.int32)
    layout = Layout.from_cells(cell, turn, np.ones(3, np.bool_), (2, 3))
    cells = cells_of(layout, 2, 3)
    assert cells.tolist() == [12, 3, 12, 4, 12, 10]
    back = layout_of_cells(cells, 3, 2, 3)
    assert np.array_equal(back.cell, cell)
    assert np.array_equal(back.turn, turn)


@given(st.integers(0, 99), st.integers(1, 3), st.integers(2, 4), st.integers(0, 2))
@settings(deadline=None, max_examples=20)
def test_meetings_are_seams(seed: int, rows: int, cols: int, holes: int) -> None:
    """The partners on a board are just the seams of its layout."""
    rng = np.random.default_rng(seed)
    pieces = max(rows * cols - holes, 1)
    cells = np.full(rows * cols, 4 * pieces, np.int32)
    cells[:pieces] = 4 * np.arange(pieces) + rng.integers(4, size=pieces)
    cells = rng.permuted(cells)
    partner = meetings(cells[None], pieces, rows, cols)[0]
    seams = seams_of(layout_of_cells(cells, pieces, rows, cols))
    expected = np.full(4 * pieces, -1)
    expected[seams[:, 0]] = seams[:, 1]
    expected[seams[:, 1]] = seams[:, 0]
    assert np.array_equal(partner, expected)

"""Boards as the search holds them: for each cell 4 * piece + turn, or 4 * N where nothing lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.layout import Layout

__all__ = ["cells_of", "layout_of_cells", "meetings"]

Ints = NDArray[np.int32]


def cells_of(layout: Layout, rows: int, cols: int) -> Ints:
    """Write a layout that fits a board of rows x cols as cells [rows * cols].

    Pieces that are not placed are laid into what is empty, in their order.
    """
    pieces = len(layout.turn)
    cells = np.full((rows, cols), 4 * pieces, np.int32)
    here = np.flatnonzero(layout.board == 0)
    cells[layout.cell[here, 0], layout.cell[here, 1]] = 4 * here + layout.turn[here]
    flat = cells.ravel()
    left = np.flatnonzero(layout.board != 0)
    flat[np.flatnonzero(flat == 4 * pieces)[: len(left)]] = 4 * left
    return flat


def layout_of_cells(cells: Ints, pieces: int, rows: int, cols: int) -> Layout:
    """Read cells [rows * cols] as a layout of all pieces."""
    here = np.flatnonzero(cells < 4 * pieces)
    cell = np.empty((pieces, 2), np.int32)
    turn = np.empty(pieces, np.int32)
    cell[cells[here] // 4] = np.stack(np.divmod(here, cols), axis=1)
    turn[cells[here] // 4] = cells[here] % 4
    return Layout.from_cells(cell, turn, np.ones(pieces, np.bool_), (rows, cols))


def meetings(boards: Ints, pieces: int, rows: int, cols: int) -> Ints:
    """Tell which side each side meets on boards [S, rows * cols]: [S, 4 * pieces], -1 for none."""
    grid = boards.reshape(-1, rows, cols)
    partner = np.full((len(grid), 4 * pieces + 4), -1, np.int32)
    sample = np.arange(len(grid))[:, None]
    for side, first, second in (
        (0, grid[:, :, :-1], grid[:, :, 1:]),
        (1, grid[:, :-1], grid[:, 1:]),
    ):
        a, b = _shown(first, side), _shown(second, side + 2)
        real = np.maximum(a, b) < 4 * pieces
        partner[sample, a] = np.where(real, b, -1)
        partner[sample, b] = np.where(real, a, -1)
    partner[:, 4 * pieces :] = -1
    return partner[:, : 4 * pieces]


def _shown(cells: Ints, direction: int) -> Ints:
    """Give the side that each cell shows in a direction, [S, cells]."""
    what = cells.reshape(len(cells), -1)
    return np.asarray(what // 4 * 4 + (direction - what) % 4, np.int32)

"""Hints on their way through `solve`."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.errors import OptionError
from sherd.hints import Hints
from sherd.layout import Layout
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.solve import solve


def bag(seed: int) -> Pieces:
    """Cut a picture into 3 x 4 pieces in a random order."""
    picture = paint(48, 64, seed)
    grid = picture.reshape(3, 16, 4, 16, 3).swapaxes(1, 2).reshape(12, 16, 16, 3)
    return Pieces.from_arrays(grid[np.random.default_rng(seed).permutation(12)])


def test_pins_name_the_given_pieces() -> None:
    """A pinned piece keeps its cell, in whatever order the pieces are given."""
    pieces = bag(1)
    for name in (0, 5, 11):
        cell = np.full((12, 2), -1, np.int32)
        cell[name] = (2, 1)
        pins = Layout.from_cells(cell, np.zeros(12, np.int32), np.arange(12) == name, (3, 4))
        result = solve(pieces, assembler="search", board=(3, 4), hints=Hints(pins=pins))
        assert result.layout.cell[name].tolist() == [2, 1]


def test_hints_need_an_assembler_and_the_same_pieces() -> None:
    """Hints are not silently passed over, nor taken for other pieces."""
    pieces = bag(2)
    with pytest.raises(OptionError, match="use the assembler search"):
        solve(pieces, assembler="greedy", board=(3, 4), hints=Hints(pins=Layout.from_grid(3, 4)))
    with pytest.raises(OptionError, match="for 6 pieces"):
        solve(pieces, assembler="search", board=(3, 4), hints=Hints(pins=Layout.from_grid(2, 3)))

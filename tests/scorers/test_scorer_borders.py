"""Borders are the outermost known pixels of each side."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.errors import InputError
from sherd.pieces import Pieces
from sherd.scorers.borders import borders_of
from sherd.sides import strips


def numbered(count: int, height: int, width: int) -> np.ndarray:
    """Make pieces in which every pixel is its own."""
    rng = np.random.default_rng(height * 100 + width)
    return rng.integers(0, 256, (count, height, width, 3), dtype=np.uint8)


def test_whole_pieces_show_their_last_two_columns() -> None:
    """Without wear the border is the last column of the strip, the inner one next to it."""
    pieces = Pieces.from_arrays(numbered(3, 6, 8))
    for side in range(4):
        strip = strips(pieces.pixels, side, 2)
        borders = borders_of(pieces, (side,))
        assert (borders.outer == strip[:, :, 1]).all()
        assert (borders.inner == strip[:, :, 0]).all()
        assert borders.known.all()


def test_right_side_of_a_worn_piece_starts_inside_the_ring() -> None:
    """With two pixels worn away, the border is the third column and four rows are unknown."""
    pixels = numbered(2, 10, 10)
    known = np.zeros((2, 10, 10), np.bool_)
    known[:, 2:8, 2:8] = True
    borders = borders_of(Pieces.from_arrays(pixels, known), (0,))
    assert (borders.outer[:, 2:8] == pixels[:, 2:8, 7]).all()
    assert (borders.inner[:, 2:8] == pixels[:, 2:8, 6]).all()
    assert borders.known.tolist() == [[False] * 2 + [True] * 6 + [False] * 2] * 2


@settings(deadline=None, max_examples=40)
@given(
    height=st.integers(2, 9),
    width=st.integers(2, 9),
    share=st.floats(0.1, 0.9),
    seed=st.integers(0, 99),
)
def test_ragged_masks_row_by_row(height: int, width: int, share: float, seed: int) -> None:
    """Each row has its own depth: the outermost two adjacent known pixels of the outer half."""
    known = np.random.default_rng(seed).random((2, height, width)) < share
    pieces = Pieces.from_arrays(numbered(2, height, width), known)
    for side in range(4):
        borders = borders_of(pieces, (side,))
        turned = np.rot90(pieces.pixels, side, (1, 2))
        mask = np.rot90(known, side, (1, 2))
        across = turned.shape[2]
        for piece in range(2):
            for row in range(turned.shape[1]):
                columns = [
                    c
                    for c in range(across - across // 2, across)
                    if mask[piece, row, c] and mask[piece, row, c - 1]
                ]
                assert borders.known[piece, row] == bool(columns)
                if columns:
                    assert (borders.outer[piece, row] == turned[piece, row, columns[-1]]).all()
                    assert (borders.inner[piece, row] == turned[piece, row, columns[-1] - 1]).all()


def test_facing_runs_the_rows_the_other_way() -> None:
    """The bottom row of one side touches the top row of the strip that faces it."""
    borders = borders_of(Pieces.from_arrays(numbered(2, 5, 5)), (0, 1))
    facing = borders.facing()
    assert len(facing) == 4
    assert (facing.outer == borders.outer[:, ::-1]).all()
    assert (facing.inner == borders.inner[:, ::-1]).all()


def test_pieces_one_pixel_thin_are_refused() -> None:
    """A piece without two columns has no gradient, and the message says the cure."""
    with pytest.raises(InputError, match="at least 2x2"):
        borders_of(Pieces.from_arrays(numbered(2, 5, 1)), (0,))

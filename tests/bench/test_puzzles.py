"""Puzzles of the benchmark are cut right, and layouts are named back."""

import numpy as np
import pytest

from sherd.bench.puzzles import cut_puzzle, in_true_order
from sherd.errors import InputError
from sherd.layout import Layout
from sherd.paint import paint
from sherd.sides import turn_picture


def assembled(puzzle, layout: Layout) -> np.ndarray:
    """Lay the pieces of a puzzle out in one picture."""
    size = puzzle.pieces.height
    rows, cols = layout.shapes[0]
    canvas = np.zeros((rows * size, cols * size, 3), np.uint8)
    for pixels, (row, col), turn in zip(
        puzzle.pieces.pixels, layout.cell, layout.turn, strict=True
    ):
        place = np.s_[row * size : (row + 1) * size, col * size : (col + 1) * size]
        canvas[place] = turn_picture(pixels, int(turn))
    return canvas


@pytest.mark.parametrize("turns", [False, True])
def test_the_truth_makes_the_picture(turns: bool):
    """The pieces laid out by the truth are the picture without its remainder."""
    picture = paint(37, 50, 3)
    puzzle = cut_puzzle(picture, 12, 0, turns=turns, board=True, name="a")
    assert puzzle.truth.shapes == ((3, 4),)
    np.testing.assert_array_equal(assembled(puzzle, puzzle.truth), picture[:36, :48])
    assert puzzle.truth.turn.any() == turns


def test_erosion_takes_pixels_off_every_side():
    """e px of each side are black and unknown, the rest is the picture."""
    picture = paint(24, 36, 3)
    whole = cut_puzzle(picture, 12, 0, turns=True, board=True, name="a").pieces
    worn = cut_puzzle(picture, 12, 3, turns=True, board=True, name="a").pieces
    assert worn.known.sum(axis=(1, 2)).tolist() == [36] * 6
    assert worn.known[:, 3:-3, 3:-3].all()
    np.testing.assert_array_equal(worn.pixels, whole.pixels * worn.known[..., None])


def test_the_order_comes_from_the_name():
    """The same name gives the same shuffled order, another name another one."""
    picture = paint(48, 48, 3)
    first, again, other = (
        cut_puzzle(picture, 8, 1, turns=False, board=False, name=name).truth.cell.tolist()
        for name in ("a", "a", "b")
    )
    assert first == again
    assert first != other
    assert first != Layout.from_grid(6, 6).cell.tolist()


def test_a_board_that_is_not_told_has_no_size():
    """With board=False the solver is told nothing."""
    puzzle = cut_puzzle(paint(16, 16, 1), 8, 0, turns=False, board=False, name="a")
    assert not puzzle.board.known


def test_a_picture_of_one_piece_is_refused():
    """A picture that gives no two pieces is named."""
    with pytest.raises(InputError, match=r"small\.png: 20x20 px give fewer than two pieces"):
        cut_puzzle(paint(20, 20, 1), 16, 0, turns=False, board=True, name="small.png")


@pytest.mark.parametrize("turns", [False, True])
def test_the_truth_in_true_order_is_the_grid(turns: bool):
    """Named row by row and upright, the truth is the plain grid."""
    puzzle = cut_puzzle(paint(24, 32, 1), 8, 0, turns=turns, board=True, name="a")
    plain, grid = in_true_order(puzzle.truth, puzzle.truth), Layout.from_grid(3, 4)
    assert plain.cell.tolist() == grid.cell.tolist()
    assert plain.turn.tolist() == grid.turn.tolist()


def test_a_wrong_layout_stays_as_wrong_in_true_order():
    """Renaming keeps which picture cell lies where, how it is turned, and the start piece."""
    puzzle = cut_puzzle(paint(16, 16, 1), 8, 0, turns=True, board=True, name="a")
    wrong = Layout(
        puzzle.truth.cell[[1, 0, 2, 3]],
        (puzzle.truth.turn + np.array([0, 0, 1, 0], np.int32)) % 4,
        puzzle.truth.board,
        puzzle.truth.shapes,
        start=2,
    )
    renamed = in_true_order(wrong, puzzle.truth)
    number = puzzle.truth.cell @ [2, 1]  # true number of each shuffled piece
    assert renamed.start == number[2]
    for piece, true in enumerate(number):
        assert renamed.cell[true].tolist() == wrong.cell[piece].tolist()
        assert renamed.turn[true] == (wrong.turn[piece] - puzzle.truth.turn[piece]) % 4

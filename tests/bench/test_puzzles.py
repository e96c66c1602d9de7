"""Puzzles of the benchmark are cut right, and layouts are named back."""

import numpy as np
import pytest

from sherd.bench.protocol import PictureSet, Protocol
from sherd.bench.puzzles import board_told, cut_puzzle, in_true_order
from sherd.errors import InputError
from sherd.layout import Layout
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.sides import turn_picture


def puzzle_of(
    picture: np.ndarray,
    pieces: int,
    erosion: int = 0,
    *,
    turns: bool = False,
    board: bool = True,
    name: str = "a",
) -> tuple[Pieces, Layout]:
    """Cut a picture into pieces of 12 px."""
    part = PictureSet("set", "Set", "folder", 1, pieces)
    protocol = Protocol("p", "P", 12, (erosion,), turns, board, (1,), (), (part,))
    return cut_puzzle(picture, protocol, part, erosion, name)


def assembled(pieces: Pieces, layout: Layout) -> np.ndarray:
    """Lay pieces out in one picture."""
    size = pieces.height
    rows, cols = layout.shapes[0]
    canvas = np.zeros((rows * size, cols * size, 3), np.uint8)
    for pixels, (row, col), turn in zip(pieces.pixels, layout.cell, layout.turn, strict=True):
        place = np.s_[row * size : (row + 1) * size, col * size : (col + 1) * size]
        canvas[place] = turn_picture(pixels, int(turn))
    return canvas


@pytest.mark.parametrize("turns", [False, True])
def test_the_truth_makes_the_picture(turns: bool):
    """The pieces laid out by the truth are the picture from its top left corner."""
    picture = paint(37, 50, 3)
    pieces, truth = puzzle_of(picture, 12, turns=turns)
    assert truth.shapes == ((3, 4),)
    np.testing.assert_array_equal(assembled(pieces, truth), picture[:36, :48])
    assert truth.turn.any() == turns


def test_erosion_takes_pixels_off_every_side():
    """e px of each side are black and unknown, the rest is the picture."""
    picture = paint(24, 36, 3)
    whole, truth = puzzle_of(picture, 6, turns=True)
    worn, same_truth = puzzle_of(picture, 6, 3, turns=True)
    assert truth.cell.tolist() == same_truth.cell.tolist()
    assert worn.known.sum(axis=(1, 2)).tolist() == [36] * 6
    assert worn.known[:, 3:-3, 3:-3].all()
    np.testing.assert_array_equal(worn.pixels, whole.pixels * worn.known[..., None])


def test_the_order_comes_from_the_name():
    """The same name gives the same shuffled order, another name another one."""
    picture = paint(48, 48, 3)
    first, again, other = (
        puzzle_of(picture, 16, 1, name=name)[1].cell.tolist() for name in ("a", "a", "b")
    )
    assert first == again
    assert first != other
    assert first != Layout.from_grid(4, 4).cell.tolist()


@pytest.mark.parametrize("told", [False, True])
def test_the_board_is_told_or_not(told: bool):
    """A protocol says whether the solver is told rows and columns."""
    part = PictureSet("set", "Set", "folder", 1, 6)
    board = board_told(
        Protocol("p", "P", 12, (0,), False, told, (1,), (), (part,)), Layout.from_grid(2, 3)
    )
    assert (board.rows, board.cols) == ((2, 3) if told else (None, None))


def test_a_picture_of_another_size_is_refused():
    """A picture that gives another number of pieces than the set's is not the original."""
    with pytest.raises(InputError, match=r"a: gives 6 pieces of 12 px, and the set set has .* 7"):
        puzzle_of(paint(24, 36, 1), 7)


@pytest.mark.parametrize("turns", [False, True])
def test_the_truth_in_true_order_is_the_grid(turns: bool):
    """Named row by row and upright, the truth is the plain grid."""
    _, truth = puzzle_of(paint(36, 48, 1), 12, turns=turns)
    plain, grid = in_true_order(truth, truth), Layout.from_grid(3, 4)
    assert plain.cell.tolist() == grid.cell.tolist()
    assert plain.turn.tolist() == grid.turn.tolist()


def test_a_wrong_layout_stays_as_wrong_in_true_order():
    """Renaming keeps which picture cell lies where, how it is turned, and the start piece."""
    _, truth = puzzle_of(paint(24, 24, 1), 4, turns=True)
    wrong = Layout(
        truth.cell[[1, 0, 2, 3]],
        (truth.turn + np.array([0, 0, 1, 0], np.int32)) % 4,
        truth.board,
        truth.shapes,
        start=2,
    )
    renamed = in_true_order(wrong, truth)
    number = truth.cell @ [2, 1]  # true number of each shuffled piece
    assert renamed.start == number[2]
    for piece, true in enumerate(number):
        assert renamed.cell[true].tolist() == wrong.cell[piece].tolist()
        assert renamed.turn[true] == (wrong.turn[piece] - truth.turn[piece]) % 4

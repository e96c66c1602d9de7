"""Conventions: a small slip in one of these runs fine and is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.borders import inside
from sherd.cut import cut
from sherd.layout import Layout, seams_of
from sherd.paint import paint
from sherd.scores import Scores
from sherd.sides import (
    BOTTOM,
    LEFT,
    RIGHT,
    STEP,
    TOP,
    Relations,
    opposite,
    side_id,
    strips,
    turn_picture,
)

NUMBERED = np.arange(12).reshape(1, 3, 4)  # one piece, 3 rows, 4 columns


def test_sides_are_numbered_clockwise_from_the_right() -> None:
    """Right, bottom, left, top are 0 to 3, and each step goes to that neighbour in (row, col)."""
    assert (RIGHT, BOTTOM, LEFT, TOP) == (0, 1, 2, 3)
    assert STEP.tolist() == [[0, 1], [1, 0], [0, -1], [-1, 0]]
    assert [opposite(side) for side in range(4)] == [LEFT, TOP, RIGHT, BOTTOM]
    assert side_id(7, LEFT) == 30


def test_cells_are_row_and_column() -> None:
    """The pieces of a full board run row by row: the fourth of 2 x 3 begins the second row."""
    layout = Layout.from_grid(2, 3)
    assert layout.cell[3].tolist() == [1, 0]
    assert layout.shapes == ((2, 3),)


def test_a_turn_is_clockwise() -> None:
    """One turn brings the left column to the top row, read from its bottom."""
    turned = turn_picture(NUMBERED[0], 1)
    assert turned.shape == (4, 3)
    assert turned[0].tolist() == [8, 4, 0]


@pytest.mark.parametrize("side", range(4))
@pytest.mark.parametrize("turns", range(4))
def test_a_turn_moves_a_side_forward(side: int, turns: int) -> None:
    """After t turns side s points where side s + t of an unturned piece points."""
    turned = turn_picture(NUMBERED[0], turns)
    as_before = strips(NUMBERED, side, 2)[0]
    assert np.array_equal(strips(turned[None], (side + turns) % 4, 2)[0], as_before)


def test_the_last_column_of_a_strip_is_the_outermost() -> None:
    """Each side is turned to the right, so its own edge is the last column of its strip."""
    edges = [strips(NUMBERED, side, 2)[0, :, -1].tolist() for side in range(4)]
    assert edges == [[3, 7, 11], [11, 10, 9, 8], [8, 4, 0], [0, 1, 2, 3]]


@pytest.mark.parametrize("turn_a", range(4))
@pytest.mark.parametrize("turn_b", range(4))
def test_rows_of_two_sides_that_meet_run_against_each_other(turn_a: int, turn_b: int) -> None:
    """However two neighbours are turned, row r of one strip touches row L-1-r of the other."""
    picture = np.arange(8 * 16).reshape(8, 16)
    upright = (picture[:, :8], picture[:, 8:])
    given = [
        turn_picture(half, -turn) for half, turn in zip(upright, (turn_a, turn_b), strict=True)
    ]
    layout = Layout(
        np.array([[0, 0], [0, 1]], np.int32),
        np.array([turn_a, turn_b], np.int32),
        np.zeros(2, np.int32),
        ((1, 2),),
    )
    ((a, b),) = seams_of(layout)
    edge_a = strips(given[a // 4][None], a % 4, 1)[0, :, 0]
    edge_b = strips(given[b // 4][None], b % 4, 1)[0, :, 0]
    assert (edge_a + 1).tolist() == edge_b[::-1].tolist()


def test_the_worn_band_is_the_outermost() -> None:
    """Erosion takes the outer pixels of a piece: the last columns of every strip."""
    known = inside(8, 8, 2)
    assert known.sum() == 16
    assert known[2:6, 2:6].all()
    pieces, _ = cut(paint(32, 32), piece=16, erode=3).pieces()
    for side in range(4):
        strip = strips(pieces.known, side, 5)
        assert not strip[:, :, -3:].any()
        assert strip[:, 3:-3, :-3].all()


def test_a_cropped_piece_lies_in_the_middle_of_its_cell() -> None:
    """Lost pixels are a ring of unknown ones; the cell keeps its size, the pixels their place."""
    picture = paint(32, 32)
    pieces, truth = cut(picture, piece=16, erode=3, how="cropped", shuffle=False).pieces()
    assert (pieces.height, pieces.width, pieces.lost) == (16, 16, 3)
    assert np.array_equal(pieces.known[0], inside(16, 16, 3))
    assert np.array_equal(pieces.pixels[0, 3:13, 3:13], picture[3:13, 3:13])
    assert truth.cell[3].tolist() == [1, 1]


def test_a_true_turn_makes_the_given_piece_upright() -> None:
    """The truth holds the turns to apply, not the turns that were made."""
    picture = paint(32, 48, seed=4)
    pieces, truth = cut(picture, piece=16, turns=True, seed=1).pieces()
    assert set(truth.turn.tolist()) > {0}
    for pixels, (row, col), turn in zip(pieces.pixels, truth.cell, truth.turn, strict=True):
        cell = picture[16 * row : 16 * row + 16, 16 * col : 16 * col + 16]
        assert np.array_equal(turn_picture(pixels, int(turn)), cell)


def test_lower_cost_is_higher_score_and_scores_are_at_most_zero() -> None:
    """Costs are better when lower, scores when higher; the best pair of a row leads it."""
    candidates = np.full((8, 2), -1, np.int32)
    candidates[side_id(0, RIGHT)] = [side_id(1, LEFT), side_id(1, RIGHT)]
    candidates[side_id(1, LEFT), 0] = candidates[side_id(1, RIGHT), 0] = side_id(0, RIGHT)
    cost = np.where(candidates >= 0, 5.0, np.inf).astype(np.float32)
    cost[side_id(0, RIGHT)] = [1.0, 9.0]
    scores = Scores.from_costs(Relations(turns=True), candidates, cost, sharpness=1.0)
    best, worst = scores.score[side_id(0, RIGHT)]
    assert scores.candidates[side_id(0, RIGHT), 0] == side_id(1, LEFT)
    assert worst < best <= 0

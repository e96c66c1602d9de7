"""From picture to pieces and back, and what may not matter on the way: order, turn, mirroring."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sherd.cut import cut, write_puzzle
from sherd.layout import Layout, seams_of
from sherd.paint import paint
from sherd.pieces import Pieces, read_pieces
from sherd.sides import turn_picture
from sherd.solve import solve
from sherd.truth import read_truth

ASSEMBLERS = st.sampled_from(["greedy", "tree"])
SEEDS = st.integers(0, 10**6)
MIRRORED_SIDE = np.array([1, 0, 3, 2])  # right and bottom change places, and so do left and top


def blend(height: int, width: int) -> NDArray[np.uint8]:
    """Blend colours across a picture evenly, so that every place has a colour of its own."""
    x = np.linspace(20, 235, width)[None, :] + np.zeros((height, 1))
    y = np.linspace(20, 235, height)[:, None] + np.zeros((1, width))
    return np.rint(np.stack([x, y, 255 - (x + y) / 2], axis=2)).astype(np.uint8)


def hard_puzzle(seed: int, erode: int) -> Pieces:
    """Give a puzzle that is too worn to be solved without errors."""
    return cut(paint(64, 80, seed=seed), piece=16, erode=erode, seed=seed).pieces()[0]


def seam_set(layout: Layout) -> set[frozenset[int]]:
    """Give the seams of a layout, however it stands."""
    return {frozenset(pair) for pair in seams_of(layout).tolist()}


@settings(deadline=None, max_examples=40)
@given(
    grid=st.tuples(st.integers(1, 5), st.integers(2, 5)),
    piece=st.one_of(
        st.integers(12, 40).map(lambda size: (size, size)),
        st.tuples(st.integers(12, 40), st.integers(12, 40)),
    ),
    wear=st.integers(0, 3),
    how=st.sampled_from(["alpha", "black", "cropped"]),
    turns=st.booleans(),
    known=st.booleans(),
    assembler=ASSEMBLERS,
    seed=SEEDS,
)
def test_an_easy_picture_comes_back_whatever_was_done_to_it(
    grid: tuple[int, int],
    piece: tuple[int, int],
    wear: int,
    how: Any,
    turns: bool,
    known: bool,
    assembler: str,
    seed: int,
) -> None:
    """Any grid, shape of piece, wear and turn: cut, written, read and solved, it is perfect."""
    erode = min(wear, min(piece) // 12)  # the colours must still run on across the gap
    picture = blend(grid[0] * piece[0], grid[1] * piece[1])
    puzzle = cut(picture, piece=piece, erode=erode, how=how, turns=turns, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        write_puzzle(puzzle, folder)
        pieces = read_pieces(folder, lost=erode if how == "cropped" else 0, turns=turns)
        truth = read_truth(folder, pieces.names, pieces.given_turn)
    board = grid if known else None
    result = solve(
        pieces, board=board, turns=turns, scorer="prediction", assembler=assembler
    ).judged(truth)
    assert result.measures is not None
    assert result.measures.perfect


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.integers(0, 2), st.booleans(), ASSEMBLERS)
def test_the_order_of_the_pieces_does_not_matter(
    seed: int, erode: int, turns: bool, assembler: str
) -> None:
    """Shuffled pieces get the very same layout, errors and all, under their new numbers."""
    pieces = hard_puzzle(seed, erode)
    order = np.random.default_rng(seed).permutation(len(pieces)).astype(np.int32)
    first = solve(pieces, turns=turns, scorer="prediction", assembler=assembler).layout
    second = solve(pieces.take(order), turns=turns, scorer="prediction", assembler=assembler).layout
    expected = first.relabelled(order)
    np.testing.assert_array_equal(second.cell, expected.cell)
    np.testing.assert_array_equal(second.turn, expected.turn)
    assert second.start == expected.start


@settings(deadline=None, max_examples=15)
@given(SEEDS, st.integers(0, 2), ASSEMBLERS)
def test_how_pieces_were_turned_does_not_matter(seed: int, erode: int, assembler: str) -> None:
    """Where turns are unknown, turning each piece anyhow leaves all seams, right and wrong."""
    pieces = hard_puzzle(seed, erode)
    turns = np.random.default_rng(seed).integers(0, 4, len(pieces))
    turned = Pieces.from_arrays(_turned(pieces.pixels, turns), _turned(pieces.known, turns))
    upright = seam_set(solve(pieces, turns=True, scorer="prediction", assembler=assembler).layout)
    expected = {frozenset(_side(side, turns[side // 4]) for side in seam) for seam in upright}
    assert (
        seam_set(solve(turned, turns=True, scorer="prediction", assembler=assembler).layout)
        == expected
    )


def _turned(pictures: NDArray[Any], turns: NDArray[np.int64]) -> NDArray[Any]:
    return np.stack([turn_picture(p, int(t)) for p, t in zip(pictures, turns, strict=True)])


def _side(side: int, turns: int) -> int:
    """Give the side that is where a side of a piece was, after turns of its picture."""
    return side - side % 4 + int(side + turns) % 4


@pytest.mark.parametrize("scorer", ["prediction", "prediction-symmetric", "mgc"])
@settings(deadline=None, max_examples=8)
@given(seed=SEEDS, erode=st.integers(0, 2))
def test_a_mirrored_puzzle_gives_the_mirrored_picture(scorer: str, seed: int, erode: int) -> None:
    """Every piece mirrored at its diagonal: `tree` finds the same seams, right and wrong."""
    pieces = hard_puzzle(seed, erode)
    mirrored = Pieces.from_arrays(pieces.pixels.swapaxes(1, 2), pieces.known.swapaxes(1, 2))
    found = solve(pieces, board=(4, 5), scorer=scorer, assembler="tree").layout
    expected = {
        frozenset(side - side % 4 + int(MIRRORED_SIDE[side % 4]) for side in seam)
        for seam in seam_set(found)
    }
    again = solve(mirrored, board=(5, 4), scorer=scorer, assembler="tree").layout
    assert seam_set(again) == expected

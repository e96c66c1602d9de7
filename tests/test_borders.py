"""Borders: what of a piece is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sherd.borders import check_widths, find_frame, inside, ringed
from sherd.cut import cut
from sherd.errors import OptionError
from sherd.paint import paint

RED = (200, 0, 0)


def framed(
    pixels: NDArray[np.uint8], widths: list[int], colour: tuple[int, ...] = RED
) -> NDArray[np.uint8]:
    """Paint a border of its own width around each piece."""
    pixels = pixels.copy()
    for piece, width in zip(pixels, widths, strict=True):
        piece[~inside(*piece.shape[:2], width)] = colour
    return pixels


def noise(pieces: int, size: int, seed: int = 0) -> NDArray[np.uint8]:
    """Pieces in which no two pixels are alike, or nearly so."""
    return np.random.default_rng(seed).integers(0, 256, (pieces, size, size, 3), np.uint8)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 4), st.integers(0, 99))
def test_an_even_border_is_found_exactly(width: int, seed: int) -> None:
    """A border of one colour and one width is found to the pixel, whatever its colour."""
    pixels = noise(5, 16, seed)
    colour = tuple(int(value) for value in pixels[0, 8, 8])
    frame = find_frame(framed(pixels, [width] * 5, colour))
    assert frame is not None
    assert (frame.colour, frame.least, frame.most) == (colour, width, width)
    assert np.array_equal(frame.lost, np.broadcast_to(~inside(16, 16, width), frame.lost.shape))


def test_a_border_must_frame_every_piece_on_all_sides() -> None:
    """One pixel of another colour at one edge of one piece, and it is no border."""
    pixels = framed(noise(4, 12), [2, 2, 2, 2])
    assert find_frame(pixels) is not None
    pixels[3, 11, 5] = 0
    assert find_frame(pixels) is None


def test_borders_of_different_widths_are_found() -> None:
    """Pieces may be framed by more or less of the same colour."""
    widths = [1, 2, 3, 2, 3, 3]
    frame = find_frame(framed(noise(6, 20), widths))
    assert frame is not None
    assert (frame.least, frame.most) == (1, 3)
    for lost, width in zip(frame.lost, widths, strict=True):
        assert np.array_equal(lost, ~inside(20, 20, width))


@pytest.mark.parametrize("erode", [1, 2, 4])
def test_a_black_border_does_not_eat_a_black_sky(erode: int) -> None:
    """A picture whose upper half is black loses no more than its border."""
    picture = paint(160, 240, seed=2)
    picture[:80] = 0
    puzzle = cut(picture, piece=20, erode=erode, how="black")
    pieces, _ = puzzle.pieces()
    assert np.array_equal(pieces.known, np.broadcast_to(inside(20, 20, erode), pieces.known.shape))


def test_uneven_black_wear_is_found() -> None:
    """Wear of 1 to 4 px is found to the pixel, but for the picture's own black."""
    picture = paint(160, 240, seed=3)
    picture[(picture == 0).all(axis=2)] = 1
    black, _ = cut(picture, piece=32, erode=(1, 4), how="black", seed=5).pieces()
    clear, _ = cut(picture, piece=32, erode=(1, 4), how="alpha", seed=5).pieces()
    assert np.array_equal(black.known, clear.known)
    assert np.array_equal(black.pixels, clear.pixels)


def test_specks_inside_a_piece_stay() -> None:
    """Only pixels that hang together with the edge are border; the same colour inside is not."""
    pixels = framed(noise(4, 16), [2] * 4)
    pixels[:, 7:9, 7:9] = RED
    frame = find_frame(pixels)
    assert frame is not None
    assert not frame.lost[:, 7:9, 7:9].any()


def test_a_ragged_border_is_followed_around_corners() -> None:
    """A spot of border that no straight line from the edge reaches still hangs together."""
    pixels = framed(noise(8, 24), [1, 2, 3, 4] * 2)
    pixels[0, 1:4, 12] = pixels[0, 3, 12:15] = RED  # a hook: row 3 hangs on column 12
    frame = find_frame(pixels)
    assert frame is not None
    hook = np.zeros((24, 24), np.bool_)
    hook[1:4, 12] = hook[3, 12:15] = True
    assert np.array_equal(frame.lost[0], ~inside(24, 24, 1) | hook)


def test_nothing_is_lost_deeper_than_the_border_is() -> None:
    """What hangs on the border but reaches deeper than it ever does is cut at its depth."""
    pixels = framed(noise(8, 24), [1, 2, 3, 4] * 2)
    pixels[0, :20, 12] = RED
    frame = find_frame(pixels)
    assert frame is not None
    assert frame.most == 4
    assert frame.lost[0, :, 12].sum() == 4 + 1


def test_blank_pieces_are_a_picture() -> None:
    """Pieces of nothing but one colour have no border; a blank one among others keeps its."""
    blank = np.full((3, 10, 10, 3), 255, np.uint8)
    assert find_frame(blank) is None
    mixed = np.concatenate([blank, framed(noise(2, 10), [1, 1], (255, 255, 255))])
    frame = find_frame(mixed)
    assert frame is not None
    assert (frame.least, frame.most) == (1, 1)
    assert not frame.lost[0, 5, 5]


def test_a_ring_keeps_the_pieces_in_the_middle() -> None:
    """A lost ring is zeros around pictures and masks alike."""
    pixels = noise(2, 4)
    assert ringed(pixels, 0) is pixels
    wide = ringed(pixels, 2)
    assert wide.shape == (2, 8, 8, 3)
    assert np.array_equal(wide[:, 2:6, 2:6], pixels)
    assert wide.sum() == pixels.sum()
    assert ringed(np.ones((2, 4, 4), np.bool_), 1).sum() == 32


@pytest.mark.parametrize(
    ("erode", "lost", "said"),
    [(5, 0, "--erode 5 .* at most 4"), (0, 81, "--lost 81 is too much"), (-1, 0, "0 or more")],
)
def test_impossible_widths_are_refused(erode: int, lost: int, said: str) -> None:
    """A border must leave something, and the message says what is wrong."""
    with pytest.raises(OptionError, match=said):
        check_widths(9, 10, 12, erode, lost)
    check_widths(9, 10, 12, 4, 80)


def test_lost_rings_must_fit_into_memory() -> None:
    """Many pieces with wide rings are as much of a bomb as a large picture."""
    check_widths(1000, 100, 100, 0, 100)
    with pytest.raises(OptionError, match="--lost 200 is too much"):
        check_widths(1000, 100, 100, 0, 200)

"""Filled gaps: what is filled, what is never touched, and that the mask says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd import fill
from sherd.cut import cut
from sherd.errors import OptionError
from sherd.events import Event, Progress
from sherd.fill import restore
from sherd.layout import Layout
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.render import render
from sherd.sides import turn_picture
from sherd.weights import Weights


class StandIn:
    """A filler that paints every lost pixel in one colour and keeps the known ones."""

    def __init__(self, path: Path, device: str) -> None:
        self.level = 0.2

    def __call__(self, pixels: np.ndarray, known: np.ndarray) -> list[np.ndarray]:
        """Fill pairs [B, 3, 64, 128]."""
        return [np.where(known > 0, pixels, np.float32(self.level))]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the stand-in in the place of the network that ships with sherd."""
    weights = Weights(
        "inpaint", {"inpaint-filler.onnx": Path("filler")}, {"model_erosion": 0, "sha256": {}}
    )
    monkeypatch.setattr(fill, "Network", StandIn)
    monkeypatch.setattr(fill, "find_weights", lambda name: weights)


def ramp(height: int, width: int) -> np.ndarray:
    """A picture of straight slopes, which straight lines continue exactly: u8 [h, w, 3]."""
    rows, cols = np.mgrid[:height, :width]
    return np.stack([rows + cols, 2 * cols, 250 - rows], axis=2).astype(np.uint8)


def between_pieces(rows: int, cols: int, piece: int, erode: int) -> np.ndarray:
    """Mark the lost pixels that are not at the rim: bool [rows * piece, cols * piece]."""
    place = np.arange(piece)
    lost = (place < erode) | (place >= piece - erode)
    whole = np.tile(lost, rows)[:, None] | np.tile(lost, cols)
    whole[:erode] = whole[-erode:] = False
    whole[:, :erode] = whole[:, -erode:] = False
    return whole


@settings(deadline=None, max_examples=20)
@given(
    rows=st.integers(1, 3),
    cols=st.integers(2, 3),
    erode=st.integers(1, 4),
    turns=st.booleans(),
    seed=st.integers(0, 9),
)
def test_straight_lines_restore_straight_slopes(
    rows: int, cols: int, erode: int, turns: bool, seed: int
) -> None:
    """Gaps and corners of a ramp come back, to the rounding; the rim and known pixels stay."""
    picture = ramp(16 * rows, 16 * cols)
    pieces, truth = cut(picture, piece=16, erode=erode, turns=turns, seed=seed).pieces()
    found = restore(pieces, truth, "interpolate")
    gaps = between_pieces(rows, cols, 16, erode)
    assert np.array_equal(found.filled, gaps)
    restored = found.picture.pixels[..., :3].astype(int)
    assert np.abs(restored[gaps] - picture[gaps]).max() <= 1
    given_picture = render(pieces, truth).pixels
    assert np.array_equal(found.picture.pixels[~gaps], given_picture[~gaps])


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("piece", [64, 48])
@pytest.mark.parametrize("turns", [False, True])
def test_the_generator_fills_the_seams(piece: int, turns: bool) -> None:
    """Pixels between two pieces are the generator's; corners lie between those; the rest stays."""
    picture = paint(2 * piece, 2 * piece, seed=1)
    pieces, truth = cut(picture, piece=piece, erode=4, turns=turns, seed=2).pieces()
    events: list[Event] = []
    found = restore(pieces, truth, "inpaint", on=events.append)
    gaps = between_pieces(2, 2, piece, 4)
    assert np.array_equal(found.filled, gaps)
    colours = found.picture.pixels[gaps][:, :3].astype(int)
    # Where pieces are resampled, what is lost begins within a pixel, and known pixels bleed in.
    share = np.mean(np.abs(colours - round(1.2 * 127.5)) <= 1)
    assert share == 1 if piece == 64 else share > 0.6
    assert np.array_equal(
        found.picture.pixels[~gaps][:, :3], render(pieces, truth).pixels[~gaps][:, :3]
    )
    assert events[-1] == Progress("filling", 4, 4)


@pytest.mark.usefixtures("stand_in")
def test_the_generator_sees_and_fills_the_right_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a filler that knew the original would say lands where the original was."""
    picture = paint(128, 128, seed=1)
    pieces, truth = cut(picture, piece=64, erode=4, seed=2).pieces()
    whole = picture.astype(np.float32).transpose(2, 0, 1) / 127.5 - 1

    def remember(self: StandIn, pixels: np.ndarray, known: np.ndarray) -> list[np.ndarray]:
        pairs = [whole[:, :64], whole[:, 64:]]
        pairs += [np.rot90(whole[:, :, half], 1, (1, 2)) for half in (slice(64), slice(64, 128))]
        fits = [
            pairs[int(np.argmin([np.abs((pair - one) * mask).sum() for pair in pairs]))]
            for one, mask in zip(pixels, known, strict=True)
        ]
        return [np.stack(fits)]

    monkeypatch.setattr(StandIn, "__call__", remember)
    found = restore(pieces, truth, "inpaint")
    seams = found.filled.copy()
    seams[60:68, 60:68] = False
    assert seams.sum() == 4 * 8 * 56
    assert np.abs(found.picture.pixels[seams][:, :3].astype(int) - picture[seams]).max() <= 1


def test_none_is_the_picture_as_it_is() -> None:
    """Without filling nothing is marked, and the picture is the plain one."""
    pieces, truth = cut(paint(32, 48), piece=16, erode=2).pieces()
    found = restore(pieces, truth, "none")
    assert not found.filled.any()
    assert np.array_equal(found.picture.pixels, render(pieces, truth).pixels)


def test_pieces_without_gaps_stay_as_they_are() -> None:
    """Where nothing is lost, nothing is filled."""
    pieces, truth = cut(paint(32, 48), piece=16).pieces()
    found = restore(pieces, truth, "interpolate")
    assert not found.filled.any()
    assert np.array_equal(found.picture.pixels, paint(32, 48))


def test_a_missing_piece_leaves_its_cell_empty() -> None:
    """Seams and corners of an empty cell are not made up."""
    pieces, truth = cut(ramp(32, 32), piece=16, erode=2, shuffle=False).pieces()
    board = np.array([0, 0, 0, -1], np.int32)
    cell = np.where(board[:, None] < 0, -1, truth.cell)
    found = restore(pieces, replace(truth, board=board, cell=cell), "interpolate")
    assert not found.filled[16:, 16:].any()
    assert found.filled[2:14, 14:18].all()
    assert not found.filled[14:18, 14:18].any()


def test_sixteen_bits_and_gray_stay_what_they_are() -> None:
    """Known pixels keep every bit; filled ones take the picture's depth and channels."""
    pieces, truth = cut(ramp(32, 32), piece=16, erode=2, shuffle=False).pieces()
    assert pieces.originals is not None
    deep = pieces.originals.pixels[..., :1].astype(np.uint16) * 257 + 3
    gray = replace(pieces, originals=replace(pieces.originals, pixels=deep))
    found = restore(gray, truth, "interpolate")
    plain = render(gray, truth)
    assert found.picture.pixels.dtype == np.uint16
    assert found.picture.pixels.shape == plain.pixels.shape
    known = ~found.filled
    assert np.array_equal(found.picture.pixels[known], plain.pixels[known])
    luminance = (ramp(32, 32) @ [0.299, 0.587, 0.114])[found.filled]
    assert np.abs(found.picture.pixels[found.filled][:, 0] / 257 - luminance).max() < 1.5


def test_the_mask_is_white_where_the_picture_was_filled() -> None:
    """The mask is a gray picture of the same size."""
    pieces, truth = cut(ramp(32, 32), piece=16, erode=2).pieces()
    found = restore(pieces, truth, "interpolate")
    mask = np.asarray(found.mask().image())
    assert mask.shape == found.picture.pixels.shape[:2]
    assert np.array_equal(mask == 255, found.filled)
    assert set(np.unique(mask).tolist()) == {0, 255}


def test_turning_the_board_turns_the_filling() -> None:
    """A layout turned by a quarter is filled alike."""
    pieces, truth = cut(ramp(32, 32), piece=16, erode=2, shuffle=False).pieces()
    clockwise = np.array([[0, 1], [1, 1], [0, 0], [1, 0]], np.int32)
    turned = Layout(clockwise, np.ones(4, np.int32), truth.board, truth.shapes)
    upright = restore(pieces, truth, "interpolate").picture.pixels
    assert np.array_equal(
        restore(pieces, turned, "interpolate").picture.pixels, turn_picture(upright, 1)
    )


def test_a_filling_that_does_not_exist_is_an_error() -> None:
    """The error names those that do."""
    pieces = Pieces.from_arrays(np.zeros((2, 8, 8, 3), np.uint8))
    with pytest.raises(OptionError, match="none, interpolate, inpaint"):
        restore(pieces, Layout.from_grid(1, 2), "magic")

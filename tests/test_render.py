"""A layout becomes the picture again, from the original pixels, and its seams can be seen."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.cut import cut
from sherd.layout import Layout, seams_of
from sherd.originals import Originals
from sherd.pieces import Pieces
from sherd.render import SEAM_CLASSES, render, seam_lines, seam_overlay, seam_picture, sheet


@settings(deadline=None, max_examples=25)
@given(
    grid=st.tuples(st.integers(1, 4), st.integers(2, 4)),
    cell=st.tuples(st.integers(7, 10), st.integers(7, 10)),
    erode=st.integers(0, 2),
    how=st.sampled_from(["alpha", "cropped"]),
    turns=st.booleans(),
    channels=st.integers(1, 4),
    deep=st.booleans(),
    seed=st.integers(0, 99),
)
def test_truth_renders_the_picture(
    grid: tuple[int, int],
    cell: tuple[int, int],
    erode: int,
    how: str,
    turns: bool,
    channels: int,
    deep: bool,
    seed: int,
) -> None:
    """The true layout of a cut picture gives its pixels back; worn pixels are transparent."""
    rng = np.random.default_rng(seed)
    dtype = np.uint16 if deep else np.uint8
    shape = (grid[0] * cell[0], grid[1] * cell[1], channels)
    photo = rng.integers(1, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    turns = turns and cell[0] == cell[1]
    puzzle = cut(photo, piece=cell, erode=erode, how=how, turns=turns, seed=seed)  # type: ignore[arg-type]
    pieces, truth = puzzle.pieces()
    found = render(pieces, truth).pixels
    inner = np.zeros(cell, np.bool_)
    inner[erode : cell[0] - erode, erode : cell[1] - erode] = True
    kept = np.tile(inner, grid)
    np.testing.assert_array_equal(found[kept][:, :channels], photo[kept])
    assert found.dtype == dtype
    if erode:
        assert not found[~kept][:, -1].any()
    else:
        assert found.shape == photo.shape


def _numbered(rows: int, cols: int, height: int = 4, width: int = 4) -> Pieces:
    numbers = np.arange(1, rows * cols + 1, dtype=np.uint8)
    return Pieces.from_arrays(
        np.broadcast_to(numbers[:, None, None, None], (len(numbers), height, width, 3))
    )


def test_empty_cells_are_transparent() -> None:
    """Where no piece lies the picture is transparent, and nowhere else."""
    layout = Layout.from_grid(2, 2)
    board = layout.board.copy()
    board[3] = -1
    picture = render(_numbered(2, 2), replace(layout, board=board)).pixels
    assert picture.shape == (8, 8, 4)
    assert not picture[4:, 4:].any()
    assert (picture[:4, :, 3] == 255).all()


def test_several_boards() -> None:
    """Each board is a picture of its own."""
    layout = Layout.from_grid(1, 2)
    layout = replace(
        layout,
        board=np.array([0, 1], np.int32),
        cell=np.zeros((2, 2), np.int32),
        shapes=((1, 1), (1, 1)),
    )
    pictures = [render(_numbered(1, 2), layout, board).pixels for board in (0, 1)]
    assert [picture.shape for picture in pictures] == [(4, 4, 3)] * 2
    assert [int(picture.max()) for picture in pictures] == [1, 2]


def test_oblong_pieces_turned() -> None:
    """A board of oblong pieces that all lie on their side has cells that do."""
    layout = replace(Layout.from_grid(2, 1), turn=np.array([1, 3], np.int32))
    assert render(_numbered(2, 1, 4, 6), layout).pixels.shape == (12, 4, 3)


def test_profile_is_kept() -> None:
    """The colour profile of the originals goes with the picture."""
    pieces = _numbered(1, 2)
    given_profile = replace(pieces, originals=Originals(pieces.pixels, b"profile"))
    assert render(given_profile, Layout.from_grid(1, 2)).icc_profile == b"profile"


def test_seam_lines_lie_between_the_pieces() -> None:
    """Each seam's line is the common side of the cells of its two pieces."""
    layout = Layout.from_grid(3, 4)
    lines, here = seam_lines(layout)
    assert here.all()
    for (x0, y0, x1, y1), (a, b) in zip(
        lines.tolist(), (seams_of(layout) // 4).tolist(), strict=True
    ):
        corners = [
            {(int(row) + dr, int(col) + dc) for dr in (0, 1) for dc in (0, 1)}
            for row, col in (layout.cell[a], layout.cell[b])
        ]
        assert {(y0, x0), (y1, x1)} == corners[0] & corners[1]


@pytest.mark.parametrize(("sure", "name"), [(0.995, "sure"), (0.7, "likely"), (0.1, "doubtful")])
def test_overlay_has_the_colour_of_the_class(sure: float, name: str) -> None:
    """A seam is drawn in the colour of its probability; the rest is transparent."""
    layout = replace(Layout.from_grid(1, 2), confidence=np.array([sure], np.float32))
    overlay = seam_overlay(_numbered(1, 2, 24, 24), layout)
    colour = next(colour for word, _, colour in SEAM_CLASSES if word == name)
    expected = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
    assert overlay.getpixel((24, 12)) == (*expected, 255)
    assert overlay.getpixel((6, 6))[3] == 0


def test_seams_over_the_darkened_picture() -> None:
    """Beside the seams the picture is still there, but darker."""
    pieces = Pieces.from_arrays(np.full((2, 24, 24, 3), 200, np.uint8))
    drawn = seam_picture(pieces, Layout.from_grid(1, 2)).pixels
    assert drawn.shape == (24, 48, 4)
    assert 50 < drawn[3, 3, 0] < 150
    assert tuple(drawn[12, 24, :3]) == (0x1F, 0xAE, 0x66)


def test_sheet_shows_the_pieces_as_given() -> None:
    """The sheet holds the pieces in the given order, turned back as they were given."""
    pixels = np.zeros((3, 4, 6, 3), np.uint8)
    pixels[:, 0, :, 0] = [[10], [20], [30]]  # a red top row
    pieces = replace(Pieces.from_arrays(pixels), given_turn=np.array([0, 0, 1], np.int32))
    picture = np.asarray(sheet(pieces))
    pitch = 7
    assert picture[0, :6, 0].tolist() == [10] * 6
    assert picture[0, pitch : pitch + 6, 0].tolist() == [20] * 6
    assert picture[:6, 2 * pitch, 0].tolist() == [30] * 6  # the top was on the left when given


def test_sheet_is_scaled_down() -> None:
    """A sheet is never wider than asked for."""
    assert sheet(_numbered(10, 10, 30, 30), width=100).width <= 100

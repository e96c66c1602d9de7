"""Pieces: what is read, what of it is known, and what is refused."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sherd.borders import inside
from sherd.cut import cut, write_puzzle
from sherd.errors import InputError, OptionError
from sherd.events import Event, Note, Read, Skipped
from sherd.originals import Originals
from sherd.paint import paint
from sherd.pieces import Pieces, read_pieces

PICTURE = paint(48, 60, seed=5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty unshuffled pieces of 12 px, 4 rows of 5, without wear."""
    write_puzzle(cut(PICTURE, piece=12, shuffle=False), tmp_path / "pieces")
    return tmp_path / "pieces"


@pytest.fixture
def mosaic(tmp_path: Path) -> Path:
    """The picture as one file."""
    Image.fromarray(PICTURE).save(tmp_path / "mosaic.png")
    return tmp_path / "mosaic.png"


def test_folder_zip_and_mosaic_give_the_same_pieces(folder: Path, mosaic: Path) -> None:
    """Three ways to hand over the same pieces."""
    made = shutil.make_archive(str(folder), "zip", folder)
    told: list[Event] = []
    from_folder = read_pieces(folder, on=told.append)
    for other in (
        read_pieces(made),
        read_pieces(mosaic, piece=12),
        read_pieces(str(mosaic), piece=(12, 12)),
        read_pieces(mosaic, grid=(4, 5)),
    ):
        assert np.array_equal(other.pixels, from_folder.pixels)
        assert other.known.all()
    assert told == [Skipped("truth.json", "not a picture name"), Read(20)]
    assert from_folder.names[:2] == ("piece-0001.png", "piece-0002.png")
    assert read_pieces(mosaic, piece=12).names[6] == "mosaic.png[1,1]"


def test_size_and_shape_are_height_first(mosaic: Path) -> None:
    """A piece size in Python is (height, width), a grid (rows, cols)."""
    pieces = read_pieces(mosaic, piece=(12, 20))
    assert len(pieces) == 12
    assert (pieces.height, pieces.width, pieces.square) == (12, 20, False)
    assert np.array_equal(pieces.pixels[1], PICTURE[:12, 20:40])
    assert read_pieces(mosaic, grid=(2, 3)).pixels.shape == (6, 24, 20, 3)


def test_a_mosaic_with_an_exif_turn_is_cut_upright(tmp_path: Path) -> None:
    """The sizes are those a person sees."""
    exif = Image.Exif()
    exif[0x0112] = 8
    Image.fromarray(PICTURE).save(tmp_path / "m.png", exif=exif)
    pieces = read_pieces(tmp_path / "m.png", grid=(5, 4))
    assert np.array_equal(pieces.pixels[0], np.rot90(PICTURE)[:12, :12])


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({}, OptionError, "--piece 64.*--grid 8x10"),
        ({"piece": 12, "grid": (4, 5)}, OptionError, "either"),
        ({"piece": 13}, InputError, "60x48 pixels cannot be divided into pieces of 13x13"),
        ({"grid": (5, 5)}, InputError, "5 rows and 5 columns"),
        ({"grid": (100, 100)}, InputError, "100 rows"),
        ({"grid": (0, 5)}, OptionError, "no piece"),
        ({"piece": 0}, OptionError, "--piece"),
        ({"grid": (1, 1)}, InputError, "only one piece"),
        ({"piece": 12, "erode": 6}, OptionError, "--erode 6"),
        ({"piece": 12, "lost": 999}, OptionError, "--lost 999"),
        ({"piece": 12, "lost": -1}, OptionError, "0 or more"),
    ],
)
def test_a_mosaic_that_does_not_divide_is_refused(
    mosaic: Path, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    """Sizes that are missing, contradict, or do not fit are one clear line."""
    with pytest.raises(error, match=said):
        read_pieces(mosaic, **options)


def test_sizes_are_for_mosaics_only(folder: Path) -> None:
    """A folder of pieces has its sizes; --piece with it is a misunderstanding."""
    with pytest.raises(OptionError, match="leave them out"):
        read_pieces(folder, piece=12)


def test_sources_of_other_kinds_are_refused(tmp_path: Path) -> None:
    """What is missing or neither folder, zip, nor picture is named."""
    with pytest.raises(InputError, match="nothing: there is no such"):
        read_pieces(tmp_path / "nothing")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(InputError, match=r"a\.txt: neither a folder"):
        read_pieces(tmp_path / "a.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_pieces(tmp_path / ("x" * 300))


def test_one_piece_is_no_puzzle(tmp_path: Path) -> None:
    """Neither a folder nor a zip of one piece can be solved."""
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(InputError, match="only one piece"):
        read_pieces(tmp_path)
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.write(tmp_path / "a.png", "a.png")
    with pytest.raises(InputError, match="only one piece"):
        read_pieces(tmp_path / "z.zip")


def test_erode_masks_and_lost_adds(folder: Path) -> None:
    """--erode makes outer pixels of the given pieces unknown, --lost puts unknown ones around."""
    eroded = read_pieces(folder, erode=2)
    assert (eroded.height, eroded.lost) == (12, 0)
    assert np.array_equal(eroded.known[3], inside(12, 12, 2))
    lost = read_pieces(folder, lost=2)
    assert (lost.height, lost.lost) == (16, 2)
    assert np.array_equal(lost.known[3], inside(16, 16, 2))
    both = read_pieces(folder, erode=1, lost=2)
    assert np.array_equal(both.known[3], inside(16, 16, 3))


def test_what_is_not_known_is_zero(folder: Path) -> None:
    """Pixels under alpha 0 or within the eroded border never reach a network or a measure."""
    secret = np.full((12, 12, 4), 200, np.uint8)
    secret[:, :3, 3] = 0
    Image.fromarray(secret).save(folder / "piece-0001.png")
    told: list[Event] = []
    pieces = read_pieces(folder, erode=1, on=told.append)
    assert not pieces.pixels[~pieces.known].any()
    assert not pieces.known[0, :, :3].any()
    assert pieces.known[0, 1:-1, 3:-1].all()
    assert pieces.originals is not None
    assert (pieces.originals.pixels[0, :, :3, :3] == 200).all()  # the picture keeps what it had
    assert any(isinstance(event, Note) and "transparent" in event.text for event in told)


def test_a_border_that_is_found_is_told(tmp_path: Path) -> None:
    """The colour and the width of a border are reported, even or ragged."""
    for erode, said in ((2, "2 px"), ((1, 4), "1 to 4 px")):
        path = tmp_path / said
        write_puzzle(cut(paint(120, 160), piece=24, erode=erode, how="black"), path)
        told: list[Event] = []
        read_pieces(path, on=told.append)
        notes = [event.text for event in told if isinstance(event, Note)]
        assert notes == [f"a border of #000000, {said} wide, frames every piece and counts as lost"]


def test_a_piece_without_known_pixels_is_named(folder: Path) -> None:
    """A fully transparent piece cannot be placed."""
    Image.new("RGBA", (12, 12)).save(folder / "piece-0007.png")
    with pytest.raises(InputError, match=r"piece-0007\.png: no pixel of it is known"):
        read_pieces(folder)


def test_pieces_of_two_sizes_are_refused(folder: Path) -> None:
    """The odd one is named, with its size and the cure."""
    Image.new("RGB", (12, 11)).save(folder / "piece-0020.png")
    with pytest.raises(InputError, match=r"piece-0020\.png is 12x11: .*19 of 12x12, 1 of 12x11"):
        read_pieces(folder)


def test_pieces_from_arrays_are_their_own_originals() -> None:
    """Arrays need no files: all pixels known, or those that a mask says."""
    pixels = PICTURE.reshape(4, 12, 60, 3)
    pieces = Pieces.from_arrays(pixels)
    assert pieces.known.all()
    assert pieces.originals is None
    known = np.zeros((4, 12, 60), np.bool_)
    assert not Pieces.from_arrays(pixels, known).known.any()


def test_content_order_forgets_the_labels(folder: Path) -> None:
    """However the pieces are numbered, sorted by content they are the same."""
    pieces = read_pieces(folder, erode=1)
    shuffle = np.random.default_rng(0).permutation(len(pieces)).astype(np.int32)
    first, order = pieces.sorted_by_content()
    second, _ = pieces.take(shuffle).sorted_by_content()
    assert np.array_equal(first.pixels, second.pixels)
    assert first.names == second.names == tuple(pieces.names[i] for i in order)
    assert np.array_equal(first.pixels, pieces.pixels[order])
    assert first.originals is not None
    assert second.originals is not None
    assert np.array_equal(first.originals.pixels, second.originals.pixels)


def test_content_order_sees_what_only_the_originals_show() -> None:
    """Pieces that differ in their lower 8 bits only have an order too."""
    samples = np.zeros((2, 4, 4, 1), np.uint16)
    samples[0] = 1
    names = ("one", "zero")
    pieces = Pieces.from_originals(Originals(samples), names, np.zeros(2, np.int32))
    assert pieces.sorted_by_content()[0].names == ("zero", "one")
    assert Pieces.from_arrays(pieces.pixels).sorted_by_content()[1].tolist() == [0, 1]

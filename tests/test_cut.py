"""Cutting: a puzzle and its truth give the picture back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from sherd.borders import inside
from sherd.cut import Puzzle, cut, write_puzzle
from sherd.decoding import Samples
from sherd.errors import InputError, OptionError, OutputError
from sherd.events import Event, Note
from sherd.layout import Layout
from sherd.paint import paint
from sherd.picture import Picture
from sherd.pieces import Pieces, read_pieces
from sherd.sides import turn_picture
from sherd.truth import read_truth


def reassembled(pieces: Pieces, truth: Layout) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Lay pieces out as the truth says: the picture and which of its pixels are known."""
    upright = int(truth.turn[0]) % 2 == 0
    height, width = (pieces.height, pieces.width) if upright else (pieces.width, pieces.height)
    rows, cols = truth.shapes[0]
    picture = np.zeros((rows * height, cols * width, 3), np.uint8)
    known = np.zeros(picture.shape[:2], np.bool_)
    for i, ((row, col), turn) in enumerate(zip(truth.cell, truth.turn, strict=True)):
        where = (
            slice(row * height, (row + 1) * height),
            slice(col * width, (col + 1) * width),
        )
        picture[where] = turn_picture(pieces.pixels[i], int(turn))
        known[where] = turn_picture(pieces.known[i], int(turn))
    return picture, known


@settings(deadline=None, max_examples=40)
@given(
    grid=st.tuples(st.integers(1, 4), st.integers(2, 4)),
    piece=st.tuples(st.integers(8, 13), st.integers(8, 13)),
    erode=st.one_of(st.integers(0, 3), st.tuples(st.integers(0, 1), st.integers(2, 3))),
    how=st.sampled_from(["alpha", "black", "cropped"]),
    turns=st.booleans(),
    shuffle=st.booleans(),
    seed=st.integers(0, 9),
)
def test_a_cut_picture_comes_back(
    grid: tuple[int, int],
    piece: tuple[int, int],
    erode: int | tuple[int, int],
    how: Any,
    turns: bool,
    shuffle: bool,
    seed: int,
) -> None:
    """Cut, write, read and lay out by the truth: every pixel that is known is the picture's."""
    if how != "alpha" and isinstance(erode, tuple):
        erode = erode[1]
    rng = np.random.default_rng(seed)
    shape = (grid[0] * piece[0] + seed % 3, grid[1] * piece[1] + seed % 5, 3)
    picture = rng.integers(1, 256, shape, np.uint8)
    puzzle = cut(
        picture, piece=piece, erode=erode, how=how, turns=turns, shuffle=shuffle, seed=seed
    )
    with tempfile.TemporaryDirectory() as name:
        write_puzzle(puzzle, name)
        lost = erode if how == "cropped" and isinstance(erode, int) else 0
        pieces = read_pieces(name, lost=lost, turns=turns)
        truth = read_truth(name, pieces.names, pieces.given_turn)
    whole, known = reassembled(pieces, truth)
    assert whole.shape == (grid[0] * piece[0], grid[1] * piece[1], 3)
    assert np.array_equal(whole[known], picture[: whole.shape[0], : whole.shape[1]][known])
    assert not whole[~known].any()
    most = erode if isinstance(erode, int) else erode[1]
    for row in range(grid[0]):
        for col in range(grid[1]):
            cell = known[row * piece[0] :, col * piece[1] :][: piece[0], : piece[1]]
            assert cell[inside(*piece, most)].all()
            if isinstance(erode, int):
                assert not cell[~inside(*piece, most)].any()


def test_a_puzzle_in_memory_is_the_puzzle_on_disk(tmp_path: Path) -> None:
    """`Puzzle.pieces` gives what writing and reading gives, without touching the disk."""
    for how in ("alpha", "black", "cropped"):
        puzzle = cut(paint(40, 60), piece=(10, 15), erode=2, how=how, turns=True, seed=3)
        write_puzzle(puzzle, tmp_path / how)
        read = read_pieces(tmp_path / how, turns=True, lost=2 if how == "cropped" else 0)
        pieces, truth = puzzle.pieces()
        assert np.array_equal(read.pixels, pieces.pixels)
        assert np.array_equal(read.known, pieces.known)
        assert (read.names, read.lost) == (pieces.names, pieces.lost)
        on_disk = read_truth(tmp_path / how, read.names, read.given_turn)
        assert np.array_equal(on_disk.turn, truth.turn)
        assert np.array_equal(on_disk.cell, truth.cell)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("how", ["alpha", "black", "cropped"])
def test_all_bits_and_the_profile_survive(
    tmp_path: Path, channels: int, kind: type[np.uint8 | np.uint16], how: Any
) -> None:
    """Gray or colour, 8 or 16 bits, alpha or not: the originals inside the border are the same."""
    rng = np.random.default_rng(channels)
    picture = rng.integers(1, np.iinfo(kind).max, (16, 24, channels), kind)
    profile = b"\0" * 16 + (b"GRAY" if channels < 3 else b"RGB ") + b"\0" * 108
    (tmp_path / "photo.png").write_bytes(Picture(picture, profile).png())
    puzzle = cut(tmp_path / "photo.png", piece=8, erode=1, how=how, shuffle=False)
    write_puzzle(puzzle, tmp_path / "pieces")
    originals = read_pieces(tmp_path / "pieces", lost=int(how == "cropped")).originals
    assert originals is not None
    assert originals.pixels.dtype == kind
    assert originals.icc_profile == profile
    inner = originals.pixels if how == "cropped" else originals.pixels[:, 1:-1, 1:-1]
    assert np.array_equal(inner[4, ..., :channels], picture[9:15, 9:15])
    if how == "black" and channels in (2, 4):
        assert (originals.pixels[:, 0, :, -1] == np.iinfo(kind).max).all()


def test_what_fills_no_piece_is_dropped() -> None:
    """The grid begins at the top left corner; the rest is left over and counted."""
    picture = paint(35, 50)
    puzzle = cut(picture, piece=16, shuffle=False)
    assert puzzle.truth.shapes == ((2, 3),)
    assert puzzle.left_over == (3, 2)
    assert np.array_equal(puzzle.pictures[0], picture[:16, :16])
    assert puzzle.names[:2] == ("piece-0001.png", "piece-0002.png")


def test_the_same_seed_makes_the_same_puzzle() -> None:
    """Shuffle, turns and wear depend on the seed and on nothing else."""

    def bytes_of(puzzle: Puzzle) -> list[bytes]:
        return [picture.tobytes() for picture in puzzle.pictures]

    picture = paint(48, 48)
    options: dict[str, Any] = {"piece": 12, "erode": (1, 3), "turns": True}
    first, again, other = (cut(picture, seed=seed, **options) for seed in (7, 7, 8))
    assert bytes_of(first) == bytes_of(again)
    assert bytes_of(first) != bytes_of(other)
    assert not np.array_equal(first.truth.cell, other.truth.cell)


def test_pieces_can_get_lost() -> None:
    """`drop` leaves that many cells empty; the board keeps its size."""
    for shuffle in (True, False):
        puzzle = cut(paint(40, 40), piece=10, drop=3, shuffle=shuffle, seed=2)
        assert len(puzzle.names) == len(puzzle.pictures) == 13
        assert puzzle.truth.shapes == ((4, 4),)
        assert (puzzle.truth.grid() < 0).sum() == 3
    in_order = puzzle.truth.cell @ [4, 1]
    assert (np.diff(in_order) > 0).all()


def test_an_exif_turn_of_the_photo_is_applied(tmp_path: Path) -> None:
    """A photo is cut as a person sees it, and that is told."""
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / "photo.png"
    picture = paint(16, 32)
    Image.fromarray(picture).save(path, exif=exif)
    told: list[Event] = []
    puzzle = cut(path, piece=16, shuffle=False, on=told.append)
    assert puzzle.truth.shapes == ((2, 1),)
    assert np.array_equal(puzzle.pictures[0], np.rot90(picture, -1)[:16])
    assert any(isinstance(event, Note) and "EXIF" in event.text for event in told)
    assert puzzle.recipe["source"] == "photo.png"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"piece": 0}, "cannot be cut"),
        ({"piece": 40}, "at least two"),
        ({"piece": (30, 40)}, "at least two"),
        ({"erode": -1}, "0 or more"),
        ({"erode": (3, 2)}, "least first"),
        ({"erode": 5}, "at most 4"),
        ({"how": "white"}, "choose alpha, black, cropped"),
        ({"how": "cropped", "erode": (1, 2)}, "cannot be cropped"),
        ({"drop": 15}, "two must be left"),
    ],
)
def test_impossible_options_are_one_clear_line(options: dict[str, Any], said: str) -> None:
    """Each option that cannot be met says why and what to give instead."""
    with pytest.raises(OptionError, match=said):
        cut(paint(40, 40), **({"piece": 10} | options))


def test_bad_photos_are_refused(tmp_path: Path) -> None:
    """A missing photo or one that is no picture is named."""
    with pytest.raises(InputError, match="no such file"):
        cut(tmp_path / "photo.jpg", piece=10)
    (tmp_path / "photo.jpg").write_text("no picture")
    with pytest.raises(InputError, match=r"photo\.jpg: not a PNG"):
        cut(tmp_path / "photo.jpg", piece=10)


def gray(size: int) -> Samples:
    """A square gray picture."""
    return np.arange(size * size, dtype=np.uint32).astype(np.uint8).reshape(size, size)


def test_a_puzzle_replaces_an_older_one_only_if_asked(tmp_path: Path) -> None:
    """With overwrite, no piece of the older puzzle stays among the new ones."""
    write_puzzle(cut(gray(40), piece=10), tmp_path / "p")
    with pytest.raises(OutputError, match="--overwrite"):
        write_puzzle(cut(gray(40), piece=20), tmp_path / "p")
    assert len(list((tmp_path / "p").iterdir())) == 17
    write_puzzle(cut(gray(40), piece=20), tmp_path / "p", overwrite=True)
    assert len(read_pieces(tmp_path / "p")) == 4
    write_puzzle(cut(gray(40), piece=20), tmp_path / "p", overwrite=True)


def test_a_folder_with_other_pictures_is_not_touched(tmp_path: Path) -> None:
    """Pictures of somebody's own are neither removed nor mixed up with the pieces."""
    for truth in (None, "{}"):
        Image.new("L", (4, 4)).save(tmp_path / "mine.png")
        if truth:
            (tmp_path / "truth.json").write_text(truth)
        before = sorted(tmp_path.iterdir())
        with pytest.raises(OutputError, match=r"mine\.png"):
            write_puzzle(cut(gray(40), piece=20), tmp_path, overwrite=True)
        assert sorted(tmp_path.iterdir()) == before

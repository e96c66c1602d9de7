"""`sherd cut` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from sherd.cli.main import main
from sherd.paint import paint
from sherd.pieces import read_pieces


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A photo of 70 x 50 px."""
    Image.fromarray(paint(50, 70)).save(tmp_path / "photo.png")
    return tmp_path / "photo.png"


def sherd_cut(photo: Path, *options: str) -> Result:
    """Run the command; pieces go to the folder "out" beside the photo."""
    out = str(photo.parent / "out")
    return CliRunner().invoke(main, ["cut", str(photo), "-o", out, *options])


def test_it_says_what_it_wrote(photo: Path) -> None:
    """Pieces, board, what was dropped, and the command that solves it."""
    result = sherd_cut(photo, "--piece", "16")
    out = photo.parent / "out"
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{out}: 12 pieces of 16x16 px (3 rows, 4 columns) and truth.json; "
        "dropped 6 px at the right and 2 px at the bottom",
        f"solve it with: sherd solve {out} --board 3x4",
    ]
    assert len(read_pieces(out)) == 12


def test_options_reach_the_truth(photo: Path) -> None:
    """Sizes are WIDTHxHEIGHT, wear may be a range, and truth.json records all of it."""
    options = "--piece 14x10 --erode 1-3 --as black --turns --drop 2 --seed 7 --no-shuffle -q"
    result = sherd_cut(photo, *options.split())
    assert (result.exit_code, result.output) == (0, "")
    truth = json.loads((photo.parent / "out" / "truth.json").read_text())
    assert len(truth.pop("pieces")) == 23
    assert truth == {
        "format": 1,
        "rows": 5,
        "cols": 5,
        "source": "photo.png",
        "piece": {"width": 14, "height": 10},
        "erode": [1, 3],
        "how": "black",
        "turns": True,
        "seed": 7,
    }


def test_the_hint_names_the_flags_that_reading_needs(photo: Path) -> None:
    """Cropped, turned and missing pieces cannot be seen; the hint says so."""
    options = "--piece 10 --erode 2 --as cropped --turns --drop 3"
    result = sherd_cut(photo, *options.split())
    assert result.stdout.endswith("out --board 5x7 --missing 3 --turns --lost 2\n")


def test_notes_go_to_standard_error(photo: Path) -> None:
    """What happened to the photo is told beside the result."""
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(paint(50, 70)).save(photo, exif=exif)
    result = sherd_cut(photo, "--piece", "10")
    assert "EXIF" in result.stderr
    assert "(7 rows, 5 columns)" in result.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--piece 100", "a puzzle needs at least two"),
        ("--piece 10 --erode 5", "give at most 4"),
        ("--piece 10x", "is not a size in pixels"),
        ("--piece 10 --erode 1..2", "is not a width in pixels"),
    ],
)
def test_bad_options_are_one_line_and_write_nothing(photo: Path, options: str, said: str) -> None:
    """Exit code 2, and no folder."""
    result = sherd_cut(photo, *options.split())
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (photo.parent / "out").exists()


def test_an_older_puzzle_stays_unless_asked(photo: Path) -> None:
    """The folder is refused before any work, and replaced with --overwrite."""
    assert sherd_cut(photo, "--piece", "10").exit_code == 0
    again = sherd_cut(photo, "--piece", "16")
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr
    assert sherd_cut(photo, "--piece", "16", "--overwrite").exit_code == 0
    assert len(read_pieces(photo.parent / "out")) == 12

"""Worn pieces through the real command line: nothing marks the wear but --erode."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.paint import paint

from .conftest import Call

ROWS, COLS, PIECE = 5, 6, 64


@pytest.fixture
def worn(call: Call) -> Path:
    """Give a folder of pieces worn by 1 to 4 px, with rubbish where they are worn."""
    Image.fromarray(paint(ROWS * PIECE, COLS * PIECE, seed=3)).save("photo.png")
    cutting = ("--piece", PIECE, "--erode", "1-4", "--seed", 7)
    assert call("cut", "photo.png", "-o", "worn", *cutting).exit_code == 0
    rng = np.random.default_rng(0)
    for path in sorted(Path("worn").glob("*.png")):
        with Image.open(path) as picture:
            pixels = np.array(picture)
        gone = pixels[..., 3] == 0
        pixels[gone, :3] = rng.integers(0, 256, (int(gone.sum()), 3))
        Image.fromarray(np.ascontiguousarray(pixels[..., :3])).save(path)
    return Path("worn")


def _neighbour(call: Call, pieces: Path, *options: object) -> float:
    """Solve, and give the part of the true seams that was found."""
    board = ("--board", f"{ROWS}x{COLS}")
    solved = call("solve", pieces, *board, *options, "--overwrite")
    assert solved.exit_code == 0, solved.output
    found = call("eval", "solved/layout.json", "worn/truth.json", "--json")
    return float(json.loads(found.stdout)["neighbour"])


def test_erode_solves_uneven_wear_that_nothing_marks(call: Call, worn: Path) -> None:
    """--erode 4 solves pieces worn by 1 to 4 px, unevenly; without it, rubbish is compared."""
    assert _neighbour(call, worn, "--erode", 4) >= 0.95
    assert _neighbour(call, worn) < 0.2


def test_the_rubbish_under_erode_counts_for_nothing(call: Call, worn: Path) -> None:
    """With --erode 4 the layout is that of the same pieces with a clean cut of 4 px."""
    clean = Path("clean")
    shutil.copytree(worn, clean)
    for path in clean.glob("*.png"):
        with Image.open(path) as picture:
            inner = picture.crop((4, 4, PIECE - 4, PIECE - 4))
        inner.save(path)
    _neighbour(call, worn, "--erode", 4)
    first = json.loads(Path("solved/layout.json").read_text())
    _neighbour(call, clean, "--lost", 4)
    assert json.loads(Path("solved/layout.json").read_text())["pieces"] == first["pieces"]

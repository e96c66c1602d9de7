"""truth.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sherd.errors import InputError
from sherd.layout import Layout
from sherd.truth import read_truth, truth_json

NAMES = ("a.png", "b.png", "c.png")
TRUTH = Layout(
    np.array([[1, 0], [0, 1], [0, 0]], np.int32),
    np.array([3, 0, 1], np.int32),
    np.zeros(3, np.int32),
    ((2, 2),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A truth of three pieces; a fourth is missing."""
    path = tmp_path / "truth.json"
    path.write_text(truth_json(TRUTH, NAMES, {"seed": 7}))
    return path


def test_a_truth_comes_back(path: Path) -> None:
    """What is written is read again, from the file or from its folder, in the order of names."""
    for place in (path, path.parent):
        truth = read_truth(place, ("b.png", "a.png", "c.png"))
        assert truth.cell.tolist() == [[0, 1], [1, 0], [0, 0]]
        assert truth.turn.tolist() == [0, 3, 1]
        assert truth.shapes == ((2, 2),)
        assert truth.placed.all()


def test_the_file_says_what_it_is(path: Path) -> None:
    """The schema has a version, the board, the recipe, and a place for each name."""
    document = json.loads(path.read_text())
    assert (document["format"], document["rows"], document["cols"]) == (1, 2, 2)
    assert document["seed"] == 7
    assert document["pieces"]["a.png"] == {"row": 1, "col": 0, "turn": 3}


def test_turns_of_reading_count(path: Path) -> None:
    """Where reading has turned a piece, the truth needs that much less of a turn."""
    truth = read_truth(path, NAMES, np.array([1, 1, 0], np.int32))
    assert truth.turn.tolist() == [2, 3, 1]


def test_a_piece_may_be_missing_but_not_unknown(path: Path) -> None:
    """Fewer pieces than the truth knows are fine; one that it does not know is not."""
    assert read_truth(path, NAMES[:2]).shapes == ((2, 2),)
    with pytest.raises(InputError, match=r"does not know the piece 'd\.png'"):
        read_truth(path, ("a.png", "d.png"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "not a truth of format 1"),
        ({"rows": None}, "missing or wrong"),
        ({"pieces": 5}, "missing or wrong"),
        ({"pieces": {"a.png": {"row": 0}}}, "missing or wrong"),
        ({"rows": 1}, "outside the 1x2"),
        (
            {"pieces": {n: {"row": 0, "col": 0, "turn": 0} for n in NAMES}},
            "two pieces have the same cell",
        ),
    ],
)
def test_a_wrong_truth_is_one_clear_line(path: Path, change: dict[str, Any], said: str) -> None:
    """Whatever is wrong with the file, the error names it and says what it is."""
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=rf"truth\.json: .*{said}"):
        read_truth(path, NAMES)


def test_no_truth_is_one_clear_line(tmp_path: Path) -> None:
    """A missing file, text, and JSON of another kind."""
    with pytest.raises(InputError, match="cannot be read"):
        read_truth(tmp_path, NAMES)
    for text in ("no JSON", "[1, 2]", "\udcff"):
        (tmp_path / "truth.json").write_text(text, "utf-8", "surrogateescape")
        with pytest.raises(InputError, match=r"not JSON|not a truth"):
            read_truth(tmp_path, NAMES)

"""The layout file says where each given piece lies, and says it again when it is read."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sherd.errors import InputError
from sherd.layout import Layout, seams_of
from sherd.pieces import Pieces
from sherd.result import Result
from sherd.schema import Source, as_given, as_read, read_layout, result_record
from sherd.scores import Scores
from sherd.sides import Relations


def _result(source: Source | None = None) -> Result:
    """Make a 2 x 2 board whose last piece is not placed and whose first lay on its side."""
    pixels = np.random.default_rng(0).integers(0, 255, (4, 6, 6, 3), np.uint8)
    pieces = replace(Pieces.from_arrays(pixels), given_turn=np.array([1, 0, 0, 0], np.int32))
    placed = np.array([True, True, True, False])
    layout = Layout.from_cells(
        np.array([(0, 0), (0, 1), (1, 0), (1, 1)]), np.array([1, 3, 0, 2]), placed, (2, 2), start=1
    )
    layout = replace(layout, confidence=np.array([0.25, 0.995], np.float32))
    table = np.zeros((16, 0), np.int32)
    scores = Scores(Relations(turns=True), table, table.astype(np.float32))
    return Result(
        pieces, scores, layout, -1.5, {"scoring": 1.0}, 7, "prediction", "greedy", {}, source
    )


def test_round_trip(tmp_path: Path) -> None:
    """What is written is read again: layout, names, confidence, source."""
    result = _result(Source("pieces.png", piece=(6, 6), erode=2, turns=True))
    path = tmp_path / "layout.json"
    path.write_text(result.to_json())
    saved = read_layout(path)
    assert saved.source == result.source
    assert saved.names == result.pieces.names
    layout = as_read(saved.layout, result.pieces)
    for name in ("cell", "turn", "board", "confidence"):
        np.testing.assert_array_equal(getattr(layout, name), getattr(result.layout, name))
    assert (layout.shapes, layout.start) == (((2, 2),), 1)


def test_turns_count_from_the_given_picture() -> None:
    """A piece that reading turned is listed with its whole turn, and with its own sides."""
    record = result_record(_result())
    assert [piece.get("turn") for piece in record["pieces"]] == [2, 3, 0, None]
    first = record["seams"][0]
    assert first["pieces"] == [0, 1]
    assert first["sides"] == [2, 3]  # turned twice, the left side of piece 0 looks right
    assert first["confidence"] == 0.25


def test_turning_keeps_the_seams() -> None:
    """Counting turns from elsewhere keeps which pieces meet, in the same order."""
    result = _result()
    given = as_given(result.layout, result.pieces)
    np.testing.assert_array_equal(seams_of(given) // 4, seams_of(result.layout) // 4)
    np.testing.assert_array_equal(as_read(given, result.pieces).turn, result.layout.turn)


def test_one_line_a_piece() -> None:
    """The file is JSON with one piece or seam a line."""
    text = _result().to_json()
    assert json.loads(text)["format"] == "sherd-layout"
    assert sum('"name"' in line for line in text.splitlines()) == 4
    assert all(line.count('"name"') <= 1 for line in text.splitlines())


def test_no_confidence(tmp_path: Path) -> None:
    """A layout without confidence has none after reading either."""
    result = _result()
    bare = replace(result, layout=replace(result.layout, confidence=None))
    (tmp_path / "layout.json").write_text(bare.to_json())
    assert read_layout(tmp_path / "layout.json").layout.confidence is None


def _without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.pop(key) and None


def _second_piece(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: record["pieces"][1].update(fields)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda record: record.update(format="other"), "not a layout of sherd"),
        (lambda record: record.update(version=99), "layout format 99, this version reads 1"),
        (_without("pieces"), "damaged layout .*pieces"),
        (_without("source"), "damaged layout .*source"),
        (_second_piece(row=0, col=0), "two pieces share a cell"),
        (_second_piece(row=5), "outside its board"),
        (_second_piece(board=3), "board that is not listed"),
        (_second_piece(row="x"), "damaged layout"),
        (lambda record: record["seams"].pop(), "1 seams listed, 2 laid"),
    ],
)
def test_damage_is_told(
    tmp_path: Path, damage: Callable[[dict[str, Any]], None], message: str
) -> None:
    """A layout file that is not one, or a damaged one, is an InputError that names the file."""
    record = result_record(_result())
    damage(record)
    path = tmp_path / "layout.json"
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match=message) as caught:
        read_layout(path)
    assert str(path) in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    """A missing file and one that is no JSON are InputErrors."""
    with pytest.raises(InputError, match="cannot be read"):
        read_layout(tmp_path / "none.json")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(InputError, match="not JSON"):
        read_layout(tmp_path / "text")

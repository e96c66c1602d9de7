"""A result tells what was found, in figures, as a picture and as islands."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from sherd.cut import cut
from sherd.layout import Layout
from sherd.paint import paint
from sherd.result import Result
from sherd.solve import solve


@pytest.fixture(scope="module")
def solved() -> tuple[Result, Layout]:
    """Give a solved puzzle of 2 x 3 pieces, and its truth."""
    pieces, truth = cut(paint(64, 96, seed=1), piece=32, seed=3).pieces()
    return solve(pieces, board=(2, 3)), truth


def _with_confidence(result: Result, sure: list[float]) -> Result:
    return replace(result, layout=replace(result.layout, confidence=np.array(sure, np.float32)))


def test_picture(solved: tuple[Result, Layout]) -> None:
    """The picture of a solved puzzle is the picture that was cut."""
    picture = solved[0].picture()
    assert isinstance(picture, Image.Image)
    np.testing.assert_array_equal(np.asarray(picture), paint(64, 96, seed=1))


def test_islands(solved: tuple[Result, Layout]) -> None:
    """Sure seams join pieces to islands; `certain` says what is sure."""
    result = _with_confidence(solved[0], [1, 0.999, 0.5, 0.5, 0.5, 0.5, 0.5])
    grid = result.layout.grid()
    assert result.sure_seams().tolist() == [True, True] + [False] * 5
    assert result.islands()[grid[0]].tolist() == [0, 0, 0]
    assert len(set(result.islands().tolist())) == 4
    assert set(result.islands(certain=0.4).tolist()) == {0}
    assert len(set(result.islands(certain=1.0).tolist())) == 5


def test_no_confidence_is_no_sure_seam(solved: tuple[Result, Layout]) -> None:
    """Without confidence no seam is sure and each piece is an island."""
    result = replace(solved[0], layout=replace(solved[0].layout, confidence=None))
    assert not result.sure_seams().any()
    assert len(result.sure_seams()) == 7
    assert len(set(result.islands().tolist())) == 6


def test_summary(solved: tuple[Result, Layout]) -> None:
    """The summary has the figures, those against the truth only if it is known."""
    result, truth = solved
    assert "6 of 32 x 32 px" in str(result)
    assert "2 x 3 cells" in result.summary()
    assert "neighbour" not in result.summary()
    assert "100.0% of the true seams" in result.judged(truth).summary()
    assert "all pieces in place" in result.judged(truth).summary()


def test_summary_names_who_is_at_fault(solved: tuple[Result, Layout]) -> None:
    """Where pieces are misplaced, the sign of the search gap tells whether search or scores are."""
    result, truth = solved
    swapped = truth.relabelled(np.array([1, 0, 2, 3, 4, 5], np.int32))
    wrong = replace(result, layout=swapped).judged(truth)
    assert wrong.search_gap is not None
    assert wrong.search_gap > 0
    assert "search at fault" in wrong.summary()
    assert "scores at fault" in replace(wrong, search_gap=-1.0).summary()


def test_no_gap_between_layouts_of_different_size(solved: tuple[Result, Layout]) -> None:
    """A layout with fewer seams than the truth has more energy; that says nothing, so no gap."""
    result, truth = solved
    row = replace(result, layout=Layout.from_grid(1, 6)).judged(truth)
    assert row.search_gap is None
    assert row.measures is not None
    assert "search gap" not in row.summary()
    assert "neighbour" in row.summary()


def test_json(solved: tuple[Result, Layout]) -> None:
    """The JSON holds all figures in plain values."""
    record = json.loads(solved[0].judged(solved[1]).to_json())
    assert record["measures"]["perfect"] is True
    assert record["search_gap"] == pytest.approx(0)
    assert set(record["seconds"]) == {"scoring", "placing"}
    assert set(record["versions"]) == {"sherd", "numpy", "pillow", "onnxruntime", "python"}
    assert len(record["pieces"]) == 6
    assert len(record["seams"]) == 7

"""The report is one file that needs nothing else, and saving a result writes all of it."""

import base64
import io
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.cut import cut
from sherd.errors import OutputError
from sherd.originals import Originals
from sherd.paint import paint
from sherd.report import report
from sherd.result import Result
from sherd.saving import save_result
from sherd.solve import solve


@pytest.fixture(scope="module")
def result() -> Result:
    """Give a solved puzzle of 2 x 3 pieces with worn borders."""
    pieces, truth = cut(paint(64, 96, seed=1), piece=32, erode=2, seed=3).pieces()
    return solve(pieces, board=(2, 3)).judged(truth)


class _Balance(HTMLParser):
    """Checks that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag."""
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Forget it."""
        assert self.open.pop() == tag


def _images(page: str) -> list[Image.Image]:
    found = re.findall(r'src="data:image/(?:png|jpeg);base64,([^"]+)"', page)
    return [Image.open(io.BytesIO(base64.b64decode(text))) for text in found]


def test_needs_nothing_else(result: Result) -> None:
    """The page refers to nothing outside itself, and its tags are balanced."""
    page = report(result, title="t", command="c")
    bare = re.sub(r"data:image/(png|jpeg);base64,[^\"]+", "data:", page)
    assert not re.search(r"https?:|//[a-z]|@import|<link|src=\"(?!data:)|url\(", bare)
    balance = _Balance()
    balance.feed(page)
    assert balance.open == []


def test_has_the_pictures(result: Result) -> None:
    """The picture and the sheet of pieces are in it; gaps stay transparent."""
    picture, pieces = _images(report(result, title="t", command="c"))
    assert picture.size == (96, 64)
    assert picture.convert("RGBA").getpixel((0, 0))[3] == 0
    assert pieces.width > 96


def test_has_the_figures(result: Result) -> None:
    """Figures, command, versions and notes are in it."""
    page = report(result, title="A title", command="sherd solve x", notes=["a note"])
    for text in ("A title", "sherd solve x", "a note", "of the true seams found", "onnxruntime"):
        assert text in page


def test_names_are_escaped(result: Result) -> None:
    """A name cannot smuggle markup into the page."""
    evil = "<script>alert(1)</script>"
    page = report(result, title=evil, command=evil, notes=[evil])
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)") >= 3


def test_each_seam_is_drawn_in_its_class(result: Result) -> None:
    """The overlay has one stroke for each seam, in the path of its probability."""
    sure = np.array([0.995, 0.995, 0.6, 0.6, 0.6, 0.1, 0.99], np.float32)
    page = report(
        replace(result, layout=replace(result.layout, confidence=sure)), title="t", command="c"
    )
    paths = re.findall(r'<path stroke="[^"]+" d="([^"]*)"', page)
    assert [path.count("M") for path in paths] == [3, 3, 1]


def test_opaque_pictures_of_all_kinds() -> None:
    """Gray and 16-bit pictures are shown too, as JPEG where nothing is transparent."""
    pieces, _ = cut(paint(64, 64, seed=1), piece=32).pieces()
    solved = solve(pieces, board=(2, 2))
    for channels in (1, 3, 4):
        deep = np.full((4, 32, 32, channels), 65535, np.uint16)
        deep_pieces = replace(pieces, originals=Originals(deep))
        page = report(replace(solved, pieces=deep_pieces), title="t", command="c")
        picture = _images(page)[0]
        assert picture.format == "JPEG"
        assert picture.getextrema() in ((255, 255), ((255, 255),) * 3)


def test_save_result(result: Result, tmp_path: Path) -> None:
    """Picture, layout and report are written together, and not over older ones unasked."""
    save_result(result, tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["layout.json", "picture.png", "report.html"]
    with pytest.raises(OutputError, match="exists already"):
        save_result(result, tmp_path / "out")
    save_result(result, tmp_path / "out", overwrite=True)


def test_save_several_boards(result: Result, tmp_path: Path) -> None:
    """Each board gets a picture of its own."""
    board = result.layout.cell[:, 0].copy()
    cell = result.layout.cell * np.array([0, 1], np.int32)
    layout = replace(
        result.layout, board=board, cell=cell, shapes=((1, 3), (1, 3)), confidence=None
    )
    save_result(replace(result, layout=layout), tmp_path / "out")
    for name in ("picture.png", "picture-2.png"):
        with Image.open(tmp_path / "out" / name) as picture:
            assert picture.size == (96, 32)
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<figure>") == 2

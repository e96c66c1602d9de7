"""The page on the layout file says what is true."""

import json
import re
from pathlib import Path

from sherd.cut import cut
from sherd.paint import paint
from sherd.schema import read_layout, result_record
from sherd.solve import solve

PAGE = (Path(__file__).parents[1] / "docs" / "layout-json.md").read_text("utf-8")
EXAMPLE = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]


def test_example_can_be_read(tmp_path: Path) -> None:
    """The example of the page is a layout file."""
    path = tmp_path / "layout.json"
    path.write_text(EXAMPLE)
    saved = read_layout(path)
    assert saved.layout.grid().tolist() == [[1, 0]]
    assert saved.source is not None
    assert saved.source.turns


def test_page_has_every_field() -> None:
    """The example has the fields of a real layout file, and the table explains them."""
    pieces, _ = cut(paint(64, 64, seed=1), piece=32).pieces()
    record = result_record(solve(pieces, board=(2, 2)))
    example = json.loads(EXAMPLE)
    assert list(example) == list(record)
    assert list(example["pieces"][0]) == list(record["pieces"][0])
    assert list(example["seams"][0]) == list(record["seams"][0])
    explained = set(re.findall(r"`(\w+)`", PAGE))
    assert set(record) <= explained

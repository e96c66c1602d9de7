"""`sherd solve --pin --keep --frame`: what is known of the layout, through the real command."""

import json
from pathlib import Path

from .conftest import Call


def _places(path: Path) -> dict[str, tuple[int, int]]:
    record = json.loads(path.read_text())
    return {row["name"]: (row["row"], row["col"]) for row in record["pieces"]}


def test_pins_and_border(call: Call, pieces: Path) -> None:
    """What a layout file pins stays, a block keeps together, and all that is told is kept."""
    search = ("--assembler", "search", "--board", "2x3")
    assert call("solve", pieces, "-o", "first", *search).exit_code == 0
    record = json.loads(Path("first/layout.json").read_text())
    here = {(row["row"], row["col"]): row for row in record["pieces"]}
    corner, other = here[0, 0], here[1, 2]
    corner["col"], other["row"], other["col"] = 2, 0, 0
    record["pieces"] = [corner, other]
    record["seams"], record["start"] = [], None
    Path("pin.json").write_text(json.dumps(record))
    names = f"{corner['name']},{other['name']}"
    result = call("solve", pieces, "-o", "second", *search, "--pin", "pin.json", "--frame", names)
    assert result.exit_code == 0, result.output
    places = _places(Path("second/layout.json"))
    assert places[corner["name"]] == (0, 2)
    assert places[other["name"]] == (0, 0)
    corner["col"] = 1
    record["seams"] = [{"pieces": [1, 0], "sides": [0, 2], "confidence": None}]
    Path("keep.json").write_text(json.dumps(record))
    result = call("solve", pieces, "-o", "third", *search, "--keep", "keep.json")
    assert result.exit_code == 0, result.output
    places = _places(Path("third/layout.json"))
    (row, col), (other_row, other_col) = places[corner["name"]], places[other["name"]]
    assert (row - other_row, col - other_col) == (0, 1)


def test_unknown_names(call: Call, pieces: Path) -> None:
    """Names that are not among the pieces are refused in one line."""
    search = ("--assembler", "search", "--board", "2x3")
    result = call("solve", pieces, *search, "--frame", "nobody.png")
    assert result.exit_code == 2
    assert "nobody.png" in result.output
    assert call("solve", pieces, "-o", "first", *search).exit_code == 0
    text = Path("first/layout.json").read_text().replace("piece-0001", "nobody")
    Path("pin.json").write_text(text)
    result = call("solve", pieces, *search, "--pin", "pin.json", "-o", "second")
    assert result.exit_code == 2
    assert "nobody" in result.output

"""`sherd solve`: from pieces to picture, layout and report through the real command."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from PIL import Image

from sherd.paint import paint

from .conftest import Call

FILES = ["layout.json", "picture.png", "report.html"]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _good(result: Result) -> Result:
    assert result.exit_code == 0, result.output
    return result


def test_golden_run(call: Call, pieces: Path) -> None:
    """The picture comes out as it was cut; path and figures are printed."""
    result = _good(call("solve", pieces, "-o", "out", "--board", "2x3"))
    assert _names(Path("out")) == FILES
    with Image.open("out/picture.png") as picture:
        np.testing.assert_array_equal(np.asarray(picture), paint(64, 96, seed=1))
    lines = result.stdout.splitlines()
    assert lines[0] == "out/picture.png"
    assert any(line.startswith("neighbour") and "100.0%" in line for line in lines)
    assert all(line.startswith("note: ") for line in result.stderr.splitlines())
    assert f"sherd solve {pieces} -o out --board 2x3" in Path("out/report.html").read_text()


def test_default_folder_is_not_overwritten(call: Call, pieces: Path) -> None:
    """Results go to `solved`; a second run is refused before any work, or replaces them."""
    _good(call("solve", pieces))
    assert _names(Path("solved")) == FILES
    again = call("solve", pieces, "--scorer", "no:Scorer")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr.startswith("sherd: solved: exists already")
    _good(call("solve", pieces, "--overwrite"))


def test_json_is_alone_on_stdout(call: Call, pieces: Path) -> None:
    """With --json standard output is one JSON record: that of layout.json, and where it is."""
    record = json.loads(_good(call("solve", pieces, "--json", "-v")).stdout)
    assert record.pop("output") == "solved"
    assert record == json.loads(Path("solved/layout.json").read_text())


def test_verbose_lists_passed_over_files(call: Call, pieces: Path) -> None:
    """-v lists the files that are no pieces; without it they are not mentioned."""
    assert "passed over: truth.json" in _good(call("solve", pieces, "-v")).stderr
    assert "truth.json" not in _good(call("solve", pieces, "-o", "b")).output


def test_quiet_says_nothing(call: Call, pieces: Path) -> None:
    """-q prints nothing at all when all goes well."""
    assert _good(call("solve", pieces, "-q")).output == ""


def test_mosaic(call: Call, tmp_path: Path) -> None:
    """One mosaic picture is solved by the size of its pieces or by its grid."""
    Image.fromarray(np.roll(paint(64, 96, seed=1), 32, axis=1)).save("mosaic.png")
    for option, value in (("--piece", "32"), ("--piece", "32x32"), ("--grid", "2x3")):
        _good(call("solve", "mosaic.png", option, value, "--board", "2x3", "--overwrite"))
        with Image.open("solved/picture.png") as picture:
            np.testing.assert_array_equal(np.asarray(picture), paint(64, 96, seed=1))


def test_saved_scores(call: Call, pieces: Path) -> None:
    """A table saved by one run gives another the same layout without scoring."""
    _good(call("solve", pieces, "--save-scores", "scores.npz"))
    _good(call("solve", pieces, "--scores", "scores.npz", "--scorer", "no:Scorer", "-o", "again"))
    first, second = (json.loads(Path(f"{d}/layout.json").read_text()) for d in ("solved", "again"))
    assert first["pieces"] == second["pieces"]
    refused = call("solve", pieces, "--save-scores", "scores.npz", "-o", "third")
    assert refused.exit_code == 2
    assert "scores.npz: exists already" in refused.stderr
    assert not Path("third").exists()


def test_own_plug_in(call: Call, pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An assembler of the user's own is given as module:Class."""
    Path("laid_in_rows.py").write_text(
        "from sherd.layout import Layout\n"
        "class Rows:\n"
        "    def assemble(self, scores, board, stop, rng, on):\n"
        "        return Layout.from_grid(2, 3)\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    _good(call("solve", pieces, "--assembler", "laid_in_rows:Rows", "--time", "5"))
    assert json.loads(Path("solved/layout.json").read_text())["assembler"] == "laid_in_rows:Rows"


def test_foreign_truth_does_not_cost_the_layout(call: Call, pieces: Path) -> None:
    """A truth.json of other pieces is noted in the report, and the puzzle is still solved."""
    (pieces / "truth.json").write_text("{}")
    assert "neighbour" not in _good(call("solve", pieces)).stdout
    assert "not measured" in Path("solved/report.html").read_text()


def test_notes_are_shown_and_kept(call: Call) -> None:
    """What was found in reading is told on standard error and stands in the report."""
    Image.fromarray(paint(64, 96, seed=1)).save("photo.png")
    _good(call("cut", "photo.png", "-o", "worn", "--piece", "32", "--erode", "1"))
    found = "transparent pixels count as lost"
    assert found in _good(call("solve", "worn")).stderr
    assert found in Path("solved/report.html").read_text()


def test_several_inputs(call: Call, pieces: Path) -> None:
    """Each of several puzzles gets a folder of its name, and the end is a summary."""
    shutil.copytree(pieces, "other")
    result = _good(call("solve", pieces, "other", "-o", "out"))
    assert _names(Path("out")) == ["other", "pieces"]
    assert _names(Path("out/other")) == FILES
    assert result.stderr.splitlines()[-1] == "2 of 2 puzzles solved"


def test_batch_goes_on_after_a_failure(call: Call, pieces: Path) -> None:
    """A puzzle that cannot be read costs only itself; the exit code is 1."""
    Path("empty").mkdir()
    result = call("solve", "empty", pieces, "-o", "out")
    assert result.exit_code == 1
    assert _names(Path("out")) == ["pieces"]
    assert result.stderr.splitlines()[0].startswith("sherd: empty: no pictures")
    assert result.stderr.splitlines()[-1] == "1 of 2 puzzles solved"


def test_batch_names_the_puzzle_that_failed(call: Call, pieces: Path) -> None:
    """Where a message does not begin with the puzzle it is about, its name is put before it."""
    Image.fromarray(paint(40, 40)).save(pieces / "piece-9.png")
    Path("empty").mkdir()
    lines = call("solve", "empty", pieces, "--board", "2x3", "-o", "out").stderr.splitlines()
    assert lines[0].startswith("sherd: empty: no pictures")
    assert lines[1].startswith(f"sherd: {pieces}: piece-9.png is 40x40")
    assert lines[2] == "0 of 2 puzzles solved"


def test_overwriting_leaves_no_older_picture(call: Call, pieces: Path) -> None:
    """Pictures that only an older result has go with it; what sherd never wrote stays."""
    _good(call("solve", pieces, "--fill", "interpolate"))
    Path("solved/picture-2.png").write_bytes(b"an older second board")
    Path("solved/picture-of-mine.png").write_bytes(b"mine")
    _good(call("solve", pieces, "--overwrite"))
    assert _names(Path("solved")) == sorted([*FILES, "picture-of-mine.png"])
    Path("mine").mkdir()
    Path("mine/restored.png").write_bytes(b"no result of sherd lies here")
    _good(call("solve", pieces, "-o", "mine", "--overwrite"))
    assert _names(Path("mine")) == sorted([*FILES, "restored.png"])


def test_equal_names_are_refused(call: Call, pieces: Path) -> None:
    """Two puzzles that would be written to one folder are refused before any work."""
    shutil.copytree(pieces, "deep/pieces")
    result = call("solve", pieces, "deep/pieces", "-o", "out")
    assert result.exit_code == 2
    assert "would both be written to out/pieces" in result.stderr
    assert not Path("out").exists()


def test_scores_are_for_one_puzzle(call: Call, pieces: Path) -> None:
    """A table of scores cannot be given for several puzzles."""
    assert call("solve", pieces, pieces, "--scores", "x").exit_code == 2


@pytest.mark.parametrize(
    "options",
    [("--board", "4"), ("--board", "0x3"), ("--piece", "a"), ("--time", "0"), ("--seed", "-1")],
)
def test_odd_values(call: Call, pieces: Path, options: tuple[str, str]) -> None:
    """A value that cannot be read is a usage error that names the option."""
    result = call("solve", pieces, *options)
    assert result.exit_code == 2
    assert f"Invalid value for '{options[0]}'" in result.stderr


def test_unexpected_errors_are_not_hidden(
    call: Call, pieces: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error nobody thought of keeps its traceback."""
    Path("broken_assembler.py").write_text(
        "class Broken:\n"
        "    def assemble(self, scores, board, stop, rng, on):\n"
        "        raise ZeroDivisionError\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    result = call("solve", pieces, "--assembler", "broken_assembler:Broken")
    assert result.exit_code == 1
    assert isinstance(result.exception, ZeroDivisionError)
    assert not Path("solved").exists()

"""The group of commands, and the small ones: eval, render, info."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import sherd
from sherd.cli import main
from sherd.paint import paint

from .conftest import Call


def _pixels(path: str) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture)


def test_version(call: Call) -> None:
    """`sherd --version` prints the version."""
    assert call("--version").stdout == f"sherd, version {sherd.__version__}\n"


@pytest.mark.parametrize("arguments", ["--version", "--help", "solve --help"])
def test_help_is_light(arguments: str) -> None:
    """Version and help load no library that is slow to load."""
    code = (
        "import sys\nfrom sherd.cli import main\n"
        f"main({arguments.split()!r}, standalone_mode=False)\n"
        "print({'numpy', 'PIL', 'onnxruntime', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_every_command_has_help(call: Call) -> None:
    """Every command of the table exists, is named so, and explains itself."""
    listed = call("--help").stdout
    with main.make_context("sherd", ["solve", "x"]) as context:
        for name in main.list_commands(context):
            command = main.get_command(context, name)
            assert command is not None
            assert command.name == name
            assert command.help
            assert f"  {name} " in listed


def test_unknown_command(call: Call) -> None:
    """A command that does not exist is a usage error."""
    result = call("sovle", "x")
    assert result.exit_code == 2
    assert "No such command 'sovle'" in result.stderr


def test_eval(call: Call, pieces: Path) -> None:
    """The measures of a solved puzzle are printed, or given as JSON."""
    call("solve", pieces, "--board", "2x3")
    text = call("eval", "solved/layout.json", pieces / "truth.json").stdout
    assert "neighbour       100.00% of 7 seams" in text
    assert text.endswith("yes\n")
    found = json.loads(call("eval", "solved/layout.json", pieces / "truth.json", "--json").stdout)
    assert found["perfect"] is True
    assert found["pieces"] == 6


def test_eval_refuses_what_is_no_layout(call: Call, pieces: Path) -> None:
    """A file that is no layout is one line and exit code 2."""
    result = call("eval", pieces / "truth.json", pieces / "truth.json")
    assert result.exit_code == 2
    assert "not a layout of sherd" in result.stderr


def test_render(call: Call, pieces: Path) -> None:
    """A layout and its pieces give the picture again, wherever the pieces are now."""
    call("solve", pieces, "--board", "2x3")
    assert call("render", "solved/layout.json", "-o", "a.png").stdout == "a.png\n"
    np.testing.assert_array_equal(_pixels("a.png"), paint(64, 96, seed=1))
    pieces.rename("moved")
    lost = call("render", "solved/layout.json", "-o", "b.png")
    assert lost.exit_code == 2
    assert not Path("b.png").exists()
    assert call("render", "solved/layout.json", "--pieces", "moved", "-o", "b.png").exit_code == 0
    assert Path("b.png").read_bytes() == Path("a.png").read_bytes()


def test_render_reads_with_the_same_options(call: Call) -> None:
    """The layout remembers how a mosaic was divided and eroded."""
    Image.fromarray(paint(64, 96, seed=1)).save("mosaic.png")
    call("solve", "mosaic.png", "--piece", "32", "--erode", "1", "--board", "2x3")
    assert call("render", "solved/layout.json").exit_code == 0
    np.testing.assert_array_equal(_pixels("picture.png"), _pixels("solved/picture.png"))


def test_render_seams(call: Call, pieces: Path) -> None:
    """--seams draws how sure each seam is over the darkened picture."""
    call("solve", pieces, "--board", "2x3")
    call("render", "solved/layout.json", "--seams", "-o", "seams.png")
    drawn = _pixels("seams.png")
    assert drawn.shape == (64, 96, 4)
    assert drawn[..., :3].mean() < paint(64, 96, seed=1).mean()


def test_render_refusals(call: Call, pieces: Path) -> None:
    """Other pieces, a board that is not there, and other formats are refused in one line."""
    call("solve", pieces, "--board", "2x3")
    call("cut", "solved/picture.png", "-o", "others", "--piece", "16")
    for options, message in (
        (("--pieces", "others"), "others: holds other pieces"),
        (("--board", "2"), "has 1 boards; there is no 2"),
        (("-o", "a.jpg"), "written as PNG"),
        (("-o", "solved/picture.png"), "exists already"),
    ):
        result = call("render", "solved/layout.json", *options)
        assert result.exit_code == 2
        assert message in result.stderr


def test_render_without_a_source(call: Call, pieces: Path) -> None:
    """A layout of pieces that came from no file needs --pieces."""
    call("solve", pieces, "--board", "2x3")
    path = Path("solved/layout.json")
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "source": None}))
    assert "give --pieces SOURCE" in call("render", path).stderr
    assert call("render", path, "--pieces", pieces).exit_code == 0


def test_info_names_what_is_not_installed(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is not there is listed as such."""
    monkeypatch.setattr("sherd.cli.info._PACKAGES", ("sherd", "no-such-package"))
    assert json.loads(call("info", "--json").stdout)["no-such-package"] == "not installed"


def test_info(call: Call) -> None:
    """Versions, device, cores and weights are listed, or given as JSON."""
    facts = json.loads(call("info", "--json").stdout)
    assert facts["sherd"] == sherd.__version__
    assert facts["device"] in ("cpu", "cuda")
    assert int(facts["cores"]) >= 1
    assert "weights" in facts
    text = call("info").stdout
    assert all(text.count(name) for name in facts)

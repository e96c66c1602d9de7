"""What the tests of the commands share: a small puzzle, and calling a command."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sherd.cli import main
from sherd.cut import cut, write_puzzle
from sherd.paint import paint

Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Give a function that runs `sherd ARGUMENTS...` in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Result:
        words = [str(word) for word in arguments]
        monkeypatch.setattr("sys.argv", ["sherd", *words])  # the report shows the command line
        return CliRunner().invoke(main, words)

    return run


@pytest.fixture
def pieces(tmp_path: Path) -> Path:
    """Give a folder of 2 x 3 shuffled pieces and their truth."""
    write_puzzle(cut(paint(64, 96, seed=1), piece=32, seed=3), tmp_path / "pieces")
    return tmp_path / "pieces"

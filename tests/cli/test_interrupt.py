"""Ctrl-C: the best layout is written while the search runs, and nothing before it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sherd.cli.interrupt import Interrupt
from sherd.events import Finished, Scored
from sherd.layout import Layout

PLUG_INS = """
import sys, time
from sherd.assemblers.greedy import Greedy
from sherd.scorers.prediction import Prediction

def _ready():
    print("READY", file=sys.stderr, flush=True)

class SlowScorer(Prediction):
    def score(self, pieces, relations, on):
        _ready()
        time.sleep(20)
        return super().score(pieces, relations, on)

class SlowAssembler(Greedy):
    def assemble(self, scores, board, stop, rng, on):
        _ready()
        while not stop(0.0):
            time.sleep(0.01)
        return super().assemble(scores, board, stop, rng, on)

class DeafAssembler(Greedy):
    def assemble(self, scores, board, stop, rng, on):
        _ready()
        while not stop(0.0):
            time.sleep(0.01)
        _ready()
        time.sleep(20)

class SlowReport(SlowAssembler):
    def assemble(self, scores, board, stop, rng, on):
        import sherd.saving
        def report(*_, **__):
            _ready()
            time.sleep(20)
        sherd.saving.report = report
        return super().assemble(scores, board, stop, rng, on)
"""


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start `sherd solve` and wait until its plug-in says that it is at work."""
    (folder / "slow.py").write_text(PLUG_INS)
    code = "from sherd.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "solve", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_until_ready(process)
    return process


def _wait_until_ready(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    line = process.stderr.readline()
    while line and line != "READY\n":
        line = process.stderr.readline()
    assert line == "READY\n"


def _interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    return process.returncode, errors


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


def test_before_the_search(pieces: Path, tmp_path: Path) -> None:
    """While the pieces are scored, Ctrl-C ends the run with 130 and nothing is written."""
    process = _start(tmp_path, "pieces", "-o", "out", "--scorer", "slow:SlowScorer")
    code, errors = _interrupt(process)
    assert code == 130
    assert errors == "sherd: interrupted, nothing written\n"
    assert _names(tmp_path) == ["pieces", "slow.py"]


@pytest.mark.parametrize("inputs", [("pieces",), ("pieces", "truly-none")])
def test_during_the_search(pieces: Path, tmp_path: Path, inputs: tuple[str, ...]) -> None:
    """While the pieces are placed, Ctrl-C writes the best layout whole, ends all, gives 130."""
    process = _start(tmp_path, *inputs, "-o", "out", "--assembler", "slow:SlowAssembler")
    code, errors = _interrupt(process)
    assert code == 130
    assert errors.endswith("sherd: interrupted, the best layout so far is written\n")
    assert "truly-none" not in errors
    out = tmp_path / "out" if len(inputs) == 1 else tmp_path / "out" / "pieces"
    assert _names(out) == ["layout.json", "picture.png", "report.html"]


def test_second_one_kills(pieces: Path, tmp_path: Path) -> None:
    """A second Ctrl-C ends even an assembler that does not listen."""
    process = _start(tmp_path, "pieces", "-o", "out", "--assembler", "slow:DeafAssembler")
    process.send_signal(signal.SIGINT)
    _wait_until_ready(process)
    code, _ = _interrupt(process)
    assert code == -signal.SIGINT
    assert _names(tmp_path) == ["pieces", "slow.py"]


def test_second_one_while_writing_leaves_nothing(pieces: Path, tmp_path: Path) -> None:
    """A second Ctrl-C while the results are written takes away what is half-written."""
    process = _start(tmp_path, "pieces", "-o", "out", "--assembler", "slow:SlowReport")
    process.send_signal(signal.SIGINT)
    _wait_until_ready(process)
    code, errors = _interrupt(process)
    assert code == 130
    assert errors == "sherd: interrupted, nothing written\n"
    assert _names(tmp_path) == ["pieces", "slow.py"]


def test_before_the_search_of_a_later_puzzle(pieces: Path, tmp_path: Path) -> None:
    """What a batch has written before stays, and the message is about the puzzle at work."""
    (tmp_path / "empty").mkdir()
    process = _start(tmp_path, "empty", "pieces", "-o", "out", "--scorer", "slow:SlowScorer")
    code, errors = _interrupt(process)
    assert code == 130
    assert errors == "sherd: interrupted, nothing of pieces is written\n"
    assert _names(tmp_path) == ["empty", "pieces", "slow.py"]


def test_while_writing() -> None:
    """The first Ctrl-C lets the writing end; the second one breaks it off."""
    with Interrupt() as interrupt:
        interrupt.begin()
        interrupt.listen(Scored(0.1))
        interrupt.listen(Finished(Layout.from_grid(1, 2), 0.1))
        signal.raise_signal(signal.SIGINT)
        assert interrupt.stop.is_set
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_between_two_puzzles() -> None:
    """A Ctrl-C that comes while results are written lets no further puzzle begin."""
    with Interrupt() as interrupt:
        interrupt.begin()
        interrupt.listen(Scored(0.1))
        signal.raise_signal(signal.SIGINT)
        assert interrupt.stop.is_set
        with pytest.raises(KeyboardInterrupt):
            interrupt.begin()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_search_of_another_puzzle_does_not_count() -> None:
    """Before the search of the second puzzle, Ctrl-C ends everything at once again."""
    with Interrupt() as interrupt:
        interrupt.begin()
        interrupt.listen(Scored(0.1))
        interrupt.begin()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not interrupt.stop.is_set

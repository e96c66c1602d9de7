"""What happens is shown on standard error: bars on a terminal, plain lines elsewhere."""

import io
import sys

import pytest

from sherd.cli.progress import NORMAL, QUIET, VERBOSE, listener
from sherd.events import Event, Note, Progress, Read, Scored, Skipped

EVENTS: tuple[Event, ...] = (
    Skipped("truth.json", "not a picture name"),
    Note("a [bold] note"),
    Read(6),
    Progress("scoring", 1, 4),
    Progress("scoring", 4, 4),
    Scored(0.5),
)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(verbosity: int, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with listener(verbosity) as show:
        for event in EVENTS:
            show(event)
    return stream.getvalue()


def test_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal notes are plain lines, and -v adds the rest; no bars."""
    assert _shown(NORMAL, io.StringIO(), monkeypatch) == "note: a [bold] note\n"
    assert _shown(VERBOSE, io.StringIO(), monkeypatch).splitlines() == [
        "passed over: truth.json (not a picture name)",
        "note: a [bold] note",
        "read 6 pieces",
        "scored in 0.50 s",
    ]


def test_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """With -q nothing is shown, terminal or not."""
    assert _shown(QUIET, io.StringIO(), monkeypatch) == ""
    assert _shown(QUIET, _Terminal(), monkeypatch) == ""


def test_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal each stage has a bar, and lines appear with their brackets."""
    monkeypatch.setenv("TERM", "xterm")
    text = _shown(VERBOSE, _Terminal(), monkeypatch)
    assert "scoring" in text
    assert "100%" in text
    assert "note: a [bold] note" in text
    assert "passed over: truth.json" in text

"""Show on standard error what happens: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from sherd.events import Event, Listener, Note, Progress, Read, Scored, Skipped

if TYPE_CHECKING:
    import rich.progress

__all__ = ["QUIET", "VERBOSE", "listener"]

QUIET, NORMAL, VERBOSE = -1, 0, 1


@contextmanager
def listener(verbosity: int) -> Iterator[Listener]:
    """Give a listener that shows events; it is done at the end of the block."""
    if verbosity <= QUIET:
        yield lambda event: None
    elif not sys.stderr.isatty():
        yield lambda event: _say(event, verbosity)
    else:
        from rich.console import Console
        from rich.progress import Progress as Bars

        with Bars(console=Console(stderr=True), transient=True) as bars:
            shown = _Shown(bars, verbosity)
            yield shown


def _line(event: Event, verbosity: int) -> str | None:
    """Put an event into one line, None if it is not worth one."""
    match event:
        case Note(text):
            return f"note: {text}"
        case Skipped(name, reason) if verbosity >= VERBOSE:
            return f"passed over: {name} ({reason})"
        case Read(pieces) if verbosity >= VERBOSE:
            return f"read {pieces} pieces"
        case Scored(seconds) if verbosity >= VERBOSE:
            return f"scored in {seconds:.2f} s"
    return None


def _say(event: Event, verbosity: int) -> None:
    line = _line(event, verbosity)
    if line is not None:
        click.echo(line, err=True)


class _Shown:
    """A listener with a bar for each stage."""

    def __init__(self, bars: rich.progress.Progress, verbosity: int) -> None:
        self._bars = bars
        self._verbosity = verbosity
        self._tasks: dict[str, rich.progress.TaskID] = {}

    def __call__(self, event: Event) -> None:
        """Move a bar, or print a line above the bars."""
        if isinstance(event, Progress):
            if event.stage not in self._tasks:
                self._tasks[event.stage] = self._bars.add_task(event.stage, total=event.total)
            task = self._tasks[event.stage]
            self._bars.update(task, completed=event.done, total=event.total)
        elif (line := _line(event, self._verbosity)) is not None:
            self._bars.console.print(line, markup=False, highlight=False)

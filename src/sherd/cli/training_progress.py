"""Show how a training goes: a bar with losses and time left, or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

__all__ = ["training_listener"]

Record = dict[str, object]
_NO_LOSSES = {"event", "step", "examples", "seconds", "per_second", "progress"}


@contextmanager
def training_listener(*, as_json: bool) -> Iterator[Callable[[Record], None]]:
    """Give a listener for the records of a training; it is done at the end of the block."""
    if as_json or not sys.stderr.isatty():
        yield (lambda record: click.echo(json.dumps(record))) if as_json else _say
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True)) as bars:
        task = bars.add_task("reading photographs", total=1.0)

        def show(record: Record) -> None:
            if record["event"] == "step":
                done = float(str(record["progress"]))
                bars.update(task, completed=done, description=_losses(record))
            else:
                bars.console.print(_line(record), markup=False, highlight=False)

        yield show


def _say(record: Record) -> None:
    click.echo(_line(record), err=True)


def _line(record: Record) -> str:
    """Put a record into one line."""
    if record["event"] == "step":
        return f"{float(str(record['progress'])):4.0%}  {_losses(record)}"
    facts = (f"{name} {value}" for name, value in record.items() if name not in ("event", "step"))
    return f"{record['event']}: {', '.join(facts)}"


def _losses(record: Record) -> str:
    """Name the losses of a step, the speed and the time that is left."""
    done, seconds = float(str(record["progress"])), float(str(record["seconds"]))
    left = seconds / done - seconds if done else 0.0
    losses = "  ".join(
        f"{name} {value}" for name, value in record.items() if name not in _NO_LOSSES
    )
    return f"{losses}  {record['per_second']} examples/s  {left / 60:.1f} min left"

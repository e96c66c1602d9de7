"""The options of `sherd solve` that say what is known of the layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sherd.errors import InputError, OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sherd.hints import Hints
    from sherd.layout import Layout
    from sherd.pieces import Pieces

__all__ = ["hint_options", "read_hints"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def hint_options(command: _Command) -> _Command:
    """Give a command the options --pin, --keep and --frame."""
    file = click.Path(path_type=Path)
    for option in (
        click.option(
            "--frame",
            metavar="NAME,NAME,...",
            help="Pieces that lie on the border of the board (search).",
        ),
        click.option(
            "--keep",
            type=file,
            help="A layout.json: pieces that lie side by side in it keep together (search).",
        ),
        click.option(
            "--pin",
            type=file,
            help="A layout.json: the pieces that it places keep their cell and turn (search).",
        ),
    ):
        command = option(command)
    return command


def read_hints(
    pin: Path | None, keep: Path | None, frame: str | None, pieces: Pieces
) -> Hints | None:
    """Read the hints for pieces, or None where none are given.

    Args:
        pin: a layout file; the pieces that it places keep cell and turn.
        keep: a layout file; pieces that lie side by side in it keep together.
        frame: names of pieces on the border, with commas between them.
        pieces: the pieces that are to be laid.
    """
    from sherd.hints import Hints

    if not (pin or keep or frame):
        return None
    return Hints(
        _read(pin, pieces) if pin else None,
        _read(keep, pieces) if keep else None,
        _framed(frame, pieces.names) if frame else None,
    )


def _read(path: Path, pieces: Pieces) -> Layout:
    """Read a layout file in terms of these pieces; those that it does not name stay free."""
    import numpy as np

    from sherd.layout import Layout
    from sherd.schema import as_read, read_layout

    saved = read_layout(path)
    number = {name: i for i, name in enumerate(pieces.names)}
    strangers = [name for name in saved.names if name not in number]
    if strangers:
        raise InputError(
            f"{path}: it names {strangers[0]}, which is not among the pieces; give a layout of "
            "these pieces."
        )
    here = np.array([number[name] for name in saved.names], np.intp)
    tables: list[NDArray[np.int32]] = []
    for table in (saved.layout.cell, saved.layout.turn, saved.layout.board):
        fill = np.zeros((len(pieces), *table.shape[1:]), np.int32)
        tables.append(fill)
        fill[here] = table
    cell, turn, board = tables
    board[np.setdiff1d(np.arange(len(pieces)), here)] = -1
    return as_read(Layout(cell, turn, board, saved.layout.shapes), pieces)


def _framed(names: str, known: Sequence[str]) -> NDArray[np.bool_]:
    import numpy as np

    wanted = {name.strip() for name in names.split(",")}
    if strangers := sorted(wanted - set(known)):
        raise OptionError(
            f"--frame names {strangers[0]}, which is not among the pieces; give names as in "
            "layout.json, with commas between them."
        )
    return np.array([name in wanted for name in known], np.bool_)

"""The options of `sherd solve` that say how: the scorer, what it is told, and the assembler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sherd.assemblers import DEFAULT_ASSEMBLER
from sherd.scorers import DEFAULT_SCORER

__all__ = ["method_options", "scorer_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (  # the last one stands first in the help
    click.option(
        "--assembler",
        default=DEFAULT_ASSEMBLER,
        show_default=True,
        help="What places the pieces: a name, or module:Class of your own.",
    ),
    click.option(
        "--no-cache", is_flag=True, help="Neither look for kept scores of networks nor keep them."
    ),
    click.option(
        "--weights",
        type=click.Path(path_type=Path),
        help="Folder of other weights than those that ship with sherd.",
    ),
    click.option(
        "--device",
        type=click.Choice(("auto", "cpu", "cuda")),
        help="Where networks run; auto takes CUDA where there is one.",
    ),
    click.option(
        "--all-pairs", is_flag=True, help="Judge every pair, however long it takes (inpaint)."
    ),
    click.option(
        "--views",
        type=click.IntRange(1, 4),
        help="Read every seam in 1, 2 or 4 ways and average: slower, a little better (seam).",
    ),
    click.option(
        "--shortlist",
        type=click.IntRange(2),
        help="Judge only this many candidates a side (learned scorers).",
    ),
    click.option(
        "--scorer",
        default=DEFAULT_SCORER,
        show_default=True,
        help="What judges which sides meet: a name, or module:Class of your own.",
    ),
)


def method_options(command: _Command) -> _Command:
    """Give a command the options of scorers and assemblers."""
    for option in _OPTIONS:
        command = option(command)
    return command


def scorer_options(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of the scorer that were given."""
    names = ("shortlist", "views", "all_pairs", "device", "weights")
    return {name: given[name] for name in names if given[name]}

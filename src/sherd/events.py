"""What can happen while a puzzle is solved, for whoever listens.

The progress bar, the report and a page are listeners; the engine knows none of them. A run
without listeners passes `ignore` and does no extra work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sherd.layout import Layout

__all__ = [
    "Event",
    "Finished",
    "Improved",
    "Listener",
    "Note",
    "Progress",
    "Read",
    "Scored",
    "Skipped",
    "ignore",
]


@dataclass(frozen=True)
class Read:
    """The pieces are in memory."""

    pieces: int


@dataclass(frozen=True)
class Skipped:
    """A name in the source was passed over, and why (it is no picture, it is hidden, ...)."""

    name: str
    reason: str


@dataclass(frozen=True)
class Progress:
    """`done` of `total` units of a stage ("scoring", "placing", ...) are finished."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class Scored:
    """The scores are known and placing begins: from here on a stop gives a layout."""

    seconds: float


@dataclass(frozen=True)
class Improved:
    """A better layout was found; `energy` is its board energy (higher is better)."""

    layout: Layout
    energy: float


@dataclass(frozen=True)
class Note:
    """Something a person should know, in one line (what was detected, what was assumed)."""

    text: str


@dataclass(frozen=True)
class Finished:
    """The final layout stands."""

    layout: Layout
    seconds: float


Event: TypeAlias = Read | Skipped | Progress | Scored | Improved | Note | Finished
Listener: TypeAlias = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Listen to nothing."""

"""Assemblers: from scores to a layout. Each is one class with one method, in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from sherd.registry import find

if TYPE_CHECKING:
    import numpy as np

    from sherd.events import Listener
    from sherd.layout import BoardSpec, Layout
    from sherd.scores import Scores
    from sherd.stop import Stop

__all__ = ["ASSEMBLERS", "DEFAULT_ASSEMBLER", "Assembler", "find_assembler"]

ASSEMBLERS = {
    "greedy": "sherd.assemblers.greedy:Greedy",
    "search": "sherd.assemblers.search:Search",
    "tree": "sherd.assemblers.tree:Tree",
}

DEFAULT_ASSEMBLER = "search"


class Assembler(Protocol):
    """Places the pieces. It sees scores and never a pixel."""

    def assemble(
        self, scores: Scores, board: BoardSpec, stop: Stop, rng: np.random.Generator, on: Listener
    ) -> Layout:
        """Find a layout; when `stop` says so, return the best one so far."""
        ...


def find_assembler(name: str) -> Assembler:
    """Make the assembler of that name (built in, or `module:Class`)."""
    return cast("Assembler", find("assembler", name, ASSEMBLERS))

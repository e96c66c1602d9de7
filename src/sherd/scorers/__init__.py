"""Scorers: from pieces to scores. Each is one class with one method, in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from sherd.registry import find

if TYPE_CHECKING:
    from sherd.events import Listener
    from sherd.pieces import Pieces
    from sherd.scores import Scores
    from sherd.sides import Relations

__all__ = ["SCORERS", "Scorer", "find_scorer"]

SCORERS = {
    "mgc": "sherd.scorers.mgc:Mgc",
    "prediction": "sherd.scorers.prediction:Prediction",
    "prediction-symmetric": "sherd.scorers.prediction:SymmetricPrediction",
}


class Scorer(Protocol):
    """Judges which sides meet. It sees the pieces and never a board."""

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the candidates of every side."""
        ...


def find_scorer(name: str) -> Scorer:
    """Make the scorer of that name (built in, or `module:Class`)."""
    return cast("Scorer", find("scorer", name, SCORERS))

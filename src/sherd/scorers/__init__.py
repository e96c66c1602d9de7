"""Scorers: from pieces to scores. Each is one class with one method, in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from sherd.registry import find

if TYPE_CHECKING:
    from sherd.events import Listener
    from sherd.pieces import Pieces
    from sherd.scores import Scores
    from sherd.sides import Relations

__all__ = ["DEFAULT_SCORER", "SCORERS", "LearnedScorer", "Scorer", "find_scorer"]

SCORERS = {
    "inpaint": "sherd.scorers.inpaint:Inpaint",
    "mgc": "sherd.scorers.mgc:Mgc",
    "prediction": "sherd.scorers.prediction:Prediction",
    "prediction-symmetric": "sherd.scorers.prediction:SymmetricPrediction",
    "seam": "sherd.scorers.seam:Seam",
}

DEFAULT_SCORER = "seam"


class Scorer(Protocol):
    """Judges which sides meet. It sees the pieces and never a board."""

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the candidates of every side."""
        ...


@runtime_checkable
class LearnedScorer(Scorer, Protocol):
    """A scorer that takes long and whose tables are worth keeping."""

    def fingerprint(self) -> dict[str, str]:
        """Name everything but the pieces that the scores depend on: weights, options."""
        ...


def find_scorer(name: str, **options: object) -> Scorer:
    """Make the scorer of that name (built in, or `module:Class`) with its options."""
    return cast("Scorer", find("scorer", name, SCORERS, **options))

"""Prediction: extend a side by one pixel and compare with what the other side shows.

Pomeranz, Shemesh and Ben-Shahar, "A fully automated greedy square jigsaw puzzle solver",
CVPR 2011; in the asymmetric L1 form of Paikin and Tal, "Solving multiple square jigsaw puzzles
with missing pieces", CVPR 2015. Distances are taken in L*a*b*.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sherd._core import l1_costs
from sherd.colour import to_lab
from sherd.events import Listener
from sherd.pieces import Pieces
from sherd.scorers.borders import Borders, least_shared_rows, score_borders, shared_rows
from sherd.scores import Scores
from sherd.sides import Relations

__all__ = ["Prediction", "SymmetricPrediction"]

Floats = NDArray[np.float32]

# Fitted on 39 photographs in 64-pixel pieces worn by 0, 2 and 4 pixels, all pooled, with
# benchmarks/fit_sharpness.py; for each wear alone: 9.3, 8.3, 6.1 and 8.9, 8.0, 6.0.
_SHARPNESS = 7.4
_SYMMETRIC_SHARPNESS = 7.1


class Prediction:
    """Directed costs: what side a predicts against what side b shows (Paikin and Tal)."""

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the candidates of every side."""
        return score_borders(
            pieces,
            relations,
            _directed,
            sharpness=_SHARPNESS,
            made_by={"scorer": "prediction"},
            on=on,
        )


class SymmetricPrediction:
    """Symmetric costs: the sum of both directions (Pomeranz et al., with L1)."""

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the candidates of every side."""
        return score_borders(
            pieces,
            relations,
            _both_directions,
            sharpness=_SYMMETRIC_SHARPNESS,
            made_by={"scorer": "prediction-symmetric"},
            on=on,
        )


def _predicted_and_shown(borders: Borders) -> tuple[Floats, Floats]:
    """Give the next pixel outwards by linear extrapolation, and the border: both [M, L, 3]."""
    outer, inner = to_lab(borders.outer), to_lab(borders.inner)
    return 2 * outer - inner, outer


def _directed(queries: Borders, targets: Borders) -> Callable[[slice], Floats]:
    predicted, _ = _predicted_and_shown(queries)
    _, shown = _predicted_and_shown(targets)
    return _l1(predicted, shown, queries, targets)


def _both_directions(queries: Borders, targets: Borders) -> Callable[[slice], Floats]:
    predicted, shown = _predicted_and_shown(queries)
    target_predicted, target_shown = _predicted_and_shown(targets)
    # Six channels: a's prediction meets b's border, and a's border meets b's prediction.
    ours = np.concatenate([predicted, shown], axis=2)
    theirs = np.concatenate([target_shown, target_predicted], axis=2)
    return _l1(ours, theirs, queries, targets)


def _l1(
    ours: Floats, theirs: Floats, queries: Borders, targets: Borders
) -> Callable[[slice], Floats]:
    """Sum the absolute differences of [A, L, C] and [B, L, C] over rows and channels."""
    rows = shared_rows(queries, targets)
    looking, faced = (np.ascontiguousarray(table[:, rows]) for table in (ours, theirs))
    known, faced_known = (np.ascontiguousarray(side.known[:, rows]) for side in (queries, targets))
    least, length = least_shared_rows(rows), len(rows)

    def costs(block: slice) -> Floats:
        return l1_costs(looking[block], faced, known[block], faced_known, least, length)

    return costs

"""Let a classical measure have a say where nothing is worn: there it is strong."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.events import Listener, Note
from sherd.pieces import Pieces
from sherd.scorers.mgc import Mgc
from sherd.scorers.prediction import Prediction
from sherd.scores import FLOOR, Scores
from sherd.sides import Relations, strips

__all__ = ["fused", "usual_wear", "with_classical"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_SMALL = 48  # pixels; the network knows pieces of 64, and smaller ones only blown up
_CLASSICAL: dict[str, type[Mgc] | type[Prediction]] = {"mgc": Mgc, "prediction": Prediction}


def with_classical(
    candidates: Ints, logits: Floats, pieces: Pieces, relations: Relations, on: Listener
) -> Floats:
    """Add the classical measures to logits [4N, K] where they help; else give them back."""
    weights = _weights(usual_wear(pieces), min(pieces.height, pieces.width))
    if weights:
        on(Note(f"seam: {' and '.join(weights)} have a say, since next to nothing is worn"))
    for name, weight in weights.items():
        table = _CLASSICAL[name]().score(pieces, relations, on)
        logits = fused(candidates, logits, table, weight)
    return logits


def _weights(wear: int, size: int) -> dict[str, float]:
    """Choose the classical log-probabilities' weights; the network's logits have 1."""
    if wear == 0:
        return {"mgc": 2.0, "prediction": 2.0} if size < _SMALL else {"prediction": 0.5}
    if wear == 1 and size < _SMALL:
        return {"mgc": 1.0}
    return {}


def usual_wear(pieces: Pieces) -> int:
    """Tell how many pixels most sides have lost, in the middle of the side."""
    depths = []
    for side in range(4):
        known = strips(pieces.known, side, pieces.known.shape[2 - side % 2])
        middle = known[:, known.shape[1] // 2, ::-1]  # [N, depth], the outermost first
        depths.append(np.where(middle.any(axis=1), middle.argmax(axis=1), middle.shape[1]))
    return int(np.median(np.concatenate(depths)))


def fused(candidates: Ints, logits: Floats, classical: Scores, weight: float) -> Floats:
    """Add the classical log-probability of each listed pair to its logit.

    Args:
        candidates: [4N, K] side ids, -1 where a row has fewer.
        logits: [4N, K].
        classical: table of the same pieces and relations.
        weight: of the classical log-probability.

    Returns:
        [4N, K] logits.
    """
    sides = len(candidates)
    looking = np.arange(sides, dtype=np.int64)[:, None]
    there = classical.candidates >= 0
    keys = (looking * sides + classical.candidates)[there]
    order = np.argsort(keys)
    keys, values = keys[order], classical.score[there][order]
    wanted = looking * sides + candidates
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    log_probability = np.where(keys[place] == wanted, values[place], FLOOR)
    return np.asarray(logits + weight * log_probability, np.float32)

"""The "meets nothing" score: frame sides and sides whose partner is missing.

A side meets nothing where even its best candidate is poor, or is wanted more by somebody else. A
small network on top of the seam network's rows turns that into a probability.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from sherd.pieces import Pieces
from sherd.runtime import Network
from sherd.scores import FLOOR
from sherd.sides import strips

__all__ = ["ALONE_FILE", "FACTS", "known_shares", "score_alone", "side_facts"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

ALONE_FILE = "seam-alone.onnx"
FACTS = 7
"""Numbers per side: the three best logits, all together, the rival, the choice, the wear."""
_BEST = 3
_NOTHING = -40.0  # the logit of a candidate that is not there


def score_alone(network: Network, candidates: Ints, logits: Floats, pieces: Pieces) -> Floats:
    """Score how likely each side meets nothing: [4N], at most 0, on the scale of `Scores.score`.

    The score of a seam is half of what its two sides say together, so this is half of a
    log-probability.
    """
    (log_odds,) = network(facts=side_facts(candidates, logits, known_shares(pieces)))
    log_probability = -np.logaddexp(0, -log_odds)
    return np.maximum(log_probability / 2, FLOOR).astype(np.float32)


def known_shares(pieces: Pieces) -> Floats:
    """Share of the known pixels in the outer quarter next to each side: [4N]."""
    depth = max(1, min(pieces.height, pieces.width) // 4)
    views = (cast("NDArray[np.bool_]", strips(pieces.known, side, depth)) for side in range(4))
    shares = np.stack([view.mean(axis=(1, 2)) for view in views], axis=1)
    return np.asarray(shares.ravel(), np.float32)


def side_facts(candidates: Ints, logits: Floats, known: Floats) -> Floats:
    """Gather what the rows of candidates tell of each side.

    Args:
        candidates: [4N, K] side ids in any order, -1 where a row has fewer.
        logits: [4N, K].
        known: [4N] from `known_shares`.

    Returns:
        [4N, FACTS].
    """
    listed = np.where(candidates >= 0, logits, np.float32(_NOTHING))
    best = np.full((len(listed), _BEST), _NOTHING, np.float32)
    ranked = -np.sort(-listed, axis=1)
    best[:, : ranked.shape[1]] = ranked[:, :_BEST]
    top = best[:, 0]
    together = np.log(np.exp(listed - top[:, None]).sum(axis=1))
    favourite = np.take_along_axis(candidates, listed.argmax(axis=1)[:, None], 1)[:, 0]
    rival = top[favourite] - top  # how much more the favourite is wanted by its own favourite
    choice = np.log(np.maximum((candidates >= 0).sum(axis=1), 1))
    return np.column_stack([best, together, rival, choice, known]).astype(np.float32)

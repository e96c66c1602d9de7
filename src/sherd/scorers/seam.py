"""Scorer `seam`: one look at each side, a shortlist by embedding, a joint look at the best.

Every side is encoded once. The embeddings of two sides that meet point the same way, so a blocked
matrix product gives a shortlist; the joint head then sees both sides with the gap between them.
The network was trained to rank the true neighbour among all pieces of the same puzzle, not to tell
real from generated. See `docs/scorers.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sherd.canonical import canonical_pieces
from sherd.errors import OptionError
from sherd.events import Listener, Note, Progress
from sherd.pieces import Pieces
from sherd.runtime import Network, choose_device
from sherd.scorers.alone import ALONE_FILE, score_alone
from sherd.scorers.encoding import EncodedSides, encode_sides, readings_of
from sherd.scorers.fusion import with_classical
from sherd.scores import Scores
from sherd.sides import Relations
from sherd.weights import Weights, find_weights

__all__ = ["JudgedRows", "Seam"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_VIEWS = (1, 2, 4)
_MASS = 0.995  # of a row's probability by embedding; candidates beyond it are not judged
_LONGEST_ROW = 256
_PAIRS_PER_BATCH = 128
_ENTRIES_PER_BLOCK = 4_000_000  # of the matrix of embeddings against embeddings


@dataclass(frozen=True)
class JudgedRows:
    """Rows of candidates by embedding, the closest first.

    candidates: [4N, K] side ids, -1 where a row has fewer.
    logits: [4N, K] of the joint head, or what the embedding lets one expect of it.
    judged: bool [4N, K], whether the joint head has looked.
    """

    candidates: Ints
    logits: Floats
    judged: NDArray[np.bool_]


class Seam:
    """The learned scorer."""

    def __init__(
        self,
        *,
        shortlist: int = 16,
        views: int = 1,
        fusion: bool = True,
        device: str = "auto",
        weights: Path | str | None = None,
    ) -> None:
        """Choose how much is looked at, and where.

        Args:
            shortlist: most candidates of a side that the joint head looks at.
            views: ways to read a seam that are averaged: 1, 2 or 4. Where pieces may be turned,
                at least 2 are.
            fusion: let the classical measures have a say where (next to) nothing is worn.
            device: auto, cpu or cuda.
            weights: folder of other weights than those that ship with sherd.
        """
        if shortlist < 2:
            raise OptionError(f"A shortlist of {shortlist} is too short; give 2 or more.")
        if views not in _VIEWS:
            raise OptionError(f"A seam cannot be read in {views} ways; give 1, 2 or 4 views.")
        self.shortlist = shortlist
        self.views = views
        self.fusion = fusion
        self.device = device
        self._folder = Path(weights) if weights else None

    @property
    def weights(self) -> Weights:
        """The weights in use."""
        return find_weights("seam", self._folder) if self._folder else find_weights("seam")

    def fingerprint(self) -> dict[str, str]:
        """Name everything but the pieces that the scores depend on."""
        return {
            "scorer": "seam",
            "weights": self.weights.digest,
            "shortlist": str(self.shortlist),
            "views": str(self.views),
            "fusion": str(self.fusion),
        }

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the best candidates of every side."""
        rows = self.judge(pieces, relations, on)
        alone = None
        if ALONE_FILE in self.weights.files:
            head = Network(self.weights.files[ALONE_FILE])
            alone = score_alone(head, rows.candidates, rows.logits, pieces)
        logits = rows.logits
        if self.fusion:
            logits = with_classical(rows.candidates, logits, pieces, relations, on)
        return Scores.from_logits(
            relations, rows.candidates, logits, alone=alone, made_by=self.fingerprint()
        )

    def judge(self, pieces: Pieces, relations: Relations, on: Listener) -> JudgedRows:
        """List the best candidates of every side with their logits."""
        weights, device = self.weights, choose_device(self.device)
        on(Note(f"seam: running on {device}"))
        views = max(self.views, 2) if relations.turns else self.views
        encoder = Network(weights.files["seam-encoder.onnx"], device)
        encoded = encode_sides(canonical_pieces(pieces), encoder, views, on)
        facts = weights.pedigree
        listed = _list_candidates(
            encoded, relations, self.shortlist, views, float(facts["embedding_scale"])
        )
        pairs = _pairs_of(listed)
        joint = Network(weights.files["seam-joint.onnx"], device)
        logits = _judge_pairs(encoded, pairs, joint, views, on)
        estimate = float(facts["logit_slope"]) * listed.logits + float(facts["logit_offset"])
        return _filled(listed, pairs, logits, estimate.astype(np.float32))


def _list_candidates(
    encoded: EncodedSides, relations: Relations, most: int, views: int, scale: float
) -> JudgedRows:
    """List the candidates that are closest by embedding; `judged` are those that are worth it."""
    sides = encoded.at.shape[1]
    width = min(_LONGEST_ROW, relations.candidates_per_side(sides // 4))
    candidates = np.full((sides, width), -1, np.int32)
    closeness = np.full((sides, width), -np.inf, np.float32)
    judged = np.zeros((sides, width), np.bool_)
    for lookers, looked_at in relations.pair_groups():
        rows = _sides_of(lookers, sides // 4)
        cols = _sides_of(looked_at, sides // 4)
        for block, close in _closeness(encoded, rows, cols, views, scale):
            best = np.argpartition(-close, width - 1, axis=1)[:, :width]
            order = np.argsort(-np.take_along_axis(close, best, 1), axis=1, kind="stable")
            best = np.take_along_axis(best, order, 1)
            candidates[block] = cols[best]
            closeness[block] = np.take_along_axis(close, best, 1)
            judged[block] = _worth_judging(close, closeness[block], most)
    return JudgedRows(candidates, closeness, judged)


def _sides_of(kinds: tuple[int, ...], pieces: int) -> Ints:
    """List the side ids of all pieces on the given sides."""
    return np.asarray(4 * np.arange(pieces)[:, None] + np.array(kinds), np.int32).ravel()


def _closeness(
    encoded: EncodedSides, rows: Ints, cols: Ints, views: int, scale: float
) -> Iterator[tuple[Ints, Floats]]:
    """Yield blocks of rows [B] with how close every column is: [B, cols], -inf to itself."""
    # Closeness is symmetric: swapped readings tell nothing new.
    readings = [reading for reading in readings_of(views) if views != 4 or not reading.swapped]
    pairs = [(encoded.rows(rows, r.view_a), encoded.rows(cols, r.view_b)) for r in readings]
    step = max(1, _ENTRIES_PER_BLOCK // len(cols))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        close = np.zeros((len(block), len(cols)), np.float32)
        for a, b in pairs:
            close += encoded.embedding[a[start : start + step]] @ encoded.embedding[b].T
        close *= scale / len(pairs)
        close[block[:, None] // 4 == cols[None, :] // 4] = -np.inf
        yield block, close


def _worth_judging(close: Floats, listed: Floats, most: int) -> NDArray[np.bool_]:
    """Mark the listed candidates [B, K] that make up most of a row's probability."""
    top = listed[:, :1]
    share = np.exp(listed - top) / np.exp(close - top).sum(axis=1, keepdims=True)
    before = np.cumsum(share, axis=1) - share
    return np.asarray((before < _MASS) & (np.arange(listed.shape[1]) < most))


def _pairs_of(listed: JudgedRows) -> Ints:
    """Pair the sides that are worth judging: [P, 2], each pair once, lower side number first."""
    sides, places = np.nonzero(listed.judged)
    keys = _pair_keys(sides.astype(np.int64), listed.candidates[sides, places], len(listed.logits))
    return np.stack(np.divmod(np.unique(keys), len(listed.logits)), axis=1).astype(np.int32)


def _pair_keys(a: NDArray[np.integer], b: NDArray[np.integer], sides: int) -> NDArray[np.int64]:
    """Number unordered pairs of sides; the side of the lower number (right, bottom) leads."""
    swap = (a % 4 > b % 4) | ((a % 4 == b % 4) & (a > b))
    return np.where(swap, b, a).astype(np.int64) * sides + np.where(swap, a, b)


def _judge_pairs(
    encoded: EncodedSides, pairs: Ints, joint: Network, views: int, on: Listener
) -> Floats:
    """Let the joint head look at pairs of sides [P, 2]; logits [P], averaged over readings."""
    logits = np.zeros(len(pairs), np.float32)
    readings = readings_of(views)
    for start in range(0, len(pairs), _PAIRS_PER_BATCH):
        block = slice(start, start + _PAIRS_PER_BATCH)
        for reading in readings:
            a = encoded.rows(pairs[block, 0], reading.view_a)
            b = encoded.rows(pairs[block, 1], reading.view_b)
            first, second = (b, a) if reading.swapped else (a, b)
            (read,) = joint(**encoded.inputs(first, "first"), **encoded.inputs(second, "second"))
            logits[block] += read / len(readings)
        on(Progress("judging", min(len(pairs), start + _PAIRS_PER_BATCH), len(pairs)))
    return logits


def _filled(listed: JudgedRows, pairs: Ints, logits: Floats, estimate: Floats) -> JudgedRows:
    """Put the logits of judged pairs into both their rows, and the estimate everywhere else."""
    sides = len(listed.candidates)
    looking = np.broadcast_to(np.arange(sides)[:, None], listed.candidates.shape)
    keys = _pair_keys(looking, listed.candidates, sides)
    known = pairs[:, 0].astype(np.int64) * sides + pairs[:, 1]  # sorted
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    judged = known[place] == keys
    return JudgedRows(listed.candidates, np.where(judged, logits[place], estimate), judged)

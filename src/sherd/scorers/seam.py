"""Scorer `seam`: one look at each side, a shortlist by embedding, a joint look at the best.

Every side is encoded once. The embeddings of two sides that meet point the same way, so a blocked
matrix product gives a shortlist; the joint head then sees both sides with the gap between them.
The network was trained to rank the true neighbour among all pieces of the same puzzle, not to tell
real from generated. See `docs/scorers.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.canonical import canonical_pieces
from sherd.errors import OptionError
from sherd.events import Listener, Note, Progress
from sherd.pieces import Pieces
from sherd.runtime import Network, choose_device
from sherd.scorers.judged import rows_of_pairs
from sherd.scores import Scores
from sherd.sides import BOTTOM, LEFT, RIGHT, TOP, Relations
from sherd.weights import find_weights

__all__ = ["Seam"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_PLAIN, _MIRRORED = 0, 1
# Rows of two strips that meet run against each other, so one of the two is mirrored. In known
# orientation each side has one role and is encoded once.
_UPRIGHT_VIEW = {RIGHT: _PLAIN, LEFT: _MIRRORED, BOTTOM: _MIRRORED, TOP: _PLAIN}
_SIDES_PER_BATCH = 64
_PAIRS_PER_BATCH = 256
_ROWS_PER_BLOCK = 1024


@dataclass(frozen=True)
class _Encoded:
    """What the encoder says of every side in both views (of the views that are needed).

    at: [2, 4N] row of (view, side id) in the tables below, -1 where it was not encoded.
    """

    at: Ints
    features: Floats  # [V, 96, 16, 4]
    embedding: Floats  # [V, 576]
    context: Floats  # [V, 64]


class Seam:
    """The learned scorer."""

    def __init__(self, *, shortlist: int = 24, device: str = "auto") -> None:
        if shortlist < 2:
            raise OptionError(f"A shortlist of {shortlist} is too short; give 2 or more.")
        self.shortlist = shortlist
        self.device = device

    def fingerprint(self) -> dict[str, str]:
        """Name everything but the pieces that the scores depend on."""
        return {
            "scorer": "seam",
            "weights": find_weights("seam").digest,
            "shortlist": str(self.shortlist),
        }

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the best candidates of every side."""
        weights, device = find_weights("seam"), choose_device(self.device)
        on(Note(f"seam: running on {device}"))
        encoder, joint = (Network(path, device) for path in weights.files.values())
        encoded = _encode(pieces, relations, encoder, on)
        pairs = _shortlist(encoded, relations, min(self.shortlist, len(pieces) - 1))
        logits = _judge(encoded, pairs, joint, relations, on)
        candidates, rows = rows_of_pairs(pairs, logits, 4 * len(pieces), 2 * self.shortlist)
        return Scores.from_logits(relations, candidates, rows, made_by=self.fingerprint())


def _encode(pieces: Pieces, relations: Relations, encoder: Network, on: Listener) -> _Encoded:
    """Encode every side in the views that its relations need."""
    canonical = canonical_pieces(pieces)
    wanted = [
        (view, side)
        for side in range(4)
        for view in ((_PLAIN, _MIRRORED) if relations.turns else (_UPRIGHT_VIEW[side],))
    ]
    at = np.full((2, 4 * len(pieces)), -1, np.int32)
    outputs: list[list[Floats]] = []
    total = len(wanted) * len(pieces)
    for k, (view, side) in enumerate(wanted):
        at[view, side::4] = k * len(pieces) + np.arange(len(pieces))
        for start in range(0, len(pieces), _SIDES_PER_BATCH):
            batch = _views(canonical[start : start + _SIDES_PER_BATCH], side, view)
            outputs.append(encoder(sides=batch))
            on(Progress("encoding", min(total, k * len(pieces) + start + len(batch)), total))
    features, embedding, context = (np.concatenate(parts) for parts in zip(*outputs, strict=True))
    return _Encoded(at, features, embedding, context)


def _views(canonical: Floats, side: int, view: int) -> Floats:
    """Turn pieces [B, 4, S, S] so that a side is at the right end, rows mirrored if asked."""
    turned = np.rot90(canonical, k=side, axes=(2, 3))
    return np.ascontiguousarray(turned[:, :, ::-1] if view == _MIRRORED else turned)


def _readings(relations: Relations) -> tuple[tuple[int, int], ...]:
    """List the (view of the first side, view of the second side) in which a seam can be read."""
    return ((_PLAIN, _MIRRORED), (_MIRRORED, _PLAIN)) if relations.turns else ((-1, -1),)


def _rows_of(encoded: _Encoded, sides: Ints, view: int) -> Ints:
    """Find the encodings of sides in a view; view -1 takes the only one there is."""
    return np.asarray(encoded.at.max(axis=0)[sides] if view < 0 else encoded.at[view, sides])


def _shortlist(encoded: _Encoded, relations: Relations, k: int) -> Ints:
    """Pair every side with the k whose embeddings are closest: [P, 2], each pair once."""
    found = []
    pieces = encoded.at.shape[1] // 4
    for lookers, looked_at in relations.pair_groups():
        rows = (4 * np.arange(pieces)[:, None] + np.array(lookers)).ravel().astype(np.int32)
        cols = (4 * np.arange(pieces)[:, None] + np.array(looked_at)).ravel().astype(np.int32)
        found += [pair for pair in _closest(encoded, relations, rows, cols, k)]
    pairs = np.sort(np.concatenate(found), axis=1)
    return np.unique(pairs, axis=0).astype(np.int32)


def _closest(
    encoded: _Encoded, relations: Relations, rows: Ints, cols: Ints, k: int
) -> Iterator[Ints]:
    """Yield [B·k, 2] pairs of a block of rows with their k closest columns."""
    views = [
        (_rows_of(encoded, rows, a), _rows_of(encoded, cols, b)) for a, b in _readings(relations)
    ]
    for start in range(0, len(rows), _ROWS_PER_BLOCK):
        block = rows[start : start + _ROWS_PER_BLOCK]
        closeness = sum(
            encoded.embedding[a[start : start + _ROWS_PER_BLOCK]] @ encoded.embedding[b].T
            for a, b in views
        )
        closeness = np.where(block[:, None] // 4 == cols[None, :] // 4, -np.inf, closeness)
        best = np.argpartition(-closeness, min(k, len(cols)) - 1, axis=1)[:, :k]
        yield np.stack([np.repeat(block, best.shape[1]), cols[best.ravel()]], axis=1)


def _judge(
    encoded: _Encoded, pairs: Ints, joint: Network, relations: Relations, on: Listener
) -> Floats:
    """Let the joint head look at pairs of sides [P, 2]; logits [P], averaged over readings."""
    logits = np.zeros(len(pairs), np.float32)
    readings = _readings(relations)
    for start in range(0, len(pairs), _PAIRS_PER_BATCH):
        block = pairs[start : start + _PAIRS_PER_BATCH]
        for view_a, view_b in readings:
            a = _rows_of(encoded, block[:, 0], view_a)
            b = _rows_of(encoded, block[:, 1], view_b)
            (read,) = joint(
                first=encoded.features[a],
                second=encoded.features[b],
                first_context=encoded.context[a],
                second_context=encoded.context[b],
                first_embedding=encoded.embedding[a],
                second_embedding=encoded.embedding[b],
            )
            logits[start : start + len(block)] += read / len(readings)
        on(Progress("judging", start + len(block), len(pairs)))
    return logits

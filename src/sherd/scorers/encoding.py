"""What the encoder of the seam network says of every side, in the views that are needed.

A view is a piece turned so that the side in question is at the right end (plain), or that picture
upside down (mirrored). Rows of two strips that meet run against each other, so of two sides that
are compared one is seen plain and the other mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.events import Listener, Progress
from sherd.runtime import Network
from sherd.sides import BOTTOM, LEFT, RIGHT, TOP

__all__ = ["EncodedSides", "Reading", "encode_sides", "readings_of"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_PLAIN, _MIRRORED, _ONLY = 0, 1, -1
# In known orientation each side has one role; seen like this it is encoded once. That bottom and
# top are transposed rather than turned does no harm: the network was trained on it.
_UPRIGHT_VIEW = {RIGHT: _PLAIN, LEFT: _MIRRORED, BOTTOM: _MIRRORED, TOP: _PLAIN}
_SIDES_PER_BATCH = 32
_HALVED_ABOVE = 1000  # pieces; their features are kept in half precision


@dataclass(frozen=True)
class Reading:
    """One way to look at a seam between sides a and b.

    view_a, view_b: 0 plain, 1 mirrored, -1 the only one there is.
    swapped: whether b is shown to the joint head as the first of the two.
    """

    view_a: int
    view_b: int
    swapped: bool


def readings_of(views: int) -> tuple[Reading, ...]:
    """List the readings of a seam that are averaged.

    One reading takes a side of the right or the bottom as a. Two show either side first and plain,
    so that it does not matter which is called a; four are all there are.
    """
    both = (Reading(_PLAIN, _MIRRORED, False), Reading(_MIRRORED, _PLAIN, True))
    other = (Reading(_PLAIN, _MIRRORED, True), Reading(_MIRRORED, _PLAIN, False))
    return {1: (Reading(_ONLY, _ONLY, False),), 2: both, 4: both + other}[views]


@dataclass(frozen=True)
class EncodedSides:
    """Tables of V encoded views.

    at: [2, 4N] the row of (view, side id) in the tables, -1 where it was not encoded.
    features: [V, 96, 16, 4] along the side x towards the gap.
    embedding: [V, 576] of length 1.
    context: [V, 64].
    """

    at: Ints
    features: NDArray[np.floating]
    embedding: Floats
    context: Floats

    def rows(self, sides: Ints, view: int) -> Ints:
        """Find the rows of sides [B] in a view: [B]."""
        return np.asarray(self.at.max(axis=0)[sides] if view == _ONLY else self.at[view, sides])

    def inputs(self, rows: Ints, place: str) -> dict[str, Floats]:
        """Gather rows [B] as inputs of the joint head, at its `first` or `second` place."""
        return {
            place: self.features[rows].astype(np.float32, copy=False),
            f"{place}_context": self.context[rows],
            f"{place}_embedding": self.embedding[rows],
        }


def encode_sides(canonical: Floats, encoder: Network, views: int, on: Listener) -> EncodedSides:
    """Encode every side.

    Args:
        canonical: [N, 4, 64, 64] pieces from `canonical_pieces`.
        encoder: the encoder.
        views: readings of a seam that will be asked for; one needs a single view of each side.
        on: told of the progress.
    """
    pieces = len(canonical)
    wanted = [
        (view, side)
        for side in range(4)
        for view in ((_UPRIGHT_VIEW[side],) if views == 1 else (_PLAIN, _MIRRORED))
    ]
    at = np.full((2, 4 * pieces), -1, np.int32)
    total = len(wanted) * pieces
    tables: list[NDArray[np.floating]] = []
    for k, (view, side) in enumerate(wanted):
        at[view, side::4] = k * pieces + np.arange(pieces)
        for start in range(0, pieces, _SIDES_PER_BATCH):
            batch = _seen(canonical[start : start + _SIDES_PER_BATCH], side, view)
            outputs = encoder(sides=batch)
            tables = tables or _tables(outputs, total, pieces)
            first = k * pieces + start
            for table, output in zip(tables, outputs, strict=True):
                table[first : first + len(batch)] = output
            on(Progress("encoding", first + len(batch), total))
    features, embedding, context = tables
    return EncodedSides(at, features, embedding, context)


def _tables(outputs: list[Floats], total: int, pieces: int) -> list[NDArray[np.floating]]:
    """Make room for all features, embeddings and contexts, given those of one batch."""
    kinds = (np.float16 if pieces > _HALVED_ABOVE else np.float32, np.float32, np.float32)
    shapes = [(total, *output.shape[1:]) for output in outputs]
    return [np.empty(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)]


def _seen(canonical: Floats, side: int, view: int) -> Floats:
    """Turn pieces [B, 4, S, S] so that a side is at the right end, rows mirrored if asked."""
    turned = np.rot90(canonical, k=side, axes=(2, 3))
    return np.ascontiguousarray(turned[:, :, ::-1] if view == _MIRRORED else turned)

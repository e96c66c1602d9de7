"""Scores: how likely side a meets side b, as rows of candidates.

Every side has a row of the K sides it may meet (all of them on small boards, the best K on large
ones). A scorer that is born as a distance keeps it as `cost`: raw, directed (a's view of b), lower
is better. `score` is a log-probability, at most 0, symmetric under exchange of the two sides.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd._core import reverse_positions, top_rows
from sherd.errors import InputError
from sherd.sides import Relations

__all__ = ["FLOOR", "Scores", "row_log_softmax", "shortlist_size", "top_candidates"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

FLOOR = -30.0
"""The lowest score; pairs outside a shortlist have it."""

_FORMAT = 1
_DAMAGED = (  # what reading a file that was cut short or changed can raise
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)
_MOST_ENTRIES = 16_000_000  # a table of so many takes 200 MB, and its making four times that
_LARGE_BOARD_ROW = 256


def shortlist_size(pieces: int, relations: Relations) -> int:
    """Choose K: every candidate as long as the table stays small, 256 a side above.

    That is up to 2,000 pieces, or 1,000 that may be turned (1,414 if they are oblong).
    """
    every = relations.candidates_per_side(pieces)
    return every if 4 * pieces * every <= _MOST_ENTRIES else min(every, _LARGE_BOARD_ROW)


def top_candidates(cost: Floats, row_sides: Ints, col_sides: Ints, k: int) -> tuple[Ints, Floats]:
    """Keep the k cheapest columns of each row, cheapest first.

    Args:
        cost: [A, B], infinite where the two sides cannot meet.
        row_sides: [A] side ids that look.
        col_sides: [B] side ids that are looked at.
        k: entries to keep; sides of the row's own piece are left out.

    Returns:
        Side ids [A, k] (-1 where a row has fewer) and their costs [A, k].
    """
    candidates, kept = top_rows(np.ascontiguousarray(cost, np.float32), row_sides, col_sides, k)
    return candidates, kept


def row_log_softmax(logits: Floats, listed: NDArray[np.bool_]) -> Floats:
    """Turn the logits [S, K] of each row's listed candidates into log-probabilities."""
    masked = np.where(listed, logits, -np.inf)
    top = masked.max(axis=1, keepdims=True, initial=-1e30)
    shifted = np.exp(masked - top)
    total = np.log(np.maximum(shifted.sum(axis=1, keepdims=True), 1e-30))
    return np.asarray(masked - top - total, np.float32)


def costs_to_logits(cost: Floats, sharpness: float) -> Floats:
    """Turn raw costs [S, K] (at least 0) into logits, the one place where that happens.

    A probability falls with a power of the cost, so that within a row only ratios count, as in
    the compatibility of Paikin & Tal 2015, and flat and busy regions are comparable. The constant
    below keeps ratios of next to nothing from meaning much. On worn photographs this explained
    the true seams with 1.4 to 1.5 nats each; an exponential of the cost relative to the second
    smallest of its row needed 2.4 and more, ruined by the few true seams at many times that cost.
    """
    if cost.shape[1] == 0:
        return cost
    yardstick = np.partition(cost, min(1, cost.shape[1] - 1), axis=1)[:, :2].max(axis=1)
    usual = yardstick[np.isfinite(yardstick)]
    nothing = 0.1 * float(np.median(usual)) if usual.size else 0.0
    return np.asarray(-sharpness * np.log(cost + np.float32(max(nothing, 1e-6))), np.float32)


@dataclass(frozen=True)
class Scores:
    """A table of candidates for every side.

    relations: which sides can meet.
    candidates: [4N, K] side ids, best score first; -1 where a row has fewer than K.
    score: [4N, K] log-probability that the two sides meet, symmetric, in [FLOOR, 0].
    cost: [4N, K] raw directed cost of the row's side looking at the candidate, or None.
    alone: [4N] log-probability that a side meets nothing, or None.
    made_by: what made the table (scorer, options, hashes), for caches and reports.
    """

    relations: Relations
    candidates: Ints
    score: Floats
    cost: Floats | None = None
    alone: Floats | None = None
    made_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def pieces(self) -> int:
        """Number of pieces N."""
        return len(self.candidates) // 4

    @classmethod
    def from_costs(
        cls,
        relations: Relations,
        candidates: Ints,
        cost: Floats,
        *,
        sharpness: float,
        made_by: Mapping[str, str] | None = None,
    ) -> Scores:
        """Make scores from directed costs.

        Args:
            relations: which sides can meet.
            candidates: [4N, K] side ids, -1 where there is none.
            cost: [4N, K] directed costs, infinite where there is no candidate.
            sharpness: how strongly a lower cost is believed (fitted on validation pictures).
            made_by: provenance.
        """
        logits = costs_to_logits(cost, sharpness)
        return cls.from_logits(relations, candidates, logits, cost=cost, made_by=made_by)

    @classmethod
    def from_logits(
        cls,
        relations: Relations,
        candidates: Ints,
        logits: Floats,
        *,
        cost: Floats | None = None,
        alone: Floats | None = None,
        made_by: Mapping[str, str] | None = None,
    ) -> Scores:
        """Make scores from logits: the mean of both sides' log-softmax, floored.

        Args:
            relations: which sides can meet.
            candidates: [4N, K] side ids, -1 where there is none.
            logits: [4N, K], higher is better.
            cost: [4N, K] directed costs to carry along.
            alone: [4N] log-probability of meeting nothing to carry along.
            made_by: provenance.
        """
        own = np.maximum(row_log_softmax(logits, candidates >= 0), FLOOR)
        position = reverse_positions(candidates)
        theirs = own[candidates, np.maximum(position, 0)]
        both = (own + np.where(position >= 0, theirs, FLOOR)) / 2
        score = np.asarray(np.where(candidates >= 0, both, FLOOR), np.float32)
        # Ties, many at the floor, keep the order in which the scorer gave them.
        order = np.argsort(np.where(candidates >= 0, -score, np.inf), axis=1, kind="stable")
        return cls(
            relations,
            np.take_along_axis(candidates, order, 1),
            np.take_along_axis(score, order, 1),
            None if cost is None else np.take_along_axis(cost, order, 1),
            alone,
            dict(made_by or {}),
        )

    def of(self, sides: Ints, others: Ints) -> Floats:
        """Look up the scores of pairs of sides, both [E]; FLOOR where a pair is not listed."""
        return np.maximum(
            self._entries(self.score, sides, others, FLOOR),
            self._entries(self.score, others, sides, FLOOR),
        )

    def cost_of(self, sides: Ints, others: Ints) -> Floats:
        """Look up the directed costs of sides [E] looking at others [E]; infinite if unlisted."""
        if self.cost is None:
            raise InputError("These scores carry no costs; use a scorer that is a distance.")
        return self._entries(self.cost, sides, others, np.inf)

    def _entries(self, table: Floats, sides: Ints, others: Ints, missing: float) -> Floats:
        found = self.candidates[sides] == np.asarray(others)[:, None]  # [E, K]
        position = found.argmax(axis=1)
        values = table[sides, position]
        return np.where(found.any(axis=1), values, np.float32(missing)).astype(np.float32)

    def relabelled(self, order: Ints) -> Scores:
        """Give the table for pieces in another order: new piece i is old piece order[i].

        Candidates keep their places in the rows, so that the way back gives the same table.
        """
        rows = (4 * np.asarray(order)[:, None] + np.arange(4)).ravel()  # old side of each new one
        new_side = np.empty(len(rows), np.int32)
        new_side[rows] = np.arange(len(rows))
        old = self.candidates[rows]
        renamed = np.where(old >= 0, new_side[old], -1).astype(np.int32)
        cost = None if self.cost is None else self.cost[rows]
        alone = None if self.alone is None else self.alone[rows]
        return replace(self, candidates=renamed, score=self.score[rows], cost=cost, alone=alone)

    def save(self, path: Path | str) -> None:
        """Write the table as an .npz file with a JSON header."""
        header = {
            "format": _FORMAT,
            "turns": self.relations.turns,
            "square": self.relations.square,
            "made_by": dict(self.made_by),
        }
        arrays: dict[str, Any] = {"candidates": self.candidates, "score": self.score}
        arrays |= {} if self.cost is None else {"cost": self.cost}
        arrays |= {} if self.alone is None else {"alone": self.alone}
        with Path(path).open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)

    @classmethod
    def load(cls, path: Path | str) -> Scores:
        """Read a table that `save` wrote."""
        try:
            # Opened here, since np.load leaves a broken file open.
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as saved:
                header = json.loads(str(saved["header"]))
                tables = {name: saved[name] for name in saved.files if name != "header"}
        except _DAMAGED as error:
            raise InputError(
                f"{path}: not a table of scores ({error}); make one with `sherd solve "
                "--save-scores FILE`."
            ) from error
        if header.get("format") != _FORMAT:
            raise InputError(
                f"{path}: score format {header.get('format')}, this version reads {_FORMAT}; "
                "make the table again."
            )
        loaded = cls(
            Relations(header["turns"], header["square"]), **tables, made_by=header["made_by"]
        )
        loaded._check(path)
        return loaded

    def _check(self, path: Path | str) -> None:
        """Raise InputError unless the tables of a file fit together."""
        sides = len(self.candidates)
        named = self.candidates.size == 0 or (
            self.candidates.min() >= -1 and self.candidates.max() < sides
        )
        same = all(t is None or t.shape == self.candidates.shape for t in (self.score, self.cost))
        if not named or not same or (self.alone is not None and self.alone.shape != (sides,)):
            raise InputError(f"{path}: its tables do not fit together; make the file again.")

"""Scorer `inpaint`: fill the gap between two pieces, then judge the filling.

Bridger, Danon and Tal, "Solving jigsaw puzzles with eroded boundaries", CVPR 2020. A generator
fills the gap between two sides, a discriminator says how probable it is that they are neighbours;
the dissimilarity is -log of that. As in the paper the dissimilarity is symmetric: of each pair of
facing sides one picture is made, the same from both.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sherd.errors import OptionError
from sherd.events import Listener, Note, Progress
from sherd.gaps import gap_batches, worn_pieces
from sherd.pieces import Pieces
from sherd.runtime import Network, choose_device
from sherd.scorers.judged import rows_of_pairs
from sherd.scorers.prediction import Prediction
from sherd.scores import Scores, shortlist_size
from sherd.sides import Relations
from sherd.weights import Weights, find_weights

__all__ = ["Inpaint"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_SHARPNESS = 2.2  # fitted on validation photographs worn by 2 and 4 pixels
_MOST_PIECES = 500  # above it, all pairs take so long that one has to ask for them
_TIMED_BATCHES = 4  # after so many the time left is told; the first also sets up memory


class Inpaint:
    """The paper's scorer."""

    def __init__(
        self,
        *,
        shortlist: int | None = None,
        all_pairs: bool = False,
        device: str = "auto",
        weights: Path | str | None = None,
    ) -> None:
        """Choose what is judged and where.

        Args:
            shortlist: judge only this many candidates a side, the best by `prediction`.
            all_pairs: judge every pair, however many there are.
            device: auto, cpu or cuda.
            weights: folder of other weights than those that ship with sherd.
        """
        if shortlist is not None and shortlist < 2:
            raise OptionError(f"A shortlist of {shortlist} is too short; give 2 or more.")
        if shortlist is not None and all_pairs:
            raise OptionError("A shortlist and all pairs contradict each other; give one of them.")
        self.shortlist = shortlist
        self.all_pairs = all_pairs
        self.device = device
        self._folder = Path(weights) if weights else None

    @property
    def weights(self) -> Weights:
        """The weights in use."""
        return find_weights("inpaint", self._folder) if self._folder else find_weights("inpaint")

    def fingerprint(self) -> dict[str, str]:
        """Name everything but the pieces that the scores depend on."""
        shortlist = "all pairs" if self.shortlist is None else str(self.shortlist)
        return {"scorer": "inpaint", "weights": self.weights.digest, "shortlist": shortlist}

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the candidates of every side."""
        self._check_size(len(pieces), relations)
        device = choose_device(self.device)
        if self.shortlist is None:
            pairs = _every_pair(len(pieces), relations)
        else:
            pairs = _likely_pairs(pieces, relations, self.shortlist, on)
        on(Note(f"inpaint: {len(pairs):,} pairs of sides to judge, running on {device}"))
        cost = self._judge(pieces, pairs, device, on)
        most = shortlist_size(len(pieces), relations)
        candidates, negated = rows_of_pairs(pairs, -cost, 4 * len(pieces), most)
        return Scores.from_costs(
            relations, candidates, -negated, sharpness=_SHARPNESS, made_by=self.fingerprint()
        )

    def _check_size(self, pieces: int, relations: Relations) -> None:
        if self.shortlist is None and not self.all_pairs and pieces > _MOST_PIECES:
            pairs = 2 * pieces * relations.candidates_per_side(pieces)
            raise OptionError(
                f"{pieces} pieces make {pairs:,} pairs of sides to judge; give --shortlist 24 to "
                "judge the likely ones, or --all-pairs to wait for all."
            )

    def _judge(self, pieces: Pieces, pairs: Ints, device: str, on: Listener) -> Floats:
        """-log of the probability that each of pairs [P, 2] is a seam: [P]."""
        files = self.weights.files
        filler = Network(files["inpaint-filler.onnx"], device)
        judge = Network(files["inpaint-judge.onnx"], device)
        canonical = worn_pieces(pieces, int(self.weights.pedigree["model_erosion"]), on)
        cost = np.empty(len(pairs), np.float32)
        done, clock = 0, _Clock(len(pairs), on)
        for chosen, pixels, known in gap_batches(canonical, pairs):
            (filled,) = filler(pixels=pixels, known=known)
            (cost[chosen],) = judge(filled=filled, known=known)
            done += len(chosen)
            clock.tick(done)
            on(Progress("judging", done, len(pairs)))
        return cost


class _Clock:
    """Tells once, after the first batches, how long the rest will take."""

    def __init__(self, total: int, on: Listener) -> None:
        self._total, self._on = total, on
        self._ticks, self._first = 0, 0
        self._started = 0.0

    def tick(self, done: int) -> None:
        """Count a batch; `done` pairs are judged."""
        self._ticks += 1
        if self._ticks == 1:
            self._first, self._started = done, time.perf_counter()
        elif self._ticks == _TIMED_BATCHES and done < self._total:
            a_pair = (time.perf_counter() - self._started) / (done - self._first)
            left = a_pair * (self._total - done)
            self._on(Note(f"inpaint: {1e3 * a_pair:.1f} ms a pair, about {left:.0f} s to go"))


def _every_pair(pieces: int, relations: Relations) -> Ints:
    """List every pair of sides [P, 2] that can meet, each once."""
    found = []
    numbers = np.arange(pieces, dtype=np.int32)
    for side in range(4):
        for other in relations.partners(side):
            if other < side:
                continue
            a, b = np.meshgrid(numbers, numbers, indexing="ij")
            meets = a < b if side == other else a != b
            found.append(np.stack([4 * a[meets] + side, 4 * b[meets] + other], axis=1))
    return np.concatenate(found).astype(np.int32)


def _likely_pairs(pieces: Pieces, relations: Relations, k: int, on: Listener) -> Ints:
    """List the pairs of every side and its k best candidates by `prediction`, each once."""
    rows = Prediction().score(pieces, relations, on).candidates[:, :k]
    pairs = np.stack([np.repeat(np.arange(len(rows)), rows.shape[1]), rows.ravel()], axis=1)
    pairs = pairs[pairs[:, 1] >= 0]
    # The side of the lower number is read on the left, as in `_every_pair`.
    swap = (pairs % 4 * len(rows) + pairs) @ [1, -1] > 0
    pairs[swap] = pairs[swap, ::-1]
    on(Note(f"inpaint: only the {k} best candidates of each side by `prediction` are judged"))
    return np.unique(pairs, axis=0).astype(np.int32)

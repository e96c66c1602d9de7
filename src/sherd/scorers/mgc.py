"""MGC: Mahalanobis gradient compatibility.

Gallagher, "Jigsaw puzzles with pieces of unknown orientation", CVPR 2012. The step across a seam
should look like the steps that lead up to it: its distance to the gradients at the end of a side
is measured in units of their own covariance, in RGB, from both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd._core import mgc_costs
from sherd.events import Listener
from sherd.pieces import Pieces
from sherd.scorers.borders import Borders, least_shared_rows, score_borders, shared_rows
from sherd.scores import Scores
from sherd.sides import Relations

__all__ = ["Mgc"]

Floats = NDArray[np.float32]

# Fitted on 39 photographs in 64-pixel pieces worn by 0, 2 and 4 pixels, all pooled, with
# benchmarks/fit_sharpness.py; for each wear alone: 4.8, 3.9, 2.8.
_SHARPNESS = 3.5

_DUMMY_GRADIENTS = np.array(  # they keep the covariance of a flat side invertible
    [
        (0, 0, 0),
        (1, 1, 1),
        (-1, -1, -1),
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 0),
        (0, 0, -1),
        (0, -1, 0),
        (-1, 0, 0),
    ],
    np.float64,
)


class Mgc:
    """Symmetric costs: the Mahalanobis distances of both directions, summed."""

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Score the candidates of every side."""
        return score_borders(
            pieces, relations, _measure, sharpness=_SHARPNESS, made_by={"scorer": "mgc"}, on=on
        )


@dataclass(frozen=True)
class _Views:
    """What M sides show and expect.

    seen: [M, L, 3] the border.
    expected: [M, L, 3] the next pixel outwards: the border plus the mean gradient.
    whitening: [M, 6] lower triangle W of the matrix that makes gradients white: the Mahalanobis
        distance of a step d is |W d|^2.
    known: [M, L] rows that count.
    """

    seen: Floats
    expected: Floats
    whitening: Floats
    known: NDArray[np.bool_]

    def take(self, which: slice) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
        """Take some of the sides, in the order of the kernel's arguments."""
        return self.seen[which], self.expected[which], self.whitening[which], self.known[which]


def _views(borders: Borders, rows: NDArray[np.bool_]) -> _Views:
    """Learn what each side expects from all its rows [L], and keep those to be compared."""
    seen = borders.outer.astype(np.float64)
    gradients = np.where(borders.known[..., None], seen - borders.inner, 0)  # [M, L, 3]
    mean = _mean(gradients.sum(axis=1), borders.known.sum(axis=1))
    whitening = np.linalg.inv(np.linalg.cholesky(_covariance(gradients, borders.known)))
    lower = np.tril_indices(3)
    return _Views(
        np.ascontiguousarray(seen[:, rows], np.float32),
        np.ascontiguousarray((seen + mean[:, None])[:, rows], np.float32),
        np.ascontiguousarray(whitening[:, *lower], np.float32),
        np.ascontiguousarray(borders.known[:, rows]),
    )


def _mean(total: NDArray[np.float64], count: NDArray[np.int_]) -> NDArray[np.float64]:
    """Divide sums [M, 3] by counts [M]; zero where nothing was counted."""
    return total / np.maximum(count, 1)[:, None]


def _covariance(gradients: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the covariance [M, 3, 3] of known gradients [M, L, 3] and the dummy ones."""
    count = known.sum(axis=1) + len(_DUMMY_GRADIENTS)
    mean = _mean(gradients.sum(axis=1), count)  # the dummies sum up to zero
    squares = (
        np.einsum("mli,mlj->mij", gradients, gradients) + _DUMMY_GRADIENTS.T @ _DUMMY_GRADIENTS
    )
    scatter = squares - count[:, None, None] * mean[:, :, None] * mean[:, None, :]
    return np.asarray(scatter / (count - 1)[:, None, None])


def _measure(queries: Borders, targets: Borders) -> Callable[[slice], Floats]:
    rows = shared_rows(queries, targets)
    ours, theirs = _views(queries, rows), _views(targets, rows)
    least, length = least_shared_rows(rows), len(rows)

    def costs(block: slice) -> Floats:
        return mgc_costs(*ours.take(block), *theirs.take(slice(None)), least, length)

    return costs

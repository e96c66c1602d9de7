"""Pairs of sides that a network judged one by one, arranged as rows of candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["rows_of_pairs"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


def rows_of_pairs(pairs: Ints, value: Floats, sides: int, most: int) -> tuple[Ints, Floats]:
    """Arrange judged pairs as rows of at most `most` candidates per side, best first.

    Args:
        pairs: [P, 2] side ids, each unordered pair once.
        value: [P] the higher the better.
        sides: number of sides, 4N.
        most: longest row.

    Returns:
        Side ids [sides, K] (-1 where a row has fewer) and their values (-inf there).
    """
    a, b = np.concatenate([pairs, pairs[:, ::-1]]).T
    value = np.concatenate([value, value])
    order = np.lexsort((b, -value, a))
    a, b, value = a[order], b[order], value[order]
    place = np.arange(len(a)) - np.searchsorted(a, a)
    kept = place < most
    width = int(place[kept].max(initial=-1)) + 1
    candidates = np.full((sides, width), -1, np.int32)
    rows = np.full((sides, width), -np.inf, np.float32)
    candidates[a[kept], place[kept]] = b[kept]
    rows[a[kept], place[kept]] = value[kept]
    return candidates, rows

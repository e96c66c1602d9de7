"""How sure each seam is: the share of visited boards in which its two sides meet.

A board at temperature 1 that obeys detailed balance visits layouts in proportion to their
probability under the scores, so the share of its visits is the probability of a seam given all
others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.assemblers.cells import meetings
from sherd.layout import Layout, seams_of

__all__ = ["smoothed", "visit_shares"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


def visit_shares(layout: Layout, visited: Ints) -> Floats:
    """Give the smoothed share of visited boards [S, cells] that show each seam of a layout [E]."""
    rows, cols = layout.shapes[0]
    seams = seams_of(layout)
    partner = meetings(visited, len(layout.turn), rows, cols)
    return smoothed((partner[:, seams[:, 0]] == seams[:, 1]).sum(axis=0), len(visited))


def smoothed(seen: NDArray[np.int_], boards: int) -> Floats:
    """Turn counts [E] into shares that no finite number of boards makes certain."""
    return np.asarray((seen + 0.5) / (boards + 1), np.float32)

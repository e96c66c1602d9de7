"""How sure each seam is: the share of visited boards in which its two sides meet.

A board at temperature 1 that obeys detailed balance visits layouts in proportion to their
probability under the scores, so the share of its visits is the probability of a seam given all
others. The moves of the search do not obey it, so the recording is a phase of its own; warmer
boards exchange with the recorded one, so that it does not stay where it begins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.assemblers.cells import meetings
from sherd.assemblers.ladder import UNITS_PER_NAT
from sherd.assemblers.rounds import Task
from sherd.layout import Layout, seams_of

__all__ = ["record", "smoothed", "tempered", "visit_shares"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

_TEMPERATURES = (3.0, 2.2, 1.6, 1.25, 1.0)
_MOVES = 500  # of each board between exchanges, or one for each piece
_EXCHANGES, _LEAST, _ALL_MOVES = 400, 80, 6_000_000  # fewer exchanges where moves are many
_WARM_UP = 0.2  # share of the exchanges before anything is recorded


def record(task: Task, cells: Ints, seed: int, threads: int, exchanges: int | None = None) -> Ints:
    """Begin at a board [cells] and give those that temperature 1 visits, [S, cells]."""
    temperatures = np.round(np.array(_TEMPERATURES) * UNITS_PER_NAT).astype(np.int32)
    exchange = task.exchange(cells[None], temperatures, seed)
    moves = max(_MOVES, task.scores.pieces)
    if exchanges is None:
        affordable = _ALL_MOVES // (moves * len(temperatures))
        exchanges = min(max(affordable, _LEAST), _EXCHANGES)
    unseen = round(exchanges * _WARM_UP)
    exchange.record(unseen, moves, threads, len(temperatures) - 1, 0)
    exchange.record(exchanges - unseen, moves, threads, len(temperatures) - 1, 1)
    return exchange.take_kept()


def visit_shares(layout: Layout, visited: Ints) -> Floats:
    """Give the smoothed share of visited boards [S, cells] that show each seam of a layout [E]."""
    rows, cols = layout.shapes[0]
    seams = seams_of(layout)
    partner = meetings(visited, len(layout.turn), rows, cols)
    return smoothed((partner[:, seams[:, 0]] == seams[:, 1]).sum(axis=0), len(visited))


def smoothed(seen: NDArray[np.int_], boards: int) -> Floats:
    """Turn counts [E] into shares that no finite number of boards makes certain."""
    return np.asarray((seen + 0.5) / (boards + 1), np.float32)


def tempered(share: Floats, temperature: float) -> Floats:
    """Divide the logit of shares [E] in 0..1 by a temperature: above 1 they are believed less."""
    logit = np.log(share) - np.log1p(-share)
    return np.asarray(1 / (1 + np.exp(-logit / temperature)), np.float32)

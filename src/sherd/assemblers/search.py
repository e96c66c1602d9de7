"""Assembler `search`: replica exchange in rounds, with islands and agreement.

Boards at several temperatures are changed by swaps and by shifts of whole clusters of bonded
pieces; neighbours in temperature exchange boards (Swendsen & Wang 1986; Geyer 1991). Heat melts
what was joined wrongly, cold keeps what fits. After a while everything begins again from the best
boards and from islands of pieces that are merged anew, with a bonus for what the warm boards agree
on. The best board ever seen is the answer; how sure each of its seams is comes from a recording
that follows. See `docs/assemblers.md`.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sherd.assemblers.exact import better_board, can_be_proved
from sherd.assemblers.rounds import Rounds, Task
from sherd.assemblers.shapes import board_shapes
from sherd.assemblers.ties import Ties
from sherd.assemblers.visits import record, tempered, visit_shares
from sherd.errors import OptionError
from sherd.events import Listener, Note, Progress, ignore
from sherd.layout import BoardSpec, Layout
from sherd.scores import Scores
from sherd.stop import Stop

__all__ = ["LOGIT_TEMPERATURE", "Search"]

Ints = NDArray[np.int32]

_ROUNDS, _ROUNDS_IF_LARGE, _LARGE = 10, 15, 300  # above so many pieces a board is large
LOGIT_TEMPERATURE = 0.95  # of the recorded shares; see benchmarks/fit_confidence.py
_AGREED_ROUNDS = 2  # the coldest boards are equal and nothing got better for that long: done
_MEETS_NOTHING = -3.0  # score of a side that meets nothing, for tables that do not say


class Search:
    """Replica exchange in rounds, from a greedy layout and from islands."""

    heeds_hints = True

    def __init__(
        self,
        *,
        rounds: int | None = None,
        threads: int | None = None,
        logit_temperature: float = LOGIT_TEMPERATURE,
    ) -> None:
        if rounds is not None and rounds < 1:
            raise OptionError(f"{rounds} rounds are too few; give 1 or more.")
        self.rounds = rounds
        self.threads = threads or os.cpu_count() or 1
        self.logit_temperature = logit_temperature

    def assemble(
        self, scores: Scores, board: BoardSpec, stop: Stop, rng: np.random.Generator, on: Listener
    ) -> Layout:
        """Search for the layout of highest board energy; known boards may lack pieces.

        Where the size is not known, every rectangle that the pieces fill is searched for a round
        and the one with the highest energy, its frame counted, is searched to the end.
        """
        board.check(scores.pieces)
        seed = int(rng.integers(2**31))
        specs = [board] if board.known else list(board_shapes(scores.pieces))
        if scores.relations.turns and scores.relations.square and not board.known:
            # The whole picture's turn is decided elsewhere.
            specs = [spec for spec in specs if (spec.rows or 0) <= (spec.cols or 0)]
        tasks = [_task(scores, spec, framed=not board.known) for spec in specs]
        searches = [Rounds(task, seed, self.threads) for task in tasks]
        stopped = False
        if len(searches) > 1:
            for search in searches:
                stopped = stopped or search.round(stop, ignore)[1]
        best = int(np.argmax([search.energy for search in searches]))
        if not stopped:
            self._to_the_end(searches[best], scores.pieces, stop, on)
        searches[best].polish()
        cells = _proved(tasks[best], searches[best], on)
        layout = tasks[best].layout(cells)
        visited = record(tasks[best], cells, seed, self.threads)
        confidence = tempered(visit_shares(layout, visited), self.logit_temperature)
        return replace(layout, confidence=confidence)

    def _to_the_end(self, search: Rounds, pieces: int, stop: Stop, on: Listener) -> None:
        """Search until the rounds are done, the boards agree, or `stop` says so."""
        rounds = self.rounds or (_ROUNDS_IF_LARGE if pieces > _LARGE else _ROUNDS)
        calm = 0
        for done in range(rounds):
            before = search.energy
            agreed, stopped = search.round(stop, on)
            calm = calm + 1 if agreed and (calm == 0 or search.energy == before) else 0
            on(Progress("searching", done + 1, rounds))
            if stopped or calm >= _AGREED_ROUNDS:
                break


def _proved(task: Task, search: Rounds, on: Listener) -> Ints:
    """Give the best board found, on small boards the best there is."""
    if not can_be_proved(task):
        return search.cells
    better = better_board(task, search.energy)
    on(Note("the layout is optimal: no other has a higher energy under these scores"))
    return search.cells if better is None else better


def _task(scores: Scores, spec: BoardSpec, *, framed: bool) -> Task:
    """Say what is to be searched; holes and unknown sizes make meeting nothing count."""
    assert spec.rows is not None
    assert spec.cols is not None
    alone = None
    if framed or spec.missing:
        alone = scores.alone
        if alone is None:
            alone = np.full(4 * scores.pieces, _MEETS_NOTHING, np.float32)
    ties = Ties(spec.hints, scores.pieces, spec.rows, spec.cols)
    return Task(scores, spec.rows, spec.cols, alone, ties)

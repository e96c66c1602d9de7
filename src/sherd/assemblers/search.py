"""Assembler `search`: replica exchange between boards at different temperatures.

Boards at several temperatures are changed by swaps and by shifts of whole clusters of bonded
pieces; neighbours in temperature exchange boards (Swendsen & Wang 1986; Geyer 1991). Heat melts
what was joined wrongly, cold keeps what fits. The best board ever seen is the answer, and how often
the board at temperature 1 shows a seam is how sure that seam is. See `docs/assemblers.md`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sherd._core import ReplicaExchange
from sherd.assemblers.cells import cells_of, layout_of_cells
from sherd.assemblers.greedy import Greedy
from sherd.assemblers.ladder import even_ladder, geometric_ladder
from sherd.assemblers.shapes import board_shapes
from sherd.assemblers.tree import Tree
from sherd.assemblers.visits import visit_shares
from sherd.errors import OptionError
from sherd.events import Improved, Listener, Progress, ignore
from sherd.layout import BoardSpec, Layout
from sherd.scores import FLOOR, Scores
from sherd.stop import Never, Stop

__all__ = ["Search"]

Ints = NDArray[np.int32]

HOTTEST, COLDEST, BOARDS = 8.0, 0.3, 10
ROUNDS = 1000
_DEPTH = 8  # candidates of a side that are ever proposed
_CLUSTERS_IN_64 = 24  # moves that shift a cluster
_MOVES_A_ROUND = 500  # of each board; more on large boards, so that every piece gets its turn
_ROUNDS_A_CHUNK = 20  # between two looks at the stopping rule
_CHUNKS_TO_SET = (2, 5)  # after so many the ladder is set anew; then it stands
_AGREED_CHUNKS = 6  # the coldest boards are equal and nothing got better for that long: done
_MEETS_NOTHING = -3.0  # score of a side that meets nothing, for tables that do not say


@dataclass(frozen=True)
class _Found:
    """The best board of one search, and boards that were seen at temperature 1."""

    layout: Layout
    energy: float
    visited: Ints  # [S, cells]


class Search:
    """Replica exchange, from greedy and tree layouts."""

    def __init__(self, *, rounds: int = ROUNDS, threads: int | None = None) -> None:
        if rounds < 1:
            raise OptionError(f"{rounds} rounds are too few; give 1 or more.")
        self.rounds = rounds
        self.threads = threads or os.cpu_count() or 1

    def assemble(
        self, scores: Scores, board: BoardSpec, stop: Stop, rng: np.random.Generator, on: Listener
    ) -> Layout:
        """Search for the layout of highest board energy; known boards may lack pieces.

        Where the size is not known, every rectangle that the pieces fill is tried for a while and
        the one with the best energy, its frame counted, is searched to the end.
        """
        board.check(scores.pieces)
        seed = int(rng.integers(2**31))
        specs = [board] if board.known else list(board_shapes(scores.pieces))
        if len(specs) > 1:
            specs = [self._best_shape(scores, specs, stop, seed)]
        starts = _starts(scores, specs[0], rng)
        found = self._run(scores, specs[0], starts, self.rounds, stop, seed, on)
        return replace(found.layout, confidence=visit_shares(found.layout, found.visited))

    def _best_shape(
        self, scores: Scores, specs: list[BoardSpec], stop: Stop, seed: int
    ) -> BoardSpec:
        """Try every shape for a short while; the frame counts, since shapes differ in seams."""
        values = []
        for spec in specs:
            starts = _starts(scores, spec, np.random.default_rng(seed))
            found = self._run(scores, spec, starts, self.rounds // 4, stop, seed, ignore)
            assert spec.rows is not None
            assert spec.cols is not None
            values.append(found.energy + _MEETS_NOTHING * 2 * (spec.rows + spec.cols))
        return specs[int(np.argmax(values))]

    def _run(
        self,
        scores: Scores,
        spec: BoardSpec,
        starts: list[Layout],
        rounds: int,
        stop: Stop,
        seed: int,
        on: Listener,
    ) -> _Found:
        """Run one replica exchange and look at it every few rounds."""
        temperatures = geometric_ladder(HOTTEST, COLDEST, BOARDS)
        exchange = _exchange(scores, spec, starts, temperatures, seed)
        moves = max(_MOVES_A_ROUND, 2 * scores.pieces)
        best, stale, chunks = -np.inf, 0, -(-rounds // _ROUNDS_A_CHUNK)
        for chunk in range(chunks):
            if chunk in _CHUNKS_TO_SET:
                temperatures = even_ladder(temperatures, exchange.exchange_rates())
                exchange.set_temperatures(temperatures)
                exchange.take_kept()
            warm = int(np.argmin(np.abs(temperatures - 1024)))
            exchange.run(_ROUNDS_A_CHUNK, moves, _CLUSTERS_IN_64, self.threads, warm, 2)
            energy = exchange.best_energy()
            stale = 0 if energy > best else stale + 1
            if energy > best:
                on(Improved(_best(exchange, scores, spec), energy))
            best = energy
            on(Progress("searching", chunk + 1, chunks))
            if stop(best) or (stale >= _AGREED_CHUNKS and _cold_agree(exchange, temperatures)):
                break
        return _Found(_best(exchange, scores, spec), best, exchange.take_kept())


def _starts(scores: Scores, spec: BoardSpec, rng: np.random.Generator) -> list[Layout]:
    """Make cheap layouts to start from."""
    plain = replace(scores, cost=None)
    return [maker.assemble(plain, spec, Never(), rng, ignore) for maker in (Greedy(), Tree())]


def _exchange(
    scores: Scores, spec: BoardSpec, starts: list[Layout], temperatures: Ints, seed: int
) -> ReplicaExchange:
    assert spec.rows is not None
    assert spec.cols is not None
    alone = scores.alone
    if alone is None:
        alone = np.full(4 * scores.pieces, _MEETS_NOTHING, np.float32)
    return ReplicaExchange(
        np.ascontiguousarray(scores.candidates, np.int32),
        np.ascontiguousarray(scores.score, np.float32),
        alone if spec.missing else None,
        FLOOR,
        scores.relations.turns,
        spec.rows,
        spec.cols,
        np.stack([cells_of(layout, spec.rows, spec.cols) for layout in starts]),
        temperatures,
        np.zeros((3, scores.pieces), np.int32),
        _DEPTH,
        seed,
    )


def _best(exchange: ReplicaExchange, scores: Scores, spec: BoardSpec) -> Layout:
    assert spec.rows is not None
    assert spec.cols is not None
    cells = np.array(exchange.best(), np.int32)
    return layout_of_cells(cells, scores.pieces, spec.rows, spec.cols)


def _cold_agree(exchange: ReplicaExchange, temperatures: Ints) -> bool:
    """Whether every board well below temperature 1 has the best energy (or is a hair off)."""
    cold = np.flatnonzero(temperatures <= 700)
    return all(exchange.best_energy() - exchange.board_energy(int(slot)) < 1 for slot in cold)

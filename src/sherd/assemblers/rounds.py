"""Rounds of replica exchange on one board of known size, with islands and agreement in between."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sherd._core import ReplicaExchange
from sherd.assemblers.agreement import agreed_scores, island_boards, shares_of_candidates
from sherd.assemblers.cells import cells_of, layout_of_cells
from sherd.assemblers.greedy import Greedy
from sherd.assemblers.ladder import even_ladder, geometric_ladder
from sherd.assemblers.ties import Ties
from sherd.events import Improved, Listener, ignore
from sherd.layout import BoardSpec, Layout
from sherd.scores import FLOOR, Scores
from sherd.stop import Never, Stop

__all__ = ["Rounds", "Task"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

_HOTTEST, _COLDEST = 8.0, 0.3
_BOARDS, _BOARDS_IF_LARGE, _LARGE = 8, 12, 300  # above so many pieces a board is large
_CLUSTERS_IN_64 = 24  # moves that shift a cluster
_DEPTH = 8  # candidates of a side that are ever proposed
_MOVES = 500  # of each board between exchanges, or two for each piece
_CHUNK, _CHUNKS = 20, 5  # exchanges between two looks at the boards, looks in a round
_MOVES_A_LOOK = 500_000  # of all boards together between two looks at the stopping rule
_CHUNKS_TO_SET = (1, 3)  # after so many of a round the ladder is set anew
_AGREED_CHUNKS = 3  # the coldest boards are equal and nothing got better for that long
_COLD = 0.7  # temperature up to which boards are to agree
_HAIR = 1.0  # nats by which they may still differ
_FREEZING, _POLISH = 8, 10  # a temperature of next to nothing (in 1/1024 nat), exchanges at it
_BONUS = 4.0  # on scores of seams that the warm boards agree on


@dataclass(frozen=True)
class Task:
    """One board of known size to be filled.

    alone: [4N] score of sides that meet nothing, or None where that does not count.
    ties: what is fixed.
    """

    scores: Scores
    rows: int
    cols: int
    alone: Floats | None
    ties: Ties

    def layout(self, cells: Ints) -> Layout:
        """Read cells [rows * cols] as a layout."""
        return layout_of_cells(cells, self.scores.pieces, self.rows, self.cols)

    def exchange(self, starts: Ints, temperatures: Ints, seed: int) -> ReplicaExchange:
        """Set up boards [S, cells] at the temperatures [M], hottest first."""
        return ReplicaExchange(
            np.ascontiguousarray(self.scores.candidates, np.int32),
            np.ascontiguousarray(self.scores.score, np.float32),
            self.alone,
            FLOOR,
            self.scores.relations.turns,
            self.rows,
            self.cols,
            starts,
            temperatures,
            self.ties.table,
            _DEPTH,
            seed,
        )


class Rounds:
    """The search on one task. `round` may be called as often as one likes."""

    def __init__(self, task: Task, seed: int, threads: int) -> None:
        large = task.scores.pieces > _LARGE
        self._task = task
        self._threads = threads
        self._temperatures = geometric_ladder(
            _HOTTEST, _COLDEST, _BOARDS_IF_LARGE if large else _BOARDS
        )
        self._pool = self._starts()
        self._exchange = task.exchange(self._pool, self._temperatures, seed)
        self._share: Floats | None = None  # [4N, K] of visits in which each candidate is met
        self._told = -np.inf
        self._rounds = 0

    @property
    def energy(self) -> float:
        """The energy of the best board so far."""
        return self._exchange.best_energy()

    @property
    def cells(self) -> Ints:
        """The best board so far [cells]."""
        return np.array(self._exchange.best(), np.int32)

    @property
    def layout(self) -> Layout:
        """The best board so far as a layout."""
        return self._task.layout(self.cells)

    def round(self, stop: Stop, on: Listener) -> tuple[bool, bool]:
        """Search for a round; say whether the coldest boards agreed, and whether to stop."""
        if self._rounds:
            self._begin_again()
        self._rounds += 1
        moves = max(_MOVES, 2 * self._task.scores.pieces)
        best, stale, agreed = self.energy, 0, False
        for chunk in range(_CHUNKS):
            if chunk in _CHUNKS_TO_SET:
                rates = self._exchange.exchange_rates()
                self._temperatures = even_ladder(self._temperatures, rates)
                self._exchange.set_temperatures(self._temperatures)
                self._exchange.take_kept()
            warm = int(np.argmin(np.abs(self._temperatures - 1024)))
            for exchanges in self._slices(moves):
                self._exchange.run(
                    exchanges, moves, _CLUSTERS_IN_64, self._threads, warm, min(exchanges, 2)
                )
                if stop(self.energy):
                    self._tell(on)
                    return False, True
            stale = 0 if self.energy > best else stale + 1
            best = self.energy
            self._tell(on)
            agreed = stale >= _AGREED_CHUNKS and self._cold_agree()
            if agreed:
                return True, False
        return self._cold_agree() and stale > 0, False

    def _slices(self, moves: int) -> list[int]:
        """Cut a chunk of exchanges into parts of a second or so, to look at the stopping rule."""
        part = max(1, min(_CHUNK, _MOVES_A_LOOK // (moves * len(self._temperatures))))
        return [part] * (_CHUNK // part) + [_CHUNK % part] * (_CHUNK % part > 0)

    def polish(self) -> None:
        """Take every step from the best board that raises the energy, however little."""
        exchange, moves = self._exchange, max(_MOVES, 2 * self._task.scores.pieces)
        temperatures = np.full(len(self._temperatures), _FREEZING, np.int32)
        exchange.set_temperatures(temperatures)
        exchange.restart(self.cells[None])
        exchange.run(_POLISH, moves, _CLUSTERS_IN_64, self._threads)
        exchange.set_temperatures(self._temperatures)

    def _tell(self, on: Listener) -> None:
        if self.energy > self._told:
            self._told = self.energy
            on(Improved(self.layout, self.energy))

    def _starts(self) -> Ints:
        """Make cheap boards to start from: greedy, and islands under several settings."""
        task = self._task
        spec = BoardSpec(task.rows, task.cols, task.rows * task.cols - task.scores.pieces)
        plain = replace(task.scores, cost=None)
        greedy = Greedy().assemble(plain, spec, Never(), np.random.default_rng(0), ignore)
        islands = island_boards(task.scores, task.rows, task.cols)
        starts = [cells_of(greedy, task.rows, task.cols), *islands]
        return np.stack([task.ties.respect(cells) for cells in starts])

    def _begin_again(self) -> None:
        """Start from the best boards so far and from islands of what the warm board showed."""
        task, visited = self._task, self._exchange.take_kept()
        share = shares_of_candidates(task.scores, visited, task.rows, task.cols)
        if self._share is not None:
            share = np.asarray((self._share + share) / 2, np.float32)
        self._share = share
        agreed = agreed_scores(task.scores, share, _BONUS)
        islands = island_boards(agreed, task.rows, task.cols, _BONUS)
        respected = [task.ties.respect(cells) for cells in islands]
        pool = np.stack([*self._pool, self.cells, *respected])
        energies = [self._exchange.energy_of(cells) for cells in pool]
        order = np.argsort(-np.array(energies), kind="stable")[: len(self._temperatures)]
        self._pool = pool[order]
        self._exchange.restart(self._pool)

    def _cold_agree(self) -> bool:
        """Whether every board well below temperature 1 has the best energy, or nearly."""
        cold = np.flatnonzero(self._temperatures <= _COLD * 1024)
        energies = [self._exchange.board_energy(int(slot)) for slot in cold]
        return all(self.energy - energy < _HAIR for energy in energies)

"""Judge saved predictions, and nothing else: no picture is read and nothing is solved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sherd.bench.records import Record
from sherd.metrics import Measures, measure

__all__ = ["Cell", "Judged", "Summary", "judge", "percent_lost", "summarise"]


@dataclass(frozen=True)
class Cell:
    """What the puzzles of one table row have in common."""

    protocol: str
    set: str
    title: str
    pieces: int
    piece: int
    erosion: int
    turns: bool
    board: bool
    published: tuple[str, ...]


@dataclass(frozen=True)
class Judged:
    """A prediction and its measures.

    below_truth: whether the truth has a higher energy than the layout, so that a better search
        with the same scores would have found a better layout.
    """

    record: Record
    measures: Measures
    below_truth: bool


@dataclass(frozen=True)
class Summary:
    """The means over all predictions of a cell, in 0..1.

    spread: standard deviation of the neighbour measure's mean between seeds.
    puzzles: pictures; each counts once for every seed.
    perfect, below_truth: how many of `puzzles`, averaged over seeds.
    scoring_seconds, placing_seconds: per puzzle.
    """

    cell: Cell
    scorer: str
    assembler: str
    puzzles: int
    seeds: int
    neighbour: float
    spread: float
    direct_frame: float
    direct_start: float
    perfect: float
    largest_island: float
    below_truth: float
    scoring_seconds: float
    placing_seconds: float


def percent_lost(piece: int, erosion: int) -> float:
    """Say an erosion as the paper does: the gap between two pieces over what is left of one."""
    return 100 * 2 * erosion / (piece - 2 * erosion)


def judge(record: Record) -> Judged:
    """Measure one prediction against its truth."""
    slack = 1e-6 * max(abs(record.energy_truth), 1.0)  # sums in another order are no gap
    gap = record.energy_truth - record.energy > slack
    return Judged(record, measure(record.predicted(), record.truth()), gap)


def summarise(records: Iterable[Record]) -> list[Summary]:
    """Judge all predictions and sum them up by cell, scorer and assembler.

    Cells come in the order of their first prediction, scorers and assemblers within them too.
    """
    cells: dict[Cell, dict[tuple[str, str], list[Judged]]] = {}
    for record in records:
        ways = cells.setdefault(_cell_of(record), {})
        ways.setdefault((record.scorer, record.assembler), []).append(judge(record))
    ordered = sorted(cells, key=lambda cell: _first_of_erosion(cell, list(cells)))
    return [_summary(cell, way, judged) for cell in ordered for way, judged in cells[cell].items()]


def _cell_of(record: Record) -> Cell:
    rows, cols = record.shape
    return Cell(
        record.protocol,
        record.set,
        record.title,
        rows * cols,
        record.piece,
        record.erosion,
        record.turns,
        record.board,
        record.published,
    )


def _first_of_erosion(cell: Cell, cells: Sequence[Cell]) -> tuple[int, int, int]:
    """Order cells by protocol, then erosion, then set, as the paper's two tables are."""
    protocols = list(dict.fromkeys(other.protocol for other in cells))
    return protocols.index(cell.protocol), cell.erosion, cells.index(cell)


def _summary(cell: Cell, way: tuple[str, str], judged: Sequence[Judged]) -> Summary:
    seeds = sorted({one.record.seed for one in judged})
    puzzles = len({one.record.picture for one in judged})

    def mean(values: Iterable[float]) -> float:
        return float(np.mean(list(values)))

    by_seed = [
        mean(one.measures.neighbour for one in judged if one.record.seed == seed) for seed in seeds
    ]
    return Summary(
        cell=cell,
        scorer=way[0],
        assembler=way[1],
        puzzles=puzzles,
        seeds=len(seeds),
        neighbour=mean(one.measures.neighbour for one in judged),
        spread=float(np.std(by_seed)),
        direct_frame=mean(one.measures.direct_frame for one in judged),
        direct_start=mean(one.measures.direct_start for one in judged),
        perfect=puzzles * mean(one.measures.perfect for one in judged),
        largest_island=mean(one.measures.largest_island for one in judged),
        below_truth=puzzles * mean(one.below_truth for one in judged),
        scoring_seconds=mean(one.record.scoring_seconds for one in judged),
        placing_seconds=mean(one.record.placing_seconds for one in judged),
    )

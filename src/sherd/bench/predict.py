"""Run a protocol: cut, score, place, save. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from sherd.bench.datasets import pictures_of
from sherd.bench.protocol import PictureSet, Protocol
from sherd.bench.provenance import commit, machine
from sherd.bench.puzzles import board_told, cut_puzzle, in_true_order
from sherd.bench.records import Key, Record, Store
from sherd.layout import Layout
from sherd.metrics import board_energy
from sherd.pieces import Pieces
from sherd.result import Result
from sherd.solve import solve
from sherd.stop import MaxTime, Never

__all__ = ["Run", "Task", "puzzle_of", "run_protocol", "tasks_of"]


@dataclass(frozen=True)
class Task:
    """One puzzle of a protocol that is still to be cut."""

    part: PictureSet
    picture: Path
    erosion: int


@dataclass(frozen=True)
class Run:
    """A protocol and what is to solve it.

    scorers, assemblers: names (built in, or `module:Class`); every pair of them is run.
    limit: pictures of each set, or None for all.
    seconds: time for placing one puzzle, or None for as long as the assembler takes.
    """

    protocol: Protocol
    root: Path
    scorers: tuple[str, ...]
    assemblers: tuple[str, ...]
    limit: int | None = None
    seconds: float | None = None

    def key(self, task: Task, scorer: str, assembler: str, seed: int) -> Key:
        """Give the key that the record of this prediction will have."""
        cut = self.protocol
        puzzle = (cut.name, task.part.name, task.picture.name, cut.piece, task.erosion)
        return (*puzzle, cut.turns, cut.board, seed, scorer, assembler)


def tasks_of(protocol: Protocol, root: Path, limit: int | None = None) -> list[Task]:
    """List the puzzles of a protocol; raise InputError if pictures are missing."""
    return [
        Task(part, picture, erosion)
        for part in protocol.sets
        for picture in pictures_of(part, root)[:limit]
        for erosion in protocol.erosion
    ]


def puzzle_of(task: Task, protocol: Protocol) -> tuple[Pieces, Layout]:
    """Cut the puzzle of a task: its pieces and their true layout."""
    name = f"{task.part.folder}/{task.picture.name}"
    return cut_puzzle(task.picture, protocol, task.part, task.erosion, name)


def run_protocol(
    run: Run, store: Store, *, overwrite: bool = False, on: Callable[[Record], None]
) -> int:
    """Make every prediction that the store does not have yet, and save each at once.

    Args:
        run: what to do.
        store: where predictions are kept.
        overwrite: make the predictions of this run anew even if the store has them.
        on: called with each new record after it is saved.

    Returns:
        How many predictions were there already.
    """
    tasks = tasks_of(run.protocol, run.root, run.limit)
    ways = list(product(run.scorers, run.assemblers, run.protocol.seeds))
    keys = {run.key(task, *way) for task in tasks for way in ways}
    if overwrite:
        store.forget(keys)
    there = sum(key in store for key in keys)
    for task in tasks:
        wanted = [way for way in ways if run.key(task, *way) not in store]
        for record in _predictions(run, task, wanted):
            store.add(record)
            on(record)
    return there


def _predictions(run: Run, task: Task, ways: Sequence[tuple[str, str, int]]) -> Iterator[Record]:
    """Solve one puzzle in several ways; each scorer scores it once."""
    if not ways:
        return
    pieces, truth = puzzle_of(task, run.protocol)
    for scorer in dict.fromkeys(way[0] for way in ways):
        first: Result | None = None
        for _, assembler, seed in (way for way in ways if way[0] == scorer):
            result = solve(
                pieces,
                scorer=scorer,
                assembler=assembler,
                board=board_told(run.protocol, truth),
                turns=run.protocol.turns,
                scores=first.scores if first else None,
                stop=Never() if run.seconds is None else MaxTime(run.seconds),
                seed=seed,
            )
            first = first or result
            scoring = first.seconds["scoring"]
            yield _record(run, task, truth, replace(result, scorer=scorer), scoring)


def _record(run: Run, task: Task, truth: Layout, result: Result, scoring: float) -> Record:
    """Write down one prediction; `scoring` is the time that its scores took."""
    told = run.protocol.board
    return Record(
        protocol=run.protocol.name,
        set=task.part.name,
        title=task.part.title,
        picture=task.picture.name,
        piece=run.protocol.piece,
        erosion=task.erosion,
        turns=run.protocol.turns,
        board=told,
        shape=truth.shapes[0],
        scorer=result.scorer,
        assembler=result.assembler,
        seed=result.seed,
        layout=Record.pack(in_true_order(result.layout, truth)),
        energy=result.energy,
        energy_truth=board_energy(result.scores, truth, with_frame=not told),
        scoring_seconds=round(scoring, 4),
        placing_seconds=round(result.seconds["placing"], 4),
        published=run.protocol.published,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=commit(),
        machine=machine(),
        versions=dict(result.versions),
    )

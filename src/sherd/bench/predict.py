"""Run a protocol: cut, score, place, save. Nothing is judged here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import numpy as np

from sherd.assemblers import find_assembler
from sherd.bench.datasets import load_picture, pictures_of
from sherd.bench.protocol import PictureSet, Protocol
from sherd.bench.provenance import commit, machine, versions
from sherd.bench.puzzles import Puzzle, cut_puzzle, in_true_order
from sherd.bench.records import Key, Record, Store
from sherd.errors import InputError
from sherd.events import ignore
from sherd.layout import Layout
from sherd.metrics import board_energy
from sherd.scorers import find_scorer
from sherd.scores import Scores
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


def puzzle_of(task: Task, protocol: Protocol) -> Puzzle:
    """Cut the puzzle of a task; raise InputError if it has another number of pieces."""
    name = f"{task.part.folder}/{task.picture.name}"
    puzzle = cut_puzzle(
        load_picture(task.picture),
        protocol.piece,
        task.erosion,
        turns=protocol.turns,
        board=protocol.board,
        name=name,
    )
    if len(puzzle.pieces) != task.part.pieces:
        raise InputError(
            f"{task.picture}: gives {len(puzzle.pieces)} pieces of {protocol.piece} px, and the "
            f"set {task.part.name} has puzzles of {task.part.pieces}; is it the original picture?"
        )
    return puzzle


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
    puzzle = puzzle_of(task, run.protocol)
    for scorer in dict.fromkeys(way[0] for way in ways):
        started = time.perf_counter()
        scores = find_scorer(scorer).score(puzzle.pieces, puzzle.relations, ignore)
        scoring = time.perf_counter() - started
        for _, assembler, seed in (way for way in ways if way[0] == scorer):
            started = time.perf_counter()
            layout = _place(puzzle, scores, assembler, seed, run.seconds)
            placing = time.perf_counter() - started
            yield _record(
                run, task, puzzle, scores, layout, (scorer, assembler, seed), (scoring, placing)
            )


def _place(
    puzzle: Puzzle, scores: Scores, assembler: str, seed: int, seconds: float | None
) -> Layout:
    """Place the pieces by scores that are there already."""
    stop = Never() if seconds is None else MaxTime(seconds)
    rng = np.random.default_rng(seed)
    return find_assembler(assembler).assemble(scores, puzzle.board, stop, rng, ignore)


def _record(
    run: Run,
    task: Task,
    puzzle: Puzzle,
    scores: Scores,
    layout: Layout,
    way: tuple[str, str, int],
    seconds: tuple[float, float],
) -> Record:
    """Write down one prediction."""
    with_frame = not puzzle.board.known
    return Record(
        protocol=run.protocol.name,
        set=task.part.name,
        title=task.part.title,
        picture=task.picture.name,
        piece=run.protocol.piece,
        erosion=task.erosion,
        turns=run.protocol.turns,
        board=run.protocol.board,
        shape=puzzle.truth.shapes[0],
        scorer=way[0],
        assembler=way[1],
        seed=way[2],
        layout=Record.pack(in_true_order(layout, puzzle.truth)),
        energy=board_energy(scores, layout, with_frame=with_frame),
        energy_truth=board_energy(scores, puzzle.truth, with_frame=with_frame),
        scoring_seconds=round(seconds[0], 4),
        placing_seconds=round(seconds[1], 4),
        published=run.protocol.published,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=commit(),
        machine=machine(),
        versions=versions(),
    )

"""Slow twins of the search: every full board of a small table, energies from first principles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from sherd.assemblers.search import Search
from sherd.events import ignore
from sherd.layout import BoardSpec, Layout
from sherd.scores import FLOOR, Scores, top_candidates
from sherd.sides import Relations
from sherd.stop import Never, Stop

Ints = NDArray[np.int32]


def random_table(
    pieces: int,
    seed: int,
    *,
    relations: Relations | None = None,
    width: int | None = None,
    sharpness: float = 3.0,
    alone: bool = False,
    levels: int | None = None,
) -> Scores:
    """Make a table of random costs; whole numbers of few `levels` tie."""
    rng = np.random.default_rng(seed)
    relations = relations or Relations()
    sides = np.arange(4 * pieces, dtype=np.int32)
    cost = rng.random((len(sides),) * 2)
    if levels is not None:
        cost = np.ceil(cost * levels)
    meets = np.zeros_like(cost, np.bool_)
    for side in range(4):
        meets[np.ix_(sides % 4 == side, np.isin(sides % 4, relations.partners(side)))] = True
    every = max(relations.candidates_per_side(pieces), 1)
    table = np.where(meets, cost, np.inf).astype(np.float32)
    candidates, kept = top_candidates(table, sides, sides, min(width or every, every))
    scores = Scores.from_costs(relations, candidates, kept, sharpness=sharpness)
    lonely = -rng.random(len(sides)).astype(np.float32) * 4 if alone else None
    return Scores(relations, scores.candidates, scores.score, None, lonely)


def slow_energy(scores: Scores, cells: Ints, rows: int, cols: int, alone: bool) -> float:
    """Add up the seams of a board [rows * cols] (4 * piece + turn, 4N for nothing) one by one."""
    grid, nothing = cells.reshape(rows, cols), 4 * scores.pieces

    def shown(row: int, col: int, direction: int) -> int | None:
        inside = 0 <= row < rows and 0 <= col < cols
        if not inside or grid[row, col] == nothing:
            return None
        piece, turn = divmod(int(grid[row, col]), 4)
        return 4 * piece + (direction - turn) % 4

    def score(a: int | None, b: int | None) -> float:
        if a is not None and b is not None:
            entries = [
                float(scores.score[x][place])
                for x, y in ((a, b), (b, a))
                for place in np.flatnonzero(scores.candidates[x] == y)
            ]
            return max(entries, default=FLOOR)
        side = b if a is None else a
        return 0.0 if side is None or not alone else float(scores.alone[side])

    right = [
        score(shown(row, col, 0), shown(row, col + 1, 2))
        for row in range(rows)
        for col in range(-1, cols)
    ]
    down = [
        score(shown(row, col, 1), shown(row + 1, col, 3))
        for row in range(-1, rows)
        for col in range(cols)
    ]
    return sum(right) + sum(down)


def every_board(pieces: int, cells: int, turns: bool) -> Iterator[Ints]:
    """Yield every way to lay all pieces into the cells."""
    holes = [4 * pieces] * (cells - pieces)
    spins = list(product(range(4), repeat=pieces)) if turns else [(0,) * pieces]
    seen = set()
    for order in permutations([4 * piece for piece in range(pieces)] + holes):
        if order in seen:
            continue
        seen.add(order)
        for spin in spins:
            turn = dict(zip(range(pieces), spin, strict=True))
            yield np.array([what + turn.get(what // 4, 0) for what in order], np.int32)


def run(
    scores: Scores, board: BoardSpec, seed: int = 0, stop: Stop | None = None, **options: int
) -> Layout:
    """Search with few rounds."""
    options = {"rounds": 3, "threads": 1} | options
    search = Search(**options)
    return search.assemble(scores, board, stop or Never(), np.random.default_rng(seed), ignore)

"""Gallagher's tree assembly in slow, plain Python: the oracle of the compiled one."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sherd.layout import BoardSpec
from sherd.scores import Scores
from sherd.sides import STEP

STEPS = [tuple(step) for step in STEP.tolist()]

Cell = tuple[int, int]
Link = tuple[float, float, int, int]  # ratio, cost, and the two sides


class Spot(NamedTuple):
    """Where a piece lies and how it is turned."""

    row: int
    col: int
    turn: int

    @property
    def cell(self) -> Cell:
        """Row and column."""
        return (self.row, self.col)


Spots = dict[int, Spot]  # piece -> spot


class Costs:
    """Sums of both directed costs, row by row."""

    def __init__(self, scores: Scores) -> None:
        directed = -scores.score if scores.cost is None else scores.cost
        listed = [
            {b: c for b, c in zip(sides, costs, strict=True) if b >= 0 and c < np.inf}
            for sides, costs in zip(scores.candidates.tolist(), directed, strict=True)
        ]
        dearest = [max(row.values(), default=np.float32(0)) for row in listed]
        self.rows = [
            {b: float(cost + listed[b].get(a, dearest[b])) for b, cost in row.items()}
            for a, row in enumerate(listed)
        ]

    def view(self, side: int, other: int) -> float:
        """Give the cost in a side's row; the dearest one if the other is not listed."""
        return self.rows[side].get(other, max(self.rows[side].values(), default=0.0))

    def ratio(self, side: int, cost: float) -> float:
        """Compare a cost with the smallest other one of the row."""
        smallest = sorted(self.rows[side].values())[:2] or [math.inf]
        other = smallest[0] if cost > smallest[0] else smallest[-1]
        if other > 0:
            return cost / other
        return math.inf if cost > 0 else 1.0

    def links(self, per_side: int) -> list[Link]:
        """List (ratio, cost, side, side) of the best links of each row, clearest first."""
        found = [
            (self.ratio(a, cost), cost, min(a, b), max(a, b))
            for a, row in enumerate(self.rows)
            for cost, b in sorted((cost, b) for b, cost in row.items())[:per_side]
        ]
        return sorted(found)


def beside(cell: Cell, way: int) -> Cell:
    """Give the neighbour of a cell on one side."""
    return (cell[0] + STEPS[way % 4][0], cell[1] + STEPS[way % 4][1])


def largest_tree(pieces: int, links: list[Link]) -> Spots:
    """Join trees, clearest link first, and give the largest."""
    trees: dict[int, Spots] = {piece: {piece: Spot(0, 0, 0)} for piece in range(pieces)}
    first = dict.fromkeys(range(pieces), math.inf)
    for rank, (_, _, a, b) in enumerate(links):
        keep = next(name for name, tree in trees.items() if a // 4 in tree)
        move = next(name for name, tree in trees.items() if b // 4 in tree)
        if keep == move:
            continue
        if len(trees[move]) > len(trees[keep]):
            a, b, keep, move = b, a, move, keep
        moved = _moved(trees[move], trees[keep][a // 4], a, b)
        if {spot.cell for spot in moved.values()} & {s.cell for s in trees[keep].values()}:
            continue
        trees[keep] |= moved
        first[keep] = min(first[keep], first[move], rank)
        del trees[move]
    return trees[min(trees, key=lambda name: (-len(trees[name]), first[name], name))]


def _moved(tree: Spots, anchor: Spot, a: int, b: int) -> Spots:
    """Turn and shift a tree so that its side b meets side a of the anchor."""
    way = (a + anchor.turn) % 4
    turns = (way + 2 - b - tree[b // 4].turn) % 4
    turned = dict(tree)
    for _ in range(turns):
        turned = {p: Spot(s.col, -s.row, (s.turn + 1) % 4) for p, s in turned.items()}
    goal, now = beside(anchor.cell, way), turned[b // 4].cell
    down, right = goal[0] - now[0], goal[1] - now[1]
    return {p: Spot(s.row + down, s.col + right, s.turn) for p, s in turned.items()}


def seams(spots: Spots) -> list[tuple[int, int]]:
    """List the sides that meet, piece by piece, to the right and below."""
    at = {spot.cell: piece for piece, spot in spots.items()}
    return [
        (4 * p + (way - spots[p].turn) % 4, 4 * q + (way + 2 - spots[q].turn) % 4)
        for p in sorted(spots)
        for way in (0, 1)
        if (q := at.get(beside(spots[p].cell, way))) is not None
    ]


def box_of(cells: list[Cell]) -> tuple[int, int, int, int]:
    """Give (top, left, bottom, right) of some cells, the last two exclusive."""
    rows, cols = [row for row, _ in cells], [col for _, col in cells]
    return (min(rows), min(cols), max(rows) + 1, max(cols) + 1)


def trim(spots: Spots, costs: Costs, shapes: list[tuple[int, int]]) -> Spots:
    """Keep the window with most pieces, then most seams, then cheapest seams."""
    top, left, bottom, right = box_of([spot.cell for spot in spots.values()])
    kept = [
        {p: s for p, s in spots.items() if r <= s.row < r + rows and c <= s.col < c + cols}
        for rows, cols in shapes
        for r in range(top, max(bottom - rows, top) + 1)
        for c in range(left, max(right - cols, left) + 1)
    ]

    def worth(window: Spots) -> tuple[int, int, float]:
        pairs = seams(window)
        total = sum(costs.view(a, b) + costs.view(b, a) for a, b in pairs)
        return (-len(window), -len(pairs), total)

    return min(kept, key=worth)


class Choice(NamedTuple):
    """The best piece for an open cell, and how well it fits there."""

    hole: bool
    neighbours: int
    cost: float
    cell: Cell
    fit: float
    piece: int
    turn: int


def fill(
    spots: Spots,
    costs: Costs,
    pieces: int,
    turns: list[int],
    shapes: list[tuple[int, int]],
    wait: int,
) -> Spots:
    """Lay the pieces that are left, one after another."""
    spots = dict(spots)
    while left := [piece for piece in range(pieces) if piece not in spots]:
        choices = [
            best_piece(spots, cell, costs, left, turns) for cell in open_cells(spots, shapes)
        ]
        choices.sort(key=lambda choice: (choice.fit, choice.cell))
        choices = choices[: max(len(choices) - wait, 1)]
        best = min(choices, key=lambda c: (not c.hole, -c.neighbours, c.cost, c.cell))
        spots[best.piece] = Spot(*best.cell, best.turn)
    return spots


def open_cells(spots: Spots, shapes: list[tuple[int, int]]) -> list[Cell]:
    """List the free cells beside a piece that do not make the layout too large."""
    taken = [spot.cell for spot in spots.values()]
    free = {beside(cell, way) for cell in taken for way in range(4)} - set(taken)
    fitting = []
    for cell in free:
        top, left, bottom, right = box_of([*taken, cell])
        if not shapes or any(bottom - top <= r and right - left <= c for r, c in shapes):
            fitting.append(cell)
    return fitting


def best_piece(spots: Spots, cell: Cell, costs: Costs, left: list[int], turns: list[int]) -> Choice:
    """Find the piece and turn with the lowest total cost in a cell."""
    at = {spot.cell: piece for piece, spot in spots.items()}
    facing = {
        way: 4 * q + (way + 2 - spots[q].turn) % 4
        for way in range(4)
        if (q := at.get(beside(cell, way))) is not None
    }

    def views(piece: int, turn: int) -> list[float]:
        return [costs.view(side, 4 * piece + (way - turn) % 4) for way, side in facing.items()]

    cost, piece, turn = min((sum(views(p, t)), p, t) for p in left for t in turns)
    seen = zip(facing.values(), views(piece, turn), strict=True)
    fit = sum(costs.ratio(side, value) for side, value in seen) / len(facing)
    top, low, bottom, high = box_of(list(at))
    hole = top <= cell[0] < bottom and low <= cell[1] < high
    return Choice(hole, len(facing) if hole else 0, cost, cell, fit, piece, turn)


def assemble(scores: Scores, board: BoardSpec, links_per_side: int) -> Spots:
    """Place all pieces; the cells are free, the corner of the board is anywhere."""
    costs, shapes, wait = Costs(scores), [], 0
    spots = largest_tree(scores.pieces, costs.links(links_per_side))
    if board.rows is not None and board.cols is not None:
        shapes, wait = [(board.rows, board.cols)], board.missing
        if scores.relations.turns:
            shapes.append((board.cols, board.rows))
        spots = trim(spots, costs, shapes)
    turns = [0, 1, 2, 3] if scores.relations.square else [0, 2]
    return fill(spots, costs, scores.pieces, turns if scores.relations.turns else [0], shapes, wait)

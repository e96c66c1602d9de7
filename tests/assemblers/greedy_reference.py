"""The rules of `greedy` written down slowly: nothing is kept, everything is looked up again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from sherd.scores import Scores
from sherd.sides import STEP

Cell = tuple[int, int]
Proposal = tuple[float, int, int]  # (-key, open side, side): the smallest is the best


def beside(cell: Cell, way: int) -> Cell:
    """Step to the neighbour cell."""
    row, col = STEP[way % 4].tolist()
    return cell[0] + row, cell[1] + col


def plain_sum(values: Iterable[float]) -> float:
    """Add in order; newer Pythons' `sum` compensates the rounding, the kernel does not."""
    total = 0.0
    for value in values:
        total += value
    return total


def further(side: int, steps: int) -> int:
    """Go round a piece clockwise."""
    return side - side % 4 + (side + steps) % 4


@dataclass
class Reference:
    """One run; `lie` holds (cell, turn) of each placed piece."""

    scores: Scores
    rows: int = 0
    cols: int = 0
    missing: bool = False
    lie: dict[int, tuple[Cell, int]] = field(default_factory=dict)
    pool: list[Proposal] = field(default_factory=list)
    strict: bool = True

    def __post_init__(self) -> None:
        assert self.scores.cost is not None
        self.costs = [
            {int(b): float(c) for b, c in zip(*row, strict=True) if b >= 0}
            for row in zip(self.scores.candidates, self.scores.cost, strict=True)
        ]
        relations = self.scores.relations
        self.either_way = relations.turns

    def run(self) -> int:
        """Lay every piece and give the first one."""
        start = self.first_piece()
        self.place(start, (0, 0), 0)
        while len(self.lie) < self.scores.pieces:
            if not self.pool:
                self.refill()
            self.place_next()
        return start

    # The plane

    def at(self, cell: Cell) -> int | None:
        """Find the piece in a cell."""
        return next((piece for piece, (own, _) in self.lie.items() if own == cell), None)

    def way(self, side: int) -> int:
        """Give the direction in which a side of a placed piece points."""
        return (side + self.lie[side // 4][1]) % 4

    def slot(self, side: int) -> Cell:
        """Give the cell that a side of a placed piece faces."""
        return beside(self.lie[side // 4][0], self.way(side))

    def towards(self, piece: int, way: int) -> int:
        """Give the side of a placed piece that points that way."""
        return next(s for s in range(4 * piece, 4 * piece + 4) if self.way(s) == way % 4)

    def allowed(self, cell: Cell) -> bool:
        """Say whether the bounding box with this cell fits the board."""
        if self.rows == 0:
            return True
        cells = np.array([own for own, _ in self.lie.values()] + [cell])
        height, width = (cells.max(0) - cells.min(0) + 1).tolist()
        lying = self.either_way and height <= self.cols and width <= self.rows
        return (height <= self.rows and width <= self.cols) or lying

    def open(self, side: int) -> bool:
        """Say whether a side may still meet another."""
        if side // 4 not in self.lie:
            return True
        return self.at(self.slot(side)) is None and self.allowed(self.slot(side))

    # Compatibility

    def possible(self, side: int) -> list[int]:
        """List the sides that `side` can still meet, cheapest first."""
        if not self.open(side):
            return []
        return sorted(
            (
                b
                for b in self.costs[side]
                if self.open(b) and not (side // 4 in self.lie and b // 4 in self.lie)
            ),
            key=lambda b: (self.costs[side][b], b),
        )

    def best(self, side: int | None) -> int | None:
        """Give the best side that `side` can still meet."""
        return None if side is None else next(iter(self.possible(side)), None)

    def directed(self, side: int, other: int) -> float:
        """Compare a cost with the second best of what the side can still meet."""
        if not self.costs[side]:
            return -1.0
        worst = max(self.costs[side].values())
        left = self.possible(side)
        yardstick = self.costs[side][left[1]] if len(left) > 1 else worst
        cost = self.costs[side].get(other, worst)
        if yardstick <= 0:
            return -1.0 if cost > yardstick else 0.001
        return 1 - cost / yardstick if cost <= yardstick else yardstick / cost - 1

    def mutual(self, side: int, other: int) -> float:
        """Take the mean of both views."""
        return (self.directed(side, other) + self.directed(other, side)) / 2

    # The first piece

    def first_piece(self) -> int:
        """Choose the most distinctive piece in a distinctive region."""
        merits = []
        for piece in range(self.scores.pieces):
            met = [(s, self.best(s)) for s in range(4 * piece, 4 * piece + 4)]
            pairs = [(side, other) for side, other in met if other is not None]
            points = sum(self.points(side, other) for side, other in pairs)
            fit = plain_sum(self.mutual(side, other) for side, other in pairs)
            merits.append((-points, -fit, piece))
        return min(merits)[2]

    def points(self, side: int, other: int) -> int:
        """Count what speaks for one side of a piece: 25, 5 and 1 for buddies, 45 for a loop."""
        points = 25 * (self.best(other) == side)
        second = further(other, 2)
        beyond = self.best(second)
        if beyond is not None:
            points += 5 * (self.best(beyond) == second)
            third = further(beyond, 2)
            farthest = self.best(third)
            points += farthest is not None and self.best(farthest) == third
        walked: int | None = other
        for _ in range(3):
            walked = None if walked is None else self.best(further(walked, 3))
        return points + 45 * (walked == further(side, 1))

    # The pool

    def place(self, piece: int, cell: Cell, turn: int) -> None:
        """Lay a piece and key anew whatever the neighbours of the slots around it propose."""
        self.lie[piece] = (cell, turn)
        for slot in (beside(cell, way) for way in range(4)):
            if self.at(slot) is not None:
                continue
            for way in range(4):
                owner = self.at(beside(slot, way))
                if owner is not None:
                    self.propose(self.towards(owner, way + 2), "placement")

    def propose(self, open_side: int, origin: str) -> None:
        """Propose the best neighbour of an open side."""
        side = self.best(open_side)
        if side is not None and (origin == "relaxed" or self.best(side) == open_side):
            self.push(open_side, side, origin)

    def push(self, open_side: int, side: int, origin: str) -> None:
        """Put a proposal into the pool."""
        self.pool.append((-self.key(open_side, side, origin), open_side, side))

    def meeting(self, piece: int, cell: Cell, turn: int) -> list[tuple[int, int]]:
        """List the (placed side, own side) pairs of a piece laid into a cell."""
        pairs = []
        for way in range(4):
            owner = self.at(beside(cell, way))
            if owner is not None:
                pairs.append((self.towards(owner, way + 2), 4 * piece + (way - turn) % 4))
        return pairs

    def turn_to_meet(self, open_side: int, side: int) -> int:
        """Give the turn that makes a side face an open one."""
        return (self.way(open_side) + 2 - side) % 4

    def key(self, open_side: int, side: int, origin: str) -> float:
        """Say how sure a proposal is."""
        turn = self.turn_to_meet(open_side, side)
        pairs = self.meeting(side // 4, self.slot(open_side), turn)
        key = plain_sum(self.mutual(a, b) for a, b in pairs) / len(pairs)
        if origin == "placement" and len(pairs) == 1:
            key += 0.25 * self.loops(open_side, side)
        if self.missing:
            return key
        relations = sum((self.best(b) == a) + (self.best(a) == b) for a, b in pairs)
        key += 0.3 * max(0, relations - 1)
        if origin == "placement":
            key += 0.3 * max(0, len(pairs) - 2)
        if origin == "relaxed":
            key += 0.5 * len(pairs)
        return key

    def loops(self, open_side: int, side: int) -> int:
        """Count the loops of best neighbours on either hand that agree with the proposal."""
        count = 0
        for hand in (1, 3):
            hop = self.best(further(side, hand))
            last = None if hop is None else self.best(further(hop, 2 - hand))
            if last is None:
                continue
            back = further(open_side, hand + 2)
            diagonal = self.at(self.slot(back))
            if diagonal is not None:
                count += last == self.towards(diagonal, self.way(open_side))
            count += self.best(further(last, hand)) == back
        return count

    def refill(self) -> None:
        """Fill the empty pool: best buddies, else best neighbours, else anything."""
        placed = [s for s in range(4 * self.scores.pieces) if s // 4 in self.lie]
        waiting = [s for s in range(4 * self.scores.pieces) if s // 4 not in self.lie]
        self.strict = True
        for side in placed:
            self.propose(side, "strict")
        if self.pool:
            return
        self.strict = False
        for side in placed:
            self.propose(side, "relaxed")
        if self.pool:
            return
        for side in waiting:
            met = next((b for b in self.possible(side) if b // 4 in self.lie), None)
            if met is not None:
                self.push(met, side, "relaxed")
        if self.pool:
            return
        for side in filter(self.open, placed):
            self.push(side, waiting[0] + (side + 2) % 4, "relaxed")

    def place_next(self) -> None:
        """Take the best proposal and follow it if it still stands."""
        proposal = min(self.pool)
        self.pool.remove(proposal)
        _, open_side, side = proposal
        piece = side // 4
        if piece in self.lie or not self.open(open_side):
            return
        cell, turn = self.slot(open_side), self.turn_to_meet(open_side, side)
        pairs = self.meeting(piece, cell, turn)
        buddies = any(self.best(a) == b and self.best(b) == a for a, b in pairs)
        if self.strict and len(self.lie) < self.scores.pieces - 1 and not buddies:
            return
        self.place(piece, cell, turn)
        self.strict = True

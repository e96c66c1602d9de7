"""Pins, blocks and border pieces: what the moves must not undo, and starts that respect it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.errors import OptionError
from sherd.hints import Hints
from sherd.layout import Layout, islands_of, seams_of

__all__ = ["Ties"]

Ints = NDArray[np.int32]


class Ties:
    """Hints for one board of known size.

    table: [3, N] block of each piece (0: none), whether it is pinned, whether it is on the border.
    """

    def __init__(self, hints: Hints | None, pieces: int, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.table = np.zeros((3, pieces), np.int32)
        self._pins: list[tuple[int, int]] = []  # (cell, what)
        self._blocks: list[list[tuple[int, int, int]]] = []  # (row, col, what), (row, col) from 0
        if hints is None:
            return
        if hints.frame is not None:
            self.table[2] = hints.frame
            self._check_frame()
        if hints.pins is not None:
            self._pin(hints.pins)
        if hints.blocks is not None:
            self._block(hints.blocks)

    def respect(self, cells: Ints) -> Ints:
        """Change a board [rows * cols] as little as it takes to respect the ties."""
        if not self.table.any():
            return cells
        cells, locked = cells.copy(), np.zeros(len(cells), np.bool_)
        for cell, what in self._pins:
            _bring(cells, locked, cell, what)
        for block in sorted(self._blocks, key=len, reverse=True):
            for cell, what in self._room(cells, locked, block):
                _bring(cells, locked, cell, what)
        self._to_the_border(cells, locked)
        return cells

    def _check_frame(self) -> None:
        border = len(_border(self.rows, self.cols))
        if (framed := int(self.table[2].sum())) > border:
            raise OptionError(
                f"{framed} pieces cannot all lie on the border of a board of {self.rows}x"
                f"{self.cols}, which has {border} cells; name fewer, or give another --board."
            )

    def _pin(self, pins: Layout) -> None:
        for piece in np.flatnonzero(pins.placed).tolist():
            row, col = pins.cell[piece].tolist()
            if row >= self.rows or col >= self.cols:
                raise OptionError(
                    f"A piece is pinned to row {row}, column {col}, outside the board of "
                    f"{self.rows}x{self.cols}; rows and columns count from 0."
                )
            self.table[1, piece] = 1
            self._pins.append((row * self.cols + col, 4 * piece + int(pins.turn[piece])))

    def _block(self, blocks: Layout) -> None:
        # Only what lies side by side can be shifted as one cluster.
        islands = islands_of(blocks, np.ones(len(seams_of(blocks)), np.bool_))
        for island in range(islands.max(initial=-1) + 1):
            members = np.flatnonzero((islands == island) & (self.table[1] == 0))
            if len(members) < 2:
                continue
            cell = blocks.cell[members] - blocks.cell[members].min(axis=0)
            what = 4 * members + blocks.turn[members]
            self._blocks.append(
                [(int(r), int(c), int(w)) for (r, c), w in zip(cell, what, strict=True)]
            )
            self.table[0, members] = len(self._blocks)

    def _room(
        self, cells: Ints, locked: NDArray[np.bool_], block: list[tuple[int, int, int]]
    ) -> list[tuple[int, int]]:
        """Find the place of a block where most of it lies already."""
        height, width = (1 + max(member[axis] for member in block) for axis in (0, 1))
        border = _border(self.rows, self.cols)
        best, chosen = -1, None
        for down in range(self.rows - height + 1):
            for right in range(self.cols - width + 1):
                place = [((r + down) * self.cols + c + right, what) for r, c, what in block]
                framed = [cell for cell, what in place if self.table[2, what // 4]]
                if locked[[cell for cell, _ in place]].any() or not border.issuperset(framed):
                    continue
                right_already = sum(int(cells[cell] == what) for cell, what in place)
                if right_already > best:
                    best, chosen = right_already, place
        if chosen is None:
            raise OptionError(
                f"A block of {height}x{width} cells finds no room on a board of {self.rows}x"
                f"{self.cols} beside what else is fixed; give fewer pins and blocks."
            )
        return chosen

    def _to_the_border(self, cells: Ints, locked: NDArray[np.bool_]) -> None:
        """Exchange border pieces that lie inside with others that lie on the border."""
        framed = np.append(self.table[2], 0).astype(np.bool_)
        border = _border(self.rows, self.cols)
        room = [c for c in sorted(border) if not locked[c] and not framed[cells[c] // 4]]
        inside = [c for c in range(len(cells)) if c not in border and framed[cells[c] // 4]]
        if any(locked[inside]) or len(inside) > len(room):
            raise OptionError(
                "A piece that is to lie on the border is fixed inside the board, or what is fixed "
                "fills the border; leave one of the two hints out."
            )
        for here, there in zip(inside, room, strict=False):
            cells[here], cells[there] = cells[there], cells[here]


def _border(rows: int, cols: int) -> set[int]:
    grid = np.arange(rows * cols).reshape(rows, cols)
    return {*grid[0].tolist(), *grid[-1].tolist(), *grid[:, 0].tolist(), *grid[:, -1].tolist()}


def _bring(cells: Ints, locked: NDArray[np.bool_], cell: int, what: int) -> None:
    """Bring a piece into a cell, what lies there into the cell that it leaves, and lock it."""
    old = int(np.flatnonzero(cells // 4 == what // 4)[0])
    cells[old] = cells[cell]
    cells[cell] = what
    locked[cell] = True

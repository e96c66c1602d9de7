"""Layouts: where each piece lies, how it is turned, and which sides meet there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sherd.errors import OptionError
from sherd.sides import BOTTOM, RIGHT

if TYPE_CHECKING:
    from sherd.hints import Hints

__all__ = ["BoardSpec", "Layout", "islands_of", "seams_of", "turn_layout"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class BoardSpec:
    """What is known of the board.

    rows, cols: its size in cells, or None where it is unknown.
    missing: how many pieces are missing from it (empty cells of a board of known size).
    hints: what a person knows of the layout, for assemblers that heed it, or None.
    """

    rows: int | None = None
    cols: int | None = None
    missing: int = 0
    hints: Hints | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if (self.rows is None) != (self.cols is None):
            raise OptionError("A board needs both rows and columns; give --board ROWSxCOLS.")
        if self.rows is not None and self.cols is not None and min(self.rows, self.cols) < 1:
            raise OptionError(f"A board of {self.rows}x{self.cols} cells has no room for a piece.")
        if self.missing < 0:
            raise OptionError(f"{self.missing} pieces cannot be missing; give 0 or more.")
        if self.hints is not None and self.rows is None:
            raise OptionError(
                "Pins, blocks and border pieces need a board; give --board ROWSxCOLS."
            )

    @property
    def known(self) -> bool:
        """Whether the size is known."""
        return self.rows is not None

    def check(self, pieces: int) -> None:
        """Raise OptionError unless `pieces` pieces and the missing ones fill the board."""
        if self.rows is None or self.cols is None:
            return
        cells = self.rows * self.cols
        if cells != pieces + self.missing:
            lost = f" and {self.missing} missing" if self.missing else ""
            cure = f", or --missing {cells - pieces}" if cells >= pieces else ""
            raise OptionError(
                f"A board of {self.rows}x{self.cols} has {cells} cells, but there are {pieces} "
                f"pieces{lost}; give a --board that fits{cure}."
            )


@dataclass(frozen=True)
class Layout:
    """Where each piece lies.

    cell: [N, 2] (row, col) on its board, (-1, -1) where a piece is not placed.
    turn: [N] quarter turns clockwise applied to the piece.
    board: [N] index of its board, -1 where a piece is not placed.
    shapes: (rows, cols) of each board.
    start: the piece that was placed first, or None.
    confidence: [E] probability of each seam, in the order of `seams_of`, or None.
    """

    cell: Ints
    turn: Ints
    board: Ints
    shapes: tuple[tuple[int, int], ...]
    start: int | None = None
    confidence: Floats | None = None

    @property
    def placed(self) -> NDArray[np.bool_]:
        """[N] whether each piece has a cell."""
        return np.asarray(self.board >= 0)

    @classmethod
    def from_grid(cls, rows: int, cols: int) -> Layout:
        """Make the layout of pieces numbered row by row on a full board, none turned."""
        cell = np.stack(np.divmod(np.arange(rows * cols, dtype=np.int32), cols), axis=1)
        zeros = np.zeros(rows * cols, np.int32)
        return cls(cell.astype(np.int32), zeros, zeros.copy(), ((rows, cols),))

    @classmethod
    def from_cells(
        cls,
        cell: Ints,
        turn: Ints,
        placed: NDArray[np.bool_],
        shape: tuple[int, int] | None = None,
        start: int | None = None,
    ) -> Layout:
        """Make a layout of one board from free cells [N, 2].

        Without a shape the cells are moved so that the bounding box begins at (0, 0) and becomes
        the board; with one they are taken as they are.
        """
        cell = np.array(cell, np.int32)
        if shape is None:
            shape = (0, 0)
            if placed.any():
                cell = cell - cell[placed].min(axis=0)
                rows, cols = cell[placed].max(axis=0) + 1
                shape = (int(rows), int(cols))
        cell = np.where(placed[:, None], cell, -1).astype(np.int32)
        board = np.where(placed, 0, -1).astype(np.int32)
        return cls(cell, np.where(placed, turn, 0).astype(np.int32), board, (shape,), start)

    def grid(self, board: int = 0) -> Ints:
        """Draw one board as [rows, cols] piece numbers, -1 where a cell is empty."""
        grid = np.full(self.shapes[board], -1, np.int32)
        here = np.flatnonzero(self.board == board)
        grid[self.cell[here, 0], self.cell[here, 1]] = here
        return grid

    def relabelled(self, order: Ints) -> Layout:
        """Give the layout for pieces in another order: new piece i is old piece order[i].

        Seams are listed cell by cell, not piece by piece, so their confidence stays as it is.
        """
        start = None if self.start is None else int(np.flatnonzero(order == self.start)[0])
        tables = {name: getattr(self, name)[order] for name in ("cell", "turn", "board")}
        return replace(self, **tables, start=start)


def seams_of(layout: Layout) -> Ints:
    """List the seams of a layout as pairs of side ids [E, 2].

    Board by board: first those to the right (row by row), then those below (row by row); the
    first side of a pair belongs to the left or upper piece.
    """
    pairs = [np.empty((0, 2), np.int32)]
    for board in range(len(layout.shapes)):
        grid = layout.grid(board)
        for side, first, second in (
            (RIGHT, grid[:, :-1], grid[:, 1:]),
            (BOTTOM, grid[:-1], grid[1:]),
        ):
            both = (first >= 0) & (second >= 0)
            a, b = first[both], second[both]
            own_a = (side - layout.turn[a]) % 4  # which side of the unturned piece points there
            own_b = (side + 2 - layout.turn[b]) % 4
            pairs.append(np.stack([4 * a + own_a, 4 * b + own_b], axis=1))
    return np.concatenate(pairs).astype(np.int32)


def islands_of(layout: Layout, sure: NDArray[np.bool_]) -> Ints:
    """Number the groups of pieces that sure seams hold together.

    Args:
        layout: the layout.
        sure: [E] whether each seam of `seams_of` counts.

    Returns:
        [N] island of each piece, largest first; pieces that are not placed have -1.
    """
    parent = list(range(len(layout.turn)))

    def root(piece: int) -> int:
        while parent[piece] != piece:
            parent[piece] = parent[parent[piece]]
            piece = parent[piece]
        return piece

    for a, b in (seams_of(layout)[sure] // 4).tolist():
        parent[root(a)] = root(b)
    roots = np.array([root(piece) for piece in range(len(parent))])
    roots[~layout.placed] = -1
    names, index, counts = np.unique(roots, return_inverse=True, return_counts=True)
    counts[names < 0] = -1
    rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
    return np.where(layout.placed, rank[index], -1).astype(np.int32)


def turn_layout(layout: Layout, turns: int) -> Layout:
    """Turn every board of a layout clockwise by quarter turns, the pieces with it."""
    cell, shapes = layout.cell.copy(), list(layout.shapes)
    for _ in range(turns % 4):
        for board, (rows, _) in enumerate(shapes):
            here = layout.board == board
            cell[here] = np.stack([cell[here, 1], rows - 1 - cell[here, 0]], axis=1)
        shapes = [(cols, rows) for rows, cols in shapes]
    turn = np.where(layout.placed, (layout.turn + turns) % 4, layout.turn).astype(np.int32)
    turned = replace(layout, cell=cell, turn=turn, shapes=tuple(shapes), confidence=None)
    return turned if layout.confidence is None else _with_confidence_of(turned, layout)


def _with_confidence_of(turned: Layout, layout: Layout) -> Layout:
    """Carry the confidence of each seam over to the same seam of a turned layout."""
    assert layout.confidence is not None
    known = {
        frozenset(pair): sure
        for pair, sure in zip(seams_of(layout).tolist(), layout.confidence, strict=True)
    }
    confidence = [known[frozenset(pair)] for pair in seams_of(turned).tolist()]
    return replace(turned, confidence=np.array(confidence, np.float32))

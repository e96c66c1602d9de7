"""Puzzles of the benchmark: cut in memory, shuffled, with their truth."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import numpy as np

from sherd.bench.protocol import PictureSet, Protocol
from sherd.cut import cut
from sherd.decoding import Samples
from sherd.errors import InputError
from sherd.layout import BoardSpec, Layout
from sherd.pieces import Pieces

__all__ = ["board_told", "cut_puzzle", "in_true_order"]


def cut_puzzle(
    picture: Path | Samples, protocol: Protocol, part: PictureSet, erosion: int, name: str
) -> tuple[Pieces, Layout]:
    """Cut a picture as a protocol says, and give the pieces and their true layout.

    The order of the pieces (and their turns) is drawn from `name`, so that every scorer and
    assembler sees the same puzzle and none can profit from the order.
    """
    puzzle = cut(
        picture,
        piece=protocol.piece,
        erode=erosion,
        turns=protocol.turns,
        seed=crc32(name.encode()),
    )
    if len(puzzle.pictures) != part.pieces:
        raise InputError(
            f"{name}: gives {len(puzzle.pictures)} pieces of {protocol.piece} px, and the set "
            f"{part.name} has puzzles of {part.pieces}; is it the original picture?"
        )
    return puzzle.pieces()


def board_told(protocol: Protocol, truth: Layout) -> BoardSpec:
    """Say what the solver is told of the board."""
    return BoardSpec(*truth.shapes[0]) if protocol.board else BoardSpec()


def in_true_order(layout: Layout, truth: Layout) -> Layout:
    """Name the pieces of a layout as the picture does: row by row, all of them upright.

    Then the truth is `Layout.from_grid`, and a saved layout can be judged without its puzzle.
    """
    turn = np.where(layout.placed, (layout.turn - truth.turn) % 4, 0).astype(np.int32)
    upright = Layout(layout.cell, turn, layout.board, layout.shapes, layout.start)
    order = np.lexsort((truth.cell[:, 1], truth.cell[:, 0]))
    return upright.relabelled(order.astype(np.int32))

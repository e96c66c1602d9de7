"""Puzzles of the benchmark: cut in memory, shuffled, with their truth."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sherd.errors import InputError
from sherd.layout import BoardSpec, Layout
from sherd.pieces import Pieces
from sherd.sides import Relations, turn_picture

__all__ = ["Puzzle", "cut_puzzle", "in_true_order"]

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Puzzle:
    """A puzzle and its truth.

    pieces: the pieces, shuffled.
    truth: the layout that makes the picture.
    relations: which sides can meet.
    board: what the solver is told of the board.
    """

    pieces: Pieces
    truth: Layout
    relations: Relations
    board: BoardSpec


def cut_puzzle(
    picture: Bytes, piece: int, erosion: int, *, turns: bool, board: bool, name: str
) -> Puzzle:
    """Cut a picture u8 [H, W, 3] from the top left corner; the remainder is cropped.

    The order of the pieces (and their turns) is drawn from `name`, so that every scorer and
    assembler sees the same puzzle and none can profit from the order.
    """
    rows, cols = picture.shape[0] // piece, picture.shape[1] // piece
    if rows * cols < 2:
        raise InputError(
            f"{name}: {picture.shape[1]}x{picture.shape[0]} px give fewer than two pieces of "
            f"{piece} px; take larger pictures or smaller pieces."
        )
    rng = np.random.default_rng(crc32(name.encode()))
    order = rng.permutation(rows * cols)
    given = rng.integers(0, 4, len(order)) if turns else np.zeros(len(order), np.int64)
    cells = _cells(picture, rows, cols, piece)[order]
    pixels = np.stack([turn_picture(c, int(t)) for c, t in zip(cells, given, strict=True)])
    truth = Layout.from_grid(rows, cols).relabelled(order.astype(np.int32))
    turn = (-given % 4).astype(np.int32)
    return Puzzle(
        Pieces.from_arrays(*_eroded(pixels.astype(np.uint8), erosion)),
        Layout(truth.cell, turn, truth.board, truth.shapes),
        Relations(turns=turns, square=True),
        BoardSpec(rows, cols) if board else BoardSpec(),
    )


def in_true_order(layout: Layout, truth: Layout) -> Layout:
    """Name the pieces of a layout as the picture does: row by row, all of them upright.

    Then the truth is `Layout.from_grid`, and a saved layout can be judged without its puzzle.
    """
    turn = np.where(layout.placed, (layout.turn - truth.turn) % 4, 0).astype(np.int32)
    upright = Layout(layout.cell, turn, layout.board, layout.shapes, layout.start)
    order = np.lexsort((truth.cell[:, 1], truth.cell[:, 0]))
    return upright.relabelled(order.astype(np.int32))


def _cells(picture: Bytes, rows: int, cols: int, piece: int) -> Bytes:
    """Cut [rows * cols, piece, piece, 3], row by row."""
    whole = picture[: rows * piece, : cols * piece]
    cells = whole.reshape(rows, piece, cols, piece, 3).swapaxes(1, 2)
    return np.ascontiguousarray(cells.reshape(-1, piece, piece, 3))


def _eroded(pixels: Bytes, erosion: int) -> tuple[Bytes, NDArray[np.bool_]]:
    """Take away the outer pixels: black them and mark them unknown [N, H, W]."""
    inner = slice(erosion, pixels.shape[1] - erosion)
    known = np.zeros(pixels.shape[:3], np.bool_)
    known[:, inner, inner] = True
    return np.where(known[..., None], pixels, 0).astype(np.uint8), known

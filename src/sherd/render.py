"""From a layout back to pixels: the picture, the seams over it, the sheet of given pieces."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sherd.decoding import Samples
from sherd.layout import Layout, seams_of
from sherd.picture import Picture
from sherd.pieces import Pieces
from sherd.sides import turn_picture

__all__ = [
    "SEAM_CLASSES",
    "SURE",
    "lay_out",
    "render",
    "seam_lines",
    "seam_overlay",
    "seam_picture",
    "sheet",
]

SURE = 0.99
SEAM_CLASSES = (("sure", SURE, "#1fae66"), ("likely", 0.5, "#e8b10c"), ("doubtful", 0.0, "#e5383b"))
"""Name, lowest probability and colour of the classes that seams are drawn in."""

_SHADE = (16, 16, 20, 150)  # what darkens the picture under its seams


def render(pieces: Pieces, layout: Layout, board: int = 0) -> Picture:
    """Put the original pixels of one board together.

    What no pixel covers (cropped borders, empty cells) is transparent; the alpha channel is added
    only where something is.
    """
    tiles, profile = _tiles(pieces)
    canvas, covered = lay_out(tiles, pieces, layout, board)
    has_alpha = tiles.shape[3] in (2, 4)
    if has_alpha or covered.all():
        return Picture(canvas, profile)
    opaque = np.array(np.iinfo(tiles.dtype).max, tiles.dtype)
    return Picture(np.dstack([canvas, covered * opaque]), profile)


def lay_out(
    tiles: Samples | NDArray[np.bool_], pieces: Pieces, layout: Layout, board: int = 0
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Lay tiles [N, h, w, C] (or masks [N, h, w]) in the middle of the cells of their pieces.

    Returns:
        The board [H, W, C] (or [H, W]), zero where no tile lies, and [H, W] where one does.
    """
    cell = _cell_size(pieces, layout, board)
    rows, cols = layout.shapes[board]
    canvas = np.zeros((rows * cell[0], cols * cell[1], *tiles.shape[3:]), tiles.dtype)
    covered = np.zeros(canvas.shape[:2], np.bool_)
    for piece in np.flatnonzero(layout.board == board):
        tile = turn_picture(tiles[piece], int(layout.turn[piece]))
        where = _middle_of_cell(layout.cell[piece], cell, tile.shape[:2])
        canvas[where] = tile
        covered[where] = True
    return canvas, covered


def _tiles(pieces: Pieces) -> tuple[Samples, bytes | None]:
    """Give the original pixels [N, h, w, C] without the ring of lost ones, and their profile."""
    if pieces.originals is not None:
        return pieces.originals.pixels, pieces.originals.icc_profile
    ring = pieces.lost
    return pieces.pixels[:, ring : pieces.height - ring, ring : pieces.width - ring], None


def _cell_size(pieces: Pieces, layout: Layout, board: int) -> tuple[int, int]:
    """Give height and width of a cell, large enough for every piece as it is turned."""
    upright = layout.turn[layout.board == board] % 2 == 0
    sizes = {(pieces.height, pieces.width)} if upright.any() else set()
    sizes |= set() if upright.all() else {(pieces.width, pieces.height)}
    sizes = sizes or {(pieces.height, pieces.width)}
    return max(height for height, _ in sizes), max(width for _, width in sizes)


def _middle_of_cell(
    cell: NDArray[np.int32], size: tuple[int, int], tile: tuple[int, ...]
) -> tuple[slice, slice]:
    """Give the rows and columns of a tile in the middle of its cell."""
    top = int(cell[0]) * size[0] + (size[0] - tile[0]) // 2
    left = int(cell[1]) * size[1] + (size[1] - tile[1]) // 2
    return slice(top, top + tile[0]), slice(left, left + tile[1])


def seam_lines(layout: Layout, board: int = 0) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Give the line of each seam of one board.

    Returns:
        [e, 4] (x, y, x, y) of both ends in cells, and [E] which seams of `seams_of` they are.
    """
    pairs = seams_of(layout) // 4  # [E, 2] pieces
    here = layout.board[pairs[:, 0]] == board
    first, second = (layout.cell[pairs[here, end]] for end in (0, 1))
    beside = (first[:, 0] == second[:, 0])[:, None]  # side by side: the line between is upright
    far = second + np.where(beside, [1, 0], [0, 1])
    lines = np.concatenate([second[:, ::-1], far[:, ::-1]], axis=1)
    return lines.astype(np.int32), here


def seam_overlay(pieces: Pieces, layout: Layout, board: int = 0) -> Image.Image:
    """Draw the seams in the colours of their probability on a transparent picture."""
    height, width = _cell_size(pieces, layout, board)
    rows, cols = layout.shapes[board]
    overlay = Image.new("RGBA", (cols * width, rows * height))
    pen, breadth = ImageDraw.Draw(overlay), max(2, min(height, width) // 12)
    lines, here = seam_lines(layout, board)
    confidence = np.ones(len(lines)) if layout.confidence is None else layout.confidence[here]
    inset = max(1, min(height, width) // 6)  # lines end before the corners, so that each is seen
    for line, sure in zip(lines * [width, height, width, height], confidence, strict=True):
        x0, y0, x1, y1 = line.tolist()
        dx, dy = inset * (x1 > x0), inset * (y1 > y0)
        pen.line((x0 + dx, y0 + dy, x1 - dx, y1 - dy), _colour(float(sure)), breadth)
    return overlay


def _colour(probability: float) -> str:
    """Give the colour of the class that a probability falls into."""
    return next(colour for _, lowest, colour in SEAM_CLASSES if probability >= lowest)


def seam_picture(pieces: Pieces, layout: Layout, board: int = 0) -> Picture:
    """Draw the seams over the darkened picture, in 8 bits."""
    rendered = render(pieces, layout, board)
    picture = rendered.eight_bit().convert("RGBA")
    dark = Image.alpha_composite(picture, Image.new("RGBA", picture.size, _SHADE))
    drawn = Image.alpha_composite(dark, seam_overlay(pieces, layout, board))
    return Picture(np.asarray(drawn), rendered.icc_profile)


def sheet(pieces: Pieces, width: int = 1200) -> Image.Image:
    """Lay all pieces out in rows, in the order and turn in which they were given.

    The sheet is scaled down where it would be wider than `width` pixels.
    """
    tiles, _ = _tiles(pieces)
    cols = math.ceil(math.sqrt(1.5 * len(tiles)))
    pitch = max(tiles.shape[1:3]) * 9 // 8 + 1
    canvas = Image.new("RGBA", (cols * pitch, math.ceil(len(tiles) / cols) * pitch))
    for i, tile in enumerate(tiles):
        given = cast("Samples", turn_picture(tile, -int(pieces.given_turn[i])))
        image = Picture(given).eight_bit().convert("RGBA")
        canvas.paste(image, (i % cols * pitch, i // cols * pitch))
    canvas.thumbnail((width, 20 * width))
    return canvas

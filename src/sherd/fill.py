"""Fill the gaps of a solved picture: seam by seam, then the corners where four pieces meet.

Only lost pixels between known ones are filled; what was lost at the rim of the board and cells
without a piece stay as they are. The mask tells what was filled, so that nobody takes it for
original.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sherd.canonical import resampling_matrix
from sherd.errors import OptionError
from sherd.events import Listener, Progress, ignore
from sherd.gaps import PIECE, gap_batches, worn_pieces
from sherd.layout import Layout, seams_of
from sherd.picture import Picture
from sherd.pieces import Pieces
from sherd.render import lay_out, render
from sherd.runtime import Network, choose_device
from sherd.weights import find_weights

__all__ = ["FILLINGS", "Restored", "restore"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Mask = NDArray[np.bool_]

FILLINGS = ("none", "interpolate", "inpaint")
_LUMINANCE = np.array([0.299, 0.587, 0.114], np.float32)


@dataclass(frozen=True, eq=False)
class Restored:
    """A picture with its gaps filled, and which of its pixels [H, W] were filled."""

    picture: Picture
    filled: Mask

    def mask(self) -> Picture:
        """Draw what was filled in white on black."""
        return Picture(np.where(self.filled, 255, 0).astype(np.uint8)[..., None])


def restore(
    pieces: Pieces,
    layout: Layout,
    how: str = "inpaint",
    board: int = 0,
    *,
    device: str = "auto",
    weights: Path | str | None = None,
    on: Listener = ignore,
) -> Restored:
    """Fill the gaps of one board.

    Args:
        pieces: the pieces.
        layout: where they lie.
        how: "inpaint" (the generator of the scorer `inpaint`), "interpolate" (straight lines
            across the gaps) or "none".
        board: which board.
        device: where the generator runs: auto, cpu or cuda.
        weights: folder of other weights than those that ship with sherd.
        on: told of the progress.
    """
    if how not in FILLINGS:
        raise OptionError(f"There is no filling {how!r}; choose one of {', '.join(FILLINGS)}.")
    canvas = _Canvas.of(pieces, layout, board)
    if how != "none":
        seams = seams_of(layout)
        seams = seams[layout.board[seams[:, 0] // 4] == board]
        if how == "interpolate":
            for seam in seams:
                canvas.fill_seam(layout.cell[seam // 4])
        else:
            network = _Generator(device, weights)
            for i, picture in network.pictures(pieces, seams, on):
                canvas.fill_seam(layout.cell[seams[i] // 4], picture)
        canvas.fill_corners(layout.grid(board) >= 0)
    return Restored(_painted(render(pieces, layout, board), canvas), canvas.filled)


class _Generator:
    """The network that fills gaps."""

    def __init__(self, device: str, weights: Path | str | None) -> None:
        found = find_weights("inpaint", Path(weights)) if weights else find_weights("inpaint")
        self._network = Network(found.files["inpaint-filler.onnx"], choose_device(device))
        self._erosion = int(found.pedigree["model_erosion"])

    def pictures(self, pieces: Pieces, seams: Ints, on: Listener) -> Iterator[tuple[int, Floats]]:
        """Yield the number and the filled picture [64, 128, 3] in 0..255 of every seam."""
        canonical, done = worn_pieces(pieces, self._erosion, on), 0
        for chosen, pixels, known in gap_batches(canonical, seams):
            (filled,) = self._network(pixels=pixels, known=known)
            for i, picture in zip(chosen.tolist(), filled, strict=True):
                yield i, (picture.transpose(1, 2, 0) + 1) * 127.5
            done += len(chosen)
            on(Progress("filling", done, len(seams)))


@dataclass(frozen=True, eq=False)
class _Canvas:
    """A board being filled: colours f32 [H, W, 3] in 0..255, known and filled pixels [H, W]."""

    pixels: Floats
    known: Mask
    filled: Mask
    cell: tuple[int, int]

    @classmethod
    def of(cls, pieces: Pieces, layout: Layout, board: int) -> _Canvas:
        """Lay out the pixels that the scorers saw."""
        pixels, _ = lay_out(pieces.pixels, pieces, layout, board)
        known, _ = lay_out(pieces.known, pieces, layout, board)
        rows, cols = layout.shapes[board]
        cell = (known.shape[0] // max(rows, 1), known.shape[1] // max(cols, 1))
        return cls(pixels.astype(np.float32), known, np.zeros_like(known), cell)

    def _views(
        self, top: int, left: int, height: int, width: int, *, lie: bool
    ) -> tuple[Floats, Mask, Mask]:
        """Look at a window of pixels, known and filled, laid down if asked; writing writes here."""
        where = (slice(top, top + height), slice(left, left + width))
        turns = 1 if lie else 0
        pixels = np.rot90(self.pixels[where], turns)
        return pixels, np.rot90(self.known[where], turns), np.rot90(self.filled[where], turns)

    def fill_seam(self, cells: Ints, picture: Floats | None = None) -> None:
        """Fill what lies between the pieces of two cells [2, 2].

        With a picture [64, 128, 3] of both pieces from it, otherwise by straight lines.
        """
        height, width = self.cell
        (row, col), below = cells[0].tolist(), bool(cells[1, 0] > cells[0, 0])
        size = (2 * height, width) if below else (height, 2 * width)
        pixels, known, filled = self._views(row * height, col * width, *size, lie=below)
        quarter = pixels.shape[1] // 4  # the outer half of each piece is not at this seam
        near = (slice(None), slice(quarter, pixels.shape[1] - quarter))
        values, between, _ = _bridges(pixels[near], known[near])
        if picture is not None:
            values = _resized(picture, pixels.shape[:2])[near]
        pixels[near][between] = values[between]
        filled[near][between] = True

    def fill_corners(self, occupied: Mask) -> None:
        """Fill what is left where four pieces meet, from the seams around it.

        occupied: [rows, cols] cells that hold a piece.
        """
        height, width = self.cell
        full = occupied[:-1, :-1] & occupied[:-1, 1:] & occupied[1:, :-1] & occupied[1:, 1:]
        for row, col in np.argwhere(full).tolist():
            top, left = (row + 1) * height - height // 2, (col + 1) * width - width // 2
            pixels, known, filled = self._views(top, left, height, width, lie=False)
            values, reached = _crossed(pixels, known | filled)
            pixels[reached] = values[reached]
            filled[reached] = True


def _crossed(pixels: Floats, have: Mask) -> tuple[Floats, Mask]:
    """Bridge runs of missing pixels along rows and columns: colours [h, w, 3] and where [h, w]."""
    across, beside, length = _bridges(pixels, have)
    turned = _bridges(pixels.swapaxes(0, 1), have.swapaxes(0, 1))
    down, above, drop = turned[0].swapaxes(0, 1), turned[1].T, turned[2].T
    by_row = (beside / length)[..., None]  # the shorter of two lines has more to say
    by_column = (above / drop)[..., None]
    total = np.maximum(by_row + by_column, 1e-9)
    values = (across * by_row + down * by_column) / total
    return values.astype(np.float32), beside | above


def _bridges(pixels: Floats, have: Mask) -> tuple[Floats, Mask, NDArray[np.intp]]:
    """Draw a straight line of colour across every run of missing pixels of every row.

    Args:
        pixels: [h, w, 3].
        have: [h, w] which of them are there.

    Returns:
        Colours [h, w, 3], [h, w] where they bridge a run, and [h, w] the length of the run.
    """
    height, width = have.shape
    column = np.arange(width)
    before = np.maximum.accumulate(np.where(have, column, -1), axis=1)
    after = np.minimum.accumulate(np.where(have, column, width)[:, ::-1], axis=1)[:, ::-1]
    between = ~have & (before >= 0) & (after < width)
    first, last = np.maximum(before, 0), np.minimum(after, width - 1)
    length = np.maximum(last - first, 1)
    share = ((column - first) / length)[..., None].astype(np.float32)
    row = np.arange(height)[:, None]
    return pixels[row, first] * (1 - share) + pixels[row, last] * share, between, length


def _resized(picture: Floats, size: tuple[int, ...]) -> Floats:
    """Bring a picture [64, 128, 3] to the size of a pair of pieces."""
    if picture.shape[:2] == size:
        return picture
    down = resampling_matrix(PIECE, size[0])
    right = resampling_matrix(2 * PIECE, size[1])
    return np.asarray(np.einsum("hy,yxc,wx->hwc", down, picture, right, optimize=True), np.float32)


def _painted(rendered: Picture, canvas: _Canvas) -> Picture:
    """Put the filled pixels into the picture, in its own depth and channels."""
    pixels, filled = rendered.pixels.copy(), canvas.filled
    depth = 257 if pixels.dtype == np.uint16 else 1
    colours = np.clip(canvas.pixels[filled], 0, 255)  # [F, 3]
    gray = pixels.shape[2] < 3
    values = (colours @ _LUMINANCE)[:, None] if gray else colours
    opaque = np.full((len(values), pixels.shape[2] - values.shape[1]), 255, np.float32)
    pixels[filled] = np.rint(np.concatenate([values, opaque], axis=1) * depth)
    return Picture(pixels, rendered.icc_profile)

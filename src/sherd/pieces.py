"""Pieces: the pixels that are given, which of them are known, and where they came from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sherd.borders import check_widths, find_frame, inside, ringed
from sherd.decoding import SUFFIXES, Decoded
from sherd.errors import InputError, OptionError
from sherd.events import Listener, Note, Read, ignore
from sherd.originals import Originals, cut_mosaic, stack
from sherd.reading import read_folder, read_picture, read_zip

__all__ = ["Pieces", "read_pieces"]

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Pieces:
    """N pieces of one size, eroded borders and all.

    pixels: u8 [N, H, W, 3], an 8-bit RGB copy for networks and measures. H x W is the size of a
        cell: pixels that were cropped away (`lost`) are a ring of unknown ones. Unknown pixels
        are zero.
    known: bool [N, H, W], False where a pixel is lost or not to be trusted.
    names: where each piece came from (a file name, a place in a mosaic).
    given_turn: [N] quarter turns clockwise applied to the given picture so that all pieces have
        one shape (w x h and h x w count as one size where pieces may be turned); else zeros.
    lost: pixels that were cropped away on each side of the given pictures.
    originals: the given pixels for the final picture; None means that `pixels` are the originals.
    """

    pixels: NDArray[np.uint8]
    known: NDArray[np.bool_]
    names: tuple[str, ...]
    given_turn: Ints
    lost: int = 0
    originals: Originals | None = None

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def height(self) -> int:
        """Height of a cell in pixels."""
        return int(self.pixels.shape[1])

    @property
    def width(self) -> int:
        """Width of a cell in pixels."""
        return int(self.pixels.shape[2])

    @property
    def square(self) -> bool:
        """Whether cells are as wide as high."""
        return self.height == self.width

    def fingerprint(self) -> str:
        """Give a hash of the pixels, of which are known, and of the order of the pieces."""
        digest = hashlib.sha256(str(self.pixels.shape).encode())
        digest.update(self.pixels.tobytes())
        digest.update(self.known.tobytes())
        return digest.hexdigest()[:32]

    @classmethod
    def from_arrays(
        cls, pixels: NDArray[np.uint8], known: NDArray[np.bool_] | None = None
    ) -> Pieces:
        """Make pieces from arrays: u8 [N, H, W, 3] and bool [N, H, W] (all known if None)."""
        pixels = np.ascontiguousarray(pixels, np.uint8)
        known = np.ones(pixels.shape[:3], np.bool_) if known is None else known
        names = tuple(f"piece {i}" for i in range(len(pixels)))
        return cls(pixels, known, names, np.zeros(len(pixels), np.int32))

    @classmethod
    def from_originals(
        cls,
        originals: Originals,
        names: tuple[str, ...],
        given_turn: Ints,
        *,
        erode: int = 0,
        lost: int = 0,
        on: Listener = ignore,
    ) -> Pieces:
        """Make pieces from given pixels: find which are known, and put the lost ring around.

        Args:
            originals: the given pieces, h x w pixels.
            names: where each came from.
            given_turn: [N] quarter turns that were applied to the given pictures.
            erode: this many outer pixels of each given piece are not to be trusted.
            lost: this many pixels were cropped away on each side.
            on: told about transparent pixels and about a border that was found.
        """
        pixels = originals.rgb()
        height, width = pixels.shape[1:3]
        check_widths(len(pixels), height, width, erode, lost)
        known = _known_pixels(originals, pixels, on) & inside(height, width, erode)
        blank = np.flatnonzero(~known.any(axis=(1, 2)))
        if len(blank):
            raise InputError(
                f"{names[blank[0]]}: no pixel of it is known (transparent, border, or eroded); "
                "take it out, or check --erode."
            )
        pixels[~known] = 0  # what lies under a transparent or worn pixel must help nobody
        ringed_pixels = cast("NDArray[np.uint8]", ringed(pixels, lost))
        ringed_known = cast("NDArray[np.bool_]", ringed(known, lost))
        return cls(ringed_pixels, ringed_known, names, given_turn, lost, originals)

    def take(self, order: Ints) -> Pieces:
        """Give the pieces in another order: new piece i is old piece order[i]."""
        return replace(
            self,
            pixels=self.pixels[order],
            known=self.known[order],
            names=tuple(self.names[i] for i in order),
            given_turn=self.given_turn[order],
            originals=None if self.originals is None else self.originals.take(order),
        )

    def sorted_by_content(self) -> tuple[Pieces, Ints]:
        """Sort the pieces by their pixels, so that names and order of files change nothing.

        Returns:
            The sorted pieces and the order: new piece i is old piece order[i].
        """
        given = self.pixels if self.originals is None else self.originals.pixels
        views = zip(self.pixels, self.known, given, strict=True)
        keys = [b"".join(view.tobytes() for view in one) for one in views]
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int32)
        return self.take(order), order


def read_pieces(
    source: Path | str,
    *,
    piece: int | tuple[int, int] | None = None,
    grid: tuple[int, int] | None = None,
    erode: int = 0,
    lost: int = 0,
    turns: bool = False,
    on: Listener = ignore,
) -> Pieces:
    """Read the pieces of a puzzle.

    Args:
        source: a folder of pictures, a zip file of pictures, or one mosaic picture.
        piece: pixels of a square piece of the mosaic, or its (height, width).
        grid: the (rows, cols) of the mosaic, instead of `piece`.
        erode: the outer pixels of each given piece that are not to be trusted.
        lost: the pixels that were cropped away on each side of each piece.
        turns: whether pieces may be turned; then w x h and h x w count as one size.
        on: told what was read, passed over, found and assumed.
    """
    path = Path(source)
    if _is_mosaic(path, piece, grid):
        mosaic = read_picture(path, on)
        originals, names = cut_mosaic(mosaic, _cell_size(path, mosaic, piece, grid), on)
        given_turn = np.zeros(len(names), np.int32)
    else:
        pictures = read_folder(path, on) if path.is_dir() else read_zip(path, on)
        names = tuple(picture.name for picture in pictures)
        originals, given_turn = stack(pictures, turns=turns, on=on)
    if len(names) < 2:
        raise InputError(f"{path}: only one piece; a puzzle needs at least two.")
    pieces = Pieces.from_originals(originals, names, given_turn, erode=erode, lost=lost, on=on)
    on(Read(len(pieces)))
    return pieces


def _is_mosaic(
    path: Path, piece: int | tuple[int, int] | None, grid: tuple[int, int] | None
) -> bool:
    """Tell by the path and the options whether the source is one mosaic picture."""
    try:
        folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from error
    if not exists:
        raise InputError(f"{path}: there is no such file or folder; check the name.")
    sized = (piece is not None) + (grid is not None)
    picture = not folder and path.suffix.lower() in SUFFIXES
    if not (folder or picture or path.suffix.lower() == ".zip"):
        raise InputError(
            f"{path}: neither a folder, a .zip file, nor a picture ({', '.join(sorted(SUFFIXES))})."
        )
    if picture and sized != 1:
        raise OptionError(
            f"{path}: for a mosaic picture give either the size of its pieces (--piece 64) or its "
            "rows and columns (--grid 8x10)."
        )
    if sized and not picture:
        raise OptionError(f"{path}: --piece and --grid are for one mosaic picture; leave them out.")
    return picture


def _cell_size(
    path: Path,
    mosaic: Decoded,
    piece: int | tuple[int, int] | None,
    grid: tuple[int, int] | None,
) -> tuple[int, int]:
    """Give the (height, width) of the cells of a mosaic that they divide."""
    height, width = mosaic.pixels.shape[:2]
    if mosaic.orientation in (5, 6, 7, 8):
        height, width = width, height
    if grid is not None:
        if min(grid) < 1:
            raise OptionError(f"A grid of {grid[0]}x{grid[1]} has no piece; give --grid ROWSxCOLS.")
        cell = (height // grid[0], width // grid[1])
        fits = (cell[0] * grid[0], cell[1] * grid[1]) == (height, width)
        wish = f"{grid[0]} rows and {grid[1]} columns"
    else:
        assert piece is not None
        cell = (piece, piece) if isinstance(piece, int) else piece
        if min(cell) < 1:
            raise OptionError(f"Pieces of {cell[1]}x{cell[0]} pixels are none; see --piece.")
        fits = height % cell[0] == 0 and width % cell[1] == 0
        wish = f"pieces of {cell[1]}x{cell[0]} pixels"
    if not fits:
        raise InputError(
            f"{path}: {width}x{height} pixels cannot be divided into {wish}; give another --piece "
            "or --grid, or crop the picture."
        )
    return cell


def _known_pixels(
    originals: Originals, pixels: NDArray[np.uint8], on: Listener
) -> NDArray[np.bool_]:
    """[N, h, w] what neither transparency nor a border of one colour takes away."""
    visible = originals.visible()
    if not visible.all():
        on(Note(f"transparent pixels count as lost ({1 - visible.mean():.0%} of all)"))
        return visible
    frame = find_frame(pixels)
    if frame is None:
        return visible
    colour = "#{:02x}{:02x}{:02x}".format(*frame.colour)
    width = str(frame.least) if frame.least == frame.most else f"{frame.least} to {frame.most}"
    on(Note(f"a border of {colour}, {width} px wide, frames every piece and counts as lost"))
    return ~frame.lost

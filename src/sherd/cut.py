"""Make a puzzle: cut a picture into pieces, wear their borders, shuffle and turn them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from sherd.decoding import SUFFIXES, Decoded, Samples, oriented
from sherd.errors import InputError, OptionError, OutputError
from sherd.events import Listener, Note, ignore
from sherd.layout import Layout
from sherd.originals import promoted, stack
from sherd.output import check_free, whole_folder
from sherd.picture import Picture
from sherd.pieces import Pieces
from sherd.reading import read_picture
from sherd.sides import turn_picture
from sherd.truth import TRUTH_NAME, read_truth, truth_json
from sherd.wear import even_wear, uneven_wear

__all__ = ["How", "Puzzle", "cut", "read_truth", "write_puzzle"]

How: TypeAlias = Literal["alpha", "black", "cropped"]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Puzzle:
    """Pieces as their files would hold them, and the truth.

    pictures: [N] u8 or u16 [h, w, channels] each; turned pieces may be w x h.
    names: [N] file names.
    truth: the layout of the pieces as given: `turn` makes each one upright.
    recipe: how the pieces were made, in JSON types.
    left_over: (rows, cols) of pixels at the bottom and at the right that fill no piece.
    icc_profile: the colour profile of the picture.
    """

    pictures: tuple[Samples, ...]
    names: tuple[str, ...]
    truth: Layout
    recipe: Mapping[str, Any]
    left_over: tuple[int, int] = (0, 0)
    icc_profile: bytes | None = None

    def pieces(self) -> tuple[Pieces, Layout]:
        """Give the pieces as `read_pieces` would after writing, and their true layout."""
        decoded = [
            Decoded(name, picture, self.icc_profile)
            for name, picture in zip(self.names, self.pictures, strict=True)
        ]
        originals, given_turn = stack(decoded, turns=bool(self.recipe["turns"]), on=ignore)
        lost = self.recipe["erode"][0] if self.recipe["how"] == "cropped" else 0
        pieces = Pieces.from_originals(originals, self.names, given_turn, lost=lost)
        turn = ((self.truth.turn - given_turn) % 4).astype(np.int32)
        truth = Layout(self.truth.cell, turn, self.truth.board, self.truth.shapes)
        return pieces, truth


def cut(
    picture: Path | str | Samples,
    *,
    piece: int | tuple[int, int],
    erode: int | tuple[int, int] = 0,
    how: How = "alpha",
    shuffle: bool = True,
    turns: bool = False,
    seed: int = 0,
    drop: int = 0,
    on: Listener = ignore,
) -> Puzzle:
    """Cut a picture into a puzzle, from the top left corner; what fills no piece is left over.

    Args:
        picture: a file, or pixels u8 or u16 [height, width, channels].
        piece: pixels of a square piece, or its (height, width).
        erode: pixels that are worn away on each side, or (least, most) for uneven wear.
        how: worn pixels become transparent ("alpha"), "black", or are cut off ("cropped").
        shuffle: mix the pieces; otherwise they come row by row.
        turns: turn each piece by a random number of quarter turns.
        seed: the same seed makes the same puzzle.
        drop: how many random pieces get lost.
        on: told what is done in reading the file.
    """
    source, pixels, profile = _load(picture, on)
    cell = (piece, piece) if isinstance(piece, int) else piece
    wear = (erode, erode) if isinstance(erode, int) else erode
    _check_options(cell, wear, how)
    tiles, shape = _tiles(pixels, cell)
    rng = np.random.default_rng(seed)
    order = _chosen(len(tiles), drop, shuffle, rng)
    quarter_turns = rng.integers(0, 4 if turns else 1, len(order)).astype(np.int32)
    worn = _worn(tiles[order], wear, how, rng)
    digits = max(4, len(str(len(order))))
    truth = Layout.from_grid(*shape).relabelled(order)
    return Puzzle(
        tuple(_turned(tile, int(k)) for tile, k in zip(worn, quarter_turns, strict=True)),
        tuple(f"piece-{i + 1:0{digits}d}.png" for i in range(len(order))),
        Layout(truth.cell, (-quarter_turns % 4).astype(np.int32), truth.board, truth.shapes),
        {
            "source": source,
            "piece": {"width": cell[1], "height": cell[0]},
            "erode": list(wear),
            "how": how,
            "turns": turns,
            "seed": seed,
        },
        (pixels.shape[0] - shape[0] * cell[0], pixels.shape[1] - shape[1] * cell[1]),
        profile,
    )


def _load(picture: Path | str | Samples, on: Listener) -> tuple[str, Samples, bytes | None]:
    """Give name, upright pixels [height, width, channels] and colour profile of a picture."""
    if isinstance(picture, np.ndarray):
        return "", picture if picture.ndim == 3 else picture[..., None], None
    decoded = read_picture(Path(picture), on)
    if decoded.orientation != 1:
        on(Note(f"EXIF orientation {decoded.orientation} applied"))
    return decoded.name, oriented(decoded.pixels, decoded.orientation), decoded.icc_profile


def _check_options(cell: tuple[int, int], wear: tuple[int, int], how: str) -> None:
    least, most = wear
    if min(cell) < 1:
        raise OptionError(f"Pieces of {cell[1]}x{cell[0]} pixels cannot be cut; see --piece.")
    if not 0 <= least <= most:
        raise OptionError(f"Wear of {least} to {most} pixels is none; give 0 or more, least first.")
    if 2 * most >= min(cell):
        raise OptionError(
            f"--erode {most} leaves nothing of pieces of {cell[1]}x{cell[0]} pixels; give at most "
            f"{(min(cell) - 1) // 2}."
        )
    if how not in get_args(How):
        raise OptionError(f"Worn pixels cannot be {how!r}; choose {', '.join(get_args(How))}.")
    if how == "cropped" and least != most:
        raise OptionError("Uneven wear cannot be cropped; choose --as alpha or --as black.")


def _tiles(pixels: Samples, cell: tuple[int, int]) -> tuple[Samples, tuple[int, int]]:
    """Cut [height, width, channels] into [rows * cols, h, w, channels] and give (rows, cols)."""
    height, width = cell
    rows, cols = pixels.shape[0] // height, pixels.shape[1] // width
    if rows * cols < 2:
        raise OptionError(
            f"A picture of {pixels.shape[1]}x{pixels.shape[0]} pixels gives {rows * cols} pieces "
            f"of {width}x{height}; a puzzle needs at least two, so give a smaller --piece."
        )
    whole = pixels[: rows * height, : cols * width]
    blocks = whole.reshape(rows, height, cols, width, -1).swapaxes(1, 2)
    return blocks.reshape(rows * cols, height, width, -1), (rows, cols)


def _chosen(pieces: int, drop: int, shuffle: bool, rng: np.random.Generator) -> Ints:
    """Choose which pieces are left, in which order."""
    if not 0 <= drop <= pieces - 2:
        raise OptionError(f"{drop} of {pieces} pieces cannot get lost; two must be left.")
    order = rng.permutation(pieces)[: pieces - drop]
    return (order if shuffle else np.sort(order)).astype(np.int32)


def _worn(tiles: Samples, wear: tuple[int, int], how: str, rng: np.random.Generator) -> Samples:
    """Take the worn pixels from tiles [N, h, w, channels]."""
    least, most = wear
    count, height, width, channels = tiles.shape
    if most == 0:
        return tiles
    if how == "cropped":
        return tiles[:, most : height - most, most : width - most]
    if least == most:
        worn = even_wear(count, height, width, most)
    else:
        worn = uneven_wear(count, height, width, least, most, rng)
    deep = bool(tiles.dtype == np.uint16)
    with_alpha = channels in (2, 4)
    if how == "alpha" and not with_alpha:
        tiles = promoted(tiles, channels + 1, deep)
    tiles = tiles.copy()
    tiles[worn] = 0
    if how == "black" and with_alpha:
        tiles[worn, -1] = np.iinfo(tiles.dtype).max
    return tiles


def _turned(tile: Samples, turns: int) -> Samples:
    return cast("Samples", turn_picture(tile, turns))


def write_puzzle(puzzle: Puzzle, folder: Path | str, *, overwrite: bool = False) -> None:
    """Write the pieces as PNG files, and truth.json beside them; whole or not at all.

    With `overwrite` the pieces of an older puzzle in the folder are replaced; a folder with other
    pictures in it is refused, since they would count as pieces.
    """
    folder = Path(folder)
    check_free(folder, overwrite=overwrite)
    stale = _stale_pieces(folder, puzzle)
    with whole_folder(folder, overwrite=overwrite) as staging:
        for name, pixels in zip(puzzle.names, puzzle.pictures, strict=True):
            (staging / name).write_bytes(Picture(pixels, puzzle.icc_profile).png())
        truth = truth_json(puzzle.truth, puzzle.names, puzzle.recipe)
        (staging / TRUTH_NAME).write_text(truth, "utf-8")
    for path in stale:
        path.unlink(missing_ok=True)


def _stale_pieces(folder: Path, puzzle: Puzzle) -> list[Path]:
    """List the pieces of an older puzzle that no new piece replaces."""
    if not folder.is_dir():
        return []
    pictures = [path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES]
    stale = [path for path in pictures if path.name not in puzzle.names]
    if not stale:
        return []
    try:
        read_truth(folder, [path.name for path in stale])
    except InputError as error:
        raise OutputError(
            f"{folder}: holds pictures that are no pieces of an older puzzle "
            f"({stale[0].name}); choose another folder with -o."
        ) from error
    return stale

"""The pixels as they were given, all bits, alpha and profile, for the final picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sherd.decoding import Decoded, Samples, oriented
from sherd.errors import InputError
from sherd.events import Listener, Note

__all__ = ["Originals", "cut_mosaic", "promoted", "stack"]

_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


@dataclass(frozen=True)
class Originals:
    """The given pieces in the smallest mode that holds all of them without loss.

    pixels: u8 or u16 [N, h, w, channels]; 1 gray, 2 gray + alpha, 3 RGB, 4 RGB + alpha. h x w is
        the size of the given pictures, without the ring of lost pixels.
    icc_profile: the colour profile that all of them share, or None.
    """

    pixels: Samples
    icc_profile: bytes | None = None

    @property
    def mode(self) -> str:
        """Name of the mode in Pillow's way: "L", "LA", "RGB", "RGBA", with ";16" for 16 bits."""
        return _MODES[self.pixels.shape[3]] + (";16" if self.pixels.dtype == np.uint16 else "")

    def rgb(self) -> NDArray[np.uint8]:
        """Give an 8-bit RGB copy [N, h, w, 3]."""
        channels = self.pixels.shape[3]
        colour = self.pixels[..., : 3 if channels > 2 else 1]
        if colour.dtype == np.uint16:
            colour = ((colour.astype(np.uint32) + 128) // 257).astype(np.uint8)
        return np.array(np.broadcast_to(colour, (*colour.shape[:3], 3)), np.uint8)

    def visible(self) -> NDArray[np.bool_]:
        """[N, h, w] whether a pixel is not fully transparent."""
        if self.pixels.shape[3] in (1, 3):
            return np.ones(self.pixels.shape[:3], np.bool_)
        return np.asarray(self.pixels[..., -1] > 0)

    def take(self, order: NDArray[np.int32]) -> Originals:
        """Give the pieces in another order: new piece i is old piece order[i]."""
        return replace(self, pixels=self.pixels[order])


def stack(
    pictures: Sequence[Decoded], *, turns: bool, on: Listener
) -> tuple[Originals, NDArray[np.int32]]:
    """Bring pictures of one size into one array.

    Args:
        pictures: the given pieces.
        turns: w x h and h x w count as one size; pieces are turned to the commoner shape.
        on: told what is done about EXIF turns and colour profiles that disagree.

    Returns:
        The originals, and [N] quarter turns clockwise that made the pieces of one shape.
    """
    pixels = _exif_turned(pictures, on)
    names = [picture.name for picture in pictures]
    given_turn = _turns_to_one_shape(names, pixels, turns)
    channels, deep = _common_mode(pixels)
    stacked = np.stack(
        [
            promoted(np.rot90(array, k=-int(turn)), channels, deep)
            for array, turn in zip(pixels, given_turn, strict=True)
        ]
    )
    return Originals(cast("Samples", stacked), _common_profile(pictures, channels, on)), given_turn


def cut_mosaic(
    mosaic: Decoded, cell: tuple[int, int], on: Listener
) -> tuple[Originals, tuple[str, ...]]:
    """Cut a mosaic into its pieces of cell = (height, width), row by row, and name them."""
    (pixels,) = _exif_turned([mosaic], on)
    height, width = cell
    rows, cols = pixels.shape[0] // height, pixels.shape[1] // width
    blocks = pixels.reshape(rows, height, cols, width, -1).swapaxes(1, 2)
    names = tuple(f"{mosaic.name}[{row},{col}]" for row in range(rows) for col in range(cols))
    pieces = np.ascontiguousarray(blocks.reshape(rows * cols, height, width, -1))
    return Originals(cast("Samples", pieces), mosaic.icc_profile), names


def _exif_turned(pictures: Sequence[Decoded], on: Listener) -> list[Samples]:
    """Apply the EXIF turn if all pictures have the same one."""
    found = Counter(picture.orientation for picture in pictures)
    if set(found) == {1}:
        return [picture.pixels for picture in pictures]
    if len(found) > 1:
        on(Note("the EXIF turns of the pieces disagree; none is applied"))
        return [picture.pixels for picture in pictures]
    (orientation,) = found
    on(Note(f"EXIF orientation {orientation} applied to every picture"))
    return [oriented(picture.pixels, orientation) for picture in pictures]


def _turns_to_one_shape(
    names: Sequence[str], pixels: Sequence[Samples], turns: bool
) -> NDArray[np.int32]:
    """[N] quarter turns that give all pieces the shape of most (at a tie: the wide one)."""
    shapes = [(array.shape[0], array.shape[1]) for array in pixels]
    found = Counter(shapes)
    shape, _ = max(found.items(), key=lambda item: (item[1], item[0][1] - item[0][0], item[0]))
    allowed = {shape, shape[::-1]} if turns else {shape}
    odd = [i for i, other in enumerate(shapes) if other not in allowed]
    if odd:
        raise InputError(_sizes_differ(names, shapes, odd[0], shape, turns))
    return np.array([int(other != shape) for other in shapes], np.int32)


def _sizes_differ(
    names: Sequence[str],
    shapes: Sequence[tuple[int, int]],
    odd: int,
    shape: tuple[int, int],
    turns: bool,
) -> str:
    found = Counter(shapes).most_common(3)
    sizes = ", ".join(f"{count} of {width}x{height}" for (height, width), count in found)
    if len(set(shapes)) > len(found):
        sizes += ", ..."
    cure = "take out what is no piece, or cut all of them to one size"
    if not turns and set(shapes) == {shape, shape[::-1]}:
        cure = "if the pieces may be turned, say so with --turns"
    height, width = shapes[odd]
    return f"{names[odd]} is {width}x{height}: the pieces have different sizes ({sizes}); {cure}."


def _common_mode(pixels: Sequence[Samples]) -> tuple[int, bool]:
    """Find the channels and the depth that hold every picture without loss."""
    counts = {array.shape[2] for array in pixels}
    colour = 3 if counts & {3, 4} else 1
    return colour + bool(counts & {2, 4}), any(array.dtype == np.uint16 for array in pixels)


def promoted(pixels: Samples, channels: int, deep: bool) -> Samples:
    """Bring pixels [..., c] to more channels (gray to RGB, opaque alpha) and to 16 bits."""
    if deep and pixels.dtype == np.uint8:
        pixels = pixels.astype(np.uint16) * np.uint16(257)
    own = pixels.shape[2]
    if own == channels:
        return pixels
    colour = pixels[..., : 3 if own > 2 else 1]
    wide = np.broadcast_to(colour, (*colour.shape[:-1], 3 if channels > 2 else 1))
    if channels in (1, 3):
        return cast("Samples", wide)
    opaque = np.full((*pixels.shape[:-1], 1), np.iinfo(pixels.dtype).max, pixels.dtype)
    alpha = pixels[..., -1:] if own in (2, 4) else opaque
    return cast("Samples", np.concatenate([wide, alpha], axis=-1))


def _common_profile(pictures: Sequence[Decoded], channels: int, on: Listener) -> bytes | None:
    """Give the profile of all pictures; drop it where they differ or it no longer fits."""
    profiles = {picture.icc_profile for picture in pictures}
    if profiles == {None}:
        return None
    grayness = {picture.pixels.shape[2] < 3 for picture in pictures}
    if len(profiles) > 1 or len(grayness) > 1:
        on(Note("the colour profiles of the pieces differ; none is kept"))
        return None
    return profiles.pop()

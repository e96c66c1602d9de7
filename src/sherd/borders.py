"""Which pixels of the pieces are known: transparent, framed, eroded and lost borders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.decoding import MAX_PIXELS
from sherd.errors import OptionError

__all__ = ["Frame", "check_widths", "find_frame", "inside", "ringed"]

Mask = NDArray[np.bool_]

_WIDEST_RING = 8  # times the shorter side of a given piece; more is a slip of the finger


@dataclass(frozen=True)
class Frame:
    """A border of one colour around every piece.

    colour: (red, green, blue).
    lost: bool [N, h, w], the pixels that belong to the border.
    least, most: the thinnest and the thickest place of the border in pixels.
    """

    colour: tuple[int, int, int]
    lost: Mask
    least: int
    most: int


def check_widths(pieces: int, height: int, width: int, erode: int, lost: int) -> None:
    """Raise OptionError unless given pieces of height x width can have such borders."""
    short = min(height, width)
    if erode < 0 or lost < 0:
        raise OptionError("Border widths must be 0 or more; see --erode and --lost.")
    if 2 * erode >= short:
        raise OptionError(
            f"--erode {erode} leaves nothing of pieces of {width}x{height} pixels; "
            f"give at most {(short - 1) // 2}."
        )
    cells = pieces * (height + 2 * lost) * (width + 2 * lost)
    if lost > _WIDEST_RING * short or (lost and cells > MAX_PIXELS):
        raise OptionError(
            f"--lost {lost} is too much around pieces of {width}x{height} pixels; it counts the "
            "pixels that were cut off at each side of a piece."
        )


def inside(height: int, width: int, border: int) -> Mask:
    """[height, width] whether a pixel is at least `border` pixels away from the edge."""
    return ring_number(height, width) >= border


def ring_number(height: int, width: int) -> NDArray[np.int32]:
    """[height, width] how many pixels lie between a pixel and the nearest edge."""
    rows = np.minimum(np.arange(height), np.arange(height)[::-1])
    cols = np.minimum(np.arange(width), np.arange(width)[::-1])
    return np.minimum(rows[:, None], cols[None, :]).astype(np.int32)


def ringed(array: NDArray[np.generic], lost: int) -> NDArray[np.generic]:
    """Put a ring of `lost` zeros around pictures [N, h, w, ...]."""
    widths = [(0, 0), (lost, lost), (lost, lost)] + [(0, 0)] * (array.ndim - 3)
    return np.pad(array, widths) if lost else array


def find_frame(pixels: NDArray[np.uint8]) -> Frame | None:
    """Find a border of one colour that frames every piece on all four sides.

    Only pixels of exactly that colour which hang together with the edge count, and no deeper than
    the border is elsewhere: a night sky is not eaten by a black border.

    Args:
        pixels: u8 [N, h, w, 3].

    Returns:
        The frame, or None where there is none.
    """
    colour = pixels[0, 0, 0]
    height, width = pixels.shape[1:3]
    same = (pixels == colour).all(axis=3)  # [N, h, w]
    ring = ring_number(height, width)
    if not same[:, ring == 0].all():
        return None
    rings = np.where(same, height + width, ring).min(axis=(1, 2))  # [N] whole rings of the colour
    least = int(rings.min())
    if 2 * least >= min(height, width):
        return None  # all pieces are blank: that is a picture, not a border
    most = _greatest_depth(same, least)
    lost = _hanging_together(same & (ring < most))
    red, green, blue = (int(value) for value in colour)
    return Frame((red, green, blue), lost, least, most)


def _greatest_depth(same: Mask, least: int) -> int:
    """Tell how deep the border may reach, judging by all pieces.

    An even border has most lines exactly `least` deep. A ragged one differs from line to line; its
    greatest depth is typical of the pieces, while dark picture content makes few of them deeper.
    """
    depths = _line_depths(same)  # [N, lines]
    if (depths == least).mean() >= 0.5:
        return least
    deepest = depths.max(axis=1)
    typical = float(np.median(deepest))
    if typical > min(same.shape[1:]) / 4:
        return least
    return int(deepest[deepest <= 1.5 * typical].max())


def _line_depths(same: Mask) -> NDArray[np.int64]:
    """[N, lines] how many pixels of the border colour rows and columns begin and end with.

    Only the lines of the middle half count: near a corner a line runs along the border.
    """
    depths = []
    for view in _four_ways(same):
        quarter = view.shape[2] // 4
        middle = view[:, :, quarter : view.shape[2] - quarter]
        depths.append(np.logical_and.accumulate(middle, axis=1).sum(axis=1))
    return np.concatenate(depths, axis=1)


def _hanging_together(mask: Mask) -> Mask:
    """Keep the pixels of a mask [N, h, w] that hang together with the edge."""
    reached = np.zeros_like(mask)
    for view, out in zip(_four_ways(mask), _four_ways(reached), strict=True):
        out |= np.logical_and.accumulate(view, axis=1)
    while True:
        grown = reached.copy()
        grown[:, 1:] |= reached[:, :-1]
        grown[:, :-1] |= reached[:, 1:]
        grown[:, :, 1:] |= reached[:, :, :-1]
        grown[:, :, :-1] |= reached[:, :, 1:]
        grown &= mask
        if (grown == reached).all():
            return reached
        reached = grown


def _four_ways(mask: Mask) -> tuple[Mask, ...]:
    """Give views of a mask [N, h, w] in which axis 1 runs inwards from each of the four sides."""
    turned = mask.swapaxes(1, 2)
    return mask, mask[:, ::-1], turned, turned[:, ::-1]

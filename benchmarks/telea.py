"""Telea's inpainting, for gaps that are straight strips between two known sides.

Alexandru Telea, "An image inpainting technique based on the fast marching method", Journal of
Graphics Tools 9(1), 2004. From the sides of a straight strip the front marches column by column,
so that arrival times are distances and need no heap; columns of equal time are filled at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def telea(pixels: Floats, first: int, last: int, radius: int = 3) -> Floats:
    """Fill columns `first` to `last` of pictures [B, H, W, 3] from both sides."""
    filled = pixels.copy()
    known = np.ones(pixels.shape[2], np.bool_)
    known[first : last + 1] = False
    time = np.minimum(np.arange(len(known)) - first, last - np.arange(len(known))) + 1
    for left in range(first, (first + last) // 2 + 1):
        front = sorted({left, first + last - left})
        new = [_column(filled, known, time, column, radius) for column in front]
        for column, values in zip(front, new, strict=True):
            filled[:, :, column] = values
            known[column] = True
    return filled


def _column(
    pixels: Floats, known: NDArray[np.bool_], time: NDArray[np.int_], column: int, radius: int
) -> Floats:
    """Values [B, H, 3] of one column: its known neighbours, each continued by its gradient."""
    height = pixels.shape[1]
    total = np.zeros_like(pixels[:, :, 0])
    weights = np.zeros((height, 1), np.float32)
    for down, right in _disc(radius):
        source = column + right
        if not (0 <= source < len(known) and known[source]):
            continue
        gradient_y, gradient_x = _gradients(pixels, known, source)
        rows = np.arange(height)
        inside = (rows + down >= 0) & (rows + down < height)
        at = np.clip(rows + down, 0, height - 1)
        distance = np.hypot(down, right)
        direction = abs(right) / distance  # the front moves along the rows
        level = 1 / (1 + abs(int(time[column]) - int(time[source])))
        weight = np.where(inside, direction * level / distance**2, 0)[:, None].astype(np.float32)
        step = -down * gradient_y - right * gradient_x
        total += weight * (pixels[:, :, source] + step)[:, at]
        weights += weight
    return total / weights


def _disc(radius: int) -> Iterator[tuple[int, int]]:
    """Offsets (down, right) within the radius that are not straight above or below."""
    span = range(-radius, radius + 1)
    return ((y, x) for y in span for x in span if x and y * y + x * x <= radius * radius)


def _gradients(pixels: Floats, known: NDArray[np.bool_], column: int) -> tuple[Floats, Floats]:
    """Slopes down and to the right [B, H, 3] of a known column, from known pixels alone."""
    here = pixels[:, :, column]
    down = np.gradient(here, axis=1)
    beside = [x for x in (column - 1, column + 1) if 0 <= x < len(known) and known[x]]
    if len(beside) == 2:
        return down, (pixels[:, :, beside[1]] - pixels[:, :, beside[0]]) / 2
    right = [(pixels[:, :, x] - here) * (x - column) for x in beside]
    return down, right[0] if right else np.zeros_like(here)

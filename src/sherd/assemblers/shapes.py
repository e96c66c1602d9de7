"""Which boards a number of pieces can fill, where nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from sherd.layout import BoardSpec

__all__ = ["board_shapes"]

_LONGEST = 5  # times its width
_MOST_HOLES = 3


def board_shapes(pieces: int) -> Iterator[BoardSpec]:
    """Yield every rectangle that `pieces` pieces fill, none longer than five times its width.

    Where there is none (a large prime number of pieces), rectangles with up to three holes, and if
    there is none of them either, a single row.
    """
    for holes in range(_MOST_HOLES + 1):
        shapes = [
            (rows, (pieces + holes) // rows)
            for rows in range(1, pieces + holes + 1)
            if (pieces + holes) % rows == 0
            and rows * rows <= _LONGEST * (pieces + holes)
            and pieces + holes <= _LONGEST * rows * rows
        ]
        if shapes:
            yield from (BoardSpec(rows, cols, holes) for rows, cols in shapes)
            return
    yield BoardSpec(1, pieces)

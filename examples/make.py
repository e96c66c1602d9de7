"""Make the example puzzle anew: `python examples/make.py [FOLDER]` (default: examples/village).

A made-up picture of 6 x 8 pieces of 64 px, worn by 2 px on each side, shuffled: every run writes
the same files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sherd.cut import cut, write_puzzle
from sherd.paint import paint

ROWS, COLS, PIECE, WORN, SEED = 6, 8, 64, 2, 3


def make(folder: Path) -> None:
    """Paint, cut, wear and write."""
    picture = paint(ROWS * PIECE, COLS * PIECE, SEED)
    write_puzzle(cut(picture, piece=PIECE, erode=WORN, seed=SEED), folder, overwrite=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "village")

"""How often the search reaches the energy of the truth, and in what time.

Every puzzle of the tables is searched with several seeds on the board of known size; a run counts
as missed if it ends more than 0.02 nats (the rounding of fixed point) below the truth.

    python benchmarks/search_gaps.py TABLES.npz ... [--seeds 5] [--seconds 0.5] [--only _4_]
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from tables import Puzzle, read_puzzles

from sherd.assemblers import Assembler, find_assembler
from sherd.assemblers.search import Search
from sherd.events import ignore
from sherd.layout import BoardSpec
from sherd.metrics import measure, search_gap
from sherd.stop import MaxTime, Never

ROUNDING = 0.02


def run(
    puzzle: Puzzle, assembler: Assembler, seed: int, seconds: float | None, *, known: bool
) -> tuple[float, float, float]:
    """Search once: the gap to the truth, the neighbour measure and the seconds it took."""
    stop = MaxTime(seconds) if seconds else Never()
    stop(0.0)  # the clock starts now
    started = time.perf_counter()
    board = puzzle.board if known else BoardSpec()
    layout = assembler.assemble(puzzle.scores, board, stop, np.random.default_rng(seed), ignore)
    taken = time.perf_counter() - started
    gap = search_gap(puzzle.scores, layout, puzzle.truth)
    return gap, measure(layout, puzzle.truth).neighbour, taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--only", default="", help="part of the names of the puzzles")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--assembler", default="search")
    parser.add_argument("--unknown", action="store_true", help="do not tell the board's size")
    given = parser.parse_args()
    search = given.assembler == "search"
    made = Search(threads=given.threads) if search else find_assembler(given.assembler)
    cells = defaultdict(list)
    for puzzle in read_puzzles(given.tables, given.only):
        for seed in range(given.seeds):
            found = run(puzzle, made, seed, given.seconds, known=not given.unknown)
            cells[puzzle.cell].append(found)
            if found[0] > ROUNDING:
                print(f"{puzzle.name} seed {seed}: {found[0]:.2f} nats below the truth", flush=True)
    print("| tables | runs | truth reached | neighbour | seconds: mean | worst |")
    print("|---|---|---|---|---|---|")
    for cell, found in cells.items():
        gaps, neighbour, taken = np.array(found).T
        reached = (gaps <= ROUNDING).mean()
        print(
            f"| {cell} | {len(gaps)} | {reached:.1%} | {neighbour.mean():.3f} "
            f"| {taken.mean():.2f} | {taken.max():.2f} |"
        )
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()

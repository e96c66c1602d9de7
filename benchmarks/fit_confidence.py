"""Fit how far the recorded shares of seams are to be believed, and print how right they are.

Every puzzle of the tables is searched; the shares that the recording gives to the seams of the
layout are compared with whether they are right. One temperature on their logit is fitted (least
cross-entropy). Printed are the expected calibration error (15 bins) before and after, and what the
islands of certain seams are worth.

    python benchmarks/fit_confidence.py TABLES.npz ... [--seeds 2] [--only _4_]
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tables import read_puzzles

from sherd.assemblers.search import Search
from sherd.assemblers.visits import tempered
from sherd.events import ignore
from sherd.metrics import seams_right
from sherd.stop import Never

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
BINS = 15


def calibration_error(confidence: Floats, right: Bools) -> float:
    """Average over 15 bins how far the mean confidence is from the share that is right."""
    place = np.minimum((confidence * BINS).astype(int), BINS - 1)
    error = 0.0
    for k in np.unique(place):
        here = place == k
        error += here.mean() * abs(confidence[here].mean() - right[here].mean())
    return float(error)


def surprise(confidence: Floats, right: Bools) -> float:
    """Mean cross-entropy of what happened."""
    said = np.where(right, confidence, 1 - confidence).astype(float)
    return float(-np.log(np.maximum(said, 1e-9)).mean())


def line(name: str, confidence: Floats, right: Bools) -> str:
    certain = confidence >= 0.99
    error, nats = calibration_error(confidence, right), surprise(confidence, right)
    return (
        f"| {name} | {len(right)} | {right.mean():.3f} | {error:.4f} | {nats:.4f} "
        f"| {certain.mean():.3f} | {right[certain].mean():.4f} |"
    )


def joined(found: Iterable[tuple[Floats, Bools]]) -> tuple[Floats, Bools]:
    confidence, right = zip(*found, strict=True)
    return np.concatenate(confidence), np.concatenate(right)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, nargs="+")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="", help="part of the names of the puzzles")
    given = parser.parse_args()
    seen: dict[str, list[tuple[Floats, Bools]]] = defaultdict(list)
    search = Search(threads=1, logit_temperature=1.0)
    for puzzle in read_puzzles(given.tables, given.only):
        for seed in range(given.seeds):
            rng = np.random.default_rng(seed)
            layout = search.assemble(puzzle.scores, puzzle.board, Never(), rng, ignore)
            assert layout.confidence is not None
            seen[puzzle.cell].append((layout.confidence, seams_right(layout, puzzle.truth)))
    cells = {cell: joined(found) for cell, found in seen.items()}
    every = joined(cells.values())
    choices = np.round(np.arange(0.6, 3.01, 0.05), 2)
    best = min(choices, key=lambda t: surprise(tempered(every[0], float(t)), every[1]))
    print(f"best temperature on the logit: {best}")
    for temperature in (1.0, float(best)):
        print(f"\ntemperature {temperature}")
        print("| tables | seams | right | calibration error | surprise | at 0.99 | of them right |")
        print("|---|---|---|---|---|---|---|")
        for cell, (confidence, right) in {**cells, "all": every}.items():
            print(line(cell, tempered(confidence, temperature), right))


if __name__ == "__main__":
    main()

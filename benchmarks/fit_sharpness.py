"""Fit how strongly a scorer's costs are to be believed, and print how well it finds neighbours.

Every picture below --data is cut into 64-pixel pieces from its top left corner, worn by 0, 2 and 4
pixels on each side; the sharpness that makes the true seams likeliest (row by row) is printed.

    python benchmarks/fit_sharpness.py --data PICTURES
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sherd.events import ignore
from sherd.layout import Layout, seams_of
from sherd.pieces import Pieces
from sherd.scorers import find_scorer
from sherd.scores import Scores, costs_to_logits, row_log_softmax
from sherd.sides import Relations

PICTURES = {".jpg", ".jpeg", ".png", ".webp"}
Floats = NDArray[np.float32]


def cut(path: Path, size: int, erosion: int) -> tuple[Pieces, Layout]:
    """Cut a picture into worn pieces, in the order of the board."""
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB"))
    rows, cols = pixels.shape[0] // size, pixels.shape[1] // size
    grid = pixels[: rows * size, : cols * size].reshape(rows, size, cols, size, 3).swapaxes(1, 2)
    known = np.zeros((rows * cols, size, size), np.bool_)
    known[:, erosion : size - erosion, erosion : size - erosion] = True
    pieces = Pieces.from_arrays(grid.reshape(-1, size, size, 3), known)
    return pieces, Layout.from_grid(rows, cols)


def true_places(scores: Scores, layout: Layout) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Find the true partner of every side that has one: its row and its place there."""
    seams = seams_of(layout)
    rows = np.concatenate([seams[:, 0], seams[:, 1]])
    partners = np.concatenate([seams[:, 1], seams[:, 0]])
    return rows, (scores.candidates[rows] == partners[:, None]).argmax(axis=1)


def first_by_cost(scores: Scores, rows: NDArray[np.int_], places: NDArray[np.int_]) -> float:
    """Measure how often the true partner is the cheapest candidate."""
    assert scores.cost is not None
    cost = scores.cost[rows]
    return float((cost.argmin(axis=1) == places).mean())


def surprise(tables: list[tuple[Floats, NDArray[np.int_]]], sharpness: float) -> float:
    """Average the negative log-likelihood of the true partners over all rows."""
    total = [
        -row_log_softmax(sharpness * logits, np.isfinite(logits))[np.arange(len(places)), places]
        for logits, places in tables
    ]
    return float(np.concatenate(total).mean())


def fitted(tables: list[tuple[Floats, NDArray[np.int_]]]) -> tuple[float, float]:
    """Search the sharpness of least surprise, from 0.05 to 200, in three ever finer grids."""
    low, high, best = 0.05, 200.0, (0.0, np.inf)
    for _ in range(3):
        grid = np.geomspace(low, high, 13)
        values = [surprise(tables, float(sharpness)) for sharpness in grid]
        here = int(np.argmin(values))
        best = (float(grid[here]), values[here])
        low, high = grid[max(here - 1, 0)], grid[min(here + 1, len(grid) - 1)]
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--erosions", type=int, nargs="+", default=[0, 2, 4])
    parser.add_argument("--scorers", nargs="+")
    options = parser.parse_args()
    paths = sorted(p for p in options.data.rglob("*") if p.suffix.lower() in PICTURES)
    for name in options.scorers or ["prediction", "prediction-symmetric", "mgc"]:
        everything = []
        for erosion in options.erosions:
            tables, found = [], []
            for path in paths:
                pieces, truth = cut(path, options.size, erosion)
                scores = find_scorer(name).score(pieces, Relations(square=pieces.square), ignore)
                rows, places = true_places(scores, truth)
                assert scores.cost is not None
                tables.append((costs_to_logits(scores.cost, 1.0)[rows], places))
                found.append(first_by_cost(scores, rows, places))
            sharpness, least = fitted(tables)
            print(
                f"{name} e={erosion}: true partner first {np.mean(found):.3f}, "
                f"sharpness {sharpness:.3g} (surprise {least:.3f})",
                flush=True,
            )
            everything += tables
        sharpness, least = fitted(everything)
        print(f"{name}: sharpness {sharpness:.3g} (surprise {least:.3f})", flush=True)


if __name__ == "__main__":
    main()

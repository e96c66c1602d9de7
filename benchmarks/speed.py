"""Whole solves in fresh processes, start-up included: python benchmarks/speed.py [--data DIR].

Seconds, multiples of one 4096² float32 matrix product timed in the same run, and peak memory.
Without the picture sets (--data or SHERD_DATA) painted pictures of the same size are cut.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measuring import describe_machine, picture, run_child, yardstick
from PIL import Image

SHERD = str(Path(sys.executable).parent / "sherd")
PIECE = 28


@dataclass(frozen=True)
class Job:
    """A picture to cut into pieces of 28 px."""

    place: str
    height: int
    width: int

    @property
    def board(self) -> tuple[int, int]:
        return self.height // PIECE, self.width // PIECE


JOBS = (
    Job("test/bgu805/1.jpg", 644, 980),
    Job("test/bgu3300/1.jpg", 1400, 1848),
)


def main() -> None:
    options = _options()
    product = yardstick()
    print(describe_machine(product))
    for job in JOBS:
        with tempfile.TemporaryDirectory() as folder:
            pieces = Path(folder) / "pieces"
            origin = _cut(job, options.data, pieces)
            rows, cols = job.board
            words = [SHERD, "solve", str(pieces), "--board", f"{rows}x{cols}", "-q"]
            words += ["--scorer", options.scorer, "--assembler", options.assembler]
            costs = [
                run_child([*words, "-o", str(Path(folder) / f"solved-{n}")])
                for n in range(options.repeats)
            ]
        best = min(costs, key=lambda cost: cost.seconds)
        print(
            f"{rows * cols:>6} pieces of {PIECE} px ({origin}): {best.seconds:.2f} s = "
            f"{best.seconds / product:.1f} products, {best.megabytes:.0f} MB peak "
            f"(best of {options.repeats})"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("SHERD_DATA"))
    parser.add_argument("--scorer", default="prediction")
    parser.add_argument("--assembler", default="greedy")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    options.data = Path(options.data) if options.data else None
    return options


def _cut(job: Job, data: Path | None, pieces: Path) -> str:
    """Cut the picture of a job into a folder, shuffled; say which picture it was."""
    pixels, origin = picture(data, job.place, job.height, job.width)
    photo = pieces.with_suffix(".png")
    Image.fromarray(pixels).save(photo)
    size = ["--piece", str(PIECE), "--erode", "0"]
    run_child([SHERD, "cut", str(photo), "-o", str(pieces), *size, "--shuffle", "--seed", "1"])
    (pieces / "truth.json").unlink()  # measuring against it is no part of solving
    return origin


if __name__ == "__main__":
    main()

"""What the benchmarks share: the yardstick of a machine, a child process, puzzles to time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from sherd.bench.provenance import machine
from sherd.paint import paint


@dataclass(frozen=True)
class Cost:
    """Wall clock and peak memory of a child process."""

    seconds: float
    megabytes: float


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """Time a piece of work several times and keep the best: seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def yardstick() -> float:
    """Time one 4096 x 4096 float32 matrix product: seconds, the best of three."""
    a = np.random.default_rng(0).standard_normal((4096, 4096), np.float32)
    out = np.empty_like(a)
    return best_of(3, lambda: np.matmul(a, a, out=out))


def describe_machine(product: float) -> str:
    """Say in one line what was timed on."""
    facts = machine()
    return f"{facts['cpu']}, {facts['cores']} cores; one 4096² float32 product: {product:.2f} s"


def run_child(words: Sequence[str]) -> Cost:
    """Run a command in a fresh process; stop with its output if it fails."""
    started = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = child.stdout.read() if child.stdout else ""
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{output}")
    return Cost(seconds, usage.ru_maxrss / 1024)


def picture(data: Path | None, place: str, height: int, width: int) -> tuple[np.ndarray, str]:
    """Read a picture below the data root, or paint one of its size; say which."""
    if data is not None and (data / place).is_file():
        with Image.open(data / place) as file:
            return np.asarray(file.convert("RGB")), place
    return paint(height, width, seed=1), f"painted, {width}x{height}"

"""Types of the compiled core (sources in cpp/)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]

def top_rows(cost: Floats, row_sides: Ints, col_sides: Ints, k: int) -> tuple[Ints, Floats]: ...
def reverse_positions(candidates: Ints) -> Ints: ...
def l1_costs(
    queries: Floats,
    targets: Floats,
    query_known: Bools,
    target_known: Bools,
    least: float,
    length: float,
) -> Floats: ...
def mgc_costs(
    seen: Floats,
    expected: Floats,
    whitening: Floats,
    known: Bools,
    other_seen: Floats,
    other_expected: Floats,
    other_whitening: Floats,
    other_known: Bools,
    least: float,
    length: float,
) -> Floats: ...
def unfilter_png(rows: NDArray[np.uint8], bytes_per_pixel: int) -> bool: ...
def tree_layout(
    candidates: Ints,
    cost: Floats,
    rows: int,
    cols: int,
    missing: int,
    turns: bool,
    square: bool,
    links_per_side: int,
    ask: Callable[[int], bool],
) -> Ints: ...
def greedy(
    candidates: Ints,
    cost: Floats,
    rows: int,
    cols: int,
    either_way: bool,
    missing: bool,
    stop: Callable[[int], bool],
) -> tuple[Ints, int]: ...

class ReplicaExchange:
    def __init__(
        self,
        candidates: Ints,
        score: Floats,
        alone: Floats | None,
        floor: float,
        turns: bool,
        rows: int,
        cols: int,
        starts: Ints,
        temperatures: Ints,
        ties: Ints,
        depth: int,
        seed: int,
        dense_limit: int = 1 << 27,
    ) -> None: ...
    def run(
        self,
        rounds: int,
        moves: int,
        clusters_in_64: int,
        threads: int,
        watched: int = 0,
        every: int = 0,
    ) -> None: ...
    def record(self, rounds: int, moves: int, threads: int, watched: int, every: int) -> None: ...
    def restart(self, starts: Ints) -> None: ...
    def set_temperatures(self, temperatures: Ints) -> None: ...
    def best_energy(self) -> float: ...
    def best(self) -> list[int]: ...
    def board(self, slot: int) -> list[int]: ...
    def board_energy(self, slot: int) -> float: ...
    def recomputed_energy(self, slot: int) -> float: ...
    def energy_of(self, cells: Ints) -> float: ...
    def exchange_rates(self) -> list[float]: ...
    def take_kept(self) -> Ints: ...

def island_layouts(
    candidates: Ints,
    score: Floats,
    floor: float,
    turns: bool,
    rows: int,
    cols: int,
    depth: int,
    settings: Ints,
) -> Ints: ...
def best_board(
    candidates: Ints,
    score: Floats,
    alone: Floats | None,
    floor: float,
    turns: bool,
    rows: int,
    cols: int,
    known: float = -1e9,
) -> tuple[list[int], float]: ...

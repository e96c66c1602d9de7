"""Measure a model on held-out puzzles: retrieval of true neighbours, and the filled gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from sherd.errors import InputError
from sherd.train.loop import compiled, halved_precision
from sherd.train.networks import PIECE, Judge, bridged, hole_of
from sherd.train.pairs import erase, known_masks, lay_down, whole

__all__ = [
    "BATCH",
    "Board",
    "Scorer",
    "evaluate_model",
    "measure_boards",
    "measure_gaps",
    "read_board",
    "read_boards",
    "retrieval",
    "true_pairs",
]

BATCH = 1024
"""Pairs judged at a time; a fixed number, so that one compiled program serves all puzzles."""


@dataclass(frozen=True)
class Board:
    """One puzzle: pieces in reading order."""

    name: str
    folder: str
    rows: int
    columns: int
    pieces: Tensor  # uint8 [N, 3, 64, 64], on the CPU


def read_board(path: Path) -> Board:
    """Cut a picture into 64 x 64 squares from its top left corner; the remainder is dropped."""
    pixels = np.array(Image.open(path).convert("RGB"))
    rows, columns = pixels.shape[0] // PIECE, pixels.shape[1] // PIECE
    if rows * columns < 2:
        raise InputError(
            f"{path}: smaller than two pieces of {PIECE} pixels; give larger pictures."
        )
    cut = pixels[: rows * PIECE, : columns * PIECE].reshape(rows, PIECE, columns, PIECE, 3)
    pieces = torch.from_numpy(cut.transpose(0, 2, 4, 1, 3).reshape(-1, 3, PIECE, PIECE).copy())
    return Board(path.stem, path.parent.name, rows, columns, pieces)


def read_boards(folders: Sequence[Path], most: int = 10**6) -> tuple[Board, ...]:
    """Read the first `most` pictures of each folder."""
    paths = [
        path
        for folder in folders
        for path in sorted(p for p in folder.iterdir() if p.is_file())[:most]
    ]
    return tuple(read_board(path) for path in paths)


class Scorer:
    """Judges all pairs of a puzzle in batches of one size."""

    def __init__(self, judge: Judge, compile_it: bool) -> None:
        """Prepare `judge`, which stays on its device."""
        self.judge = judge
        self.device = next(judge.parameters()).device
        self._run = compiled(judge, compile_it)
        self._masks = known_masks(self.device)

    @torch.no_grad()
    def table(self, board: Board, erosion: int) -> NDArray[np.float16]:
        """-log of the probability that j is right of (0) or below (1) i: float16 [2, N, N]."""
        pieces = whole(board.pieces.to(self.device))
        count = len(pieces)
        pairs = torch.cartesian_prod(torch.arange(count), torch.arange(count)).to(self.device)
        tables = []
        for bank in (pieces, lay_down(pieces)):
            costs = [self._costs(bank, part, erosion) for part in pairs.split(BATCH)]
            table = torch.cat(costs).view(count, count)
            tables.append(table.fill_diagonal_(torch.inf))
        return torch.stack(tables).half().cpu().numpy()

    def _costs(self, bank: Tensor, pairs: Tensor, erosion: int) -> Tensor:
        """Costs [P] of at most BATCH pairs of indices [P, 2] into pieces `bank`."""
        short = BATCH - len(pairs)
        padded = torch.cat([pairs, pairs[:1].expand(short, -1)])
        original = torch.cat([bank[padded[:, 0]], bank[padded[:, 1]]], 3)
        return self.judged(original, erosion)[0][: len(pairs)]

    @torch.no_grad()
    def judged(self, original: Tensor, erosion: int) -> tuple[Tensor, Tensor]:
        """Costs [BATCH] and filled pairs of uneroded pairs [BATCH, 3, 64, 128]."""
        known = self._masks[erosion].expand(len(original), -1, -1, -1)
        pixels = erase(original, known, self.judge.config.fill)
        with halved_precision(self.device):
            cost, filled = self._run(pixels, known)
        return cost.float(), filled.float()


def true_pairs(rows: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (i, j) with j right of i, and with j below i: two int64 [P, 2]."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    right = np.stack([cells[:, :-1].ravel(), cells[:, 1:].ravel()], 1)
    down = np.stack([cells[:-1].ravel(), cells[1:].ravel()], 1)
    return right, down


def retrieval(table: NDArray[np.floating], rows: int, columns: int) -> float:
    """Share of inner borders at which the true neighbour has the lowest cost.

    `table` [2, N, N]; every seam is asked from both of its sides.
    """
    hits: list[NDArray[np.bool_]] = []
    for costs, pairs in zip(table, true_pairs(rows, columns), strict=True):
        first, second = pairs.T
        hits.append(costs[first].argmin(1) == second)
        hits.append(costs[:, second].argmin(0) == first)
    return float(np.concatenate(hits).mean())


def measure_boards(
    scorer: Scorer,
    boards: Sequence[Board],
    erosions: Sequence[int],
    tables: dict[str, NDArray[np.generic]] | None = None,
) -> dict[int, float]:
    """Mean retrieval per erosion; the cost tables are put into `tables` if given."""
    means: dict[int, float] = {}
    for erosion in erosions:
        shares = []
        for number, board in enumerate(boards):
            table = scorer.table(board, erosion)
            shares.append(retrieval(table, board.rows, board.columns))
            if tables is not None:
                key = f"{board.folder}_{erosion}_{number}"
                tables[key] = table
                tables[f"{key}_rc"] = np.array([board.rows, board.columns])
                tables[f"{key}_name"] = np.array(board.name)
        means[erosion] = float(np.mean(shares)) if shares else math.nan
    return means


def measure_gaps(scorer: Scorer, boards: Sequence[Board], erosion: int) -> dict[str, float]:
    """L1 (in 0..255) and PSNR of the filled gap against the original, beside a straight line's."""
    errors: dict[str, list[Tensor]] = {"model": [], "line": []}
    for original in _seams_of(boards):
        batch = original[torch.arange(BATCH) % len(original)].to(scorer.device)
        known = known_masks(scorer.device)[erosion][None]
        hole = hole_of(known)
        fillings = {"model": scorer.judged(batch, erosion)[1]}
        fillings["line"] = bridged(batch, known)
        for name, filled in fillings.items():
            difference = ((filled - batch) * 127.5 * hole)[: len(original)].flatten(1)
            area = 3 * hole.sum()
            sums = torch.stack([difference.abs().sum(1), difference.square().sum(1)], 1)
            errors[name].append((sums / area).cpu())
    result: dict[str, float] = {}
    for name, parts in errors.items():
        l1, square = torch.cat(parts).unbind(1)
        result[f"l1_{name}"] = float(l1.mean())
        result[f"psnr_{name}"] = float((10 * torch.log10(255**2 / square.clamp(min=1e-2))).mean())
    return result


def _seams_of(boards: Sequence[Board]) -> list[Tensor]:
    """All true pairs of all boards in batches: float [<= BATCH, 3, 64, 128]."""
    pairs: list[Tensor] = []
    for board in boards:
        pieces = whole(board.pieces)
        banks = pieces, lay_down(pieces)
        for bank, indices in zip(banks, true_pairs(board.rows, board.columns), strict=True):
            pairs.append(torch.cat([bank[indices[:, 0]], bank[indices[:, 1]]], 3))
    return list(torch.cat(pairs).split(BATCH)) if pairs else []


def evaluate_model(
    judge: Judge,
    boards: Sequence[Board],
    erosions: Sequence[int],
    compile_it: bool,
    tables_path: Path | None = None,
) -> dict[str, float]:
    """All figures of a model, per erosion and folder of puzzles; tables go into one .npz file."""
    scorer = Scorer(judge, compile_it)
    tables: dict[str, NDArray[np.generic]] = {}
    figures: dict[str, float] = {}
    for folder in sorted({board.folder for board in boards}):
        chosen = [board for board in boards if board.folder == folder]
        for erosion, share in measure_boards(scorer, chosen, erosions, tables).items():
            figures[f"top1_{folder}_e{erosion}"] = round(share, 4)
    for erosion in erosions:
        gaps = measure_gaps(scorer, boards, erosion)
        figures.update({f"{name}_e{erosion}": round(value, 3) for name, value in gaps.items()})
    if tables_path is not None:
        np.savez_compressed(tables_path, allow_pickle=False, **tables)
    return figures

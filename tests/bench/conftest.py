"""A small bench: pictures that carry their own solution, a protocol, a scorer that reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.bench.protocol import Protocol, load_protocol
from sherd.bench.records import Record
from sherd.layout import Layout

PLUGIN = '''
import numpy as np
from sherd.layout import Layout
from sherd.scores import Scores
from sherd.sides import STEP

CALLS = []

class Reading:
    """Reads the cell of each piece from the colour of its centre."""

    def score(self, pieces, relations, on):
        CALLS.append(len(pieces))
        n, middle = len(pieces), pieces.height // 2
        cell = pieces.pixels[:, middle, middle, :2].astype(int)
        candidates, logits = np.zeros((4 * n, n - 1), np.int32), np.zeros((4 * n, n - 1))
        for side in range(4 * n):
            piece, way = divmod(side, 4)
            others = np.delete(np.arange(n), piece)
            candidates[side] = 4 * others + (way + 2) % 4
            logits[side] = 20.0 * (cell[others] == cell[piece] + STEP[way]).all(axis=1)
        return Scores.from_logits(relations, candidates, logits.astype(np.float32))

class Costly(Reading):
    """The same with costs, which all look equal, so that the first candidate is cheapest."""

    def score(self, pieces, relations, on):
        scores = super().score(pieces, relations, on)
        return Scores(
            relations, scores.candidates[:, ::-1], scores.score[:, ::-1],
            cost=np.zeros_like(scores.score),
        )

class Chain:
    """Follows every side to its best candidate."""

    def assemble(self, scores, board, stop, rng, on):
        cells, todo = {0: (0, 0)}, [0]
        while todo:
            piece = todo.pop()
            for way in range(4):
                other = int(scores.candidates[4 * piece + way, 0]) // 4
                if scores.score[4 * piece + way, 0] > -0.5 and other not in cells:
                    cells[other] = tuple(np.add(cells[piece], STEP[way]))
                    todo.append(other)
        n = scores.pieces
        cell = np.array([cells.get(p, (0, 0)) for p in range(n)], np.int32)
        placed = np.array([p in cells for p in range(n)])
        return Layout.from_cells(cell, np.zeros(n, np.int32), placed, start=None)

class Careless:
    """Places the pieces as they come, but for the last one, which comes first."""

    def assemble(self, scores, board, stop, rng, on):
        order = np.roll(np.arange(scores.pieces, dtype=np.int32), 1)
        return Layout.from_grid(board.rows, board.cols).relabelled(order)
'''

PROTOCOL = """
title = "Tiny"
piece = 8
erosion = [0, 2]
turns = false
board = true
seeds = [1, 2]
published = ["paper-baseline"]

[[set]]
name = "mit-70"
title = "Pretended MIT"
folder = "tiny"
pictures = 2
pieces = 12
"""


def telling_picture(rows: int, cols: int, piece: int) -> np.ndarray:
    """Paint every cell in the colour (row, col, 99)."""
    row, col = np.mgrid[: rows * piece, : cols * piece] // piece
    return np.stack([row, col, np.full_like(row, 99)], axis=2).astype(np.uint8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data root with two pictures of 3x4 cells of 8 px and some pixels to crop."""
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)
    for name in ("2.png", "10.png"):
        picture = np.pad(telling_picture(3, 4, 8), [(0, 5), (0, 3), (0, 0)])
        Image.fromarray(picture).save(folder / name)
    return tmp_path / "data"


@pytest.fixture
def protocol_file(tmp_path: Path) -> Path:
    """The protocol of those pictures."""
    path = tmp_path / "tiny.toml"
    path.write_text(PROTOCOL)
    return path


@pytest.fixture
def protocol(protocol_file: Path) -> Protocol:
    """The protocol of those pictures, read."""
    return load_protocol(str(protocol_file))


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of scorers and assemblers; its name is new in every test."""
    name = f"plugin_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def _record(picture: str = "1.png", **fields) -> Record:
    """Make a record of a 2x3 puzzle that is solved."""
    solved = replace(Layout.from_grid(2, 3), start=4)
    whole = Record(
        protocol="tiny",
        set="tiny-6",
        title="Tiny",
        picture=picture,
        piece=64,
        erosion=2,
        turns=False,
        board=True,
        shape=(2, 3),
        seed=1,
        scorer="prediction",
        assembler="greedy",
        layout=Record.pack(solved),
        energy=-1.5,
        energy_truth=-1.5,
        scoring_seconds=0.25,
        placing_seconds=0.5,
        published=("paper-baseline",),
        date="2025-01-02T03:04:05+00:00",
        commit="0123456789ab",
        machine={"cpu": "a processor", "cores": 2},
        versions={"sherd": "0.1.0"},
    )
    return replace(whole, **fields)


@pytest.fixture
def record() -> Callable[..., Record]:
    """Make records of a solved 2x3 puzzle, with other fields where they are named."""
    return _record

"""The layout file: where each given piece lies, as JSON (docs/layout-json.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sherd.errors import InputError
from sherd.layout import Layout, seams_of
from sherd.pieces import Pieces, read_pieces

if TYPE_CHECKING:
    from sherd.events import Listener
    from sherd.result import Result

__all__ = [
    "SavedLayout",
    "Source",
    "as_given",
    "as_read",
    "read_layout",
    "result_record",
    "to_text",
]

_FORMAT, _VERSION = "sherd-layout", 1


@dataclass(frozen=True)
class Source:
    """Where pieces came from and how they were read, so that they can be read again."""

    path: str
    piece: tuple[int, int] | None = None
    grid: tuple[int, int] | None = None
    erode: int = 0
    lost: int = 0
    turns: bool = False

    def read(self, on: Listener) -> Pieces:
        """Read the pieces."""
        options = asdict(self)
        return read_pieces(options.pop("path"), on=on, **options)


@dataclass(frozen=True)
class SavedLayout:
    """A layout file.

    layout: in terms of the pieces as they were given (see `as_read`).
    names: name of each piece.
    source: where the pieces came from, or None where they came from no file.
    """

    layout: Layout
    names: tuple[str, ...]
    source: Source | None


def as_given(layout: Layout, pieces: Pieces) -> Layout:
    """Count turns from the pictures as they were given, not as `pieces` holds them."""
    return _turned(layout, pieces.given_turn)


def as_read(layout: Layout, pieces: Pieces) -> Layout:
    """Count turns from the pictures as `pieces` holds them, not as they were given."""
    return _turned(layout, -pieces.given_turn)


def _turned(layout: Layout, turns: np.ndarray[Any, np.dtype[np.int32]]) -> Layout:
    """Add a turn to each placed piece; the seams stay the same seams, in the same order."""
    turn = np.where(layout.placed, (layout.turn + turns) % 4, 0).astype(np.int32)
    return replace(layout, turn=turn)


def result_record(result: Result) -> dict[str, Any]:
    """Put a result into plain values, in the order of the layout file."""
    layout = as_given(result.layout, result.pieces)
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "source": None if result.source is None else asdict(result.source),
        "scorer": result.scorer,
        "assembler": result.assembler,
        "seed": result.seed,
        "energy": result.energy,
        "seconds": dict(result.seconds),
        "measures": None if result.measures is None else asdict(result.measures),
        "search_gap": result.search_gap,
        "versions": dict(result.versions),
        "boards": [{"rows": rows, "cols": cols} for rows, cols in layout.shapes],
        "start": layout.start,
        "pieces": _piece_records(layout, result),
        "seams": _seam_records(layout),
    }


def _piece_records(layout: Layout, result: Result) -> list[dict[str, Any]]:
    islands = result.islands().tolist()
    records = []
    for i, name in enumerate(result.pieces.names):
        record: dict[str, Any] = {"name": name, "board": None}
        if layout.board[i] >= 0:
            row, col = layout.cell[i].tolist()
            record |= {"board": int(layout.board[i]), "row": row, "col": col}
            record |= {"turn": int(layout.turn[i]), "island": islands[i]}
        records.append(record)
    return records


def _seam_records(layout: Layout) -> list[dict[str, Any]]:
    sides = seams_of(layout)
    known = layout.confidence
    sure = [None] * len(sides) if known is None else [round(p, 6) for p in known.tolist()]
    return [
        {"pieces": [a // 4, b // 4], "sides": [a % 4, b % 4], "confidence": p}
        for (a, b), p in zip(sides.tolist(), sure, strict=True)
    ]


def to_text(record: Mapping[str, Any]) -> str:
    """Write a record as JSON with one piece or seam a line, for eyes and for diff."""
    fields = [f"  {json.dumps(key)}: {_field_text(value)}" for key, value in record.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _field_text(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n    " + ",\n    ".join(json.dumps(entry) for entry in value) + "\n  ]"
    return json.dumps(value)


def read_layout(path: Path | str) -> SavedLayout:
    """Read a layout file that `sherd solve` wrote."""
    try:
        record = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); give a layout.json.") from error
    if not isinstance(record, dict) or record.get("format") != _FORMAT:
        raise InputError(f"{path}: not a layout of sherd; give a layout.json of `sherd solve`.")
    if record.get("version") != _VERSION:
        raise InputError(
            f"{path}: layout format {record.get('version')}, this version reads {_VERSION}; "
            "solve the puzzle again."
        )
    try:
        return _saved_layout(record)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{path}: a damaged layout ({type(error).__name__}: {error}); solve the puzzle again."
        ) from error


def _saved_layout(record: Mapping[str, Any]) -> SavedLayout:
    rows = record["pieces"]
    placed = np.array([row["board"] is not None for row in rows], np.bool_)
    cell = np.array([(row.get("row", -1), row.get("col", -1)) for row in rows], np.int32)
    turn = np.array([row.get("turn", 0) for row in rows], np.int32)
    board = np.array([row["board"] if ok else -1 for row, ok in zip(rows, placed, strict=True)])
    shapes = tuple((int(shape["rows"]), int(shape["cols"])) for shape in record["boards"])
    layout = Layout(cell.reshape(-1, 2), turn, board.astype(np.int32), shapes, record["start"])
    _check_cells(layout)
    known = [seam["confidence"] for seam in record["seams"]]
    if len(known) != len(seams_of(layout)):
        raise ValueError(f"{len(known)} seams listed, {len(seams_of(layout))} laid")
    if None not in known:
        layout = replace(layout, confidence=np.array(known, np.float32))
    return SavedLayout(layout, tuple(row["name"] for row in rows), _source(record["source"]))


def _check_cells(layout: Layout) -> None:
    """Raise ValueError unless every placed piece has a cell of its own on its board."""
    placed = layout.placed
    if layout.board.max(initial=-1) >= len(layout.shapes):
        raise ValueError("a piece lies on a board that is not listed")
    sizes = np.array(layout.shapes)[layout.board[placed]].reshape(-1, 2)
    cells = layout.cell[placed]
    if (cells < 0).any() or (cells >= sizes).any():
        raise ValueError("a piece lies outside its board")
    if len(set(zip(layout.board[placed].tolist(), map(tuple, cells.tolist()), strict=True))) < len(
        cells
    ):
        raise ValueError("two pieces share a cell")


def _source(record: Mapping[str, Any] | None) -> Source | None:
    if record is None:
        return None
    pairs = {key: record[key] and tuple(record[key]) for key in ("piece", "grid")}
    return Source(**{**record, **pairs})

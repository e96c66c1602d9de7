"""truth.json: where each piece of a puzzle really belongs.

    {"format": 1, "source": "photo.jpg", "rows": 7, "cols": 10,
     "piece": {"width": 64, "height": 64}, "erode": [2, 2], "how": "alpha", "seed": 7,
     "pieces": {"piece-0001.png": {"row": 3, "col": 9, "turn": 0}, ...}}

`turn` is the number of quarter turns clockwise that make the given piece upright.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.errors import InputError
from sherd.layout import Layout

__all__ = ["TRUTH_NAME", "read_truth", "truth_json"]

TRUTH_NAME = "truth.json"

_FORMAT = 1


def truth_json(truth: Layout, names: Sequence[str], recipe: Mapping[str, Any]) -> str:
    """Word the truth of pieces as JSON; `recipe` says how they were made."""
    rows, cols = truth.shapes[0]
    places = zip(names, truth.cell.tolist(), truth.turn.tolist(), strict=True)
    document = {
        "format": _FORMAT,
        "rows": rows,
        "cols": cols,
        **recipe,
        "pieces": {
            name: {"row": row, "col": col, "turn": turn} for name, (row, col), turn in places
        },
    }
    return json.dumps(document, indent=1) + "\n"


def read_truth(
    path: Path | str, names: Sequence[str], given_turn: NDArray[np.int32] | None = None
) -> Layout:
    """Read the true layout of pieces.

    Args:
        path: a truth.json, or the folder in which it lies.
        names: [N] names of the pieces, as `Pieces.names`.
        given_turn: [N] quarter turns that reading applied to the pieces, as `Pieces.given_turn`.
    """
    path = Path(path)
    path = path / TRUTH_NAME if path.is_dir() else path
    document = _document(path)
    try:
        rows, cols = int(document["rows"]), int(document["cols"])
        places = {
            str(name): (int(place["row"]), int(place["col"]), int(place["turn"]) % 4)
            for name, place in document["pieces"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: an entry is missing or wrong ({error!r}); {_CURE}") from error
    _check_places(path, rows, cols, places)
    for name in names:
        if name not in places:
            raise InputError(
                f"{path}: does not know the piece {name!r}; give the truth of these very pieces."
            )
    table = np.array([places[name] for name in names], np.int32).reshape(-1, 3)
    turn = table[:, 2] if given_turn is None else (table[:, 2] - given_turn) % 4
    placed = np.ones(len(names), np.bool_)
    return Layout.from_cells(table[:, :2], turn.astype(np.int32), placed, (rows, cols))


_CURE = "make it again with `sherd cut`."


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); {_CURE}") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise InputError(f"{path}: not a truth of format {_FORMAT}; {_CURE}")
    return document


def _check_places(
    path: Path, rows: int, cols: int, places: Mapping[str, tuple[int, int, int]]
) -> None:
    cells = {(row, col) for row, col, _ in places.values()}
    if len(cells) < len(places):
        raise InputError(f"{path}: two pieces have the same cell; {_CURE}")
    if not all(0 <= row < rows and 0 <= col < cols for row, col in cells):
        raise InputError(f"{path}: a piece lies outside the {rows}x{cols} cells; {_CURE}")

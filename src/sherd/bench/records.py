"""Saved predictions: JSON lines, one puzzle a line, judged later without its pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sherd.errors import InputError, OutputError
from sherd.layout import Layout
from sherd.output import whole_file

__all__ = ["FILE_NAME", "Key", "Record", "Store", "read_records"]

FILE_NAME = "predictions.jsonl"
_FORMAT = 1

Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Record:
    """One prediction: which puzzle, solved by what, the layout, and where it was made.

    picture: file name of the picture.
    piece, erosion: size of a cell and pixels lost per side.
    turns, board: whether turns had to be found; whether the size of the board was told.
    shape: (rows, cols) of the true board.
    layout: cells, turns, boards, shapes and the start piece, in true numbering (row by row).
    energy, energy_truth: board energy of the layout and of the truth.
    published: names of the published sources to print beside.
    scoring_seconds, placing_seconds: wall clock; scores shared by several rows count in each.
    """

    protocol: str
    set: str
    title: str
    picture: str
    piece: int
    erosion: int
    turns: bool
    board: bool
    shape: tuple[int, int]
    seed: int
    scorer: str
    assembler: str
    layout: Mapping[str, Any]
    energy: float
    energy_truth: float
    scoring_seconds: float
    placing_seconds: float
    published: tuple[str, ...]
    date: str
    commit: str | None
    machine: Mapping[str, str | int]
    versions: Mapping[str, str]

    @property
    def key(self) -> Key:
        """What makes this prediction a different one."""
        puzzle = (self.protocol, self.set, self.picture, self.piece, self.erosion)
        return (*puzzle, self.turns, self.board, self.seed, self.scorer, self.assembler)

    def predicted(self) -> Layout:
        """Give the predicted layout in true numbering."""
        saved = self.layout
        return Layout(
            np.array(saved["cell"], np.int32).reshape(-1, 2),
            np.array(saved["turn"], np.int32),
            np.array(saved["board"], np.int32),
            tuple((int(rows), int(cols)) for rows, cols in saved["shapes"]),
            saved["start"],
        )

    def truth(self) -> Layout:
        """Give the true layout in true numbering."""
        return Layout.from_grid(*self.shape)

    @staticmethod
    def pack(layout: Layout) -> dict[str, Any]:
        """Write a layout (in true numbering) as plain lists."""
        return {
            "cell": layout.cell.tolist(),
            "turn": layout.turn.tolist(),
            "board": layout.board.tolist(),
            "shapes": [list(shape) for shape in layout.shapes],
            "start": layout.start,
        }

    def to_json(self) -> str:
        """Write the record as one line."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Record:
        """Read what `to_json` wrote; ValueError or TypeError if it is something else."""
        fields = json.loads(line)
        if not isinstance(fields, dict) or fields.pop("format", None) != _FORMAT:
            raise ValueError(f"no record of format {_FORMAT}")
        rows, cols = fields.pop("shape")
        published = tuple(fields.pop("published"))
        return cls(shape=(rows, cols), published=published, **fields)


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read saved predictions from files, or from folders that `sherd bench run` wrote.

    A last line without an end is one that an interrupted run did not finish; it is left out.
    """
    records = []
    for path in paths:
        file = path / FILE_NAME if path.is_dir() else path
        for number, line in enumerate(_whole_lines(file), start=1):
            try:
                records.append(Record.from_json(line))
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(
                    f"{file}, line {number}: not a saved prediction ({error}); give files that "
                    "`sherd bench run` wrote."
                ) from error
    return records


def _whole_lines(file: Path) -> list[str]:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{file}: cannot be read ({error}); make predictions with `sherd bench run`."
        ) from error
    return text.split("\n")[:-1]


class Store:
    """The predictions of one output folder: what is there already, and adding to it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be made ({error}); choose another -o.") from error
        records = read_records([self.file]) if self.file.exists() else []
        self._records = {record.key: record for record in records}
        if self.file.exists() and not self.file.read_bytes().endswith(b"\n"):
            self._rewrite()  # a torn last line would spoil the next one

    def __contains__(self, key: Key) -> bool:
        return key in self._records

    def forget(self, keys: Iterable[Key]) -> None:
        """Drop predictions that are to be made anew."""
        dropped = [self._records.pop(key) for key in set(keys) if key in self._records]
        if dropped:
            self._rewrite()

    def add(self, record: Record) -> None:
        """Append a prediction; it is on disk when this returns."""
        self._records[record.key] = record
        try:
            with self.file.open("a", encoding="utf-8") as stream:
                stream.write(record.to_json() + "\n")
        except OSError as error:
            raise OutputError(f"{self.file}: cannot be written ({error}).") from error

    def _rewrite(self) -> None:
        """Write the file anew, whole or not at all."""
        lines = "".join(record.to_json() + "\n" for record in self._records.values())
        with whole_file(self.file, overwrite=True) as temporary:
            temporary.write_text(lines, "utf-8")

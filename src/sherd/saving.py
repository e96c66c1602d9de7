"""Write a result into a folder: picture.png, layout.json, report.html."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from sherd.errors import InputError
from sherd.fill import Restored
from sherd.output import whole_folder
from sherd.render import render
from sherd.report import report
from sherd.result import Result
from sherd.schema import read_layout

__all__ = ["save_result"]

_PICTURES = re.compile(r"(picture|restored|restored-mask)(-[0-9]+)?\.png")


def save_result(
    result: Result,
    folder: Path | str,
    *,
    command: str = "sherd.solve(...)",
    notes: Sequence[str] = (),
    restored: Sequence[Restored] = (),
    overwrite: bool = False,
) -> None:
    """Write the pictures, the layout file and the report, all of them or nothing.

    Args:
        result: what to write.
        folder: where; it must be new or empty unless `overwrite`.
        command: how the result was made, for the report.
        notes: what a person should know, for the report.
        restored: the boards with their gaps filled, if they were.
        overwrite: replace the files of an older result.
    """
    title = Path(result.source.path).resolve().name if result.source else "A solved puzzle"
    older = _pictures_of_older_result(Path(folder))
    with whole_folder(Path(folder), overwrite=overwrite) as place:
        for board in range(len(result.layout.shapes)):
            picture = render(result.pieces, result.layout, board)
            (place / _name("picture", board)).write_bytes(picture.png())
        for board, filled in enumerate(restored):
            (place / _name("restored", board)).write_bytes(filled.picture.png())
            (place / _name("restored-mask", board)).write_bytes(filled.mask().png())
        (place / "layout.json").write_text(result.to_json(), "utf-8")
        page = report(result, title=title, command=command, notes=notes)
        (place / "report.html").write_text(page, "utf-8")
        stale = [path for path in older if not (place / path.name).exists()]
    for path in stale:
        path.unlink(missing_ok=True)


def _pictures_of_older_result(folder: Path) -> list[Path]:
    """List the pictures that an older result left in a folder; none if no layout file is there."""
    try:
        read_layout(folder / "layout.json")
    except InputError:
        return []
    return [path for path in folder.iterdir() if _PICTURES.fullmatch(path.name)]


def _name(what: str, board: int) -> str:
    """Name a picture; those of further boards are numbered from 2."""
    return f"{what}.png" if board == 0 else f"{what}-{board + 1}.png"

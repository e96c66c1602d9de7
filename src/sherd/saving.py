"""Write a result into a folder: picture.png, layout.json, report.html."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sherd.fill import Restored
from sherd.output import whole_folder
from sherd.render import render
from sherd.report import report
from sherd.result import Result

__all__ = ["save_result"]


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
        overwrite: replace files of the same names.
    """
    title = Path(result.source.path).resolve().name if result.source else "A solved puzzle"
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


def _name(what: str, board: int) -> str:
    """Name a picture; those of further boards are numbered from 2."""
    return f"{what}.png" if board == 0 else f"{what}-{board + 1}.png"

"""Write a result into a folder: picture.png, layout.json, report.html."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
    overwrite: bool = False,
) -> None:
    """Write the pictures, the layout file and the report, all of them or nothing.

    Args:
        result: what to write.
        folder: where; it must be new or empty unless `overwrite`.
        command: how the result was made, for the report.
        notes: what a person should know, for the report.
        overwrite: replace files of the same names.
    """
    title = Path(result.source.path).resolve().name if result.source else "A solved puzzle"
    with whole_folder(Path(folder), overwrite=overwrite) as place:
        for board in range(len(result.layout.shapes)):
            name = "picture.png" if board == 0 else f"picture-{board + 1}.png"
            (place / name).write_bytes(render(result.pieces, result.layout, board).png())
        (place / "layout.json").write_text(result.to_json(), "utf-8")
        page = report(result, title=title, command=command, notes=notes)
        (place / "report.html").write_text(page, "utf-8")

"""The report: one HTML file that needs no network, with everything about a result in it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template

import numpy as np
from PIL import Image

from sherd.layout import Layout
from sherd.render import SEAM_CLASSES, render, seam_lines, sheet
from sherd.result import Result

__all__ = ["report"]

_LARGEST_SIDE = 2400  # pixels; a larger picture is scaled down, the PNG beside the report is whole


def report(result: Result, *, title: str, command: str, notes: Sequence[str] = ()) -> str:
    """Write the report of a result as HTML.

    Args:
        result: what to report.
        title: name of the puzzle.
        command: the command line that made it.
        notes: what a person should know, one line each.
    """
    template = Template((files("sherd") / "report.html").read_text("utf-8"))
    boards = range(len(result.layout.shapes))
    return template.substitute(
        title=escape(title),
        lead=escape(_lead(result)),
        width=f"{_shown_width(result)}px",
        legend="".join(map(_legend_entry, SEAM_CLASSES)),
        boards="\n".join(_board(result, board) for board in boards),
        figures=_rows(result.figures() | _recipe(result)),
        notes=_notes(notes),
        sheet=_inline(sheet(result.pieces)),
        command=escape(command),
        versions=_rows(result.versions),
    )


def _lead(result: Result) -> str:
    sure = result.sure_seams()
    pieces = f"{int(result.layout.placed.sum())} of {len(result.pieces)} pieces placed"
    return f"{pieces}, {int(sure.sum())} of {len(sure)} seams sure"


def _recipe(result: Result) -> dict[str, str]:
    return {
        "scorer": result.scorer,
        "assembler": result.assembler,
        "seed": str(result.seed),
        "energy": f"{result.energy:.2f}",
    }


def _shown_width(result: Result) -> int:
    """Choose how wide the first board is shown: small pictures are enlarged up to twice."""
    width = result.layout.shapes[0][1] * result.pieces.width
    return max(width, min(2 * width, 800))


def _legend_entry(entry: tuple[str, float, str]) -> str:
    name, lowest, colour = entry
    bound = f"{lowest:.0%} or more" if lowest else "less"
    return f'<span><i style="background:{colour}"></i>{name}: {bound}</span>'


def _board(result: Result, board: int) -> str:
    picture = render(result.pieces, result.layout, board).eight_bit()
    picture.thumbnail((_LARGEST_SIDE, _LARGEST_SIDE))
    overlay = _seams_svg(result.layout, board)
    name = f"Board {board + 1}" if len(result.layout.shapes) > 1 else "The picture"
    img = f'<img alt="{name}" src="{_inline(picture)}">'
    return f'<figure><div class="board">{img}{overlay}</div></figure>'


def _seams_svg(layout: Layout, board: int) -> str:
    """Draw the seams of a board, one path for each class of probability, in units of cells."""
    lines, here = seam_lines(layout, board)
    confidence = np.ones(len(lines)) if layout.confidence is None else layout.confidence[here]
    rows, cols = layout.shapes[board]
    paths, highest = [], np.inf
    for _, lowest, colour in SEAM_CLASSES:
        chosen = lines[(confidence >= lowest) & (confidence < highest)]
        paths.append(f'<path stroke="{colour}" d="{"".join(map(_stroke, chosen.tolist()))}"/>')
        highest = lowest
    return (
        f'<svg viewBox="0 0 {cols} {rows}" preserveAspectRatio="none" fill="none" '
        f'stroke-width=".07" stroke-linecap="round">{"".join(paths)}</svg>'
    )


def _stroke(line: list[int]) -> str:
    """Draw the middle of one seam; it ends before the corners, so that each is seen alone."""
    x0, y0, x1, _ = line
    return f"M{x0 + 0.15:.2f},{y0}h.7" if x1 > x0 else f"M{x0},{y0 + 0.15:.2f}v.7"


def _inline(image: Image.Image) -> str:
    """Put an image into a data address: JPEG, or PNG where something is transparent."""
    clear = image.has_transparency_data and image.getchannel("A").getextrema()[0] != 255
    file = io.BytesIO()
    profile = image.info.get("icc_profile")
    if clear:
        image.save(file, "PNG", icc_profile=profile)
    else:
        shown = image if image.mode in ("L", "RGB") else image.convert(image.mode.removesuffix("A"))
        shown.save(file, "JPEG", quality=92, icc_profile=profile)
    kind = "png" if clear else "jpeg"
    text = base64.b64encode(file.getvalue()).decode("ascii")
    return f"data:image/{kind};base64,{text}"


def _rows(entries: Mapping[str, str]) -> str:
    return "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
        for name, value in entries.items()
    )


def _notes(notes: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f"<h2>Notes</h2>\n<ul>{items}</ul>" if items else ""

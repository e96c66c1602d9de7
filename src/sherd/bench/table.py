"""Tables of results: plain columns for a person, Markdown beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sherd.bench.evaluate import Cell, Summary, percent_lost
from sherd.bench.protocol import Protocol
from sherd.bench.published import FIGURES, SOURCES
from sherd.bench.records import Record
from sherd.bench.retrieval import Retrieval

__all__ = ["evaluation", "made_by", "markdown", "retrieval_table"]

_CELL = ("set", "pieces", "e (px per side)", "in the paper's words")
_HEADER = (
    *_CELL,
    "scorer + assembler",
    "neighbour %",
    "direct % (frame)",
    "direct % (start)",
    "perfect",
    "largest island %",
    "below the truth's energy",
    "seconds",
)
_NOTHING = "–"


def evaluation(summaries: Iterable[Summary]) -> str:
    """Lay the summaries out in plain columns."""
    return _columns([_HEADER, *(_our_row(summary) for summary in summaries)], "  ")


def markdown(summaries: Sequence[Summary]) -> str:
    """Write the summaries as a Markdown table, published rows of the same cell above ours."""
    rows: list[tuple[str, ...]] = []
    used: dict[str, None] = {}
    cells = dict.fromkeys(summary.cell for summary in summaries)
    for cell in cells:
        for source in (s for s in cell.published if _comparable(s, cell)):
            used[source] = None
            rows.append(_published_row(source, cell))
        rows += [_our_row(summary) for summary in summaries if summary.cell == cell]
    rule = tuple("---" for _ in _HEADER)
    lines = _columns([_HEADER, rule, *rows], " | ", "| ", " |")
    return "\n".join([lines, *_notes(list(used))])


def retrieval_table(
    protocol: Protocol, scorer: str, cells: Mapping[tuple[str, int], Sequence[Retrieval]]
) -> str:
    """Lay out the mean top-1 retrieval of each (set name, erosion) in plain columns."""
    rows: list[tuple[str, ...]] = [
        (*_CELL, "scorer", "puzzles", "top-1 % (score)", "top-1 % (cost)")
    ]
    parts = {part.name: part for part in protocol.sets}
    for (name, erosion), found in cells.items():
        part = parts[name]
        by_score = sum(one.by_score for one in found) / len(found)
        costs = [one.by_cost for one in found if one.by_cost is not None]
        by_cost = f"{100 * sum(costs) / len(costs):.1f}" if costs else _NOTHING
        cell = _cell_words(part.title, part.pieces, protocol.piece, erosion, protocol.turns)
        rows.append((*cell, scorer, str(len(found)), f"{100 * by_score:.1f}", by_cost))
    return _columns(rows, "  ")


def made_by(records: Sequence[Record]) -> str:
    """Say in one line where predictions were made, and warn if by several commits."""
    commits = sorted({record.commit or "unknown" for record in records})
    machines = sorted({f"{r.machine['cpu']}, {r.machine['cores']} cores" for r in records})
    dates = sorted({record.date[:10] for record in records})
    seeds = sorted({record.seed for record in records})
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    several = " (several: these rows mix versions)" if len(commits) > 1 else ""
    return (
        f"{len(records)} predictions; commit {', '.join(commits)}{several}; "
        f"{'; '.join(machines)}; seeds {', '.join(map(str, seeds))}; {days}."
    )


def _comparable(source: str, cell: Cell) -> bool:
    """Published figures hold for upright pieces and a known board."""
    told = cell.board and not cell.turns
    return told and (source, cell.set, cell.erosion) in FIGURES


def _cell_words(
    title: str, pieces: int, piece: int, erosion: int, turns: bool
) -> tuple[str, str, str, str]:
    turned = ", turned" if turns else ""
    words = f"{percent_lost(piece, erosion):.0f} %"
    return title + turned, str(pieces), str(erosion), words


def _our_row(summary: Summary) -> tuple[str, ...]:
    cell = summary.cell
    spread = f" ± {100 * summary.spread:.1f}" if summary.seeds > 1 else ""
    title = cell.title if cell.board else f"{cell.title}, board unknown"
    return (
        *_cell_words(title, cell.pieces, cell.piece, cell.erosion, cell.turns),
        f"{summary.scorer} + {summary.assembler}",
        f"{100 * summary.neighbour:.1f}{spread}",
        f"{100 * summary.direct_frame:.1f}",
        f"{100 * summary.direct_start:.1f}",
        f"{summary.perfect:.3g} of {summary.puzzles}",
        f"{100 * summary.largest_island:.1f}",
        f"{summary.below_truth:.3g} of {summary.puzzles}",
        f"{_seconds(summary.scoring_seconds)} + {_seconds(summary.placing_seconds)}",
    )


def _seconds(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _published_row(source: str, cell: Cell) -> tuple[str, ...]:
    figures, origin = FIGURES[source, cell.set, cell.erosion], SOURCES[source]
    direct = f"{figures.direct:.1f}"
    frame, start = (direct, _NOTHING) if origin.direct_to == "frame" else (_NOTHING, direct)
    return (
        *_cell_words(cell.title, cell.pieces, cell.piece, cell.erosion, cell.turns),
        origin.name,
        f"{figures.neighbour:.1f}",
        frame,
        start,
        _NOTHING if figures.perfect is None else str(figures.perfect),
        _NOTHING,
        _NOTHING,
        _NOTHING,
    )


def _notes(sources: Sequence[str]) -> list[str]:
    """Explain the columns and name the sources below a Markdown table."""
    notes = [
        "",
        "Erosion in the paper's words is the gap between two pieces over what is left of one: "
        "2e / (piece − 2e). Seconds: scoring + placing, per puzzle. Below the truth's energy: "
        "puzzles whose search, not whose scores, fell short.",
    ]
    if any(SOURCES[source].direct_to == "start" for source in sources):
        notes += [
            "",
            "The paper's direct measure stands under *start*: its public solver counts it after "
            "shifting the board so that the first placed piece is right.",
        ]
    references = {SOURCES[source].reference for source in sources}
    names = {r: [SOURCES[s].name for s in sources if SOURCES[s].reference == r] for r in references}
    return notes + [
        line
        for reference in sorted(references)
        for line in ("", f"Source of *{'* and *'.join(names[reference])}*: {reference}.")
    ]


def _columns(rows: Sequence[Sequence[str]], gap: str, before: str = "", after: str = "") -> str:
    """Pad the cells of rows to columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        before + gap.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return "\n".join((line + after).rstrip() for line in lines)

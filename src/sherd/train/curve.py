"""Draw the learning curves of a run from its log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["draw_curves"]

_WIDTH, _HEIGHT, _MARGIN = 640, 130, 30
_NO_CURVES = {"event", "step", "examples", "seconds", "per_second", "progress"}


def draw_curves(log: Path, target: Path) -> None:
    """Write one small plot per metric over the examples seen, as an SVG file."""
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    examples = 0
    curves: dict[str, list[tuple[float, float]]] = {}
    for record in records:
        examples = record.get("examples", examples)
        if record["event"] in ("step", "validation"):
            for name in record.keys() - _NO_CURVES:
                curves.setdefault(name, []).append((examples, record[name]))
    panels = [
        _panel(name, sorted(points), place * (_HEIGHT + _MARGIN))
        for place, (name, points) in enumerate(sorted(curves.items()))
    ]
    height = len(panels) * (_HEIGHT + _MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="12">'
    )
    target.write_text("\n".join([head, *panels, "</svg>", ""]), encoding="utf-8")


def _panel(name: str, points: Sequence[tuple[float, float]], top: int) -> str:
    """Draw one curve; its lowest and highest value and the last number of examples are told."""
    low, high = min(y for _, y in points), max(y for _, y in points)
    last = points[-1][0]
    line = " ".join(
        f"{x / max(last, 1) * _WIDTH:.1f},"
        f"{top + _MARGIN + (high - y) / max(high - low, 1e-9) * _HEIGHT:.1f}"
        for x, y in points
    )
    title = escape(f"{name}: {low:g} to {high:g} over {last:,} examples")
    return (
        f'<text x="0" y="{top + _MARGIN - 8}">{title}</text>\n'
        f'<polyline fill="none" stroke="#2b6cb0" points="{line}"/>'
    )

"""`sherd eval`: measure a layout against the truth."""

from __future__ import annotations

import json
from pathlib import Path

import click

__all__ = ["command"]


@click.command("eval")
@click.argument("layout", type=click.Path(path_type=Path))
@click.argument("truth", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the measures as JSON.")
def command(layout: Path, truth: Path, as_json: bool) -> None:
    """Measure LAYOUT (a layout.json) against TRUTH (the truth.json of `sherd cut`)."""
    from dataclasses import asdict

    from sherd.cut import read_truth
    from sherd.metrics import measure
    from sherd.schema import read_layout

    saved = read_layout(layout)
    found = measure(saved.layout, read_truth(truth, saved.names))
    if as_json:
        click.echo(json.dumps(asdict(found)))
        return
    click.echo(f"neighbour       {found.neighbour:7.2%} of {found.seams} seams")
    click.echo(f"direct (frame)  {found.direct_frame:7.2%} of {found.pieces} pieces")
    click.echo(f"direct (start)  {found.direct_start:7.2%} of {found.pieces} pieces")
    click.echo(f"largest island  {found.largest_island:7.2%} of {found.pieces} pieces")
    click.echo(f"perfect         {'yes' if found.perfect else 'no':>7}")

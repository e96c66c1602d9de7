"""`sherd render`: put a picture together from a saved layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from sherd.errors import InputError, OptionError

__all__ = ["command"]


@click.command("render")
@click.argument("layout", type=click.Path(path_type=Path))
@click.option(
    "--pieces",
    "source",
    help="Folder, zip or mosaic of the pieces, if they are no longer where LAYOUT has them.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("picture.png"),
    show_default=True,
    help="The picture, a .png file.",
)
@click.option("--board", type=click.IntRange(1), default=1, help="Which board, if several.")
@click.option("--seams", is_flag=True, help="Darken the picture and draw how sure each seam is.")
@click.option("--overwrite", is_flag=True, help="Replace a picture that exists.")
def command(
    layout: Path, source: str | None, output: Path, board: int, seams: bool, overwrite: bool
) -> None:
    """Put the picture of LAYOUT (a layout.json) together from the original pieces."""
    from sherd.events import ignore
    from sherd.output import check_free, whole_file
    from sherd.render import render, seam_picture
    from sherd.schema import Source, as_read, read_layout

    if output.suffix.lower() != ".png":
        raise OptionError(f"{output}: pictures are written as PNG; give a name that ends in .png.")
    check_free(output, overwrite=overwrite)
    saved = read_layout(layout)
    if board > len(saved.layout.shapes):
        raise OptionError(f"{layout} has {len(saved.layout.shapes)} boards; there is no {board}.")
    origin = saved.source or (Source(source) if source else None)
    if origin is None:
        raise InputError(f"{layout} does not say where its pieces are; give --pieces SOURCE.")
    pieces = replace(origin, path=source or origin.path).read(ignore)
    if pieces.names != saved.names:
        raise InputError(
            f"{source or origin.path}: holds other pieces than {layout}; give the right ones with "
            "--pieces SOURCE."
        )
    found = as_read(saved.layout, pieces)
    draw = seam_picture if seams else render
    with whole_file(output, overwrite=overwrite) as path:
        path.write_bytes(draw(pieces, found, board - 1).png())
    click.echo(output)

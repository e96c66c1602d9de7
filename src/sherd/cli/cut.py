"""`sherd cut`: make a puzzle from a picture."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from sherd.cli.options import size_in_pixels

if TYPE_CHECKING:
    from sherd.cut import How, Puzzle
    from sherd.events import Event

__all__ = ["command"]


def wear_in_pixels(text: str) -> tuple[int, int]:
    """Read E, or MIN-MAX for wear that differs from place to place, as (least, most)."""
    numbers = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text)
    if numbers is None:
        raise click.BadParameter(f"{text!r} is not a width in pixels, such as 2 or 1-4.")
    return int(numbers[1]), int(numbers[2] or numbers[1])


@click.command("cut")
@click.argument("photo", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder for the pieces and truth.json.",
)
@click.option(
    "--piece",
    metavar="PX|WxH",
    type=size_in_pixels,
    default="64",
    show_default=True,
    help="Size of a piece in pixels.",
)
@click.option(
    "--erode",
    metavar="E|MIN-MAX",
    type=wear_in_pixels,
    default="0",
    show_default=True,
    help="Pixels that are worn away on each side; MIN-MAX wears unevenly.",
)
@click.option(
    "--as",
    "how",
    type=click.Choice(["alpha", "black", "cropped"]),
    default="alpha",
    show_default=True,
    help="Worn pixels are transparent, black, or cut off.",
)
@click.option("--shuffle/--no-shuffle", default=True, show_default=True, help="Mix the pieces.")
@click.option("--turns", is_flag=True, help="Turn each piece by random quarter turns.")
@click.option(
    "--drop", metavar="N", type=click.IntRange(0), default=0, help="Lose N random pieces."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="The same seed makes the same puzzle.",
)
@click.option("--overwrite", is_flag=True, help="Replace the puzzle that DIR holds.")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
def command(
    photo: Path,
    output: Path,
    piece: tuple[int, int],
    erode: tuple[int, int],
    how: str,
    shuffle: bool,
    turns: bool,
    drop: int,
    seed: int,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Cut PHOTO into pieces: a puzzle, with its solution in truth.json.

    The grid begins at the top left corner; what fills no piece at the right and at the bottom is
    dropped.
    """
    from sherd.cut import cut, write_puzzle
    from sherd.events import ignore
    from sherd.output import check_free

    check_free(output, overwrite=overwrite)
    puzzle = cut(
        photo,
        piece=piece,
        erode=erode,
        how=cast("How", how),
        shuffle=shuffle,
        turns=turns,
        seed=seed,
        drop=drop,
        on=ignore if quiet else _tell,
    )
    write_puzzle(puzzle, output, overwrite=overwrite)
    if not quiet:
        click.echo(_summary(puzzle, output))


def _tell(event: Event) -> None:
    from sherd.events import Note

    if isinstance(event, Note):
        click.echo(event.text, err=True)


def _summary(puzzle: Puzzle, output: Path) -> str:
    """Say in a line or two what was written, what was dropped, and how to solve it."""
    rows, cols = puzzle.truth.shapes[0]
    size = puzzle.recipe["piece"]
    bottom, right = puzzle.left_over
    count = len(puzzle.names)
    lines = [
        f"{output}: {count} pieces of {size['width']}x{size['height']} px "
        f"({rows} rows, {cols} columns) and truth.json"
    ]
    if bottom or right:
        lines[0] += f"; dropped {right} px at the right and {bottom} px at the bottom"
    missing = rows * cols - count
    flags = f" --missing {missing}" if missing else ""
    flags += " --turns" if puzzle.recipe["turns"] else ""
    if puzzle.recipe["how"] == "cropped" and puzzle.recipe["erode"][1]:
        flags += f" --lost {puzzle.recipe['erode'][1]}"
    lines.append(f"solve it with: sherd solve {output} --board {rows}x{cols}{flags}")
    return "\n".join(lines)

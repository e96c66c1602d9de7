"""Protocols: small declarative files that say which pictures are cut how."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from sherd.bench.published import SOURCES
from sherd.errors import InputError, OptionError

__all__ = ["PictureSet", "Protocol", "load_protocol", "protocol_names"]


@dataclass(frozen=True)
class PictureSet:
    """One set of pictures, a row of cells in the tables.

    name: a short name for options and records ("mit-70").
    title: the name that tables print.
    folder: its folder below the data root.
    pictures: how many pictures it must have.
    pieces: how many pieces each picture must give.
    """

    name: str
    title: str
    folder: str
    pictures: int
    pieces: int


@dataclass(frozen=True)
class Protocol:
    """Which pictures are cut how, and what a solver is told.

    piece: size of a cell in pixels, cut from the top left corner, the rest cropped.
    erosion: pixels lost on each side of each piece, one row of cells each.
    turns: whether pieces are turned at random and the solver must find out.
    board: whether the solver is told the size of the board.
    seeds: seeds of the assembler.
    published: names of the published sources to print beside (keys of `published.SOURCES`).
    """

    name: str
    title: str
    piece: int
    erosion: tuple[int, ...]
    turns: bool
    board: bool
    seeds: tuple[int, ...]
    published: tuple[str, ...]
    sets: tuple[PictureSet, ...]

    def __post_init__(self) -> None:
        if self.piece < 1:
            raise OptionError(f"Pieces of {self.piece} px cannot be cut; give at least 1.")
        if not self.erosion or not self.seeds or not self.sets:
            raise OptionError("A protocol needs at least one erosion, one seed and one set.")
        for erosion in self.erosion:
            if not 0 <= 2 * erosion < self.piece:
                raise OptionError(
                    f"An erosion of {erosion} px per side leaves nothing of a piece of "
                    f"{self.piece} px; give 0 to {(self.piece - 1) // 2}."
                )

    def narrowed(
        self,
        *,
        sets: Sequence[str] = (),
        erosion: Sequence[int] = (),
        seeds: Sequence[int] = (),
    ) -> Protocol:
        """Keep the named sets only, and put other erosions or seeds in place of its own."""
        unknown = set(sets) - {part.name for part in self.sets}
        if unknown:
            raise OptionError(
                f"Protocol {self.name} has no set {', '.join(sorted(unknown))}; it has "
                f"{', '.join(part.name for part in self.sets)}."
            )
        kept = tuple(part for part in self.sets if not sets or part.name in sets)
        return replace(
            self,
            sets=kept,
            erosion=tuple(erosion) or self.erosion,
            seeds=tuple(seeds) or self.seeds,
        )


def protocol_names() -> list[str]:
    """List the protocols that come with the package."""
    folder = resources.files("sherd.bench") / "protocols"
    return sorted(file.name[:-5] for file in folder.iterdir() if file.name.endswith(".toml"))


def load_protocol(name: str) -> Protocol:
    """Read a protocol: a name of one that comes with the package, or a path to a .toml file."""
    if name in protocol_names():
        text = (resources.files("sherd.bench") / "protocols" / f"{name}.toml").read_text("utf-8")
        return _parse(text, name, name)
    path = Path(name)
    if path.suffix != ".toml":
        raise OptionError(
            f"There is no protocol {name!r}; choose one of {', '.join(protocol_names())}, "
            "or give the path of a .toml file of your own."
        )
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: the protocol cannot be read ({error}).") from error
    return _parse(text, path.stem, name)


def _parse(text: str, name: str, where: str) -> Protocol:
    """Make a protocol of the text of its file; `where` names the file in messages."""
    try:
        tables = tomllib.loads(text)
        protocol = _build(tables, name)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, OptionError) as error:
        raise InputError(
            f"{where}: not a protocol ({error}); see docs/benchmark.md for its fields."
        ) from error
    strangers = set(protocol.published) - set(SOURCES)
    if strangers:
        raise InputError(
            f"{where}: no published figures are known as {', '.join(sorted(strangers))}; "
            f"choose of {', '.join(SOURCES)}."
        )
    return protocol


def _build(tables: dict[str, Any], name: str) -> Protocol:
    """Fill the fields; a missing or unknown one is a KeyError or TypeError."""
    fields = dict(tables)
    sets = tuple(PictureSet(**part) for part in fields.pop("set"))
    fields = {key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}
    fields.setdefault("published", ())
    return Protocol(name=name, sets=sets, **fields)

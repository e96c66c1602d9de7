"""The networks that ship with sherd: ONNX files, each with a pedigree (`*.toml`) beside it."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sherd.errors import WeightsError

__all__ = ["Weights", "find_weights", "shipped_weights"]

_HOME = Path(__file__).parent


@dataclass(frozen=True)
class Weights:
    """Weights of one scorer: its files and where they come from.

    pedigree holds the facts of the .toml file: command, data, steps, date, validation figures.
    """

    name: str
    files: Mapping[str, Path]
    pedigree: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """A short hash of all files, for caches and reports."""
        joined = "".join(sorted(self.pedigree["sha256"].values()))
        return hashlib.sha256(joined.encode()).hexdigest()[:16]


def shipped_weights() -> tuple[str, ...]:
    """List the names of the weights in the package."""
    return tuple(sorted(path.stem for path in _HOME.glob("*.toml")))


@cache
def find_weights(name: str, folder: Path = _HOME) -> Weights:
    """Find weights by name and check that every file is the one that its pedigree names."""
    toml = folder / f"{name}.toml"
    if not toml.is_file():
        raise WeightsError(f"There are no weights {name!r} in {folder}; reinstall sherd.")
    pedigree = tomllib.loads(toml.read_text(encoding="utf8"))
    files = {file: folder / file for file in pedigree["sha256"]}
    for file, path in files.items():
        if not path.is_file():
            raise WeightsError(f"{path}: the weights are missing; reinstall sherd.")
        if hashlib.sha256(path.read_bytes()).hexdigest() != pedigree["sha256"][file]:
            raise WeightsError(
                f"{path}: not the file that {toml.name} describes (wrong sha256); reinstall sherd "
                "or export the weights again."
            )
    return Weights(name, files, pedigree)

"""Keep the tables of learned scorers on disk, so that nothing is judged twice.

A table is kept under a hash of everything that it depends on: the pixels, which of them are known,
the relations, the scorer with its options and weights, and the version of sherd.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from sherd.errors import InputError
from sherd.events import Listener, Note
from sherd.pieces import Pieces
from sherd.scorers import LearnedScorer, Scorer
from sherd.scores import Scores
from sherd.sides import Relations

__all__ = ["ScoreCache", "user_cache"]

_MOST_BYTES = 1_000_000_000


def user_cache() -> Path:
    """Give the user's folder for kept tables."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if home else Path.home() / ".cache") / "sherd" / "scores"


class ScoreCache:
    """Tables of learned scorers in a folder; the ones used longest ago go when it is full."""

    def __init__(self, folder: Path | None = None, most_bytes: int = _MOST_BYTES) -> None:
        """Keep at most `most_bytes` of tables in a folder, by default the user's."""
        self.folder = folder or user_cache()
        self.most_bytes = most_bytes

    def score(self, scorer: Scorer, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Give the kept table if there is one; otherwise score, and keep what a learned one says.

        A table that cannot be read is made again and replaced. A disk that is full or read-only
        costs the keeping, not the table.
        """
        if not isinstance(scorer, LearnedScorer):
            return scorer.score(pieces, relations, on)
        path = self.folder / f"{_key(pieces, relations, scorer.fingerprint())}.npz"
        kept = _read(path, pieces, relations)
        if kept is not None:
            on(Note(f"scores taken from {path} (--no-cache makes them again)"))
            return kept
        table = scorer.score(pieces, relations, on)
        try:
            self._keep(table, path)
        except OSError as error:
            on(Note(f"the scores are not kept in {self.folder} ({error.strerror or error})"))
        return table

    def _keep(self, table: Scores, path: Path) -> None:
        """Write a table whole or not at all, then make room."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=self.folder)
        os.close(handle)
        partial = Path(name)
        try:
            table.save(partial)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        self._make_room()

    def _make_room(self) -> None:
        """Remove the tables used longest ago until the rest is small enough."""
        with suppress(FileNotFoundError):  # another process may be making room as well
            found = [(path.stat(), path) for path in self.folder.glob("*.npz")]
            total = sum(stat.st_size for stat, _ in found)
            for stat, path in sorted(found, key=lambda entry: entry[0].st_mtime_ns):
                if total <= self.most_bytes:
                    break
                path.unlink()
                total -= stat.st_size


def _key(pieces: Pieces, relations: Relations, fingerprint: Mapping[str, str]) -> str:
    """Hash everything that a table depends on."""
    facts = {
        "sherd": version("sherd"),
        "pieces": pieces.fingerprint(),
        "relations": asdict(relations),
        "scorer": dict(fingerprint),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]


def _read(path: Path, pieces: Pieces, relations: Relations) -> Scores | None:
    """Read a kept table and mark it as used; None if there is none or it is damaged."""
    if not path.is_file():
        return None
    try:
        table = Scores.load(path)
    except InputError:
        return None
    if table.pieces != len(pieces) or table.relations != relations:
        return None
    with suppress(OSError):  # a read-only cache is still a cache
        os.utime(path)
    return table

"""Kept tables of scores: found again for the same question, and for no other."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sherd.cache import ScoreCache, user_cache
from sherd.events import Event, Listener, Note, ignore
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers.prediction import Prediction
from sherd.scores import Scores
from sherd.sides import Relations
from sherd.solve import solve


class Counted(Prediction):
    """A scorer that counts how often it is asked; learned, since it has a fingerprint."""

    def __init__(self, shortlist: int = 0) -> None:
        self.asked, self.shortlist = 0, shortlist

    def fingerprint(self) -> dict[str, str]:
        """Name the option."""
        return {"scorer": "counted", "shortlist": str(self.shortlist)}

    def score(self, pieces: Pieces, relations: Relations, on: Listener) -> Scores:
        """Count, then score."""
        self.asked += 1
        return super().score(pieces, relations, on)


def make_pieces(seed: int = 0) -> Pieces:
    """Cut a painted picture into four pieces."""
    cells = paint(32, 32, seed).reshape(2, 16, 2, 16, 3).swapaxes(1, 2)
    return Pieces.from_arrays(cells.reshape(4, 16, 16, 3))


def same(a: Scores, b: Scores) -> bool:
    """Whether two tables hold the same."""
    return np.array_equal(a.candidates, b.candidates) and np.array_equal(a.score, b.score)


def test_a_table_is_made_once(tmp_path: Path) -> None:
    """The second time it is read, equal to the first, and a line says so."""
    cache, scorer, pieces = ScoreCache(tmp_path), Counted(), make_pieces()
    events: list[Event] = []
    first = cache.score(scorer, pieces, Relations(), events.append)
    assert not [event for event in events if isinstance(event, Note)]
    second = cache.score(scorer, pieces, Relations(), events.append)
    assert scorer.asked == 1
    assert same(first, second)
    assert "--no-cache" in next(event.text for event in events if isinstance(event, Note))


def test_another_question_is_another_table(tmp_path: Path) -> None:
    """Other pixels, other known pixels, other relations and other options are all scored."""
    cache, pieces = ScoreCache(tmp_path), make_pieces()
    worn = replace(pieces, known=pieces.known & (np.arange(16) < 15))
    questions = [
        (Counted(), pieces, Relations()),
        (Counted(), make_pieces(1), Relations()),
        (Counted(), worn, Relations()),
        (Counted(), pieces, Relations(turns=True)),
        (Counted(8), pieces, Relations()),
    ]
    for scorer, asked, relations in questions:
        cache.score(scorer, asked, relations, ignore)
        assert scorer.asked == 1
    assert len(list(tmp_path.iterdir())) == len(questions)


def test_plain_scorers_are_not_kept(tmp_path: Path) -> None:
    """What is scored in no time takes no room."""
    ScoreCache(tmp_path).score(Prediction(), make_pieces(), Relations(), ignore)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_table_is_made_again(damage: bytes | None, tmp_path: Path) -> None:
    """Empty, foreign and truncated files are passed over and replaced."""
    cache, scorer, pieces = ScoreCache(tmp_path), Counted(), make_pieces()
    first = cache.score(scorer, pieces, Relations(), ignore)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert same(cache.score(scorer, pieces, Relations(), ignore), first)
    assert scorer.asked == 2
    assert same(cache.score(scorer, pieces, Relations(), ignore), first)
    assert scorer.asked == 2


def test_a_flipped_byte_is_noticed(tmp_path: Path) -> None:
    """A table that changed on the disk is made again, wherever the change is."""
    cache, scorer, pieces = ScoreCache(tmp_path), Counted(), make_pieces()
    first = cache.score(scorer, pieces, Relations(), ignore)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    for place in range(40, len(whole), len(whole) // 20):
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        assert same(cache.score(scorer, pieces, Relations(), ignore), first)


def test_the_oldest_tables_make_room(tmp_path: Path) -> None:
    """Beyond the limit those used longest ago go; reading one counts as use."""
    scorer = Counted()
    big = ScoreCache(tmp_path)
    for seed in range(3):
        big.score(scorer, make_pieces(seed), Relations(), ignore)
        for file in tmp_path.iterdir():
            os.utime(file, ns=(0, file.stat().st_mtime_ns - 10**9))
    big.score(scorer, make_pieces(0), Relations(), ignore)
    size = max(file.stat().st_size for file in tmp_path.iterdir())
    small = ScoreCache(tmp_path, most_bytes=2 * size + size // 2)
    small.score(scorer, make_pieces(3), Relations(), ignore)
    assert len(list(tmp_path.iterdir())) == 2
    asked = scorer.asked
    for seed in (0, 3):
        small.score(scorer, make_pieces(seed), Relations(), ignore)
    assert scorer.asked == asked


def test_a_cache_that_cannot_be_written_costs_nothing_but_the_keeping(tmp_path: Path) -> None:
    """The table comes back, a line says that it is not kept, and nothing is left behind."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    events: list[Event] = []
    table = ScoreCache(blocked / "in").score(Counted(), make_pieces(), Relations(), events.append)
    assert table.pieces == 4
    assert any("not kept" in event.text for event in events if isinstance(event, Note))


def test_an_interrupted_write_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk fills up while a table is written, no part of it stays."""

    def fail(self: Scores, path: Path) -> None:
        path.write_bytes(b"part")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Scores, "save", fail)
    ScoreCache(tmp_path).score(Counted(), make_pieces(), Relations(), ignore)
    assert not list(tmp_path.iterdir())


def test_the_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """XDG_CACHE_HOME is respected; without it the folder is in ~/.cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "sherd/scores"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_cache() == tmp_path / ".cache/sherd/scores"


def test_solving_again_scores_nothing(tmp_path: Path) -> None:
    """The same pieces in another order and under other names find the table of the first time."""
    scorer, pieces = Counted(), make_pieces()
    cache = ScoreCache(tmp_path)
    first = solve(pieces, scorer=scorer, cache=cache)
    order = np.array([2, 0, 3, 1], np.int32)
    second = solve(pieces.take(order), scorer=scorer, cache=cache)
    assert scorer.asked == 1
    assert np.array_equal(second.layout.cell, first.layout.cell[order])

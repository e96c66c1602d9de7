"""Scorer `inpaint`: which pairs it looks at, how it holds them, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.cut import cut
from sherd.errors import OptionError
from sherd.events import Event, Note, Progress, ignore
from sherd.gaps import gap_batches, worn_pieces
from sherd.layout import Layout, seams_of
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers import find_scorer, inpaint
from sherd.scorers.inpaint import Inpaint
from sherd.scores import FLOOR, Scores
from sherd.sides import Relations
from sherd.weights import Weights

WORN = 2  # pixels that the stand-in networks see as lost on each side


class StandIn:
    """Networks whose judgement can be foretold: the step across the gap, row by row."""

    def __init__(self, path: Path, device: str) -> None:
        self.is_filler = "filler" in path.name

    def __call__(self, **inputs: np.ndarray) -> list[np.ndarray]:
        """Mark the gap as the filler, and as the judge look across it."""
        known = inputs["known"]
        if self.is_filler:
            return [inputs["pixels"] + 2 * (1 - known)]
        edge = inputs["filled"][..., [63 - WORN, 64 + WORN]] * known[..., [63 - WORN, 64 + WORN]]
        return [np.abs(edge[..., 1] - edge[..., 0]).mean(axis=(1, 2)).astype(np.float32)]


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the stand-in in the place of the networks that ship with sherd."""
    files = {name: Path(name) for name in ("inpaint-filler.onnx", "inpaint-judge.onnx")}
    weights = Weights("inpaint", files, {"model_erosion": 0, "sha256": {"a": "b"}})
    monkeypatch.setattr(inpaint, "Network", StandIn)
    monkeypatch.setattr(inpaint, "find_weights", lambda name: weights)


def puzzle(*, turns: bool = False, piece: int = 64, shape: tuple[int, int] = (2, 3)) -> tuple:
    """Cut a painted picture into pieces worn by two pixels; returns pieces and the truth."""
    rows, cols = shape
    picture = paint(rows * piece, cols * piece, seed=3)
    return cut(picture, piece=piece, erode=WORN, turns=turns, seed=5).pieces()


def hits(scores: Scores, truth: Layout) -> float:
    """Share of true seams whose other side is the cheapest candidate, asked from both sides."""
    assert scores.cost is not None
    seams = seams_of(truth)
    best = scores.candidates[np.arange(len(scores.candidates)), scores.cost.argmin(axis=1)]
    return float(np.mean([best[seams[:, 0]] == seams[:, 1], best[seams[:, 1]] == seams[:, 0]]))


@pytest.mark.parametrize("turns", [False, True])
def test_true_neighbours_face_each_other(turns: bool) -> None:
    """In the pictures of true seams the two sides fit, however the pieces are turned."""
    coarse = np.random.default_rng(0).integers(0, 256, (8, 12, 3), dtype=np.uint8)
    smooth = np.asarray(Image.fromarray(coarse).resize((192, 128), Image.Resampling.BICUBIC))
    pieces, truth = cut(smooth, piece=64, erode=WORN, turns=turns, seed=5).pieces()
    scores = Inpaint().score(pieces, Relations(turns=turns), ignore)
    assert hits(scores, truth) >= 0.85  # a step over four pixels can deceive


@pytest.mark.parametrize("turns", [False, True])
def test_a_picture_holds_both_pieces_as_they_lie_on_the_board(turns: bool) -> None:
    """The picture of a seam is the two cells of the original picture, laid down if one is above."""
    pieces, truth = puzzle(turns=turns)
    whole = paint(128, 192, seed=3).astype(np.float32).transpose(2, 0, 1) / 127.5 - 1
    canonical = worn_pieces(pieces, 0, ignore)
    seams = seams_of(truth)
    for chosen, pixels, known in gap_batches(canonical, seams):
        for i, picture, mask in zip(chosen, pixels, known, strict=True):
            row, col = truth.cell[seams[i, 0] // 4]
            beside = row == truth.cell[seams[i, 1] // 4][0]
            height, width = (64, 128) if beside else (128, 64)
            cells = whole[:, 64 * row : 64 * row + height, 64 * col : 64 * col + width]
            upright = cells if beside else np.rot90(cells, 1, axes=(1, 2))
            assert np.allclose(picture, upright * mask, atol=1e-6)


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("shortlist", [None, 3])
def test_each_pair_is_judged_once(turns: bool, shortlist: int | None) -> None:
    """Costs are the same from both sides, and as many pictures are made as there are pairs."""
    pieces, _ = puzzle(turns=turns)
    events: list[Event] = []
    relations = Relations(turns=turns)
    scores = Inpaint(shortlist=shortlist).score(pieces, relations, events.append)
    assert scores.cost is not None
    sides = len(scores.candidates)
    table = np.full((sides, sides), np.nan, np.float32)
    rows, places = np.nonzero(scores.candidates >= 0)
    table[rows, scores.candidates[rows, places]] = scores.cost[rows, places]
    assert np.array_equal(table, table.T, equal_nan=True)
    judged = [event for event in events if isinstance(event, Progress) and event.stage == "judging"]
    pairs = int(np.isfinite(table).sum()) // 2
    assert (judged[-1].done, judged[-1].total) == (pairs, pairs)
    if shortlist is None:
        assert pairs == 2 * len(pieces) * relations.candidates_per_side(len(pieces))


def test_a_shortlist_judges_the_likely_pairs_alone() -> None:
    """The k best of `prediction` are in, and what no side listed has the lowest score."""
    pieces, _ = puzzle(shape=(3, 4))
    events: list[Event] = []
    relations = Relations()
    scores = Inpaint(shortlist=2).score(pieces, relations, events.append)
    cheap = find_scorer("prediction").score(pieces, relations, ignore)
    for side, row in enumerate(cheap.candidates):
        assert set(row[:2].tolist()) <= set(scores.candidates[side].tolist())
    assert (scores.candidates >= 0).sum(axis=1).min() >= 2
    assert (scores.candidates >= 0).sum() < cheap.candidates.size
    assert scores.of(np.array([0]), np.array([1])) == FLOOR
    assert any("2 best" in event.text for event in events if isinstance(event, Note))


def test_long_rows_of_every_length_are_filled() -> None:
    """Every candidate of every side is there when all pairs are judged."""
    pieces, _ = puzzle()
    scores = Inpaint().score(pieces, Relations(turns=True), ignore)
    assert scores.candidates.shape == (24, 20)
    assert scores.candidates.min() >= 0


def test_above_five_hundred_pieces_one_must_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Either a shortlist or all pairs has to be asked for, and the error names both."""
    monkeypatch.setattr(inpaint, "_MOST_PIECES", 5)
    pieces, _ = puzzle()
    with pytest.raises(OptionError, match=r"60 pairs .* --shortlist 24 .* --all-pairs"):
        Inpaint().score(pieces, Relations(), ignore)
    for chosen in (Inpaint(all_pairs=True), Inpaint(shortlist=2)):
        assert chosen.score(pieces, Relations(), ignore).pieces == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [({"shortlist": 1}, "too short"), ({"shortlist": 9, "all_pairs": True}, "contradict")],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, int], message: str) -> None:
    """A shortlist of one, and a shortlist with all pairs."""
    with pytest.raises(OptionError, match=message):
        find_scorer("inpaint", **options)


def test_the_time_is_told_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """After four batches a line says how long the rest will take."""
    monkeypatch.setattr(inpaint, "gap_batches", _batches_of(10))
    pieces, _ = puzzle()
    events: list[Event] = []
    Inpaint().score(pieces, Relations(), events.append)
    told = [
        i for i, event in enumerate(events) if isinstance(event, Note) and "to go" in event.text
    ]
    done = [event.done for event in events[: told[0]] if isinstance(event, Progress)]
    assert len(told) == 1
    assert max(done) == 30


def _batches_of(size: int) -> Callable[..., object]:
    def batches(canonical: np.ndarray, pairs: np.ndarray) -> object:
        for start in range(0, len(pairs), size):
            yield from (
                (start + chosen, pixels, known)
                for chosen, pixels, known in gap_batches(canonical, pairs[start : start + size])
            )

    return batches


def test_pieces_of_other_sizes_are_resampled() -> None:
    """Pieces of 28 pixels are judged as pieces of 64."""
    pieces, _ = puzzle(piece=28)
    assert worn_pieces(pieces, 0, ignore).shape == (6, 4, 64, 64)
    assert Inpaint().score(pieces, Relations(), ignore).pieces == 6


def test_unworn_pieces_lose_their_outermost_pixels() -> None:
    """A gap of nothing is none that the networks know; one for a single erosion gets that."""
    pieces = Pieces.from_arrays(paint(64, 128).reshape(64, 2, 64, 3).swapaxes(0, 1))
    for erosion, lost in ((0, 1), (4, 4)):
        canonical = worn_pieces(pieces, erosion, ignore)
        assert canonical[:, 3].sum() == 2 * (64 - 2 * lost) ** 2
        assert not canonical[:, :, :lost].any()


def test_uneven_wear_is_evened() -> None:
    """All sides are given up as deep as the wear goes, but not for the sake of a few deep spots."""
    known = np.ones((6, 64, 64), np.bool_)
    known[:, :, :1] = known[:, :2] = known[:, :, -3:] = known[:, -2:] = False
    known[0, 20:24, :15] = False
    pieces = replace(puzzle()[0], known=known)
    canonical = worn_pieces(pieces, 0, ignore)
    expected = known.copy()
    expected[:, :3] = expected[:, -3:] = False
    expected[:, :, :3] = expected[:, :, -3:] = False
    assert np.array_equal(canonical[:, 3] > 0, expected)
    assert not canonical[:, :3].any(axis=1)[~expected].any()


def test_wear_that_the_networks_do_not_know_is_said() -> None:
    """More than eight of 64 pixels, or more than the one erosion of the paper's models."""
    pieces, _ = puzzle()
    events: list[Event] = []
    worn_pieces(pieces, 0, events.append)
    worn_pieces(pieces, 2, events.append)
    assert events == []
    worn_pieces(pieces, 1, events.append)
    assert "lost 2 of 64 pixels" in str(events[0])


def test_the_table_names_its_origin() -> None:
    """Scorer, weights and shortlist are in the table, and are what a cache goes by."""
    pieces, _ = puzzle()
    scorer = Inpaint(shortlist=2)
    scores = scorer.score(pieces, Relations(), ignore)
    assert dict(scores.made_by) == scorer.fingerprint()
    assert scores.made_by["scorer"] == "inpaint"
    assert Inpaint().fingerprint() != scorer.fingerprint()

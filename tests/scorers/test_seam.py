"""Scorer `seam`: it finds neighbours whatever their labels, turn, shape and size."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from sherd.cut import cut
from sherd.errors import DeviceError, OptionError
from sherd.events import Note, Progress, ignore
from sherd.layout import Layout, seams_of
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers import LearnedScorer, find_scorer
from sherd.scorers.encoding import readings_of
from sherd.scorers.seam import Seam
from sherd.scores import FLOOR, Scores
from sherd.sides import Relations

UPRIGHT, TURNED = Relations(turns=False), Relations(turns=True)


def puzzle(
    rows: int = 3,
    cols: int = 4,
    size: tuple[int, int] = (64, 64),
    erode: int = 2,
    turns: bool = False,
) -> tuple[Pieces, Layout]:
    """Cut a painted picture; `size` is the height and width of a cell."""
    picture = paint(rows * size[0], cols * size[1], seed=3)
    return cut(picture, piece=size, erode=erode, turns=turns, seed=5).pieces()


def found(scores: Scores, truth: Layout) -> float:
    """Share of the sides with a neighbour for which it comes first."""
    seams = seams_of(truth)
    sides, partners = np.concatenate([seams, seams[:, ::-1]]).T
    return float((scores.candidates[sides, 0] == partners).mean())


@pytest.mark.parametrize(("erode", "turns"), [(0, False), (4, False), (2, True)])
def test_neighbours_come_first(erode: int, turns: bool) -> None:
    """On a painted picture most true neighbours come first (by chance: 1 in 11, or in 44)."""
    pieces, truth = puzzle(erode=erode, turns=turns)
    assert found(Seam().score(pieces, Relations(turns), ignore), truth) > 0.8


def test_rectangles_and_other_sizes() -> None:
    """Pieces need not be squares of 64 pixels."""
    for size in ((48, 80), (28, 28)):
        pieces, truth = puzzle(size=size, erode=1)
        scores = Seam().score(pieces, Relations(False, pieces.square), ignore)
        assert found(scores, truth) > 0.85


def test_enlarged_pieces() -> None:
    """Pieces blown up to twice their size give nearly the same retrieval."""
    pieces, truth = puzzle(erode=0)
    large = [np.asarray(Image.fromarray(one).resize((128, 128), 3)) for one in pieces.pixels]
    blown_up = Pieces.from_arrays(np.stack(large))
    before = found(Seam().score(pieces, UPRIGHT, ignore), truth)
    assert abs(found(Seam().score(blown_up, UPRIGHT, ignore), truth) - before) <= 0.06


def test_turned_puzzle() -> None:
    """A picture turned by 90 degrees before it is cut gives nearly the same retrieval."""
    shares = []
    for picture in (paint(192, 256, seed=4), np.rot90(paint(192, 256, seed=4)).copy()):
        pieces, truth = cut(picture, piece=64, erode=2, turns=False, seed=1).pieces()
        shares.append(found(Seam().score(pieces, UPRIGHT, ignore), truth))
    assert min(shares) > 0.9
    assert abs(shares[0] - shares[1]) <= 0.06


@pytest.mark.parametrize("relations", [UPRIGHT, TURNED], ids=["upright", "turned"])
def test_labels_mean_nothing(relations: Relations) -> None:
    """Another order of the pieces gives the same table under other names."""
    pieces, _ = puzzle()
    order = np.random.default_rng(2).permutation(len(pieces)).astype(np.int32)
    table = Seam().score(pieces, relations, ignore)
    other = Seam().score(pieces.take(order), relations, ignore)
    sides, partners = np.divmod(np.arange((4 * len(pieces)) ** 2, dtype=np.int32), 4 * len(pieces))
    expected = table.relabelled(order).of(sides, partners)
    np.testing.assert_allclose(other.of(sides, partners), expected, atol=1e-3)


def test_every_candidate_is_scored() -> None:
    """Pairs outside the shortlist have an estimate, and the table is complete and symmetric."""
    pieces, _ = puzzle()
    rows = Seam(shortlist=2).judge(pieces, UPRIGHT, ignore)
    assert rows.candidates.shape == (48, 11)
    assert 0 < rows.judged.sum(axis=1).min() < 11
    assert np.isfinite(rows.logits).all()
    scores = Scores.from_logits(UPRIGHT, rows.candidates, rows.logits)
    assert scores.score.min() > FLOOR
    a = np.repeat(np.arange(48, dtype=np.int32), 11)
    b = scores.candidates.ravel()
    np.testing.assert_array_equal(scores.of(a, b), scores.of(b, a))


def test_longer_shortlists_hold_the_shorter() -> None:
    """A longer shortlist adds judged pairs and changes none of the others."""
    pieces, _ = puzzle(erode=6)
    short, long = (Seam(shortlist=k).judge(pieces, UPRIGHT, ignore) for k in (2, 8))
    assert short.judged.sum() < long.judged.sum()
    assert long.judged[short.judged].all()
    np.testing.assert_allclose(long.logits[short.judged], short.logits[short.judged], atol=1e-3)


def test_views() -> None:
    """Averaged readings change the logits a little, and a transposed reading not at all."""
    pieces, truth = puzzle()
    one, four = (Seam(views=views).score(pieces, UPRIGHT, ignore) for views in (1, 4))
    assert found(four, truth) >= found(one, truth) - 0.06
    assert not np.allclose(one.score, four.score, atol=1e-3)
    assert [len(readings_of(views)) for views in (1, 2, 4)] == [1, 2, 4]


def test_two_pieces() -> None:
    """The smallest puzzle has a table."""
    pieces, truth = puzzle(rows=1, cols=2)
    assert found(Seam().score(pieces, UPRIGHT, ignore), truth) == 1
    assert Seam().score(pieces, TURNED, ignore).candidates.shape == (8, 4)


def test_options() -> None:
    """Options that make no sense are refused, and each is part of the fingerprint."""
    for wrong in ({"shortlist": 1}, {"views": 3}):
        with pytest.raises(OptionError):
            Seam(**wrong)
    given = ({}, {"shortlist": 9}, {"views": 2}, {"fusion": False})
    prints = [Seam(**options).fingerprint() for options in given]
    assert len({tuple(one.items()) for one in prints}) == len(given)
    assert isinstance(find_scorer("seam", views=4), LearnedScorer)


def test_device_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for CUDA where there is none is an error that names the cure."""
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    pieces, _ = puzzle(rows=1, cols=2)
    with pytest.raises(DeviceError, match="--device cpu"):
        Seam(device="cuda").score(pieces, UPRIGHT, ignore)


def test_events() -> None:
    """The device and the progress of both stages are told, up to the end."""
    events: list[object] = []
    pieces, _ = puzzle()
    Seam().score(pieces, UPRIGHT, events.append)
    assert any(isinstance(event, Note) and "cpu" in event.text for event in events)
    for stage in ("encoding", "judging"):
        last = [e for e in events if isinstance(e, Progress) and e.stage == stage][-1]
        assert last.done == last.total > 0

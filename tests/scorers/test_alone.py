"""The "meets nothing" score: what it looks at, and what it says of frames and holes."""

from __future__ import annotations

import numpy as np

from sherd.cut import cut
from sherd.events import ignore
from sherd.layout import seams_of
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers.alone import FACTS, known_shares, side_facts
from sherd.scorers.seam import Seam
from sherd.scores import FLOOR
from sherd.sides import Relations


def test_frame_and_holes() -> None:
    """Sides at the frame and beside a missing piece score higher than those that meet one."""
    pieces, truth = cut(paint(256, 320, seed=3), piece=64, erode=2, turns=False, seed=1).pieces()
    kept = np.arange(1, len(pieces), dtype=np.int32)  # one piece is missing
    scores = Seam().score(pieces.take(kept), Relations(), ignore)
    assert scores.alone is not None
    assert scores.alone.shape == (4 * len(kept),)
    assert scores.alone.max() <= 0
    assert scores.alone.min() >= FLOOR
    seams = seams_of(truth)
    meets = np.zeros(4 * len(pieces), np.bool_)
    meets[seams[(seams >= 4).all(axis=1)]] = True
    meets = meets[4:]
    assert np.median(scores.alone[~meets]) > np.median(scores.alone[meets]) + 0.5
    better = scores.alone[~meets][:, None] > scores.alone[meets][None, :]
    assert better.mean() > 0.8


def test_facts() -> None:
    """Facts are the best logits in order, what they sum up to, the rival, the choice, the wear."""
    candidates = np.array([[2, 1, -1], [0, -1, -1], [0, 1, -1]], np.int32)
    logits = np.array([[1.0, 3.0, 9.0], [3.0, 0.0, 0.0], [1.0, 5.0, 0.0]], np.float32)
    facts = side_facts(candidates, logits, np.full(3, 0.5, np.float32))
    assert facts.shape == (3, FACTS)
    np.testing.assert_allclose(facts[0, :3], [3, 1, -40])
    np.testing.assert_allclose(facts[0, 3:], [np.log1p(np.exp(-2)), 0, np.log(2), 0.5], atol=1e-6)
    np.testing.assert_allclose(facts[2, 4], 3 - 5)  # its favourite likes another one less


def test_order_of_candidates() -> None:
    """The order in which candidates are listed means nothing."""
    rng = np.random.default_rng(0)
    candidates = np.array([rng.permutation(8)[:5] for _ in range(8)], np.int32)
    logits = rng.normal(size=(8, 5)).astype(np.float32)
    known = rng.random(8).astype(np.float32)
    order = rng.permutation(5)
    same = side_facts(candidates[:, order], logits[:, order], known)
    np.testing.assert_allclose(side_facts(candidates, logits, known), same, atol=1e-6)


def test_known_shares() -> None:
    """A side's share counts the known pixels of its own outer quarter."""
    known = np.ones((1, 8, 8), np.bool_)
    known[0, :, 7] = False  # right
    pieces = Pieces.from_arrays(np.zeros((1, 8, 8, 3), np.uint8), known)
    np.testing.assert_allclose(known_shares(pieces), [0.5, 7 / 8, 1, 7 / 8])

"""Fusion: where the classical measures have a say, and how it enters the logits."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.events import Note, ignore
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers.fusion import fused, usual_wear, with_classical
from sherd.scorers.prediction import Prediction
from sherd.scores import FLOOR, Scores
from sherd.sides import Relations

UPRIGHT = Relations()


def worn(erode: int, size: int = 64, height: int = 0) -> Pieces:
    """Four painted pieces whose outer pixels are lost."""
    height = height or size
    pixels = np.stack([paint(height, size, seed) for seed in range(4)])
    known = np.zeros(pixels.shape[:3], np.bool_)
    known[:, erode : height - erode, erode : size - erode] = True
    return Pieces.from_arrays(pixels * known[..., None], known)


@pytest.mark.parametrize("erode", [0, 1, 5])
def test_usual_wear(erode: int) -> None:
    """Wear is counted from the edge, in square and oblong pieces."""
    assert usual_wear(worn(erode)) == erode
    assert usual_wear(worn(erode, 40, 64)) == erode


def test_sums() -> None:
    """Each listed pair gets the weighted classical log-probability, unlisted ones the floor's."""
    table = Prediction().score(worn(0), UPRIGHT, ignore)
    candidates = table.candidates[:, ::-1].copy()
    short = Scores(UPRIGHT, table.candidates[:, :2], table.score[:, :2])
    sums = fused(candidates, np.ones(candidates.shape, np.float32), short, 0.5)
    np.testing.assert_allclose(sums[:, :0:-1], 1 + table.score[:, :2] / 2, atol=1e-6)
    np.testing.assert_allclose(sums[:, 0], 1 + FLOOR / 2)


@pytest.mark.parametrize(
    ("erode", "size", "names"),
    [(0, 64, ["prediction"]), (0, 28, ["mgc", "prediction"]), (1, 28, ["mgc"]), (2, 64, [])],
)
def test_where_it_helps(erode: int, size: int, names: list[str]) -> None:
    """Classical measures are heard without wear, or nearly so in small pieces; a note says so."""
    events: list[object] = []
    pieces = worn(erode, size)
    table = Prediction().score(pieces, UPRIGHT, ignore)
    logits = np.zeros(table.candidates.shape, np.float32)
    sums = with_classical(table.candidates, logits, pieces, UPRIGHT, events.append)
    assert bool((sums != logits).any()) == bool(names)
    notes = [event.text for event in events if isinstance(event, Note)]
    assert all(name in notes[0] for name in names) if names else not notes

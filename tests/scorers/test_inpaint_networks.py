"""The networks that ship for the scorer `inpaint`: they find neighbours, and they are small."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.cut import cut
from sherd.events import ignore
from sherd.fill import restore
from sherd.layout import seams_of
from sherd.paint import paint
from sherd.scorers.inpaint import Inpaint
from sherd.sides import Relations
from sherd.weights import find_weights


@pytest.mark.parametrize(("erode", "turns"), [(2, False), (4, True)])
def test_true_neighbours_are_found(erode: int, turns: bool) -> None:
    """On a painted picture most true neighbours cost less than all other candidates."""
    pieces, truth = cut(paint(192, 192, 2), piece=64, erode=erode, turns=turns, seed=1).pieces()
    scores = Inpaint().score(pieces, Relations(turns=turns), ignore)
    assert scores.cost is not None
    seams = seams_of(truth)
    cheapest = scores.candidates[np.arange(len(scores.candidates)), scores.cost.argmin(axis=1)]
    found = [cheapest[seams[:, i]] == seams[:, 1 - i] for i in (0, 1)]
    assert np.mean(found) > 0.4  # by chance one in eight, turned one in 32


def test_the_costs_are_those_of_probabilities() -> None:
    """Costs are positive, and neither all neighbours nor none are believed."""
    pieces, _ = cut(paint(128, 192, 2), piece=64, erode=2, seed=1).pieces()
    scores = Inpaint().score(pieces, Relations(), ignore)
    assert scores.cost is not None
    probability = np.exp(-scores.cost)
    assert probability.max() > 0.5
    assert probability.min() < 0.1
    assert scores.cost.min() > 0


def test_the_files_are_small_and_whole() -> None:
    """Both are what their pedigree names, and no larger than 12 MB together."""
    weights = find_weights("inpaint")
    assert sum(path.stat().st_size for path in weights.files.values()) < 12e6
    assert {"command", "date", "data", "stages"} <= set(weights.pedigree)
    assert weights.pedigree["onnx_difference"] < 1e-3


def test_gaps_are_filled_with_something_like_the_original() -> None:
    """On a painted picture the filling is nearer to the original than black, or mid-gray."""
    picture = paint(128, 192, 5)
    pieces, truth = cut(picture, piece=64, erode=3, shuffle=False).pieces()
    found = restore(pieces, truth, "inpaint")
    original = picture[found.filled].astype(float)
    error = np.abs(found.picture.pixels[found.filled][:, :3] - original).mean()
    assert error < 0.5 * np.abs(original - 128).mean()

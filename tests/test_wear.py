"""Wear: which pixels are gone."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.borders import inside
from sherd.wear import even_wear, uneven_wear


def test_even_wear_takes_the_outer_pixels() -> None:
    """Wear of E pixels leaves what is at least E away from the edge."""
    worn = even_wear(3, 7, 9, 2)
    assert worn.shape == (3, 7, 9)
    assert np.array_equal(worn[1], ~inside(7, 9, 2))


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 99))
def test_uneven_wear_stays_within_its_bounds(least: int, more: int, seed: int) -> None:
    """All of the least wear is gone, nothing deeper than the most."""
    worn = uneven_wear(4, 24, 17, least, least + more, np.random.default_rng(seed))
    assert worn[:, ~inside(24, 17, least)].all()
    assert not worn[:, inside(24, 17, least + more)].any()


def test_uneven_wear_differs_from_place_to_place() -> None:
    """Every depth occurs on every side, and neighbours along a side differ by little."""
    worn = uneven_wear(30, 48, 48, 1, 4, np.random.default_rng(0))
    for view in (worn, worn[:, ::-1], worn.swapaxes(1, 2), worn.swapaxes(1, 2)[:, ::-1]):
        depth = np.logical_and.accumulate(view, axis=1).sum(axis=1)[:, 8:40]
        assert set(depth.ravel().tolist()) == {1, 2, 3, 4}
        assert np.abs(np.diff(depth, axis=1)).max() <= 1

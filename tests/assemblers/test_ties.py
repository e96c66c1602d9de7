"""Ties: what is fixed stays so, and what cannot be is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.assemblers.search_reference import random_table, run

from sherd.errors import OptionError
from sherd.hints import Hints
from sherd.layout import BoardSpec, Layout
from sherd.sides import Relations

RELATIONS = [Relations(), Relations(turns=True), Relations(turns=True, square=False)]


@given(st.integers(0, 99), st.sampled_from(RELATIONS[:2]))
@settings(deadline=None, max_examples=8)
def test_heeds_hints(seed: int, relations: Relations) -> None:
    """Pinned pieces keep cell and turn, a block keeps together, border pieces are on the border."""
    rng = np.random.default_rng(seed)
    rows, cols = 4, 5
    scores = random_table(rows * cols, seed, relations=relations)
    names = rng.permutation(rows * cols)
    pinned, together, framed = names[:2], names[2:6], names[6:9]
    cell = np.full((rows * cols, 2), -1, np.int32)
    cell[pinned] = [(0, 0), (2, 3)]
    turn = rng.integers(4 if relations.turns else 1, size=rows * cols).astype(np.int32)
    pins = Layout.from_cells(cell, turn, np.isin(np.arange(20), pinned), (rows, cols))
    shape = np.full((rows * cols, 2), -1, np.int32)
    shape[together] = [(0, 0), (0, 1), (1, 1), (0, 2)]
    blocks = Layout.from_cells(shape, turn * 0, np.isin(np.arange(20), together), (2, 3))
    frame = np.isin(np.arange(20), framed)
    layout = run(scores, BoardSpec(rows, cols, hints=Hints(pins, blocks, frame)), seed)
    assert np.array_equal(layout.cell[pinned], cell[pinned])
    assert np.array_equal(layout.turn[pinned], turn[pinned])
    spin = int(layout.turn[together[0]])
    assert (layout.turn[together] == spin).all()
    kept = layout.cell[together] - layout.cell[together[0]]
    back = kept
    for _ in range((4 - spin) % 4):
        back = np.stack([back[:, 1], -back[:, 0]], axis=1)
    assert np.array_equal(back, shape[together] - shape[together[0]])
    on_border = (layout.cell % (rows - 1, cols - 1) == 0).any(axis=1)
    assert on_border[framed].all()


def test_refuses_hints_that_cannot_be() -> None:
    """Hints outside the board, too large for it, or without one are refused with the cure."""
    scores = random_table(6, 0)
    everything = Layout.from_grid(2, 3)
    row = Layout.from_grid(1, 6)
    inner = Layout.from_grid(3, 3)
    for hints, board, word in (
        (Hints(pins=row), (2, 3), "outside"),
        (Hints(blocks=row), (2, 3), "no room"),
        (Hints(pins=everything), (None, None), "--board"),
    ):
        with pytest.raises(OptionError, match=word):
            run(scores, BoardSpec(*board, hints=hints))
    nine = random_table(9, 0)
    with pytest.raises(OptionError, match="border"):
        run(nine, BoardSpec(3, 3, hints=Hints(frame=np.ones(9, np.bool_))))
    middle = np.arange(9) == 4
    with pytest.raises(OptionError, match="border"):
        run(nine, BoardSpec(3, 3, hints=Hints(pins=inner, frame=middle)))

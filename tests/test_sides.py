"""Sides: which ones can meet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.sides import Relations, strips, turn_picture

ALL = [Relations(turns, square) for turns in (False, True) for square in (False, True)]


@pytest.mark.parametrize(
    ("relations", "partners"),
    [
        (Relations(turns=False), [(2,), (3,), (0,), (1,)]),
        (Relations(turns=True), [(0, 1, 2, 3)] * 4),
        (Relations(turns=True, square=False), [(0, 2), (1, 3), (0, 2), (1, 3)]),
    ],
)
def test_partners(relations: Relations, partners: list[tuple[int, ...]]) -> None:
    """Unturned pieces meet opposite sides; turned ones meet all sides of equal length."""
    assert [relations.partners(side) for side in range(4)] == partners
    assert relations.candidates_per_side(10) == 9 * len(partners[0])


@pytest.mark.parametrize("relations", ALL)
def test_the_groups_hold_every_directed_pair_once(relations: Relations) -> None:
    """The blocks of `pair_groups` cover exactly the pairs that `partners` allows."""
    blocks = [(a, b) for looking, seen in relations.pair_groups() for a in looking for b in seen]
    allowed = {(side, other) for side in range(4) for other in relations.partners(side)}
    assert len(blocks) == len(set(blocks))
    assert set(blocks) == allowed


@pytest.mark.parametrize("relations", ALL)
def test_meeting_is_mutual(relations: Relations) -> None:
    """If a side can meet another, the other can meet it."""
    for side in range(4):
        assert all(side in relations.partners(other) for other in relations.partners(side))


@settings(deadline=None, max_examples=30)
@given(
    st.integers(1, 7), st.integers(1, 7), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3)
)
def test_strips_do_not_depend_on_how_a_piece_lies(
    height: int, width: int, side: int, turns: int, depth: int
) -> None:
    """Turning all pieces and asking for the turned side gives the same strips."""
    pieces = np.arange(2 * height * width).reshape(2, height, width)
    depth = min(depth, height, width)
    turned = np.stack([turn_picture(piece, turns) for piece in pieces])
    strip = strips(pieces, side, depth)
    assert strip.shape == (2, height if side in (0, 2) else width, depth)
    assert np.array_equal(strips(turned, (side + turns) % 4, depth), strip)


@settings(deadline=None, max_examples=20)
@given(st.integers(-8, 8))
def test_four_turns_are_none(turns: int) -> None:
    """Turns count modulo four and keep further axes as they are."""
    picture = np.arange(30).reshape(2, 5, 3)
    assert np.array_equal(turn_picture(picture, turns), turn_picture(picture, turns + 4))
    assert turn_picture(picture, turns).shape[2] == 3

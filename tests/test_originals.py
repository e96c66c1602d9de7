"""Originals: pieces of one size in one mode, without loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.decoding import Decoded, Samples
from sherd.errors import InputError
from sherd.events import Event, Note, ignore
from sherd.originals import Originals, promoted, stack

GRAY = b"\0" * 16 + b"GRAY"
RGB = b"\0" * 16 + b"RGB "


def pixels(height: int, width: int, channels: int = 3, deep: bool = False) -> Samples:
    """Random pixels."""
    rng = np.random.default_rng(height + width + channels)
    if deep:
        return rng.integers(0, 65536, (height, width, channels), np.uint16)
    return rng.integers(0, 256, (height, width, channels), np.uint8)


def stacked(*pictures: Samples, turns: bool = False) -> tuple[Originals, list[int]]:
    """Stack unnamed pictures."""
    named = [Decoded(f"{i}.png", picture) for i, picture in enumerate(pictures)]
    originals, given_turn = stack(named, turns=turns, on=ignore)
    return originals, given_turn.tolist()


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=4))
def test_mixed_modes_get_the_smallest_common_one(kinds: list[tuple[int, bool]]) -> None:
    """Colour, alpha and 16 bits are there if any piece needs them, and no pixel changes."""
    given_pixels = [pixels(3, 3, channels, deep) for channels, deep in kinds]
    originals, _ = stacked(*given_pixels)
    colour = any(channels > 2 for channels, _ in kinds)
    alpha = any(channels in (2, 4) for channels, _ in kinds)
    deep = any(deep for _, deep in kinds)
    name = ("RGB" if colour else "L") + "A" * alpha + ";16" * deep
    assert originals.mode == name
    for before, after in zip(given_pixels, originals.pixels, strict=True):
        own = np.uint16(257) * before if deep and before.dtype == np.uint8 else before
        tones = 3 if before.shape[2] > 2 else 1
        assert (after[..., : 3 if colour else 1] == own[..., :tones]).all()
        if alpha:
            full = np.iinfo(after.dtype).max
            assert (after[..., -1] == (own[..., -1] if before.shape[2] in (2, 4) else full)).all()


def test_the_copy_is_rgb_of_8_bits() -> None:
    """The copy for networks undoes the promotion to 16 bits exactly and repeats gray."""
    gray = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
    deep = Originals(promoted(gray, 2, True))
    assert deep.mode == "LA;16"
    assert np.array_equal(deep.rgb(), np.repeat(gray, 3, axis=3))


def test_only_alpha_0_is_invisible() -> None:
    """Half-transparent pixels are known."""
    picture = np.zeros((1, 1, 3, 2), np.uint8)
    picture[0, 0, :, 1] = [0, 1, 255]
    assert Originals(picture).visible().tolist() == [[[False, True, True]]]


def test_turned_rectangles_get_the_commoner_shape() -> None:
    """With turns, w x h and h x w are one size; the rarer shape is turned clockwise once."""
    tall, wide, other = pixels(4, 2), pixels(2, 4), pixels(2, 4, 3)
    originals, given_turn = stacked(wide, tall, other, turns=True)
    assert given_turn == [0, 1, 0]
    assert np.array_equal(originals.pixels[1], np.rot90(tall, -1))
    originals, given_turn = stacked(tall, wide, turns=True)
    assert given_turn == [1, 0]  # a tie: the wide shape


def test_two_sizes_are_one_clear_line() -> None:
    """The message counts the sizes as WxH, names an odd piece and the cure."""
    with pytest.raises(InputError, match=r"2\.png is 5x4: .*2 of 4x4, 1 of 5x4.*one size"):
        stacked(pixels(4, 4), pixels(4, 4), pixels(4, 5))
    with pytest.raises(InputError, match="--turns"):
        stacked(pixels(4, 2), pixels(2, 4))
    with pytest.raises(InputError, match=r"\.\.\."):
        stacked(*(pixels(4, width) for width in (2, 3, 4, 5)))
    with pytest.raises(InputError, match="different sizes"):
        stacked(pixels(4, 2), pixels(2, 4), pixels(3, 3), turns=True)


@pytest.mark.parametrize(
    ("orientations", "applied"), [((6, 6), True), ((6, 1), False), ((1, 1), False)]
)
def test_exif_turns_are_applied_if_all_agree(orientations: tuple[int, int], applied: bool) -> None:
    """One EXIF turn for all is applied and told; different ones are left alone and told."""
    told: list[Event] = []
    given_pixels = pixels(4, 4), pixels(4, 4, 1)
    pictures = [
        Decoded("p.jpg", picture, orientation=orientation)
        for picture, orientation in zip(given_pixels, orientations, strict=True)
    ]
    originals, _ = stack(pictures, turns=False, on=told.append)
    expected = np.rot90(given_pixels[0], -1) if applied else given_pixels[0]
    assert np.array_equal(originals.pixels[0], expected)
    assert len(told) == (set(orientations) != {1})
    assert all(isinstance(event, Note) and "EXIF" in event.text for event in told)


@pytest.mark.parametrize(
    ("profiles", "channels", "kept"),
    [
        ((RGB, RGB), (3, 4), RGB),
        ((None, None), (3, 3), None),
        ((RGB, None), (3, 3), None),
        ((GRAY, GRAY), (1, 1), GRAY),
        ((RGB, RGB + b"!"), (3, 3), None),
        ((GRAY, RGB), (1, 3), None),
    ],
)
def test_a_profile_is_kept_if_all_have_it(
    profiles: tuple[bytes | None, ...], channels: tuple[int, ...], kept: bytes | None
) -> None:
    """One profile for all is kept; where they differ none is, and that is told."""
    told: list[Event] = []
    pictures = [
        Decoded("p.png", pixels(2, 2, count), profile)
        for profile, count in zip(profiles, channels, strict=True)
    ]
    originals, _ = stack(pictures, turns=False, on=told.append)
    assert originals.icc_profile == kept
    assert len(told) == (kept is None and profiles != (None, None))


def test_gray_profiles_do_not_survive_colour_pieces() -> None:
    """One gray profile on gray and one without on colour pieces: neither fits all."""
    pictures = [Decoded("a", pixels(2, 2, 1), GRAY), Decoded("b", pixels(2, 2, 3), GRAY)]
    assert stack(pictures, turns=False, on=ignore)[0].icc_profile is None

"""Pieces brought to one size: colours, masks, and what does not change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.canonical import canonical_pieces, resampling_matrix
from sherd.paint import paint
from sherd.pieces import Pieces


def ringed(size: int, erode: int, height: int | None = None) -> Pieces:
    """Two painted pieces whose outer pixels are lost."""
    height = height or size
    pixels = np.stack([paint(height, size, seed) for seed in (1, 2)])
    known = np.zeros(pixels.shape[:3], np.bool_)
    known[:, erode : height - erode, erode : size - erode] = True
    return Pieces.from_arrays(pixels, known)


def test_right_size_is_untouched() -> None:
    """Pieces of 64 pixels keep their colours exactly; lost ones become 0."""
    pieces = ringed(64, 3)
    canonical = canonical_pieces(pieces)
    assert canonical.shape == (2, 4, 64, 64)
    np.testing.assert_array_equal(canonical[:, 3], pieces.known)
    expected = np.moveaxis(pieces.pixels / 127.5 - 1, 3, 1) * pieces.known[:, None]
    np.testing.assert_allclose(canonical[:, :3], expected, atol=1e-6)


@pytest.mark.parametrize(("height", "width"), [(28, 28), (128, 128), (48, 96), (16, 512)])
def test_any_size(height: int, width: int) -> None:
    """Any size becomes 64 x 64, in range, with the share of lost pixels kept roughly."""
    pieces = ringed(width, 2, height)
    canonical = canonical_pieces(pieces)
    assert canonical.shape == (2, 4, 64, 64)
    assert np.abs(canonical[:, :3]).max() <= 1
    assert set(np.unique(canonical[:, 3])) == {0.0, 1.0}
    assert abs(canonical[:, 3].mean() - pieces.known.mean()) < 0.1
    assert (canonical[:, :3][np.broadcast_to(canonical[:, 3:] == 0, (2, 3, 64, 64))] == 0).all()


def test_lost_pixels_have_no_say() -> None:
    """Whatever lies under lost pixels, the result is the same."""
    pieces = ringed(40, 4)
    other = pieces.pixels.copy()
    other[~pieces.known] = 255
    changed = Pieces.from_arrays(other, pieces.known)
    np.testing.assert_array_equal(canonical_pieces(pieces), canonical_pieces(changed))


@settings(deadline=None, max_examples=20)
@given(st.integers(4, 200), st.integers(4, 200))
def test_constant_and_mirrored(length: int, size: int) -> None:
    """A resampling keeps constants, and mirrored in both axes it is itself."""
    matrix = resampling_matrix(length, size)
    assert matrix.shape == (size, length)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(matrix[::-1, ::-1], matrix, atol=1e-5)


def test_turned_pieces() -> None:
    """Turning a piece before or after it is resampled is the same."""
    pieces = ringed(40, 3)
    turned = Pieces.from_arrays(
        np.rot90(pieces.pixels, axes=(1, 2)).copy(), np.rot90(pieces.known, axes=(1, 2)).copy()
    )
    after = np.rot90(canonical_pieces(pieces), axes=(2, 3))
    np.testing.assert_allclose(canonical_pieces(turned), after, atol=1e-5)

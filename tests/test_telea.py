"""The comparison with Telea's method: what it must fill exactly."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.telea import telea


@pytest.mark.parametrize("gap", [1, 4, 7])
def test_a_slope_goes_on_across_the_gap(gap: int) -> None:
    """Every known neighbour is continued by its gradient: a plane is filled exactly."""
    y, x = np.mgrid[:12, :24].astype(np.float32)
    plane = np.stack([0.1 * x, 0.2 * y, 0.3 * x - 0.1 * y], axis=2)[None]
    holed = plane.copy()
    holed[:, :, 8 : 8 + gap] = 99
    assert np.allclose(telea(holed, 8, 7 + gap), plane, atol=1e-3)


def test_known_pixels_stay_and_lost_ones_have_no_say() -> None:
    """Whatever lies in the gap, the result is the same, and beside it nothing changes."""
    rng = np.random.default_rng(1)
    pixels = rng.uniform(size=(2, 10, 20, 3)).astype(np.float32)
    other = pixels.copy()
    other[:, :, 8:12] = -7
    filled = telea(pixels, 8, 11)
    assert np.array_equal(filled, telea(other, 8, 11))
    assert np.array_equal(np.delete(filled, range(8, 12), 2), np.delete(pixels, range(8, 12), 2))

"""L*a*b* as CIE defines it."""

import numpy as np
import pytest

from sherd.colour import to_lab


@pytest.mark.parametrize(
    ("rgb", "lab"),
    [  # values of the standard, to two digits, for white D65
        ((255, 255, 255), (100, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 255, 0), (87.73, -86.18, 83.18)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
        ((119, 119, 119), (50.03, 0, 0)),
        ((5, 5, 5), (1.37, 0, 0)),
    ],
)
def test_known_colours(rgb: tuple[int, int, int], lab: tuple[float, float, float]) -> None:
    """Primaries, grays and the straight part of the curve come out as tabulated."""
    np.testing.assert_allclose(to_lab(np.array(rgb, np.uint8)), lab, atol=0.02)


def test_keeps_the_shape() -> None:
    """Any shape of pixels goes through, as float32."""
    pixels = np.random.default_rng(0).integers(0, 256, (2, 5, 4, 3), dtype=np.uint8)
    lab = to_lab(pixels)
    assert lab.shape == pixels.shape
    assert lab.dtype == np.float32
    np.testing.assert_allclose(lab[1, 3, 2], to_lab(pixels[1, 3, 2]), rtol=1e-5)

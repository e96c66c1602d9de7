"""Colour spaces: sRGB to CIE L*a*b*, where distances are closer to what the eye sees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["to_lab"]

Floats = NDArray[np.float32]


def _linear_light() -> Floats:
    """Tabulate the sRGB curve: the linear light of each 8-bit value."""
    value = np.arange(256) / 255
    curve = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return curve.astype(np.float32)


_LINEAR = _linear_light()
_TO_XYZ = np.array(  # sRGB primaries (IEC 61966-2-1)
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE_TO_ONE = (_TO_XYZ / _TO_XYZ.sum(axis=1, keepdims=True)).astype(np.float32)  # white D65
_CUBE_ROOT_FROM = (6 / 29) ** 3  # CIE's curve is straight below, so that its slope stays finite


def to_lab(rgb: NDArray[np.uint8]) -> Floats:
    """Convert 8-bit sRGB [..., 3] to L*a*b* [..., 3]: L* in 0..100, a* and b* about -128..127."""
    xyz = _LINEAR[rgb] @ _WHITE_TO_ONE.T  # relative to white
    bent = np.where(xyz > _CUBE_ROOT_FROM, np.cbrt(xyz), xyz * (841 / 108) + 4 / 29)
    x, y, z = np.moveaxis(bent, -1, 0)
    lab = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)
    return lab.astype(np.float32)

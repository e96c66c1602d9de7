"""What happens to whole pictures before they are cut: blur, JPEG. All on the device, in batches."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from sherd.train.pairs import Dice

__all__ = ["blurred", "compressed", "degrade"]

_BLOCK = 8
_LUMA = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
"""The example table of the JPEG standard (ITU-T T.81, table K.1), for quality 50."""
_TO_YCBCR = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))


def degrade(pictures: Tensor, dice: Dice, chance: float = 0.2) -> Tensor:
    """Blur some of the pictures [B, 3, H, W] in -1..1 and compress some."""
    count = len(pictures)
    strength = dice.uniform(count) * dice.chance(chance, count)
    pictures = blurred(pictures, strength)
    quality = 30 + 65 * dice.uniform(count)
    worn = compressed(pictures, quality)
    return torch.where(dice.chance(chance, count)[:, None, None, None], worn, pictures)


def blurred(pictures: Tensor, strength: Tensor) -> Tensor:
    """Mix pictures [B, 3, H, W] with the means of 3 x 3 pixels by strengths 0..1 [B], twice."""
    weight = strength[:, None, None, None]
    for _ in range(2):
        means = F.avg_pool2d(F.pad(pictures, (1, 1, 1, 1), "replicate"), 3, 1)
        pictures = torch.lerp(pictures, means, weight)
    return pictures


def compressed(pictures: Tensor, quality: Tensor) -> Tensor:
    """Do to pictures [B, 3, H, W] in -1..1 what JPEG of a quality 1..99 [B] does.

    Colour differences share the table of the brightness, and are kept at half the resolution.
    """
    height, width = pictures.shape[2:]
    padding = (0, -width % (2 * _BLOCK), 0, -height % (2 * _BLOCK))
    matrix = torch.tensor(_TO_YCBCR, device=pictures.device)
    planes = torch.einsum("oc,bchw->bohw", matrix, F.pad(127.5 * pictures, padding, "replicate"))
    scale = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
    steps = (torch.tensor(_LUMA, device=pictures.device) * scale[:, None, None]).clamp(min=1)
    luma = _quantised(planes[:, :1], steps)
    chroma = _quantised(F.avg_pool2d(planes[:, 1:], 2), steps)
    chroma = F.interpolate(chroma, scale_factor=2, mode="nearest")
    both = torch.einsum("oc,bchw->bohw", torch.linalg.inv(matrix), torch.cat([luma, chroma], 1))
    cropped: Tensor = (both / 127.5)[:, :, :height, :width]
    return cropped.clamp(-1, 1)


def _quantised(planes: Tensor, steps: Tensor) -> Tensor:
    """Round the cosine coefficients of 8 x 8 blocks of planes [B, C, H, W] to steps [B, 8, 8]."""
    place = torch.arange(_BLOCK, device=planes.device)
    waves = torch.cos(math.pi / _BLOCK * (place[None, :] + 0.5) * place[:, None]) / 2  # [8, 8]
    waves[0] /= math.sqrt(2)
    rows, cols = planes.shape[2] // _BLOCK, planes.shape[3] // _BLOCK
    blocks = planes.unflatten(3, (cols, _BLOCK)).unflatten(2, (rows, _BLOCK)).transpose(3, 4)
    step = steps[:, None, None, None]
    rounded = ((waves @ blocks @ waves.T) / step).round() * step
    restored: Tensor = waves.T @ rounded @ waves
    return restored.transpose(3, 4).flatten(4, 5).flatten(2, 3)

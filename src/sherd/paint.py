"""Paint made-up pictures, so that tests, examples and miniature trainings need no photographs.

A picture has what matters to a puzzle: smooth sky and water, hills with texture at several scales,
straight and slanted edges, small objects. The same seed paints the same picture.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["paint"]

Floats = NDArray[np.float64]


def paint(height: int, width: int, seed: int = 0) -> NDArray[np.uint8]:
    """Paint a landscape: u8 [height, width, 3]."""
    rng = np.random.default_rng(seed)
    canvas = _sky(height, width, rng)
    ridge = rng.uniform(0.25, 0.4) * height
    for depth in range(4):
        canvas = _hill(canvas, ridge, depth, rng)
        ridge += rng.uniform(0.1, 0.2) * height
    for _ in range(max(6, height * width // 4000)):
        canvas = _object(canvas, rng)
    canvas += rng.normal(0, 2.0, canvas.shape)
    return np.clip(canvas, 0, 255).astype(np.uint8)


def _cloudy(height: int, width: int, rng: np.random.Generator, finest: int = 2) -> Floats:
    """Sum smooth noise over octaves: [height, width], about -1..1."""
    total, weight, cell = np.zeros((height, width)), 1.0, max(height, width)
    while cell >= finest:
        coarse = rng.normal(0, 1, (height // cell + 3, width // cell + 3))
        total += weight * _stretched(coarse, height, width, cell, rng)
        weight, cell = weight * 0.6, cell // 2
    return total / 2.0


def _stretched(
    coarse: Floats, height: int, width: int, cell: int, rng: np.random.Generator
) -> Floats:
    """Interpolate a coarse grid to [height, width] from a random offset, linearly."""
    rows = (np.arange(height) + rng.uniform(0, cell)) / cell
    cols = (np.arange(width) + rng.uniform(0, cell)) / cell
    top, left = rows.astype(int), cols.astype(int)
    down, right = (rows - top)[:, None], (cols - left)[None, :]
    upper = coarse[top][:, left] * (1 - right) + coarse[top][:, left + 1] * right
    lower = coarse[top + 1][:, left] * (1 - right) + coarse[top + 1][:, left + 1] * right
    return np.asarray(upper * (1 - down) + lower * down)


def _sky(height: int, width: int, rng: np.random.Generator) -> Floats:
    """Paint a sky that darkens upwards, with clouds and a glow."""
    up = np.linspace(0, 1, height)[:, None, None]
    sky = (1 - up) * rng.uniform(40, 140, 3) + up * rng.uniform(150, 250, 3)
    clouds = np.clip(_cloudy(height, width, rng, finest=8), 0, 1)[..., None]
    rows, cols = np.mgrid[:height, :width]
    far = np.hypot(rows - 0.2 * height, cols - rng.uniform(0, width)) / max(height, width)
    return np.asarray(sky + 70 * clouds + 60 * np.exp(-6 * far)[..., None])


def _hill(canvas: Floats, ridge: float, depth: int, rng: np.random.Generator) -> Floats:
    """Paint a textured range of hills below a wavy ridge."""
    height, width = canvas.shape[:2]
    wave = ridge + 0.12 * height * _cloudy(1, width, rng, finest=16)[0]
    below = np.clip(np.arange(height)[:, None] - wave + 0.5, 0, 1)[..., None]
    slope = np.arange(width)[None, :] * rng.normal(0, 60) / width
    texture = (30 + 12 * depth) * _cloudy(height, width, rng) + slope
    ground = rng.uniform(30, 190, 3) + texture[..., None] * rng.uniform(0.5, 1.2, 3)
    return np.asarray(canvas * (1 - below) + ground * below)


def _object(canvas: Floats, rng: np.random.Generator) -> Floats:
    """Paint a box, a disc or a beam of one shaded colour, anywhere."""
    height, width = canvas.shape[:2]
    rows, cols = np.mgrid[:height, :width]
    row, col = rng.uniform(0, height), rng.uniform(0, width)
    tall, wide = rng.uniform(4, 0.18 * height + 5), rng.uniform(4, 0.14 * width + 5)
    angle = rng.uniform(0, np.pi)
    along = (rows - row) * np.sin(angle) + (cols - col) * np.cos(angle)
    across = (rows - row) * np.cos(angle) - (cols - col) * np.sin(angle)
    shape = rng.integers(3)
    if shape == 0:
        inside = (np.abs(rows - row) < tall) & (np.abs(cols - col) < wide)
    elif shape == 1:
        inside = np.hypot((rows - row) / tall, (cols - col) / wide) < 1
    else:
        inside = (np.abs(across) < 3) & (np.abs(along) < tall + wide)
    shade = rng.uniform(0, 255, 3) + 0.5 * (along * rng.normal(0, 1))[..., None]
    return np.where(inside[..., None], shade, canvas)

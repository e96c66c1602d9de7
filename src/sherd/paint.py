"""Paint made-up pictures, so that tests, examples and miniature trainings need no photographs.

A picture is a landscape that has what matters to a puzzle: a smooth sky, hills and fields with
texture at several scales, straight, slanted and ragged edges, small objects. The same seed paints
the same picture.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["paint"]

Floats = NDArray[np.float64]
Generator = np.random.Generator

_RANGES = 5  # ranges of hills, one before the other
_GRAIN = 1.5  # standard deviation of the film grain
_SKIES: Floats = np.array([(70, 120, 185), (95, 110, 160), (60, 95, 140), (125, 125, 165)], float)
_GROUNDS: Floats = np.array(
    [(88, 122, 62), (134, 138, 70), (172, 148, 88), (122, 98, 66), (76, 104, 84), (150, 118, 92)],
    float,
)
_LEAVES: Floats = np.array([(52, 88, 44), (84, 112, 48), (150, 106, 44), (40, 70, 56)], float)
_WALLS: Floats = np.array([(214, 204, 184), (180, 150, 124), (160, 164, 168)], float)
_ROOFS: Floats = np.array([(146, 72, 56), (92, 78, 76), (120, 96, 60)], float)


def paint(height: int, width: int, seed: int = 0) -> NDArray[np.uint8]:
    """Paint a landscape: u8 [height, width, 3]."""
    rng = np.random.default_rng(seed)
    canvas = _sky(height, width, rng)
    haze = canvas[height // 3].mean(axis=0)
    ridges = height * np.linspace(rng.uniform(0.2, 0.35), 0.85, _RANGES)
    for depth, ridge in enumerate(ridges):
        near = (depth + 1) / _RANGES
        wave = _hill(canvas, ridge, near, haze, rng)
        for _ in range(max(2, height * width // 16000)):
            _object(canvas, wave, near, rng)
    canvas += rng.normal(0, _GRAIN, canvas.shape)
    return np.clip(canvas, 0, 255).astype(np.uint8)


def _pick(colours: Floats, rng: Generator) -> Floats:
    """Pick a colour [3] and vary it a little."""
    return np.asarray(colours[rng.integers(len(colours))] + rng.normal(0, 9, 3))


def _cloudy(height: int, width: int, rng: Generator, finest: int = 2) -> Floats:
    """Sum smooth noise over octaves: [height, width], about -1..1."""
    total, weight, cell = np.zeros((height, width)), 1.0, max(height, width)
    while cell >= finest:
        coarse = rng.normal(0, 1, (height // cell + 3, width // cell + 3))
        total += weight * _stretched(coarse, height, width, cell, rng)
        weight, cell = weight * 0.7, cell // 2
    return total / 2.0


def _stretched(coarse: Floats, height: int, width: int, cell: int, rng: Generator) -> Floats:
    """Interpolate a coarse grid to [height, width] from a random offset, linearly."""
    rows = (np.arange(height) + rng.uniform(0, cell)) / cell
    cols = (np.arange(width) + rng.uniform(0, cell)) / cell
    top, left = rows.astype(int), cols.astype(int)
    down, right = (rows - top)[:, None], (cols - left)[None, :]
    upper = coarse[top][:, left] * (1 - right) + coarse[top][:, left + 1] * right
    lower = coarse[top + 1][:, left] * (1 - right) + coarse[top + 1][:, left + 1] * right
    return np.asarray(upper * (1 - down) + lower * down)


def _sky(height: int, width: int, rng: Generator) -> Floats:
    """Paint a sky [height, width, 3] that grows pale downwards, with clouds and a glow."""
    down = np.clip(np.linspace(0, 2, height), 0, 1)[:, None, None]
    sky = (1 - down) * _pick(_SKIES, rng) + down * (225, 212, 196)
    clouds = np.clip(_cloudy(height, width, rng, finest=4), 0, 1)[..., None]
    rows, cols = np.mgrid[:height, :width]
    far = np.hypot(rows - 0.2 * height, cols - rng.uniform(0, width)) / max(height, width)
    return np.asarray(sky + clouds * (60, 56, 50) + np.exp(-6 * far)[..., None] * (50, 38, 12))


def _hill(canvas: Floats, ridge: float, near: float, haze: Floats, rng: Generator) -> Floats:
    """Paint a range of hills below a wavy ridge; give the ridge's row in each column [width].

    Far ranges (near = 0) fade into the haze; about every second range is ploughed.
    """
    height, width = canvas.shape[:2]
    wave = ridge + 0.1 * height * _cloudy(1, width, rng, finest=8)[0]
    below = np.clip(np.arange(height)[:, None] - wave + 0.5, 0, 1)[..., None]
    relief = _cloudy(height, width, rng)
    rows, cols = np.mgrid[:height, :width]
    angle, pitch = rng.uniform(-1.0, 1.0), rng.uniform(9, 20)
    furrows = np.sin((rows * np.cos(angle) + cols * np.sin(angle)) / pitch * 6.28 + 3 * relief)
    texture = 42 * relief + 10 * rng.integers(2) * furrows + rng.normal(0, 40) * cols / width
    ground = _pick(_GROUNDS, rng) + texture[..., None] * rng.uniform(0.8, 1.2, 3)
    ground = haze + (0.25 + 0.75 * near) * (ground - haze)
    canvas += below * (ground - canvas)
    return np.asarray(wave)


def _object(canvas: Floats, wave: Floats, near: float, rng: Generator) -> None:
    """Paint a tree or, now and then, a house somewhere below the ridge; nearer ones are larger."""
    height, width = canvas.shape[:2]
    col = rng.uniform(0, width)
    foot = wave[int(col)] + rng.uniform(0, 0.25) * height
    tall = max(8.0, (0.06 + 0.16 * near) * min(height, width)) * rng.uniform(0.6, 1.2)
    if rng.random() < 0.75:
        _tree(canvas, foot, col, tall, rng)
    else:
        _house(canvas, foot, col, 0.6 * tall, rng)


def _window(
    canvas: Floats, top: float, bottom: float, left: float, right: float
) -> tuple[Floats, Floats, Floats]:
    """Give a view of part of the canvas and the rows and columns of its pixels."""
    height, width = canvas.shape[:2]
    first_row, last_row = np.clip([int(top), int(bottom) + 1], 0, height)
    first_col, last_col = np.clip([int(left), int(right) + 1], 0, width)
    rows, cols = np.mgrid[first_row:last_row, first_col:last_col].astype(float)
    return canvas[first_row:last_row, first_col:last_col], rows, cols


def _tree(canvas: Floats, foot: float, col: float, tall: float, rng: Generator) -> None:
    """Paint a tree: a trunk and a ragged crown that is lit from the upper left."""
    wide = tall * rng.uniform(0.22, 0.42)
    view, rows, cols = _window(canvas, foot - tall, foot, col - wide, col + wide)
    trunk = (np.abs(cols - col) < max(1.0, 0.05 * tall)) & (rows > foot - 0.5 * tall)
    view[trunk] = _pick(_GROUNDS, rng) * 0.5
    down, across = (rows - foot) / (0.4 * tall) + 1.5, (cols - col) / wide
    leaves = _cloudy(rows.shape[0], rows.shape[1], rng)
    crown = np.hypot(down, across) + 0.12 * leaves < 0.95
    shade = -14 * (down + across) + 20 * leaves
    view[crown] = (_pick(_LEAVES, rng) + shade[..., None])[crown]


def _house(canvas: Floats, foot: float, col: float, tall: float, rng: Generator) -> None:
    """Paint a house: a wall with windows under a pitched roof."""
    wide = tall * rng.uniform(0.5, 1.1)  # half the width of the wall
    view, rows, cols = _window(canvas, foot - 1.7 * tall, foot, col - 1.2 * wide, col + 1.2 * wide)
    up, across = (foot - rows) / tall, (cols - col) / wide  # up 0..1 is the wall, 1..1.7 the roof
    wall = (up < 1) & (np.abs(across) < 1)
    view[wall] = (_pick(_WALLS, rng) - (18 * across + 10 * up)[..., None])[wall]
    panes = wall & (up > 0.4) & (up < 0.75) & (np.abs(across * 2.5 % 1 - 0.5) < 0.22)
    view[panes] = (58, 64, 76)
    roof = (up >= 1) & (np.abs(across) < 1.2 * (1.7 - up) / 0.7)
    tiles = 9 * np.sin(2.2 * rows) - 12 * across
    view[roof] = (_pick(_ROOFS, rng) + tiles[..., None])[roof]

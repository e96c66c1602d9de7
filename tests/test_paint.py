"""Made-up pictures are the same on every run and have something to see in every part."""

import numpy as np
import pytest

from sherd.paint import paint


def test_same_seed_same_picture() -> None:
    """A picture depends on its size and seed alone."""
    assert np.array_equal(paint(48, 64, 5), paint(48, 64, 5))
    assert not np.array_equal(paint(48, 64, 5), paint(48, 64, 6))


@pytest.mark.parametrize("shape", [(1, 1), (3, 40), (40, 3), (97, 61)])
def test_any_size(shape: tuple[int, int]) -> None:
    """Every size can be painted, the smallest too."""
    picture = paint(*shape, seed=1)
    assert picture.shape == (*shape, 3)
    assert picture.dtype == np.uint8


@pytest.mark.parametrize("seed", range(3))
def test_no_part_is_plain(seed: int) -> None:
    """Every square of 32 pixels has structure of its own, above the grain."""
    picture = paint(192, 256, seed).astype(float)
    squares = picture.reshape(6, 32, 8, 32, 3).mean(axis=4)
    assert squares.std(axis=(1, 3)).min() > 1.6

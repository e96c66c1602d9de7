"""A picture keeps its bits, its alpha and its profile on the way to PNG and to Pillow."""

import io

import numpy as np
import pytest
from PIL import Image, ImageCms

from sherd.picture import Picture
from sherd.png16 import read_png16

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def _noise(channels: int, dtype: type) -> np.ndarray:
    rng = np.random.default_rng(channels)
    return rng.integers(0, np.iinfo(dtype).max, (5, 7, channels), dtype, endpoint=True)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_eight_bits_round_trip(channels: int) -> None:
    """Every kind of 8-bit picture is the same after PNG, and after Pillow."""
    pixels = _noise(channels, np.uint8)
    picture = Picture(pixels)
    read = np.asarray(Image.open(io.BytesIO(picture.png()))).reshape(pixels.shape)
    np.testing.assert_array_equal(read, pixels)
    np.testing.assert_array_equal(np.asarray(picture.image()).reshape(pixels.shape), pixels)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_sixteen_bits_round_trip(channels: int) -> None:
    """Every kind of 16-bit picture is the same after PNG, and Pillow can open the file."""
    pixels = _noise(channels, np.uint16)
    data = Picture(pixels).png()
    np.testing.assert_array_equal(read_png16(io.BytesIO(data)), pixels)
    Image.open(io.BytesIO(data)).load()


def test_sixteen_bits_in_pillow() -> None:
    """Pillow gets 16 bits of gray whole, and the upper 8 of colour."""
    gray, colour = _noise(1, np.uint16), _noise(3, np.uint16)
    np.testing.assert_array_equal(np.asarray(Picture(gray).image()), gray[..., 0])
    np.testing.assert_array_equal(np.asarray(Picture(colour).image()), colour >> 8)
    np.testing.assert_array_equal(np.asarray(Picture(gray).eight_bit()), gray[..., 0] >> 8)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_profile_is_kept(dtype: type) -> None:
    """The colour profile is in the PNG and in Pillow's image."""
    picture = Picture(_noise(3, dtype), PROFILE)
    assert Image.open(io.BytesIO(picture.png())).info["icc_profile"] == PROFILE
    assert picture.image().info["icc_profile"] == PROFILE

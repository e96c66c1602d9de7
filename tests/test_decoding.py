"""Decoding: all bits of all formats, or one clear line."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageCms

from sherd.decoding import Decoded, PixelBudget, decode, oriented
from sherd.errors import InputError
from sherd.paint import paint
from sherd.png16 import write_png16

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
RGB = paint(12, 10)


def encoded(image: Image.Image | NDArray[Any], kind: str, **options: Any) -> bytes:
    """Encode an image or an array."""
    image = Image.fromarray(image) if isinstance(image, np.ndarray) else image
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def decoded(data: bytes, budget: PixelBudget | None = None) -> Decoded:
    """Decode bytes that are called x.png."""
    return decode("x.png", io.BytesIO(data), budget or PixelBudget())


@pytest.mark.parametrize(
    ("kind", "options"),
    [("PNG", {}), ("TIFF", {}), ("BMP", {}), ("WEBP", {"lossless": True})],
)
def test_lossless_formats_come_back_bit_by_bit(kind: str, options: dict[str, Any]) -> None:
    """PNG, TIFF, BMP and lossless WebP give the pixels that were saved."""
    assert np.array_equal(decoded(encoded(RGB, kind, **options)).pixels, RGB)


def test_jpeg_comes_back_as_pillow_has_it() -> None:
    """A JPEG is decoded once and not again."""
    data = encoded(RGB, "JPEG", quality=80)
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(decoded(data).pixels, np.asarray(image))


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_sixteen_bits_are_kept(channels: int) -> None:
    """PNG files of 16 bits keep them, gray and colour, with and without alpha."""
    samples = np.random.default_rng(1).integers(0, 65536, (6, 5, channels), np.uint16)
    found = decoded(write_png16(samples))
    assert found.pixels.dtype == np.uint16
    assert np.array_equal(found.pixels, samples)
    assert found.notes == ()


def test_sixteen_bit_gray_tiff_is_kept() -> None:
    """TIFF files of 16-bit gray keep their bits in either byte order."""
    samples = np.random.default_rng(1).integers(0, 65536, (6, 5), np.uint16)
    assert np.array_equal(decoded(encoded(samples, "TIFF")).pixels[..., 0], samples)
    big = Image.frombytes("I;16B", (5, 6), samples.astype(">u2").tobytes())
    assert np.array_equal(decoded(encoded(big, "TIFF")).pixels[..., 0], samples)


@pytest.mark.parametrize(
    ("mode", "channels"),
    [("1", 1), ("L", 1), ("LA", 2), ("RGB", 3), ("P", 3), ("RGBA", 4)],
)
def test_modes_keep_their_channels(mode: str, channels: int) -> None:
    """Gray stays gray, a palette becomes its colours, alpha stays."""
    image = Image.fromarray(RGB).convert(mode)
    found = decoded(encoded(image, "PNG")).pixels
    assert found.shape == (12, 10, channels)
    assert (
        np.array_equal(found[..., :3], np.asarray(image.convert("RGB"))[..., : found.shape[2]])
        or channels == 2
    )


@pytest.mark.parametrize("mode", ["L", "RGB", "P"])
def test_a_transparent_colour_becomes_alpha(mode: str) -> None:
    """A transparent gray, colour or palette entry gives an alpha channel of 0 there."""
    image = Image.new(mode, (4, 3), 7 if mode != "RGB" else (7, 7, 7))
    if mode == "P":
        image.putpalette([value for value in range(256) for _ in range(3)])
    image.putpixel((1, 2), 9 if mode != "RGB" else (9, 9, 9))
    clear: Any = 9 if mode != "RGB" else (9, 9, 9)
    found = decoded(encoded(image, "PNG", transparency=clear)).pixels
    assert found.shape[2] in (2, 4)
    assert found[2, 1, -1] == 0
    assert (found[..., -1] == 255).sum() == 11


def test_colour_profiles_are_kept_or_dropped_with_a_word() -> None:
    """An RGB profile stays with RGB pixels; on gray pixels it means nothing and is dropped."""
    assert decoded(encoded(RGB, "PNG", icc_profile=SRGB)).icc_profile == SRGB
    gray = decoded(encoded(RGB[..., 0].copy(), "PNG", icc_profile=SRGB))
    assert gray.icc_profile is None
    assert "profile" in gray.notes[0]


def test_what_is_lost_is_said() -> None:
    """CMYK colour, further frames and 16-bit colour that Pillow cuts down are noted."""
    cmyk = decoded(encoded(Image.fromarray(RGB).convert("CMYK"), "JPEG"))
    assert cmyk.pixels.shape[2] == 3
    assert "CMYK" in cmyk.notes[0]
    first, second = Image.new("L", (4, 4)), Image.new("L", (4, 4), 9)
    frames = decoded(encoded(first, "TIFF", save_all=True, append_images=[second]))
    assert "frames" in frames.notes[0]
    deep = decoded(interlaced(write_png16(np.zeros((1, 1, 3), np.uint16))))
    assert "16-bit" in deep.notes[0]


def interlaced(png: bytes) -> bytes:
    """Declare a PNG of one pixel interlaced (its data is then the same)."""
    head = b"IHDR" + png[16:28] + b"\1"
    return png[:12] + head + struct.pack(">I", zlib.crc32(head)) + png[33:]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", [1, 3, 6, 7, 8])
def test_exif_turns_are_told_and_not_applied(kind: str, orientation: int) -> None:
    """Every format gives its pixels as stored, and its EXIF orientation beside them."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"lossless": True} if kind == "WEBP" else {}
    found = decoded(encoded(RGB, kind, exif=exif, **options))
    assert found.orientation == orientation
    assert found.pixels.shape == RGB.shape
    assert np.abs(found.pixels.astype(int) - RGB).mean() < 30


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientations_are_those_of_exif(orientation: int) -> None:
    """Turning and mirroring is what Pillow does for the same orientation."""
    from PIL import ImageOps

    image = Image.fromarray(RGB)
    image.getexif()[0x0112] = orientation
    assert np.array_equal(oriented(RGB, orientation), np.asarray(ImageOps.exif_transpose(image)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"just some words", "not a PNG, JPEG"),
        (encoded(RGB, "PNG")[:150], "damaged"),
        (encoded(RGB, "JPEG")[:-40], "damaged"),
        (encoded(RGB, "PNG")[:20], "x.png"),
        (encoded(RGB, "GIF"), "not a PNG, JPEG"),
        (write_png16(np.full((9, 9, 3), 77, np.uint16))[:55], "damaged"),
        (encoded(np.ones((3, 3), np.float32), "TIFF"), "floating-point"),
        (encoded(np.full((3, 3), 70000, np.int32), "TIFF"), "32-bit"),
    ],
)
def test_bad_files_are_one_clear_line(data: bytes, said: str) -> None:
    """Whatever is wrong with a file, the error names it and says what it is."""
    with pytest.raises(InputError, match=said) as caught:
        decoded(data)
    assert "x.png" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_small_values_of_32_bits_are_16_bits() -> None:
    """32-bit integers that fit into 16 bits are read as such."""
    samples = np.array([[0, 65535], [256, 3]], np.int32)
    assert np.array_equal(decoded(encoded(samples, "TIFF")).pixels[..., 0], samples)


def png_header(width: int, height: int) -> bytes:
    """Begin a PNG of any size, with nothing in it."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"IDAT" + zlib.compress(b"\0" * 10000)
    chunks = [
        struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c))
        for c in (head, body, b"IEND")
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(("width", "height"), [(20000, 10000), (12000, 10000)])
def test_a_bomb_is_refused_by_its_header(width: int, height: int) -> None:
    """A picture of 200 (or 120) megapixels is refused before it is decoded, naming the limit."""
    with pytest.raises(InputError, match=r"x\.png: .*100 megapixels"):
        decoded(png_header(width, height))


def test_many_pictures_share_one_budget() -> None:
    """The limit is on all pictures together."""
    budget = PixelBudget(limit=300)
    decoded(encoded(RGB, "PNG"), budget)
    decoded(encoded(RGB, "PNG"), budget)
    with pytest.raises(InputError, match="10x12"):
        decoded(encoded(RGB, "PNG"), budget)


@pytest.mark.parametrize("exif", [b"Exif\0\0II*\0\xff\xff\xff", b"Exif\0\0MM\0"])
def test_damaged_exif_is_no_reason_to_refuse(exif: bytes) -> None:
    """Pixels with broken EXIF data are read as upright."""
    assert decoded(encoded(RGB, "PNG", exif=exif)).orientation == 1

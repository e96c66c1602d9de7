"""Decode one picture file into an array that keeps all its bits, its profile and its EXIF turn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from sherd.errors import InputError
from sherd.png16 import read_png16

__all__ = ["MAX_PIXELS", "SUFFIXES", "Decoded", "PixelBudget", "Samples", "decode", "oriented"]

Samples: TypeAlias = NDArray[np.uint8] | NDArray[np.uint16]

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp"})
"""Names that end so are pictures; all others are passed over."""

MAX_PIXELS = 100_000_000
"""All the pictures of a puzzle together may have this many pixels."""

_FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP")  # MPO, of telephones, opens as JPEG
_EXIF_ORIENTATION = 0x0112
_BITS_PER_SAMPLE = 258


@dataclass(frozen=True)
class Decoded:
    """One decoded picture.

    name: its file name.
    pixels: u8 or u16 [height, width, channels], 1 gray, 2 gray + alpha, 3 RGB, 4 RGB + alpha, as
        stored (no EXIF turn applied).
    icc_profile: its colour profile, if that fits the channels.
    orientation: its EXIF orientation, 1..8.
    notes: what was lost in reading, each one line.
    """

    name: str
    pixels: Samples
    icc_profile: bytes | None = None
    orientation: int = 1
    notes: tuple[str, ...] = ()


class PixelBudget:
    """Counts pixels before they are decoded, so that no file can fill the memory."""

    def __init__(self, limit: int = MAX_PIXELS) -> None:
        self.limit = limit
        self.spent = 0

    def spend(self, name: str, width: int, height: int) -> None:
        """Count a picture; raise InputError once all together are too large."""
        self.spent += width * height
        if self.spent > self.limit:
            raise InputError(
                f"{name}: with its {width}x{height} pixels the pictures have more than the "
                f"{self.limit / 1e6:.0f} megapixels that a puzzle may have; scale them down."
            )


def decode(name: str, file: BinaryIO, budget: PixelBudget) -> Decoded:
    """Decode a picture file; raise InputError if it is none, damaged, or too large.

    Args:
        name: what messages call the file.
        file: the opened file; it must be able to seek.
        budget: how many pixels may still come.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is wrong is told by our own errors and notes
        try:
            return _decoded(name, file, budget)
        except InputError:
            raise
        except Image.DecompressionBombError as error:
            raise InputError(
                f"{name}: far more than the {budget.limit / 1e6:.0f} megapixels that a puzzle may "
                "have; scale it down."
            ) from error
        except Exception as error:  # decoders raise nearly anything on damaged files
            raise InputError(_why_unreadable(name, file, error)) from error


def _why_unreadable(name: str, file: BinaryIO, error: Exception) -> str:
    cure = "copy it again from its source, or take it out."
    if file.seek(0, 2) == 0:
        return f"{name}: the file is empty (0 bytes); {cure}"
    if isinstance(error, UnidentifiedImageError):
        return f"{name}: not a PNG, JPEG, WebP, TIFF or BMP picture in spite of its name; {cure}"
    return f"{name}: the picture is damaged ({error}); {cure}"


def _decoded(name: str, file: BinaryIO, budget: PixelBudget) -> Decoded:
    with Image.open(file, formats=_FORMATS) as image:
        budget.spend(name, image.width, image.height)
        notes, by_hand = _losses(name, image), _needs_png16(image)
        orientation = _orientation(image)  # before loading, since Pillow then turns TIFFs
        profile: bytes | None = image.info.get("icc_profile")
        if by_hand:
            pixels: Samples = read_png16(file)
        else:
            image.load()
            pixels = _samples(name, image)
            if image.format == "TIFF":
                pixels = oriented(pixels, {6: 8, 8: 6}.get(orientation, orientation))
    if profile is not None and not _profile_fits(profile, pixels.shape[2]):
        notes.append(f"{name}: its colour profile is not for gray or RGB and is dropped")
        profile = None
    return Decoded(name, pixels, profile, orientation, tuple(notes))


def _orientation(image: Image.Image) -> int:
    try:
        value = image.getexif().get(_EXIF_ORIENTATION, 1)
    except Exception:  # damaged EXIF data is no reason to refuse the pixels
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _losses(name: str, image: Image.Image) -> list[str]:
    """Say what will not survive the reading."""
    notes = []
    if getattr(image, "is_animated", False):
        notes.append(f"{name}: has several frames, only the first one is read")
    if image.mode in ("CMYK", "YCbCr", "LAB"):
        notes.append(f"{name}: {image.mode} colour is read as RGB")
    tags: Any = getattr(image, "tag_v2", {})
    deep = max(tags.get(_BITS_PER_SAMPLE, (8,))) > 8 or _raw_mode(image).endswith(";16B")
    if deep and image.mode in ("LA", "RGB", "RGBA", "RGBX") and not _needs_png16(image):
        notes.append(f"{name}: its 16-bit colour is read as 8 bit (a plain PNG would keep it)")
    return notes


def _raw_mode(image: Image.Image) -> str:
    """Name the layout of a PNG file's samples ("RGB;16B"); empty for other formats."""
    tile = getattr(image, "tile", None)
    return str(tile[0][3]) if image.format == "PNG" and tile else ""


def _needs_png16(image: Image.Image) -> bool:
    """Whether a PNG file has 16-bit samples that Pillow would cut down (it keeps plain gray)."""
    clear = "transparency" in image.info
    deep = _raw_mode(image).endswith(";16B") and (image.mode != "I;16" or clear)
    return deep and not image.info.get("interlace")


def _samples(name: str, image: Image.Image) -> Samples:
    """Turn a loaded image into [height, width, channels] without losing bits."""
    if image.mode.startswith("I;16"):
        return np.asarray(image).astype(np.uint16)[..., None]
    if image.mode == "I":
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 65535:
            raise InputError(f"{name}: has 32-bit pixels; save it with 8 or 16 bits.")
        return values.astype(np.uint16)[..., None]
    if image.mode == "F":
        raise InputError(f"{name}: has floating-point pixels; save it with 8 or 16 bits.")
    gray = image.mode in ("1", "L", "LA", "La")
    mode = "L" if gray else "RGB"
    if image.has_transparency_data:
        mode += "A"
    pixels = np.array(image if image.mode == mode else image.convert(mode))
    return pixels if pixels.ndim == 3 else pixels[..., None]


def _profile_fits(profile: bytes, channels: int) -> bool:
    """Whether the profile describes gray or RGB, whichever the channels are."""
    return profile[16:20] == (b"GRAY" if channels < 3 else b"RGB ")


def oriented(pixels: Samples, orientation: int) -> Samples:
    """Turn and mirror pixels [height, width, ...] as EXIF orientation 1..8 asks for."""
    if orientation in (5, 6, 7, 8):
        pixels = np.swapaxes(pixels, 0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels

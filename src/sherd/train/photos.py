"""Training photographs: decoded once, kept as bytes on the device, cut by one gather per batch."""

from __future__ import annotations

import hashlib
import io
import time
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from sherd.errors import InputError

__all__ = [
    "MOST_ENLARGED",
    "PICTURE_SUFFIXES",
    "PhotoNeeds",
    "PhotoStore",
    "load_photos",
    "read_photos",
    "wait_for",
]

PICTURE_SUFFIXES = (".webp", ".jpg", ".jpeg", ".png")
MOST_ENLARGED = 1.25
"""A photograph a little too small for its use is enlarged by at most this factor."""


@dataclass(frozen=True)
class PhotoNeeds:
    """What a training stage asks of its photographs."""

    short: int = 128
    """Smallest length of the shorter side, in pixels."""
    long: int = 192
    """Smallest length of the longer side, in pixels."""
    scales: tuple[float, ...] = (1.0,)
    """Every photograph is kept at each of these scales that still fulfils the needs."""
    part: str = "all"
    """`all`, or one of the two disjoint halves `first` and `second`."""


class PhotoStore:
    """Photographs of various sizes in one flat tensor, so that a batch of crops is one gather."""

    def __init__(
        self, photos: Sequence[NDArray[np.uint8]], device: torch.device, dropped: int = 0
    ) -> None:
        """Move `photos` (uint8 [3, height, width] each) to `device`."""
        self.dropped = dropped
        self.device = device
        sizes = torch.tensor([photo.shape[1:] for photo in photos], dtype=torch.int64)
        lengths = 3 * sizes[:, 0] * sizes[:, 1]
        self._bytes = torch.empty(int(lengths.sum()), dtype=torch.uint8, device=device)
        offsets = torch.cumsum(lengths, 0) - lengths
        for photo, offset in zip(photos, offsets.tolist(), strict=True):
            self._bytes[offset : offset + photo.size] = torch.from_numpy(photo.reshape(-1))
        self._offsets = offsets.to(device)  # [P]
        self._sizes = sizes.to(device)  # [P, 2]

    def __len__(self) -> int:
        """Count the photographs; each scale of a photograph counts."""
        return len(self._offsets)

    def sizes(self, photo: Tensor, transposed: Tensor) -> tuple[Tensor, Tensor]:
        """Heights and widths (int64 [B]) of `photo` (int64 [B]), swapped where `transposed`."""
        height, width = self._sizes[photo].unbind(1)
        return torch.where(transposed, width, height), torch.where(transposed, height, width)

    def is_portrait(self, photo: Tensor) -> Tensor:
        """Which of `photo` (int64 [B]) are higher than wide (bool [B])."""
        height, width = self._sizes[photo].unbind(1)
        return height > width

    def windows(
        self,
        photo: Tensor,
        top: Tensor,
        left: Tensor,
        height: int,
        width: int,
        transposed: Tensor | None = None,
    ) -> Tensor:
        """Cut one window per entry of `photo`, `top`, `left` (int64 [B]): uint8 [B, 3, h, w].

        Where `transposed` (bool [B]) holds, rows and columns of the photograph change places
        before the cut; that costs nothing but another pair of strides.
        """
        full_height, full_width = self._sizes[photo].unbind(1)
        one = torch.ones_like(full_width)
        flag = torch.zeros_like(photo, dtype=torch.bool) if transposed is None else transposed
        row_stride = torch.where(flag, one, full_width)
        column_stride = torch.where(flag, full_width, one)
        steps = torch.arange(max(height, width, 3), device=self.device)
        rows = (top[:, None] + steps[:height]) * row_stride[:, None]  # [B, h]
        columns = (left[:, None] + steps[:width]) * column_stride[:, None]  # [B, w]
        planes = self._offsets[photo][:, None] + steps[:3] * (full_height * full_width)[:, None]
        index = planes[:, :, None, None] + rows[:, None, :, None] + columns[:, None, None, :]
        return self._bytes[index]


def wait_for(sources: Sequence[Path], seconds: float) -> list[Path]:
    """Wait at most `seconds` until every source exists; then go on with those that do, if any."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not all(source.exists() for source in sources):
        time.sleep(1.0)
    there = [source for source in sources if source.exists()]
    return there if there and seconds else list(sources)


def load_photos(sources: Sequence[Path], needs: PhotoNeeds, device: torch.device) -> PhotoStore:
    """Read every picture of the folders and zip files `sources` that fulfils `needs`."""
    photos: list[NDArray[np.uint8]] = []
    dropped = 0
    for scaled in read_photos(sources, needs):
        photos.extend(scaled)
        dropped += not scaled
    if not photos:
        raise InputError(
            f"{', '.join(map(str, sources))}: no usable photograph ({dropped} unreadable or "
            f"smaller than {needs.long}x{needs.short} pixels); give a folder or zip of larger ones."
        )
    return PhotoStore(photos, device, dropped)


def read_photos(sources: Sequence[Path], needs: PhotoNeeds) -> Iterator[list[NDArray[np.uint8]]]:
    """Decode every picture of `sources` on all cores: uint8 [3, h, w] at each scale that fits."""
    with ThreadPoolExecutor() as threads:
        chosen = (item for item in _blobs(sources) if _belongs(item[0], needs.part))
        yield from threads.map(lambda item: _decode(item[1], needs), chosen)


def _blobs(sources: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the picture files of folders and zip files, in a fixed order."""
    for source in sources:
        if source.is_dir():
            for path in sorted(source.rglob("*")):
                if path.suffix.lower() in PICTURE_SUFFIXES:
                    yield path.name, path.read_bytes()
        elif zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                for name in sorted(archive.namelist()):
                    if name.lower().endswith(PICTURE_SUFFIXES):
                        yield Path(name).name, archive.read(name)
        else:
            raise InputError(f"{source}: neither a folder nor a zip file of photographs.")


def _belongs(name: str, part: str) -> bool:
    """Whether the photograph `name` is in this half; by hash: more photos move none of them."""
    odd = hashlib.sha256(name.encode()).digest()[0] % 2 == 1
    return part == "all" or odd == (part == "second")


def _decode(blob: bytes, needs: PhotoNeeds) -> list[NDArray[np.uint8]]:
    """Decode one file into uint8 [3, h, w], once per scale; nothing if unreadable or too small."""
    try:
        picture = Image.open(io.BytesIO(blob)).convert("RGB")
    except OSError:
        return []
    missing = max(needs.short / min(picture.size), needs.long / max(picture.size))
    scaled = []
    for scale in needs.scales:
        factor = max(scale, missing) if scale == 1.0 else scale
        if missing <= factor <= MOST_ENLARGED:
            scaled.append(_planes(picture, factor))
    return scaled


def _planes(picture: Image.Image, factor: float) -> NDArray[np.uint8]:
    """Resize by `factor` and put the colour channel first (uint8 [3, h, w])."""
    if factor != 1.0:
        # Rounded up, so that a photograph enlarged to just fit does fit.
        width, height = (int(np.ceil(length * factor - 1e-6)) for length in picture.size)
        picture = picture.resize((width, height), Image.Resampling.BICUBIC)
    return np.ascontiguousarray(np.asarray(picture, dtype=np.uint8).transpose(2, 0, 1))

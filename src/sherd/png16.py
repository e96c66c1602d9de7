"""PNG files of 16 bits a channel: Pillow cuts colour and alpha down to 8, this keeps them.

Pillow reads and writes plain 16-bit gray as it is. Everything else of 16 bits goes through here:
gray with alpha, colour, colour with alpha (ISO/IEC 15948, no interlacing).
"""

from __future__ import annotations

import struct
import zlib
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from sherd._core import unfilter_png

__all__ = ["read_png16", "write_png16"]

Samples = NDArray[np.uint16]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
_COLOUR_TYPE = {channels: colour for colour, channels in _CHANNELS.items()}
_BLOCK = 1 << 20


def read_png16(file: BinaryIO) -> Samples:
    """Read the samples [height, width, channels] of a 16-bit PNG without interlacing.

    A transparent colour (tRNS) becomes an alpha channel. ValueError, zlib.error or struct.error
    tell that the file is damaged; its size must have been checked before.
    """
    file.seek(len(_SIGNATURE))
    length, _ = _chunk_head(file)
    width, height, _, colour, _, _, _ = struct.unpack(">IIBBBBB", _chunk_body(file, length))
    channels = _CHANNELS[colour]
    stride = 1 + 2 * channels * width
    transparent, data = _image_data(file, stride * height)
    rows = np.frombuffer(data, np.uint8).reshape(height, stride)
    if not unfilter_png(rows, 2 * channels):
        raise ValueError("a row has an unknown filter")
    samples = np.ascontiguousarray(rows[:, 1:]).view(">u2").astype(np.uint16)
    picture = samples.reshape(height, width, channels)
    return picture if transparent is None else _with_alpha(picture, transparent)


def _chunk_head(file: BinaryIO) -> tuple[int, bytes]:
    head = file.read(8)
    if len(head) < 8:
        raise ValueError("the file ends too early")
    length, kind = struct.unpack(">I4s", head)
    return length, kind


def _chunk_body(file: BinaryIO, length: int) -> bytes:
    """Read a short chunk and step over its checksum (Pillow has verified the ones it reads)."""
    body = file.read(min(length, _BLOCK))
    file.seek(4, 1)
    return body


def _image_data(file: BinaryIO, size: int) -> tuple[tuple[int, ...] | None, bytearray]:
    """Unpack all IDAT chunks, never more than `size` bytes; also give the transparent colour."""
    transparent: tuple[int, ...] | None = None
    unpack, data = zlib.decompressobj(), bytearray()
    while len(data) < size:
        length, kind = _chunk_head(file)
        if kind == b"tRNS":
            body = _chunk_body(file, length)
            transparent = struct.unpack(f">{len(body) // 2}H", body)
        elif kind == b"IDAT":
            data += _unpacked(file, length, unpack, size - len(data))
        elif kind == b"IEND":
            raise ValueError("the picture data ends too early")
        else:
            file.seek(length + 4, 1)
    return transparent, data


def _unpacked(file: BinaryIO, length: int, unpack: zlib._Decompress, room: int) -> bytes:
    """Unpack one IDAT chunk block by block, so that neither form of it can fill the memory."""
    data, checksum, left = bytearray(), zlib.crc32(b"IDAT"), length
    while left:
        block = file.read(min(left, _BLOCK))
        if not block:
            raise ValueError("the file ends too early")
        left -= len(block)
        checksum = zlib.crc32(block, checksum)
        if len(data) < room:
            data += unpack.decompress(block, room - len(data))
    if file.read(4) != struct.pack(">I", checksum):
        raise ValueError("a checksum is wrong")
    return bytes(data)


def _with_alpha(picture: Samples, transparent: tuple[int, ...]) -> Samples:
    """Add an alpha channel that is 0 where a pixel has the transparent colour."""
    clear = (picture == np.array(transparent, np.uint16)).all(axis=2, keepdims=True)
    alpha = np.where(clear, 0, 65535).astype(np.uint16)
    return np.concatenate([picture, alpha], axis=2)


def write_png16(samples: Samples, icc_profile: bytes | None = None) -> bytes:
    """Write samples u16 [height, width, channels] as a PNG file of 16 bits a channel."""
    height, width, channels = samples.shape
    header = struct.pack(">IIBBBBB", width, height, 16, _COLOUR_TYPE[channels], 0, 0, 0)
    rows = samples.astype(">u2").reshape(height, -1).view(np.uint8)
    filtered = np.full((height, 1 + rows.shape[1]), 2, np.uint8)  # 2: difference from above
    filtered[:, 1:] = np.diff(rows, axis=0, prepend=np.zeros_like(rows[:1]))
    chunks = [_chunk(b"IHDR", header)]
    if icc_profile is not None:
        chunks.append(_chunk(b"iCCP", b"ICC Profile\0\0" + zlib.compress(icc_profile)))
    chunks.append(_chunk(b"IDAT", zlib.compress(filtered.tobytes())))
    return _SIGNATURE + b"".join(chunks) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    checksum = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)

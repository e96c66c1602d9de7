"""PNG files of 16 bits a channel."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from sherd._core import unfilter_png
from sherd.png16 import read_png16, write_png16


def noise(height: int, width: int, channels: int, seed: int = 0) -> NDArray[np.uint16]:
    """Every bit of it random."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 65536, (height, width, channels), np.uint16)


def chunk(kind: bytes, body: bytes) -> bytes:
    """One PNG chunk."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def filtered_rows(raw: NDArray[np.uint8], filters: NDArray[np.uint8], step: int) -> bytes:
    """Filter rows of bytes as an encoder does, literally as the standard words it."""
    rows = []
    above = np.zeros(raw.shape[1], np.int64)
    for kind, row in zip(filters.tolist(), raw.astype(np.int64), strict=True):
        left, corner = (np.r_[np.zeros(step, np.int64), line[:-step]] for line in (row, above))
        guess = left + above - corner
        far = np.abs(guess - np.stack([left, above, corner]))
        paeth = np.choose(far.argmin(axis=0), [left, above, corner])
        by = [np.zeros_like(row), left, above, (left + above) // 2, paeth][kind]
        rows.append(bytes([kind]) + ((row - by) % 256).astype(np.uint8).tobytes())
        above = row
    return b"".join(rows)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_what_is_written_is_read_again(channels: int) -> None:
    """No bit of any channel is lost on the way."""
    samples = noise(9, 7, channels)
    for profile in (None, b"a profile"):
        written = io.BytesIO(write_png16(samples, profile))
        assert np.array_equal(read_png16(written), samples)


def test_pillow_reads_what_is_written() -> None:
    """The files are PNG to others too: Pillow sees the upper bytes and the profile."""
    samples = noise(6, 5, 3)
    with Image.open(io.BytesIO(write_png16(samples, b"a profile"))) as image:
        assert image.info["icc_profile"] == b"a profile"
        assert np.array_equal(np.asarray(image), samples >> 8)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(1, 6), st.integers(0, 99))
def test_every_filter_is_undone(filters: list[int], pixels: int, seed: int) -> None:
    """Rows filtered in any mixture come back as they were."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(0, 256, (len(filters), 6 * pixels), np.uint8)
    data = filtered_rows(raw, np.array(filters, np.uint8), 6)
    rows = np.frombuffer(bytearray(data), np.uint8).reshape(len(filters), -1)
    assert unfilter_png(rows, 6)
    assert np.array_equal(rows[:, 1:], raw)


def test_a_transparent_colour_becomes_alpha() -> None:
    """Pixels of the colour that tRNS names get alpha 0, all others full alpha."""
    samples = noise(4, 4, 3)
    written = write_png16(samples)
    clear = struct.pack(">3H", *samples[1, 2].tolist())
    with_clear = written[:33] + chunk(b"tRNS", clear) + written[33:]
    read = read_png16(io.BytesIO(with_clear))
    assert np.array_equal(read[..., :3], samples)
    assert read[1, 2, 3] == 0
    assert (read[..., 3] == 65535).sum() == 15


def test_small_idat_chunks_are_joined() -> None:
    """The picture data may come in any number of chunks."""
    samples = noise(5, 5, 4)
    written = write_png16(samples)
    start = written.index(b"IDAT") - 4
    (length,) = struct.unpack(">I", written[start : start + 4])
    data = written[start + 8 : start + 8 + length]
    split = b"".join(chunk(b"IDAT", data[i : i + 7]) for i in range(0, length, 7))
    joined = written[:start] + split + chunk(b"IEND", b"")
    assert np.array_equal(read_png16(io.BytesIO(joined)), samples)


@pytest.mark.parametrize("kept", [20, 40, 80, -13])
def test_a_file_that_ends_early_is_an_error(kept: int) -> None:
    """Wherever the file is cut off, reading says so."""
    with pytest.raises((ValueError, struct.error)):
        read_png16(io.BytesIO(write_png16(noise(8, 8, 3))[:kept]))


def test_damaged_data_is_an_error() -> None:
    """Wrong checksums, unknown filters and missing data are noticed."""
    written = write_png16(noise(3, 3, 3))
    start = written.index(b"IDAT") - 4
    flipped = bytearray(written)
    flipped[-13] ^= 1  # the last byte before IEND
    bad_filter = chunk(b"IDAT", zlib.compress(bytes([9] + [0] * 18) * 3))
    too_short = chunk(b"IDAT", zlib.compress(b"\0" * 19))
    for name, file in (
        ("checksum", bytes(flipped)),
        ("filter", written[:start] + bad_filter + chunk(b"IEND", b"")),
        ("ends too early", written[:start] + too_short + chunk(b"IEND", b"")),
    ):
        with pytest.raises(ValueError, match=name):
            read_png16(io.BytesIO(file))

"""Bad input is one clear line that names the file, exit code 2, and nothing is written."""

import io
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from .conftest import Call

NOBODY = 65534


def _picture(height: int = 8, width: int = 8, seed: int = 0) -> bytes:
    file = io.BytesIO()
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), np.uint8)
    Image.fromarray(noise).save(file, "PNG")
    return file.getvalue()


def _folder(**files: bytes) -> str:
    Path("in").mkdir()
    for name, data in files.items():
        Path("in", f"{name}.png").write_bytes(data)
    return "in"


def _zip(**files: bytes) -> str:
    with zipfile.ZipFile("in.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return "in.zip"


def _bomb() -> str:
    """Make a PNG that says it has 200 megapixels and is 100 bytes small."""
    head = struct.pack(">IIBBBBB", 20000, 10000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(100))), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return _folder(a=b"\x89PNG\r\n\x1a\n" + body, b=_picture())


def _huge_zip() -> str:
    """Make a small zip that says it unpacks to 10 GB."""
    _zip(**{"a.png": _picture(), "b.png": _picture()})
    data = bytearray(Path("in.zip").read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<I", 0xFFFFFFF0)
    later = data.index(b"PK\x01\x02", directory + 4)
    data[later + 24 : later + 28] = struct.pack("<I", 0xFFFFFFF0)
    Path("in.zip").write_bytes(data)
    return "in.zip"


def _mosaic() -> str:
    Path("in.png").write_bytes(_picture(20, 30))
    return "in.png"


CASES: dict[str, tuple[Callable[[], str], tuple[str, ...], str]] = {
    "nothing there": (lambda: "in", (), "in: there is no such file"),
    "empty folder": (_folder, (), "in: no pictures"),
    "text as png": (lambda: _folder(a=b"hello", b=_picture()), (), "a.png: not a PNG"),
    "empty file": (lambda: _folder(a=b"", b=_picture()), (), "a.png: the file is empty"),
    "truncated": (lambda: _folder(a=_picture()[:-60], b=_picture()), (), "a.png: the picture is"),
    "one piece": (lambda: _folder(a=_picture()), (), "in: only one piece"),
    "two sizes": (lambda: _folder(a=_picture(), b=_picture(9, 9)), (), "different sizes"),
    "board": (
        lambda: _folder(a=_picture(), b=_picture(seed=1)),
        ("--board", "3x3"),
        "3x3 has 9 cells, but there are 2 pieces",
    ),
    "mosaic": (_mosaic, ("--grid", "3x3"), "in.png: 30x20 pixels cannot be divided"),
    "bomb": (_bomb, (), "in/a.png: far more than the 100 megapixels"),
    "outside": (lambda: _zip(**{"../a.png": _picture()}), (), "in.zip: the name '../a.png' points"),
    "10 GB": (_huge_zip, (), "in.zip: unpacks to more than"),
    "no zip": (lambda: str(Path("in.zip").write_bytes(b"PK") and "in.zip"), (), "in.zip: damaged"),
    "no scores": (
        lambda: _folder(a=_picture(), b=_picture(seed=1)),
        ("--scores", "in/a.png"),
        "in/a.png: not a table of scores",
    ),
    "no scorer": (
        lambda: _folder(a=_picture(), b=_picture(seed=1)),
        ("--scorer", "guess"),
        "no scorer 'guess'; choose one of",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_line_and_nothing_written(call: Call, name: str) -> None:
    """Whatever is wrong with the input, one line says it and no output appears."""
    make, options, message = CASES[name]
    source = make()
    before = sorted(os.listdir())
    result = call("solve", source, "-o", "out", *options)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1
    assert lines[0].startswith("sherd: ")
    assert message in lines[0]
    assert sorted(os.listdir()) == before


@contextmanager
def _unprivileged() -> Iterator[None]:
    """Do something as a user for whom permissions count."""
    if os.getuid() != 0:
        yield
        return
    try:
        os.setresuid(NOBODY, NOBODY, 0)
    except OSError as error:
        pytest.skip(f"cannot become another user: {error}")
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a working folder with two pieces that every user may read and nobody else write."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        monkeypatch.chdir(folder)
        _folder(a=_picture(), b=_picture(seed=1))
        for path in (folder, folder / "in"):
            path.chmod(0o555)
        yield folder
        for path in (folder, folder / "in"):
            path.chmod(0o755)


@pytest.mark.parametrize(
    ("output", "message"),
    [("out", "out: cannot be written: no permission"), ("in", "in: exists already")],
)
def test_read_only_folder(call: Call, public: Path, output: str, message: str) -> None:
    """A folder that may not be written is told before any work, in one line."""
    os.chdir(public)
    call("solve", "none")  # load every module while their files can be read
    with _unprivileged():
        result = call("solve", "in", "-o", output)
    assert result.exit_code == 2
    assert message in result.stderr
    assert sorted(os.listdir()) == ["in"]


def test_unreadable_folder(call: Call, public: Path) -> None:
    """A folder that may not be read is told in one line that names it."""
    os.chdir(public)
    call("solve", "in", "-o", "out")
    (public / "in").chmod(0)
    with _unprivileged():
        result = call("solve", "in", "-o", public.parent / "never-made")
    assert result.exit_code == 2
    assert result.stderr.startswith("sherd: in: reading is not permitted")
    assert len(result.stderr.splitlines()) == 1


def test_full_disk(call: Call, pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up while the results are written leaves nothing and is one line."""

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    call("solve", pieces, "-o", "first")
    monkeypatch.setattr(Path, "write_text", full)  # the picture is written, the layout is not
    result = call("solve", pieces, "-o", "out")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "sherd: out: cannot be written: the disk is full; free some space or choose another place "
        "with -o."
    )
    assert sorted(os.listdir()) == ["first", "pieces"]

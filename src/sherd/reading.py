"""Find the pictures in a folder, a zip file, or one file, and decode them, all in memory."""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from sherd.decoding import SUFFIXES, Decoded, PixelBudget, decode
from sherd.errors import InputError
from sherd.events import Listener, Note, Skipped

__all__ = ["MAX_BYTES", "natural_key", "read_folder", "read_picture", "read_zip"]

MAX_BYTES = 512 << 20
"""A zip file may hold this many unpacked bytes."""

_CHUNK = 1 << 20
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def natural_key(name: str) -> tuple[object, ...]:
    """Sort key by which "piece-9" comes before "piece-10"."""
    parts: list[object] = re.split(r"([0-9]+)", name.casefold())
    for i in range(1, len(parts), 2):
        digits = str(parts[i]).lstrip("0")
        parts[i] = (len(digits), digits)
    return tuple(parts), name  # text and numbers alternate, so that like meets like


def read_picture(path: Path, on: Listener) -> Decoded:
    """Read one picture file."""
    return _told(_read_file(path, PixelBudget()), on)


def read_folder(path: Path, on: Listener) -> list[Decoded]:
    """Read the pictures of a folder in natural order; what is no picture is passed over."""
    with _readable(path):
        entries = sorted(os.scandir(path), key=lambda entry: natural_key(entry.name))
        folders = [e.name for e in entries if e.is_dir() and not e.name.startswith((".", "__"))]
    if folders:
        raise InputError(
            f"{path}: contains the folder {folders[0]!r}; all the pieces must lie in one folder, "
            "so give that folder itself or move it elsewhere."
        )
    names = _picture_names([entry.name for entry in entries], str(path), on)
    budget = PixelBudget()
    return [_told(_read_file(path / name, budget), on) for name in names]


def read_zip(path: Path, on: Listener) -> list[Decoded]:
    """Read the pictures of a zip file in natural order; nothing is written to disk."""
    with _readable(path), _zip_errors(path), zipfile.ZipFile(path) as archive:
        entries = _checked_entries(path, archive)
        names = _picture_names(sorted(entries, key=natural_key), str(path), on)
        _check_one_folder(path, names)
        budget, pictures = PixelBudget(), []
        for name in names:
            data = _unpacked(f"{path}:{name}", archive, entries[name])
            picture = _told(decode(f"{path}:{name}", io.BytesIO(data), budget), on)
            pictures.append(replace(picture, name=PurePosixPath(name).name))
    return pictures


def _told(picture: Decoded, on: Listener) -> Decoded:
    for note in picture.notes:
        on(Note(note))
    return picture


def _read_file(path: Path, budget: PixelBudget) -> Decoded:
    with _readable(path):
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block for ever
            raise InputError(f"{path}: not a regular file; take it out.")
        with path.open("rb") as file:
            picture = decode(str(path), file, budget)
    return replace(picture, name=path.name)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors of the file system into one line that names the path and the cure."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file or folder; check the name.") from error
    except PermissionError as error:
        raise InputError(
            f"{error.filename or path}: reading is not permitted; change its permissions or copy "
            "it to a place of your own."
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


@contextmanager
def _zip_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError) as error:
        raise InputError(f"{path}: damaged zip file ({error}); make or copy it again.") from error


def _picture_names(names: list[str], where: str, on: Listener) -> list[str]:
    """Keep the names of pictures, report the others."""
    pictures = []
    for name in names:
        last = PurePosixPath(name).name
        if last.startswith(".") or name.startswith("__MACOSX/"):
            on(Skipped(name, "hidden"))
        elif PurePosixPath(last).suffix.lower() in SUFFIXES:
            pictures.append(name)
        else:
            on(Skipped(name, "not a picture name"))
    if not pictures:
        others = f" (only other files, such as {names[0]!r})" if names else ""
        raise InputError(
            f"{where}: no pictures in it{others}; pieces are files that end in "
            f"{', '.join(sorted(SUFFIXES))}."
        )
    return pictures


def _checked_entries(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """List the files of a zip by name, refusing what no honest zip of pieces contains."""
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.replace("\\", "/")
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", name):
            raise InputError(
                f"{path}: the name {info.filename!r} points out of the zip; make a zip of plain "
                "file names."
            )
        if name in entries:
            raise InputError(f"{path}: contains {name!r} twice; make the zip again.")
        if not info.is_dir():
            entries[name] = info
    if sum(info.file_size for info in entries.values()) > MAX_BYTES:
        raise InputError(
            f"{path}: unpacks to more than {MAX_BYTES >> 20} MB, and a zip of pieces may hold at "
            "most that; unpack it yourself and give the folder."
        )
    return entries


def _check_one_folder(path: Path, names: list[str]) -> None:
    """Allow the pieces to lie in one folder inside the zip, not in several."""
    folders = sorted({str(PurePosixPath(name).parent) for name in names})
    if len(folders) > 1:
        raise InputError(
            f"{path}: the pictures lie in several folders ({folders[0]!r} and {folders[1]!r}); "
            "all the pieces must lie in one, so make a zip of that one."
        )


def _unpacked(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack one file, never more than its declared size.

    That size may be a lie, and reading all at once would unpack before it is noticed; hence the
    small steps, and only the methods that can be unpacked in small steps.
    """
    if info.flag_bits & 1:
        raise InputError(f"{name}: protected by a password; unpack it yourself, give the folder.")
    if info.compress_type not in _PLAIN:
        raise InputError(f"{name}: packed in an unusual way; make the zip again, as a plain one.")
    with archive.open(info) as file:
        return b"".join(iter(lambda: file.read(_CHUNK), b""))

"""Write results whole or not at all: under a temporary name first, renamed when complete."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sherd.errors import OutputError

__all__ = ["check_free", "whole_file", "whole_folder"]

_CAUSES = {
    errno.ENOSPC: "the disk is full; free some space or choose another place with -o",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another place with -o",
    errno.EFBIG: "the file grew beyond the allowed size; raise the limit or choose another place",
    errno.EACCES: "no permission to write there; choose another place with -o",
    errno.EPERM: "no permission to write there; choose another place with -o",
    errno.EROFS: "the disk is read-only; choose another place with -o",
    errno.ENOTDIR: "a part of this path is a file, not a folder; choose another place with -o",
    errno.EEXIST: "a part of this path is a file, not a folder; choose another place with -o",
    errno.EISDIR: "is a folder; give the name of a file",
}


def check_free(target: Path, *, overwrite: bool) -> None:
    """Raise OutputError where `target` cannot be written or would touch something that exists.

    An empty folder counts as free. Call it before long work, so that nothing is solved in vain.
    """
    with _one_line_errors(target):
        empty_folder = target.is_dir() and not any(target.iterdir())
        if target.exists() and not empty_folder and not overwrite:
            raise OutputError(
                f"{target}: exists already; give another name with -o, or --overwrite."
            )
        standing = next(place for place in (target, *target.absolute().parents) if place.exists())
        if not os.access(standing, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission")


@contextmanager
def whole_file(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path beside `target`; when the block ends well it becomes `target`."""
    check_free(target, overwrite=overwrite)
    with _one_line_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _staging(target.parent, target.name) as staging:
            yield staging / target.name
            os.replace(staging / target.name, target)


@contextmanager
def whole_folder(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder; when the block ends well it becomes `target`.

    A folder that exists is never removed: each finished file replaces the one of its name, and
    everything else in it stays.
    """
    check_free(target, overwrite=overwrite)
    with _one_line_errors(target):
        if target.is_dir():  # staged inside, since the folder may be a disk of its own
            with _staging(target, "new") as staging:
                yield staging
                for file in sorted(staging.iterdir()):
                    os.replace(file, target / file.name)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _staging(target.parent, target.name) as staging:
                whole = staging / target.name
                whole.mkdir()
                yield whole
                os.replace(whole, target)


@contextmanager
def _staging(parent: Path, name: str) -> Iterator[Path]:
    """Make a hidden temporary folder in `parent` and remove it whatever happens."""
    staging = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".part", dir=parent))
    try:
        yield staging
    finally:
        with suppress(OSError):
            shutil.rmtree(staging)


@contextmanager
def _one_line_errors(target: Path) -> Iterator[None]:
    """Turn what the system says into one line that names the target and the cure."""
    try:
        yield
    except OSError as error:
        cause = _CAUSES.get(error.errno or 0, error.strerror or str(error))
        raise OutputError(f"{target}: cannot be written: {cause}.") from error

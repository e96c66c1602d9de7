"""Results are written whole or not at all, and what fails is told in one line."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sherd.errors import OutputError
from sherd.output import check_free, whole_file, whole_folder

Writer = Callable[[Path], AbstractContextManager[Path]]


def _left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def _fail(write: Writer, target: Path, error: BaseException) -> None:
    """Write something, then fail."""
    with write(target) as place:
        (place / "a" if place.is_dir() else place).write_text("1")
        raise error


def test_folder_appears_when_whole(tmp_path: Path) -> None:
    """A new folder is not to be seen before its block ends, and is complete then."""
    target = tmp_path / "deep" / "out"
    with whole_folder(target) as place:
        (place / "a").write_text("1")
        assert not target.exists()
    assert _left(tmp_path) == ["deep", "deep/out", "deep/out/a"]


def test_failure_leaves_nothing(tmp_path: Path) -> None:
    """A block that fails, or is interrupted, leaves neither the target nor a temporary file."""
    for error in (ValueError(), KeyboardInterrupt()):
        for write in (whole_folder, whole_file):
            with pytest.raises(type(error)):
                _fail(write, tmp_path / "out", error)
    assert _left(tmp_path) == []


def test_existing_results_are_refused(tmp_path: Path) -> None:
    """A file, or a folder with something in it, is refused; an empty folder is free."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "empty").mkdir()
    for name in ("file", "."):
        with pytest.raises(OutputError, match=r"exists already.*--overwrite"):
            check_free(tmp_path / name, overwrite=False)
    check_free(tmp_path / "empty", overwrite=False)
    with whole_folder(tmp_path / "empty") as place:
        (place / "a").write_text("1")
    assert _left(tmp_path / "empty") == ["a"]


def test_overwrite_keeps_what_is_not_ours(tmp_path: Path) -> None:
    """Overwriting a folder replaces files of the same names and touches no others."""
    (tmp_path / "a").write_text("old")
    (tmp_path / "mine").write_text("precious")
    with whole_folder(tmp_path, overwrite=True) as place:
        (place / "a").write_text("new")
        assert (tmp_path / "a").read_text() == "old"
    assert (tmp_path / "a").read_text() == "new"
    assert (tmp_path / "mine").read_text() == "precious"
    assert _left(tmp_path) == ["a", "mine"]


def test_overwrite_a_file(tmp_path: Path) -> None:
    """A file is replaced by the new one as a whole."""
    target = tmp_path / "file"
    target.write_text("old")
    with whole_file(target, overwrite=True) as path:
        path.write_text("new")
        assert target.read_text() == "old"
    assert _left(tmp_path) == ["file"]
    assert target.read_text() == "new"


@pytest.mark.parametrize(
    ("number", "cure"),
    [
        (errno.ENOSPC, "the disk is full; free some space"),
        (errno.EROFS, "the disk is read-only; choose another place"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_errors_of_the_system_are_one_line(tmp_path: Path, number: int, cure: str) -> None:
    """What the system says becomes one line with the path and the cure, and nothing is left."""
    with pytest.raises(OutputError, match=cure) as caught:
        _fail(whole_folder, tmp_path / "out", OSError(number, os.strerror(number)))
    assert str(tmp_path / "out") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert _left(tmp_path) == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """A target below a file cannot be written, and the line says why."""
    (tmp_path / "file").write_text("old")
    with (
        pytest.raises(OutputError, match="a part of this path is a file"),
        whole_folder(tmp_path / "file" / "out"),
    ):
        pass
    with (
        pytest.raises(OutputError, match="is a folder"),
        whole_file(tmp_path, overwrite=True) as path,
    ):
        path.write_text("1")


def test_a_real_limit(tmp_path: Path) -> None:
    """A write that the system really refuses half-way leaves nothing behind."""
    code = f"""
import resource
from pathlib import Path
from sherd.errors import OutputError
from sherd.output import whole_folder
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with whole_folder(Path({str(tmp_path / "out")!r})) as place:
        (place / "small").write_bytes(bytes(100))
        (place / "large").write_bytes(bytes(5000))
except OutputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "grew beyond the allowed size" in done.stdout
    assert _left(tmp_path) == []

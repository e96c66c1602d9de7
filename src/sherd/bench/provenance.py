"""Where a prediction was made: the commit and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from pathlib import Path

import sherd

__all__ = ["commit", "machine"]


@cache
def commit() -> str | None:
    """Name the commit that runs, "-dirty" if tracked files differ; None if nothing tells."""
    package = Path(sherd.__file__).parent
    # A package installed into some other project's tree must not borrow that project's commit.
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return _built_from(package)
    return _git(package, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")


def _built_from(package: Path) -> str | None:
    """Name the commit that an installed package was built from, if git was there then."""
    note = package / "commit.txt"
    return note.read_text("utf-8").strip() or None if note.is_file() else None


def _git(folder: Path, *words: str) -> str | None:
    """Run git in a folder; None if there is no git or it refuses."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def machine() -> dict[str, str | int]:
    """Name the processor and count the cores that this process may use."""
    return {"cpu": _cpu_model(), "cores": _cores()}


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()

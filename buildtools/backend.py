"""Build backend: scikit-build-core, plus a compiler from PyPI where the machine has none.

The kernels exist once, in C++. A machine without a C++ compiler still installs with the same
command: then `ziglang`, a compiler in a wheel, joins the build requirements and compiles them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scikit_build_core import build as base
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, Any] | None

_COMPILERS = ("c++", "g++", "clang++", "icpx", "cl")


def find_compiler() -> str | None:
    """Find the C++ compiler: the one that CXX names, or the first one on the PATH."""
    return os.environ.get("CXX") or next(filter(None, map(shutil.which, _COMPILERS)), None)


def extra_requirements() -> list[str]:
    """List what the build needs beyond scikit-build-core's own wishes."""
    return [] if find_compiler() else ["ziglang>=0.13"]


@contextmanager
def compiler() -> Iterator[None]:
    """See to it that CXX names a compiler that exists while the block runs.

    Naming it matters on machines with a compiler too: otherwise the one that Python itself was
    built with is asked for, and that may be another one.
    """
    found = find_compiler()
    if found:
        with patch.dict(os.environ, CXX=found):
            yield
        return
    with tempfile.TemporaryDirectory(prefix="sherd-compiler-") as folder:
        _write_scripts(Path(folder))
        path = folder + os.pathsep + os.environ.get("PATH", "")
        with patch.dict(os.environ, CXX=str(Path(folder, "c++")), PATH=path):
            yield


def _write_scripts(folder: Path) -> None:
    """Write ziglang's programs as scripts.

    CMake wants a compiler that is one program, and an archiver, which a machine without a compiler
    has not either.
    """
    for word in ("c++", "ar", "ranlib"):
        script = folder / word
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {word} "$@"\n')
        script.chmod(0o755)


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """List what building a wheel needs."""
    return [*base.get_requires_for_build_wheel(config_settings), *extra_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """List what an editable install needs."""
    return [*base.get_requires_for_build_editable(config_settings), *extra_requirements()]


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel."""
    with compiler():
        return str(base.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build an editable install."""
    with compiler():
        return str(base.build_editable(wheel_directory, config_settings, metadata_directory))

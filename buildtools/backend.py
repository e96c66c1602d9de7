"""Build backend: scikit-build-core, plus a compiler from PyPI where the machine has none.

The kernels exist once, in C++. A machine without a C++ compiler still installs with the same
command: then `ziglang`, a compiler in a wheel, joins the build requirements and becomes CXX.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Any

from scikit_build_core.build import (
    build_editable as _build_editable,
)
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
)
from scikit_build_core.build import (
    build_wheel as _build_wheel,
)
from scikit_build_core.build import (
    get_requires_for_build_editable as _requires_editable,
)
from scikit_build_core.build import (
    get_requires_for_build_wheel as _requires_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

Settings = dict[str, Any] | None


def _has_compiler() -> bool:
    """Whether CMake would find a C++ compiler by itself."""
    return bool(os.environ.get("CXX")) or any(
        shutil.which(name) for name in ("c++", "g++", "clang++", "cl")
    )


def _extra() -> list[str]:
    return [] if _has_compiler() else ["ziglang"]


def _choose_compiler() -> None:
    if not _has_compiler():
        os.environ["CC"] = f"{sys.executable};-m;ziglang;cc"
        os.environ["CXX"] = f"{sys.executable};-m;ziglang;c++"


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """List what building a wheel needs."""
    return list(_requires_wheel(config_settings)) + _extra()


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """List what an editable install needs."""
    return list(_requires_editable(config_settings)) + _extra()


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel."""
    _choose_compiler()
    return str(_build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build an editable install."""
    _choose_compiler()
    return str(_build_editable(wheel_directory, config_settings, metadata_directory))

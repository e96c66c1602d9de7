"""Sherd: pictures put back together from square pieces whose edges are gone."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sherd.cut import cut
    from sherd.errors import (
        DeviceError,
        InputError,
        OptionError,
        OutputError,
        SherdError,
        WeightsError,
    )
    from sherd.layout import BoardSpec, Layout
    from sherd.metrics import measure
    from sherd.pieces import Pieces, read_pieces
    from sherd.result import Result
    from sherd.scores import Scores
    from sherd.solve import solve

__version__ = "0.1.0"

_HOME = {
    "BoardSpec": "layout",
    "DeviceError": "errors",
    "InputError": "errors",
    "Layout": "layout",
    "OptionError": "errors",
    "OutputError": "errors",
    "Pieces": "pieces",
    "Result": "result",
    "Scores": "scores",
    "SherdError": "errors",
    "WeightsError": "errors",
    "cut": "cut",
    "measure": "metrics",
    "read_pieces": "pieces",
    "solve": "solve",
}

__all__ = [
    "BoardSpec",
    "DeviceError",
    "InputError",
    "Layout",
    "OptionError",
    "OutputError",
    "Pieces",
    "Result",
    "Scores",
    "SherdError",
    "WeightsError",
    "__version__",
    "cut",
    "measure",
    "read_pieces",
    "solve",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use, so that `import sherd` stays cheap."""
    if name not in _HOME:
        raise AttributeError(f"module 'sherd' has no attribute {name!r}")
    return getattr(import_module(f"sherd.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """The package itself: `sherd.solve` and `sherd.cut` are functions, whoever imports what first.

    Python stores a submodule under its name in the package as soon as it is loaded, which would
    hide the function of the same name.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _HOME and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

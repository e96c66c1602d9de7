"""Find a scorer or an assembler by name: a built-in one, or `module:Class` of the user's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from sherd.errors import OptionError

__all__ = ["find"]


def find(kind: str, name: str, known: Mapping[str, str], **options: object) -> Any:
    """Make the object that a name stands for.

    Args:
        kind: "scorer" or "assembler", for messages.
        name: a key of `known`, or `module:Class`.
        known: built-in names and their `module:Class`.
        options: given to the class.
    """
    place = known.get(name, name)
    module_name, _, class_name = place.partition(":")
    if not class_name or module_name[:1] in ("", "."):
        raise OptionError(
            f"There is no {kind} {name!r}; choose one of {', '.join(sorted(known))}, "
            "or give your own as module:Class."
        )
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise OptionError(
            f"The {kind} {name!r} cannot be imported ({error}); is its folder on PYTHONPATH?"
        ) from error
    if not hasattr(module, class_name):
        raise OptionError(
            f"{module_name} has no class {class_name!r}; check the spelling of {name!r}."
        )
    make = getattr(module, class_name)
    if options:
        _check_options(kind, name, make, options)
    return make(**options)


def _check_options(
    kind: str, name: str, make: Callable[..., Any], options: Mapping[str, object]
) -> None:
    """Raise OptionError where a class takes no option of such a name."""
    takes = inspect.signature(make).parameters
    open_ended = any(taken.kind is taken.VAR_KEYWORD for taken in takes.values())
    unknown = [option for option in options if option not in takes and not open_ended]
    if unknown:
        flags = ", ".join(f"--{option.replace('_', '-')}" for option in unknown)
        raise OptionError(f"The {kind} {name!r} has no option {flags}; leave it out.")

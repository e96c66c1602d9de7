"""Finding scorers and assemblers by name, and the tree of errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd import errors
from sherd.assemblers import ASSEMBLERS, find_assembler
from sherd.errors import OptionError, SherdError
from sherd.registry import find
from sherd.scorers import SCORERS, find_scorer

OWN = '''
class Mine:
    """A plug-in of the user."""

class Broken:
    """A plug-in that fails while it is made."""
    def __init__(self) -> None:
        raise AttributeError("inside the constructor")
'''


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a module of the user's own and put its folder on the path."""
    (tmp_path / "own_plug_in.py").write_text(OWN)
    (tmp_path / "needs_more.py").write_text("import a_module_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    return "own_plug_in"


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_built_in_scorers_are_found(name: str) -> None:
    """Every scorer that the table names can be made and can score."""
    assert callable(find_scorer(name).score)


@pytest.mark.parametrize("name", sorted(ASSEMBLERS))
def test_built_in_assemblers_are_found(name: str) -> None:
    """Every assembler that the table names can be made and can assemble."""
    assert callable(find_assembler(name).assemble)


def test_an_own_class_is_found(own_module: str) -> None:
    """`module:Class` makes an object of the user's own class."""
    assert type(find("scorer", f"{own_module}:Mine", {})).__name__ == "Mine"


@pytest.mark.parametrize("name", ["fast", "fast:", ":Fast", ".fast:Fast", ""])
def test_unknown_names_list_the_known_ones(name: str) -> None:
    """A name that is neither built in nor module:Class says what there is to choose from."""
    with pytest.raises(OptionError, match=r"no scorer .*; choose one of a, b, or give your own"):
        find("scorer", name, {"b": "x:B", "a": "x:A"})


@pytest.mark.parametrize("name", ["not_there_at_all:X", "needs_more:X"])
def test_modules_that_cannot_be_imported(own_module: str, name: str) -> None:
    """A missing module, or one that misses another, points to the path."""
    with pytest.raises(OptionError, match=r"cannot be imported .*PYTHONPATH"):
        find("scorer", name, {})


def test_a_class_that_is_not_there(own_module: str) -> None:
    """A module without the class says so."""
    with pytest.raises(OptionError, match="own_plug_in has no class 'Yours'"):
        find("scorer", f"{own_module}:Yours", {})


def test_errors_of_a_plug_in_are_its_own(own_module: str) -> None:
    """What goes wrong inside a plug-in is not mistaken for a missing class."""
    with pytest.raises(AttributeError, match="inside the constructor"):
        find("scorer", f"{own_module}:Broken", {})


@pytest.mark.parametrize("name", sorted(set(errors.__all__) - {"SherdError"}))
def test_every_error_is_a_sherd_error(name: str) -> None:
    """One except clause catches whatever the library raises on purpose."""
    assert issubclass(getattr(errors, name), SherdError)

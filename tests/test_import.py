"""Importing the package is cheap, and its public names are what it says they are."""

import subprocess
import sys

import pytest

import sherd

HEAVY = {"torch", "scipy", "matplotlib", "numpy", "PIL", "onnxruntime", "rich"}


def _loaded_after(code: str) -> set[str]:
    """Run code in a fresh Python and give the top-level modules that it loaded."""
    ask = f"{code}\nimport sys\nprint('\\n'.join({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_is_light() -> None:
    """`import sherd` loads no library that is slow to load."""
    assert not _loaded_after("import sherd") & HEAVY


def test_command_line_is_light() -> None:
    """The command line starts, and answers `--version`, without numpy."""
    assert not _loaded_after("from sherd.cli import main\nmain.commands") & (HEAVY - {"rich"})


@pytest.mark.parametrize("module", ["sherd.solve", "sherd.bench.predict", "sherd.cli.solve"])
def test_solving_needs_no_training_library(module: str) -> None:
    """Solving loads neither PyTorch nor SciPy nor Matplotlib."""
    assert not _loaded_after(f"import {module}") & {"torch", "scipy", "matplotlib"}


def test_all_is_importable() -> None:
    """Every public name can be had, and `dir` lists just these."""
    for name in sherd.__all__:
        assert getattr(sherd, name) is not None
    assert dir(sherd) == sorted(sherd.__all__)


def test_all_is_sorted_and_complete() -> None:
    """The public names are sorted and are those that load on first use, and the version."""
    assert sherd.__all__ == sorted(sherd.__all__)
    assert set(sherd.__all__) == {*sherd._HOME, "__version__"}


@pytest.mark.parametrize("name", ["solve", "cut"])
@pytest.mark.parametrize("first", ["", "import sherd.{0}", "from sherd.{0} import {0}"])
def test_functions_are_not_hidden_by_their_modules(name: str, first: str) -> None:
    """`sherd.solve` stays the function however often and after whatever it is asked for."""
    code = f"{first.format(name)}\nimport sherd\nassert callable(sherd.{name})\n"
    assert _loaded_after(
        code + f"assert sherd.{name} is sherd.{name}\nassert callable(sherd.{name})"
    )


def test_unknown_name() -> None:
    """A name that does not exist is an AttributeError, as of any module."""
    with pytest.raises(AttributeError, match="no attribute 'jigsaw'"):
        sherd.jigsaw  # noqa: B018

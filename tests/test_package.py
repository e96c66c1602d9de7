"""What is installed, and what the papers of the project say, agree."""

import re
import tomllib
from importlib.metadata import entry_points, metadata, requires
from importlib.resources import files
from pathlib import Path

import sherd
from sherd.weights import find_weights, shipped_weights

ROOT = Path(__file__).parents[1]


def _project() -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project


def test_one_version() -> None:
    """Package, metadata, project file and citation name the same version."""
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert {sherd.__version__, metadata("sherd")["Version"], _project()["version"], cited[1]} == {
        sherd.__version__
    }


def test_base_install() -> None:
    """The base install needs these five packages and nothing else."""
    base = [need for need in requires("sherd") or [] if "extra ==" not in need]
    names = {re.match(r"[\w-]+", need)[0] for need in base}  # type: ignore[index]
    assert names == {"numpy", "pillow", "onnxruntime", "click", "rich"}


def test_typed_and_licensed() -> None:
    """The package ships its type marker, the type stubs of the kernels, and its licences."""
    assert (files("sherd") / "py.typed").is_file()
    assert (files("sherd") / "_core.pyi").is_file()
    assert metadata("sherd")["License-Expression"] == "Apache-2.0"
    assert metadata("sherd").get_all("License-File") == ["LICENSE", "LICENSE-WEIGHTS.md"]


def test_command() -> None:
    """Installing gives the command `sherd`."""
    (command,) = entry_points(group="console_scripts", name="sherd")
    assert command.value == "sherd.cli:main"


def test_weights_are_declared() -> None:
    """Every network in the package has a pedigree and is named by the statement on weights."""
    statement = (ROOT / "LICENSE-WEIGHTS.md").read_text()
    present = {entry.name for entry in (files("sherd") / "weights").iterdir()}
    networks = {name for name in present if name.endswith(".onnx")}
    assert networks == {file for name in shipped_weights() for file in find_weights(name).files}
    for name in networks:
        assert f"`{name}`" in statement


def test_constraints_are_names_and_versions() -> None:
    """The pinned versions hold no addresses and cover the base install."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", line) for line in lines)
    pinned = {line.split("==")[0].lower() for line in lines}
    assert {"numpy", "pillow", "onnxruntime", "click", "rich", "pytest", "hypothesis"} <= pinned


def test_changelog_has_the_version_or_more() -> None:
    """The changelog tells of this version or of what is coming."""
    text = (ROOT / "CHANGELOG.md").read_text()
    assert "## Unreleased" in text or f"## {sherd.__version__}" in text

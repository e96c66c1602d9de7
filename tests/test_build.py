"""The build finds a compiler, or brings one; the source package has all that a build needs."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("scikit_build_core", reason="the build backend is not installed")

ROOT = Path(__file__).parents[1]
BUILDTOOLS = ROOT / "buildtools"


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The project's build backend."""
    monkeypatch.syspath_prepend(BUILDTOOLS)
    return __import__("backend")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any program."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))


def test_compiler_of_the_machine(
    backend: ModuleType, bare: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A compiler on the PATH is used, whatever Python itself was built with."""
    program = tmp_path / "clang++"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert backend.extra_requirements() == []
    with backend.compiler():
        assert os.environ["CXX"] == str(program)
    assert "CXX" not in os.environ


def test_compiler_that_is_asked_for(
    backend: ModuleType, bare: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CXX wins over everything."""
    monkeypatch.setenv("CXX", "my-compiler --fast")
    assert backend.extra_requirements() == []
    with backend.compiler():
        assert os.environ["CXX"] == "my-compiler --fast"


def test_compiler_from_a_package(backend: ModuleType, bare: None) -> None:
    """Without a compiler the build asks for ziglang and makes programs of it, while it lasts."""
    before = dict(os.environ)
    assert any(need.startswith("ziglang") for need in backend.get_requires_for_build_wheel())
    with backend.compiler():
        program = Path(os.environ["CXX"])
        assert f'"{sys.executable}" -m ziglang c++' in program.read_text()
        assert os.environ["PATH"].split(os.pathsep)[0] == str(program.parent)
        assert all(os.access(program.with_name(tool), os.X_OK) for tool in ("c++", "ar", "ranlib"))
    assert not program.exists()
    assert dict(os.environ) == before


def test_source_package(tmp_path: Path) -> None:
    """The source package has the kernels, the build backend, the licences, and no data."""
    code = f"import sys; sys.path.insert(0, {str(BUILDTOOLS)!r}); import backend; "
    code += f"backend.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    (package,) = tmp_path.glob("sherd-*.tar.gz")
    assert package.stat().st_size < 25_000_000
    with tarfile.open(package) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = [path for path in ROOT.glob("cpp/*") if path.suffix in (".cpp", ".h", ".hpp")]
    needed += ROOT.glob("src/sherd/**/*.py")
    assert {str(path.relative_to(ROOT)) for path in needed} <= names
    assert {"buildtools/backend.py", "CMakeLists.txt", "LICENSE", "LICENSE-WEIGHTS.md"} <= names
    assert not [name for name in names if name.startswith((".venv", "build/", "runs-out", "dist"))]

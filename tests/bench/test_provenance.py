"""Predictions say where they come from."""

import shutil
import subprocess
from pathlib import Path

import pytest

import sherd
from sherd.bench import provenance


@pytest.fixture(autouse=True)
def fresh() -> None:
    """The commit is asked for once per process; forget it between tests."""
    provenance.commit.cache_clear()


def test_the_commit_of_a_work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package that is tracked in its tree has a commit, and "-dirty" once it is changed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    package = tmp_path / "__init__.py"
    package.write_text("")

    def git(*words: str) -> None:
        identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        subprocess.run(["git", "-C", tmp_path, *identity, *words], check=True, capture_output=True)

    monkeypatch.setattr(sherd, "__file__", str(package))
    git("init", "-q")
    assert provenance.commit() is None  # not tracked: somebody else's tree
    git("add", ".")
    git("commit", "-q", "--no-verify", "-m", "First")
    provenance.commit.cache_clear()
    commit = provenance.commit()
    assert commit is not None
    assert len(commit) == 12
    package.write_text("changed = True\n")
    provenance.commit.cache_clear()
    assert provenance.commit() == f"{commit}-dirty"


def test_without_git_there_is_no_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """On a machine without git the commit is unknown, and nothing fails."""
    monkeypatch.setattr(sherd, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance.commit() is None


@pytest.mark.parametrize(("written", "commit"), [("0123456789ab\n", "0123456789ab"), ("", None)])
def test_an_installed_package_knows_what_it_was_built_from(
    written: str, commit: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """The build leaves a note of its commit; an empty one (built without git) says nothing."""
    (tmp_path / "commit.txt").write_text(written)
    monkeypatch.setattr(sherd, "__file__", str(tmp_path / "__init__.py"))
    assert provenance.commit() == commit


def test_the_machine_has_a_name_and_cores():
    """The processor has a name and at least one core."""
    machine = provenance.machine()
    assert machine["cpu"]
    assert int(machine["cores"]) >= 1

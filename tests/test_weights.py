"""Shipped networks: whole, named by their pedigree, small enough."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from sherd.errors import WeightsError
from sherd.weights import find_weights, shipped_weights


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Weights of one small file with a true pedigree."""
    (tmp_path / "toy.onnx").write_bytes(b"weights")
    digest = sha256(b"weights").hexdigest()
    (tmp_path / "toy.toml").write_text(f'name = "toy"\n[sha256]\n"toy.onnx" = "{digest}"\n')
    return tmp_path


def test_shipped_weights_are_whole() -> None:
    """Every network in the package is the one that its pedigree names, with an origin."""
    assert "seam" in shipped_weights()
    for name in shipped_weights():
        weights = find_weights(name)
        assert {"name", "command", "sha256"} <= set(weights.pedigree)
        assert len(weights.digest) == 16


def test_seam_is_small() -> None:
    """The seam scorer's networks take at most 12 MB of the package."""
    assert sum(path.stat().st_size for path in find_weights("seam").files.values()) <= 12e6


def test_whole_files_pass(folder: Path) -> None:
    """Weights with the right hash are found, with their pedigree."""
    weights = find_weights("toy", folder)
    assert weights.files == {"toy.onnx": folder / "toy.onnx"}
    assert weights.pedigree["name"] == "toy"


def test_wrong_hash(folder: Path) -> None:
    """One changed byte is noticed."""
    (folder / "toy.onnx").write_bytes(b"weightz")
    with pytest.raises(WeightsError, match="wrong sha256"):
        find_weights("toy", folder)


def test_missing_file(folder: Path) -> None:
    """A missing network and missing weights are told by name."""
    (folder / "toy.onnx").unlink()
    with pytest.raises(WeightsError, match=r"toy\.onnx"):
        find_weights("toy", folder)
    with pytest.raises(WeightsError, match="'other'"):
        find_weights("other", folder)

"""Devices are chosen honestly, and a network that cannot be loaded says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sherd.errors import DeviceError, OptionError, WeightsError
from sherd.runtime import Network, choose_device
from sherd.weights import find_weights

ONLY_CPU = ["CPUExecutionProvider"]


@pytest.fixture
def only_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without CUDA, whatever this one has."""
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ONLY_CPU)


@pytest.mark.usefixtures("only_cpu")
def test_without_cuda() -> None:
    """Without CUDA auto is the CPU, and asking for CUDA fails with the cure."""
    assert choose_device("auto") == choose_device("cpu") == "cpu"
    with pytest.raises(DeviceError, match="--device cpu"):
        choose_device("cuda")


def test_with_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """With CUDA auto takes it, and the CPU is still to be had."""
    both = ["CUDAExecutionProvider", *ONLY_CPU]
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: both)
    assert choose_device("auto") == choose_device("cuda") == "cuda"
    assert choose_device("cpu") == "cpu"


def test_unknown_device() -> None:
    """A device that sherd does not know is refused with those it does."""
    with pytest.raises(OptionError, match="auto, cpu, cuda"):
        choose_device("tpu")


def test_damaged_network(tmp_path: Path) -> None:
    """A file that is no network is an error that names it."""
    path = tmp_path / "bad.onnx"
    path.write_bytes(b"not a network")
    with pytest.raises(WeightsError, match=r"bad\.onnx"):
        Network(path)


def test_session_on_another_device() -> None:
    """A session that silently falls back to the CPU is an error."""
    encoder = find_weights("seam").files["seam-encoder.onnx"]
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this machine has CUDA")
    with pytest.warns(UserWarning, match="CUDA"), pytest.raises(DeviceError):
        Network(encoder, "cuda")


def test_batches_do_not_matter() -> None:
    """A network gives each side the same outputs alone and in a batch."""
    encoder = Network(find_weights("seam").files["seam-encoder.onnx"], threads=1)
    sides = np.random.default_rng(1).uniform(-1, 1, (3, 4, 64, 64)).astype(np.float32)
    for together, alone in zip(encoder(sides=sides), encoder(sides=sides[1:2]), strict=True):
        np.testing.assert_allclose(together[1], alone[0], atol=1e-4)


def test_no_telemetry(tmp_path: Path) -> None:
    """Networks run without ONNX Runtime's telemetry, which would leave files in the cache."""
    code = "from sherd.runtime import choose_device\nprint(choose_device('cpu'))"
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=kept | home, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("cpu\n", "")
    assert list(tmp_path.iterdir()) == []

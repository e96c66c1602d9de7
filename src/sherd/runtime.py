"""ONNX Runtime sessions and the choice of a device: the only file that knows about devices."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sherd.errors import DeviceError, OptionError, WeightsError

__all__ = ["DEVICES", "Network", "choose_device"]

DEVICES = ("auto", "cpu", "cuda")
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


def _onnxruntime() -> Any:
    """Load ONNX Runtime: a third of a second that most commands do not need.

    Its telemetry is off unless the user's environment says otherwise: it would make files in the
    user's cache, complain where that cannot be written, and use the network.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def choose_device(wanted: str) -> str:
    """Turn "auto" into the device that will be used; refuse one that cannot be had."""
    onnxruntime = _onnxruntime()
    if wanted not in DEVICES:
        raise OptionError(f"There is no device {wanted!r}; choose one of {', '.join(DEVICES)}.")
    has_cuda = _PROVIDERS["cuda"] in onnxruntime.get_available_providers()
    if wanted == "cuda" and not has_cuda:
        raise DeviceError(
            "This machine offers no CUDA to ONNX Runtime; install onnxruntime-gpu, or use "
            "--device cpu."
        )
    if wanted == "auto":
        return "cuda" if has_cuda else "cpu"
    return wanted


class Network:
    """One network, loaded once and run in batches."""

    def __init__(self, path: Path, device: str = "cpu", threads: int = 0) -> None:
        """Load a network; threads 0 takes every core."""
        onnxruntime = _onnxruntime()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads
        # Idle threads that spin would take the cores from the search that runs next.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=[_PROVIDERS[device]]
            )
        except Exception as error:  # ONNX Runtime has no common base class for its errors
            raise WeightsError(f"{path}: cannot be loaded ({error}); reinstall sherd.") from error
        if self._session.get_providers()[0] != _PROVIDERS[device]:
            raise DeviceError(f"ONNX Runtime could not start on {device}; use --device cpu.")

    def __call__(self, **inputs: NDArray[Any]) -> list[NDArray[np.float32]]:
        """Run the network on named inputs; returns its outputs in order."""
        return [np.asarray(output) for output in self._session.run(None, inputs)]

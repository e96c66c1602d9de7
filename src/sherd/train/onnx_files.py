"""Write networks as ONNX files with half-precision storage, each with a pedigree beside it.

Stored half precision halves the package; the arithmetic at run time stays single precision, since
every weight is cast up once when a session is opened.
"""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

__all__ = ["export_network", "write_pedigree"]

_SMALLEST_HALVED = 64  # values; shapes, scalars and the like keep their precision


def export_network(
    network: nn.Module,
    examples: Mapping[str, Tensor],
    outputs: Sequence[str],
    path: Path,
) -> None:
    """Write a network whose first axis is free to an ONNX file, stored in half precision.

    Args:
        network: takes the examples by position; in evaluation mode.
        examples: input name to an example tensor, in order.
        outputs: names of the outputs, in order.
        path: file to write.
    """
    free = torch.export.Dim("batch", min=1, max=1 << 20)
    with _quiet_exporter():
        program = torch.onnx.export(
            network.eval(),
            tuple(examples.values()),
            input_names=list(examples),
            output_names=list(outputs),
            dynamic_shapes=tuple({0: free} for _ in examples),
            dynamo=True,
            # Folding batch norm first would make the halves inexact; ORT folds at load.
            optimize=False,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    _halve_weights(model)
    _forget_sources(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """Silence what PyTorch's exporter says about itself; nobody who exports can act on it."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _halve_weights(model: onnx.ModelProto) -> None:
    """Store every large float32 initialiser as float16, followed by a cast."""
    casts = []
    for weight in model.graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < _SMALLEST_HALVED:
            continue
        name = weight.name
        weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
        casts.append(helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = casts + list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.graph.value_info[:]  # stale beside the new casts


def _forget_sources(model: onnx.ModelProto) -> None:
    """Drop the stack traces and paths of the exporting machine, most of a small network's file."""
    del model.metadata_props[:]
    del model.graph.metadata_props[:]
    for part in (*model.graph.node, *model.graph.input, *model.graph.output):
        del part.metadata_props[:]
        part.doc_string = ""


def write_pedigree(path: Path, facts: Mapping[str, object]) -> None:
    """Write `path` (a .toml beside the .onnx files) with facts and the files' sha256.

    `facts` holds strings, numbers and lists of them; the key "files" lists the ONNX files.
    """
    files = [str(name) for name in facts["files"]]  # type: ignore[attr-defined]
    lines = [f"{key} = {_toml(value)}" for key, value in facts.items() if key != "files"]
    lines += ["", "[sha256]"]
    for name in files:
        digest = hashlib.sha256((path.parent / name).read_bytes()).hexdigest()
        lines.append(f'"{name}" = "{digest}"')
    path.write_text("\n".join(lines) + "\n", encoding="utf8")


def _toml(value: object) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)

"""Adopt a state dict of the prototype that the seam network grew out of.

The prototype has the same layers under other names. Its weights were trained for 23 minutes on one
H200, on 5,900 photographs, more than the set that `sherd train` is usually given.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from sherd.train.seam_network import SeamNetwork

__all__ = ["adopt_prototype"]

_PREFIXES = {
    "enc.s1.": "encoder.near.",
    "enc.s2.": "encoder.middle.",
    "enc.s3.0.": "encoder.deep_entry.",
    "enc.s3.1.": "encoder.deep.0.",
    "enc.s3.2.": "encoder.deep.1.",
    "enc.ctx.": "encoder.whole.",
    "enc.up.": "encoder.up.",
    "enc.mix.": "encoder.mix.",
    "enc.feat.": "encoder.features.",
    "enc.emb.": "encoder.rows.",
    "enc.glob.": "encoder.context.",
    "joint.net.": "joint.look.",
    "joint.out.": "joint.judge.",
    "scale": "log_scale",
}
_BLOCK_PARTS = {  # of a residual block
    "a": "first.convolution",
    "n1": "first.norm",
    "b": "second.convolution",
    "n2": "second.norm",
}
_PLAIN_LAYERS = {"enc.up.", "enc.emb.", "enc.glob.", "joint.out."}
_STEP_PARTS = {"0": "convolution", "1": "norm"}  # of a strided step: convolution, norm, activation


def adopt_prototype(state: Mapping[str, Tensor]) -> SeamNetwork:
    """Make a seam network from the prototype's state dict (any floating precision)."""
    network = SeamNetwork()
    network.load_state_dict({_renamed(name): _single(value) for name, value in state.items()})
    return network.eval()


def _renamed(name: str) -> str:
    """Translate a name, for example enc.s2.1.n1.weight to encoder.middle.1.first.norm.weight."""
    prefix = next(prefix for prefix in _PREFIXES if name.startswith(prefix))
    *path, last = name[len(prefix) :].split(".")
    if path and path[-1] in _BLOCK_PARTS:
        path[-1] = _BLOCK_PARTS[path[-1]]
    elif path and prefix not in _PLAIN_LAYERS:
        path[-1:] = ["0", _STEP_PARTS[path[-1]]]
    return _PREFIXES[prefix] + ".".join([*path, last])


def _single(value: Tensor) -> Tensor:
    return value.to(torch.float32) if value.is_floating_point() else value

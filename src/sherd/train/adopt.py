"""Adopt a state dict of the prototype that the seam network grew out of.

The prototype has the same layers under other names. `python -m sherd.train.adopt PROTOTYPE.pt
FOLDER` writes its weights as ONNX files with their pedigree, as they ship with the package.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import torch
from torch import Tensor

from sherd.errors import InputError
from sherd.train.export_seam import ENCODER_FILE, JOINT_FILE, export_seam
from sherd.train.onnx_files import write_pedigree
from sherd.train.seam_network import SeamNetwork

__all__ = ["adopt_prototype", "main"]

_ORIGIN = (
    "weights of the prototype of this network, trained from scratch for 1,400 s on one H200 on "
    "5,892 photographs of at most 576 px, a larger set than the project trains on; batches of 15 "
    "boards of 48 pieces or 9 boards of 80, eroded by 0 to 6 px of 64, mostly 2 and 4"
)
_LOGIT_SLOPE, _LOGIT_OFFSET = 0.332, -27.98
"""The line through the joint head's logits over the embedding's, for validation pairs that are
beyond the shortlist: what is to be expected of pairs that nobody judges."""
_RETRIEVAL = {  # top-1 of the prototype's own raw logits on the validation pictures, all pairs
    "retrieval_672x504": {"e2": 0.9146, "e4": 0.7900},
    "retrieval_756x560": {"e2": 0.9498, "e4": 0.8609},
    "retrieval_980x644": {"e2": 0.8368, "e4": 0.7400},
}

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


def main(words: list[str] | None = None) -> None:
    """Write the prototype's weights as the package has them."""
    parser = argparse.ArgumentParser(prog="python -m sherd.train.adopt", description=__doc__)
    parser.add_argument("prototype", type=Path, help="the prototype's state dict, a .pt file")
    parser.add_argument("folder", type=Path, help="where the ONNX files and their pedigree go")
    options = parser.parse_args(words)
    if not options.prototype.is_file():
        raise InputError(f"{options.prototype}: there is no such file; check the name.")
    state = torch.load(options.prototype, map_location="cpu", weights_only=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    network = adopt_prototype(state)
    export_seam(network, options.folder)
    facts: dict[str, object] = {
        "name": "seam",
        "command": "runs/adopt-seam.sh PROTOTYPE.pt",
        "origin": _ORIGIN,
        "steps": 33_561,
        "parameters": 4_044_994,
        "embedding_scale": round(float(network.log_scale.detach().exp()), 4),
        "logit_slope": _LOGIT_SLOPE,
        "logit_offset": _LOGIT_OFFSET,
        "adopted": f"{datetime.now(UTC):%Y-%m-%d}",
    }
    for name, shares in _RETRIEVAL.items():
        facts |= {f"{name}_{erosion}": share for erosion, share in shares.items()}
    write_pedigree(options.folder / "seam.toml", facts | {"files": [ENCODER_FILE, JOINT_FILE]})


if __name__ == "__main__":
    main()

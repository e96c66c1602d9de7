"""Export the paper's two networks: a filler of pairs and a judge of filled pairs, as ONNX files."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from sherd.runtime import Network
from sherd.train.classify import load_judge
from sherd.train.networks import (
    PIECE,
    Discriminator,
    Generator,
    Judge,
    ModelConfig,
    SampleNorm,
    discriminator_view,
    log_odds_and_cost,
)
from sherd.train.onnx_files import export_network, write_pedigree
from sherd.train.pairs import erase, known_masks
from sherd.weights import Weights

__all__ = [
    "FILLER_FILE",
    "JUDGE_FILE",
    "export_inpaint",
    "export_run",
    "onnx_difference",
    "read_exported",
]

FILLER_FILE = "inpaint-filler.onnx"
JUDGE_FILE = "inpaint-judge.onnx"


class Filler(nn.Module):
    """The generator, and what lost pixels look like to it."""

    def __init__(self, generator: Generator, fill: float) -> None:
        super().__init__()
        self.generator, self.fill = generator, fill

    def forward(self, pixels: Tensor, known: Tensor) -> Tensor:
        """Fill the gap of `pixels` [B, 3, 64, 128]; what is not `known` has no say."""
        return torch.as_tensor(self.generator(erase(pixels, known, self.fill), known))


class FilledJudge(nn.Module):
    """The discriminator on what it may see of a filled pair."""

    def __init__(self, discriminator: Discriminator, config: ModelConfig) -> None:
        super().__init__()
        self.discriminator, self.config = discriminator, config

    def forward(self, filled: Tensor, known: Tensor) -> Tensor:
        """Return -log of the neighbour probability [B] of filled pairs [B, 3, 64, 128]."""
        view = discriminator_view(filled, known, self.config.erosion)
        _, cost = log_odds_and_cost(self.discriminator(view), self.config.average)
        return cost


def export_inpaint(judge: Judge, folder: Path) -> None:
    """Write both networks to a folder; the generator is in the filler alone."""
    config = judge.config
    pixels, known = _examples(config.erosion or 2, 2)
    export_network(
        _with_plain_norms(Filler(judge.generator, config.fill)),
        {"pixels": pixels, "known": known},
        ["filled"],
        folder / FILLER_FILE,
    )
    export_network(
        _with_plain_norms(FilledJudge(judge.discriminator, config)),
        {"filled": pixels, "known": known},
        ["cost"],
        folder / JUDGE_FILE,
    )


def export_run(run: Path, folder: Path, facts: Mapping[str, object]) -> dict[str, object]:
    """Export what a training run left in its folder, with a pedigree `inpaint.toml`.

    Args:
        run: folder with weights-half.pt, and log.jsonl and figures.json where there are some.
        folder: where the ONNX files and the pedigree go.
        facts: more for the pedigree (date, data, terms).

    Returns:
        The facts of the pedigree.
    """
    judge = load_judge(run / "weights-half.pt", torch.device("cpu")).eval()
    folder.mkdir(parents=True, exist_ok=True)
    export_inpaint(judge, folder)
    whole = {
        **facts,
        **{f"model_{name}": value for name, value in asdict(judge.config).items()},
        **_history(run),
        "onnx_difference": round(onnx_difference(judge, folder), 7),
        "files": [FILLER_FILE, JUDGE_FILE],
    }
    write_pedigree(folder / "inpaint.toml", whole)
    return whole


def read_exported(weights: Weights) -> Judge:
    """Rebuild the networks in PyTorch from exported files, such as those that ship with sherd."""
    names = {field.name for field in fields(ModelConfig)}
    facts = {key.removeprefix("model_"): value for key, value in weights.pedigree.items()}
    judge = Judge(ModelConfig(**{name: facts[name] for name in names & facts.keys()}))
    parts = [
        part
        for file in (FILLER_FILE, JUDGE_FILE)
        for part in onnx.load(str(weights.files[file])).graph.initializer
    ]
    state = {part.name.removesuffix(".half"): numpy_helper.to_array(part) for part in parts}
    wanted = judge.state_dict()  # the rest are constants of the graph
    judge.load_state_dict({name: torch.tensor(state[name]).float() for name in wanted})
    return judge.eval()


@torch.no_grad()
def onnx_difference(judge: Judge, folder: Path, pairs: int = 32) -> float:
    """Largest difference in probability between the exported files and PyTorch, on noise."""
    erosions = [judge.config.erosion] if judge.config.erosion else list(range(1, 9))
    largest = 0.0
    filler, second = Network(folder / FILLER_FILE), Network(folder / JUDGE_FILE)
    for erosion in erosions:
        pixels, known = _examples(erosion, max(1, pairs // len(erosions)))
        (filled,) = filler(pixels=pixels.numpy(), known=known.numpy())
        (cost,) = second(filled=filled, known=known.numpy())
        expected, _ = judge(erase(pixels, known, judge.config.fill), known)
        difference = np.abs(np.exp(-cost) - np.exp(-expected.numpy()))
        largest = max(largest, float(difference.max()))
    return largest


def _examples(erosion: int, count: int) -> tuple[Tensor, Tensor]:
    """Pairs of smooth noise [count, 3, 64, 128] and their masks [count, 1, 64, 128]."""
    random = torch.Generator().manual_seed(erosion)
    coarse = torch.rand(count, 3, 8, 16, generator=random) * 2 - 1
    pixels = nn.functional.interpolate(coarse, (PIECE, 2 * PIECE), mode="bilinear")
    return pixels, known_masks(torch.device("cpu"))[[erosion] * count]


def _with_plain_norms(network: nn.Module) -> nn.Module:
    """Copy a network, its norms replaced by the layer that ONNX has as one operator."""
    copied = copy.deepcopy(network)
    for parent in list(copied.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, SampleNorm):
                plain = nn.InstanceNorm2d(len(child.weight), child.eps, affine=True)
                plain.load_state_dict(child.state_dict())
                setattr(parent, name, plain)
    return copied.requires_grad_(False)


def _history(run: Path) -> dict[str, object]:
    """What a run's log and figures say of the weights."""
    facts: dict[str, object] = {}
    if (run / "log.jsonl").exists():
        records = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
        for record in records:
            if record["event"] == "start" and "command" in record:
                facts["command"] = record["command"]
            if record["event"] == "trained":
                facts.update({key: record[key] for key in ("step", "examples", "seconds")})
    if (run / "figures.json").exists():
        facts.update(json.loads((run / "figures.json").read_text()))
    return facts

"""Train the seam network and export it: `python -m sherd.train.seam_run --photos ... --out ...`."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from sherd.errors import OutputError
from sherd.train.evaluate import Board, read_boards
from sherd.train.export_seam import ENCODER_FILE, JOINT_FILE, export_seam, read_seam
from sherd.train.loop import Plan, Training, resolve_device
from sherd.train.onnx_files import write_pedigree
from sherd.train.pairs import Dice, known_masks, whole
from sherd.train.photos import PhotoNeeds, PhotoStore, load_photos, wait_for
from sherd.train.seam import SeamConfig, SeamTraining
from sherd.train.seam_boards import BoardKind, pose
from sherd.train.seam_network import EncodedSides, SeamNetwork

__all__ = ["MINIATURE", "expected_logits", "main"]

MINIATURE = (BoardKind(3, 4, 1), BoardKind(2, 3, 1, turned=True), BoardKind(3, 4, 1, 28))
"""Boards for a CPU and a minute."""
_SHORTLIST = 16
_SAMPLED = 400  # columns of each row outside the shortlist are many; some tell enough


def main(words: list[str] | None = None) -> None:
    """Parse the command line, train, measure, export."""
    options = _parser().parse_args(words)
    out: Path = options.out
    if (out / "checkpoint.pt").exists() and not options.resume:
        raise OutputError(f"{out}: holds a training run; go on by --resume, or give another --out.")
    torch.manual_seed(options.seed)
    network = read_seam(options.start) if options.start else SeamNetwork()
    config = SeamConfig(
        rate=options.rate or (5e-4 if options.start else 2e-3),
        frozen_norms=options.start is not None,
        validation=read_boards(options.validation, options.validate_most),
    )
    if options.miniature:
        config = replace(config, kinds=MINIATURE, anchors=17)
    plan = _plan(options, config)
    store = _photos(options, config.kinds)
    training = Training(SeamTraining(network, config, store, plan), plan, out, _say)
    if options.resume and (out / "checkpoint.pt").exists():
        training.resume()
    command = shlex.join(["python", "-m", "sherd.train.seam_run", *(words or sys.argv[1:])])
    before = training.task.evaluate(training.averaged)
    training.report("start", command=command, photos=len(store), validation=before)
    training.run()
    _export(training, config, {"command": command, "photos": len(store), "steps": training.steps})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sherd.train.seam_run", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--photos", type=Path, nargs="+", required=True)
    parser.add_argument("--wait", type=float, default=0, help="seconds for photos to appear")
    parser.add_argument("--validation", type=Path, nargs="*", default=[])
    parser.add_argument("--validate-most", type=int, default=4, help="pictures of each folder")
    parser.add_argument("--start", type=Path, help="folder of weights to go on from")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--average", type=float, default=0.999)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--miniature", action="store_true", help="a few small boards a step")
    parser.add_argument("--evaluate-every", type=float, default=120)
    parser.add_argument("--log-every", type=int, default=25, help="chunks of eight steps")
    parser.add_argument("--resume", action="store_true")
    return parser


def _plan(options: argparse.Namespace, config: SeamConfig) -> Plan:
    return Plan(
        seconds=options.seconds,
        examples=options.steps * config.anchors,
        batch=config.anchors,
        decay=True,
        average=options.average,
        seed=options.seed,
        device=options.device,
        compiled=not options.no_compile,
        log_every=options.log_every,
        evaluate_every=options.evaluate_every,
    )


def _photos(options: argparse.Namespace, kinds: Sequence[BoardKind]) -> PhotoStore:
    """Read every photograph that holds the smallest kind of board."""
    short, long = (min(getattr(k.needs, side) for k in kinds) for side in ("short", "long"))
    needs = PhotoNeeds(short, long, (1.0, 0.71, 0.5))
    store = load_photos(
        wait_for(options.photos, options.wait), needs, resolve_device(options.device)
    )
    _say({"event": "photos", "kept": len(store), "dropped": store.dropped})
    return store


def _say(record: dict[str, object]) -> None:
    """Show a record on the terminal."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _export(training: Training, config: SeamConfig, facts: dict[str, object]) -> None:
    """Write the averaged network as ONNX files with their pedigree, below the run's folder."""
    network = training.averaged["seam"]
    assert isinstance(network, SeamNetwork)
    figures = training.task.evaluate(training.averaged)
    slope, offset = expected_logits(network, config.validation)
    network = network.cpu().float().eval()
    folder = training.folder / "weights"
    folder.mkdir(exist_ok=True)
    export_seam(network, folder)
    facts = {
        "name": "seam",
        **facts,
        "seconds": round(training.elapsed, 1),
        "device": str(training.device),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "embedding_scale": round(float(network.log_scale.detach().exp()), 4),
        "logit_slope": slope,
        "logit_offset": offset,
        **figures,
    }
    write_pedigree(folder / "seam.toml", {**facts, "files": [ENCODER_FILE, JOINT_FILE]})
    training.report("exported", **facts)


@torch.no_grad()
def expected_logits(
    network: SeamNetwork, boards: Sequence[Board], erosions: Sequence[int] = (2, 4)
) -> tuple[float, float]:
    """Fit what to expect of the joint head, by closeness, for pairs beyond the shortlist.

    Returns:
        Slope and offset of the line through its logits; 0 and -12 without boards.
    """
    found = [_beyond(network, board, erosion) for board in boards for erosion in erosions]
    if not found:
        return 0.0, -12.0
    close, logits = (torch.cat(parts).double().cpu().numpy() for parts in zip(*found, strict=True))
    slope, offset = np.polyfit(close, logits, 1)
    return round(float(slope), 4), round(float(offset), 3)


def _beyond(network: SeamNetwork, board: Board, erosion: int) -> tuple[Tensor, Tensor]:
    """Closeness and logits of some pairs of a board that are in nobody's shortlist."""
    network.eval()
    device = next(network.parameters()).device
    known = known_masks(device)[erosion][:, :, :64]
    pieces = whole(board.pieces.to(device)) * known
    worn = torch.cat([pieces, known.expand(len(pieces), -1, -1, -1)], 1)[None]
    problems = pose(worn, BoardKind(board.rows, board.columns, 1), 2, Dice(device, 0))
    encoded = EncodedSides(*network.encoder(problems.views))
    first, second = problems.first[0], problems.second[0]
    close = network.log_scale.exp() * (encoded.embedding[first] @ encoded.embedding[second].T)
    close = close.masked_fill(problems.forbidden, torch.inf)
    least = close.topk(min(_SHORTLIST, len(close) // 2), 1).values[:, -1:]
    i, j = torch.nonzero(close < least).unbind(1)
    chosen = torch.randperm(len(i), device=device)[:_SAMPLED]
    views = first[i[chosen]], second[j[chosen]]
    logits = network.joint(*(EncodedSides(*(part[v] for part in encoded)) for v in views))
    return close[i[chosen], j[chosen]], logits


if __name__ == "__main__":
    main()

"""How probable a discriminator finds true neighbours and as many false ones of held-out pictures.

The weights that ship (or a folder of exported ones), with the centre half that they were trained
on, with the gap left blank, and with other crops:

    python benchmarks/classification.py --data PICTURES [--weights FOLDER]

The ablation of Bridger, Danon and Tal: three discriminators trained on equal budgets of stage 2,
the first from where stage 1 left it, the others from scratch, the last seeing gaps left blank:

    python benchmarks/classification.py --data PICTURES --start STAGE_1/weights-half.pt \
        --photos PHOTOS [--pairs 100000]
"""

from __future__ import annotations

import argparse
import copy
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch
from seam_pairs import draw_pairs
from torch import Tensor, nn

from sherd.train.classify import Classification, ClassifyConfig, load_judge
from sherd.train.export_inpaint import read_exported
from sherd.train.inpaint import fresh_networks
from sherd.train.loop import Plan, Training, move_to, resolve_device
from sherd.train.networks import PIECE, Judge, log_odds_and_cost
from sherd.train.pairs import erase, known_masks
from sherd.train.photos import PhotoNeeds, load_photos
from sherd.weights import find_weights


class Blank(nn.Module):
    """In place of a generator: leaves the gap as it is."""

    def forward(self, pixels: Tensor, known: Tensor) -> Tensor:
        return pixels


def crop(picture: Tensor, known: Tensor, width: int, erosion: int) -> Tensor:
    """The middle `width` columns, without the ring as the discriminator was trained to see it."""
    edge = PIECE - width // 2
    centre = picture[..., edge : 2 * PIECE - edge]
    return centre[:, :, erosion:-erosion] if erosion else centre * known.amax(3, keepdim=True)


@torch.no_grad()
def probability(
    judge: Judge, generator: nn.Module, pairs: Tensor, erosion: int, width: int
) -> float:
    """Mean probability of pairs [B, 3, 64, 128]."""
    device, found = next(judge.discriminator.parameters()).device, []
    for part in pairs.to(device).split(64):
        known = known_masks(device)[[erosion] * len(part)]
        filled = generator(erase(part, known, judge.config.fill), known)
        view = crop(filled, known, width, judge.config.erosion)
        _, cost = log_odds_and_cost(judge.discriminator(view), judge.config.average)
        found.append(torch.exp(-cost))
    return float(torch.cat(found).mean())


def of_exported(folder: Path | None) -> Iterator[tuple[str, Judge, nn.Module, int]]:
    """Name, networks, what fills the gap, and the width that is seen."""
    judge = read_exported(find_weights("inpaint", folder) if folder else find_weights("inpaint"))
    yield "centre half, gap filled", judge, judge.generator, PIECE
    yield "centre half, gap left blank", judge, Blank(), PIECE
    yield "full width, gap filled", judge, judge.generator, 2 * PIECE
    yield "centre quarter, gap filled", judge, judge.generator, PIECE // 2


def of_ablation(
    start: Path, photos: list[Path], plan: Plan, part: str
) -> Iterator[tuple[str, Judge, nn.Module, int]]:
    """Train the three discriminators and give each."""
    device = resolve_device(plan.device)
    store = load_photos(photos, PhotoNeeds(part=part), device)
    for name, fresh, fill in (
        ("trained on, gap filled", False, True),
        ("fresh, gap filled", True, True),
        ("fresh, gap left blank", True, False),
    ):
        judge = copy.deepcopy(load_judge(start, device))
        if fresh:
            judge.discriminator = fresh_networks(judge.config, plan.seed, device)[1]
        if not fill:
            judge.generator = Blank()
        move_to(judge, device)
        task = Classification(judge, ClassifyConfig(), store, plan)
        with tempfile.TemporaryDirectory() as folder:
            Ablation(task, plan, Path(folder), lambda record: None).run()
        yield name, judge, judge.generator, PIECE


class Ablation(Training):
    """A training of which nothing but the networks in memory is wanted."""

    def save(self) -> None:
        """Keep nothing: the weights are measured at once."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of pictures")
    parser.add_argument("--weights", type=Path, help="folder of exported weights")
    parser.add_argument("--start", type=Path, help="stage 1 of the paper's recipe: the ablation")
    parser.add_argument("--photos", type=Path, nargs="+", help="to train the ablation on")
    parser.add_argument("--part", default="second", help="half of the photographs to train on")
    parser.add_argument("--pairs", type=int, default=100_000, help="pairs to train each on")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seams", type=int, default=2000)
    parser.add_argument("--erosion", type=int, nargs="+", default=[2, 4])
    options = parser.parse_args()
    if options.start and not options.photos:
        parser.error("--start needs --photos to train on")
    true, false = draw_pairs(options.data, options.seams)
    print(f"{len(true)} true and as many false neighbours")
    print("  e  mean probability of   true    false")
    if options.start:
        plan = Plan(
            examples=options.pairs, batch=options.batch, device=options.device, compiled=False
        )
        rows = of_ablation(options.start, options.photos, plan, options.part)
    else:
        rows = of_exported(options.weights)
    for name, judge, generator, width in rows:
        fixed = judge.config.erosion
        for erosion in [fixed] if fixed else options.erosion:
            yes, no = (
                probability(judge, generator, pairs, erosion, width) for pairs in (true, false)
            )
            print(f"  {erosion}  {name:28} {100 * yes:5.1f}  {100 * no:5.1f}", flush=True)


if __name__ == "__main__":
    main()

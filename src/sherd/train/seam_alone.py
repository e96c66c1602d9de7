"""Train the "meets nothing" head on the rows of a seam network that stays as it is; CPU, minutes.

    python -m sherd.train.seam_alone --photos photos-1.zip ... --weights FOLDER

adds seam-alone.onnx to the folder and to its pedigree. Sides are alone at the frame, and where the
partner is among the tenths of the pieces that are taken away from every board, as often as not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from sherd.events import ignore
from sherd.layout import Layout, seams_of
from sherd.pieces import Pieces
from sherd.scorers.alone import ALONE_FILE, FACTS, known_shares, side_facts
from sherd.scorers.seam import JudgedRows, Seam
from sherd.sides import Relations
from sherd.train.onnx_files import export_network, write_pedigree
from sherd.train.photos import PhotoNeeds, read_photos

__all__ = ["AloneHead", "examples", "main", "train_alone"]

_EROSIONS = (0.1, 0.1, 0.2, 0.1, 0.2, 0.1, 0.1, 0.05, 0.05)
_TAKEN = (0.0, 0.1, 0.3)  # share of the pieces that is missing
_PATTERNS = 4  # of missing pieces for each board
_EPOCHS, _BATCH, _RATE = 8, 512, 2e-3
_MOST_PIECES = 220  # of a board; more are left out, for the time they take


class AloneHead(nn.Module):
    """A small perceptron over the facts of a side: one logit."""

    def __init__(self, middle: Tensor | None = None, spread: Tensor | None = None) -> None:
        """Start afresh; facts are centred on `middle` and divided by `spread`, both [FACTS]."""
        super().__init__()
        self.middle = nn.Buffer(torch.zeros(FACTS) if middle is None else middle)
        self.spread = nn.Buffer(torch.ones(FACTS) if spread is None else spread)
        self.layers = nn.Sequential(
            nn.Linear(FACTS, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1)
        )

    def forward(self, facts: Tensor) -> Tensor:
        """Log-odds [B] of meeting nothing, from facts [B, FACTS]."""
        return torch.as_tensor(self.layers((facts - self.middle) / self.spread)[:, 0])


def examples(
    rows: JudgedRows, known: NDArray[np.float32], truth: Layout, taken: float, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Take pieces away from a board that was judged whole, and say which sides are alone.

    Returns:
        Facts [S, FACTS] of the sides that are left, and whether each is alone.
    """
    partner = np.full(len(rows.candidates), -1)
    seams = seams_of(truth)
    partner[seams[:, 0]], partner[seams[:, 1]] = seams[:, 1], seams[:, 0]
    gone = np.repeat(np.random.default_rng(seed).random(len(partner) // 4) < taken, 4)
    there = (rows.candidates >= 0) & ~gone[rows.candidates]
    facts = side_facts(np.where(there, rows.candidates, -1), rows.logits, known)
    return facts[~gone], ((partner < 0) | gone[partner])[~gone]


def _boards(photos: list[Path], count: int) -> Iterator[tuple[Pieces, Layout]]:
    """Cut evenly chosen photographs into worn boards of 64-pixel pieces."""
    rng = np.random.default_rng(0)
    found = (photo for scales in read_photos(photos, PhotoNeeds(256, 384)) for photo in scales)
    pictures = [photo.transpose(1, 2, 0) for photo in found]
    for number in np.linspace(0, len(pictures) - 1, min(count, len(pictures))).astype(int):
        picture = pictures[number]
        rows, cols = picture.shape[0] // 64, picture.shape[1] // 64
        if rows * cols > _MOST_PIECES:
            continue
        grid = picture[: rows * 64, : cols * 64].reshape(rows, 64, cols, 64, 3).swapaxes(1, 2)
        lost = int(rng.choice(len(_EROSIONS), p=_EROSIONS))
        known = np.zeros((rows * cols, 64, 64), np.bool_)
        known[:, lost : 64 - lost, lost : 64 - lost] = True
        yield Pieces.from_arrays(grid.reshape(-1, 64, 64, 3), known), Layout.from_grid(rows, cols)


def train_alone(facts: Tensor, alone: Tensor) -> AloneHead:
    """Train a head on facts [S, FACTS] and whether each side is alone [S]."""
    torch.manual_seed(0)
    head = AloneHead(facts.mean(0), facts.std(0) + 1e-3)
    optimiser = torch.optim.AdamW(head.parameters(), lr=_RATE, weight_decay=0.01)
    for epoch in range(_EPOCHS):
        for group in optimiser.param_groups:
            group["lr"] = _RATE * (1 - epoch / _EPOCHS)
        for part in torch.randperm(len(facts)).split(_BATCH):
            loss = F.binary_cross_entropy_with_logits(head(facts[part]), alone[part])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return head.eval()


def main(words: list[str] | None = None) -> None:
    """Judge boards, train, measure on every sixth board, export."""
    parser = argparse.ArgumentParser(prog="python -m sherd.train.seam_alone", description=__doc__)
    parser.add_argument("--photos", type=Path, nargs="+", required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--boards", type=int, default=180)
    options = parser.parse_args(words)
    parts: tuple[list[NDArray[np.generic]], ...] = ([], [], [], [])
    scorer, count = Seam(weights=options.weights), 0
    for count, (pieces, truth) in enumerate(_boards(options.photos, options.boards), 1):
        rows = scorer.judge(pieces, Relations(), ignore)
        held_out = 2 * (count % 6 == 0)
        for pattern in range(_PATTERNS):
            taken = _TAKEN[pattern % len(_TAKEN)]
            found = examples(rows, known_shares(pieces), truth, taken, 10 * count + pattern)
            for place, values in enumerate(found):
                parts[held_out + place].append(values)
    tables = [torch.from_numpy(np.concatenate(part).astype(np.float32)) for part in parts]
    head = train_alone(tables[0], tables[1])
    figures = {"alone_boards": count, **_measured(head, tables[2], tables[3])}
    export_network(head, {"facts": tables[2][:2]}, ["log_odds"], options.weights / ALONE_FILE)
    _add_to_pedigree(options.weights, figures)
    sys.stdout.write(json.dumps(figures) + "\n")


def _measured(head: AloneHead, facts: Tensor, alone: Tensor) -> dict[str, float]:
    """Surprise in nats a side, beside that of knowing only how many are alone; and ranking."""
    with torch.no_grad():
        odds = head(facts)
    share = alone.mean()
    known = F.binary_cross_entropy(share.expand_as(alone), alone)
    ranks = odds.argsort().argsort().float()[alone > 0]
    above = (ranks.mean() - (len(ranks) - 1) / 2) / (len(alone) - len(ranks))
    return {
        "alone_surprise": round(float(F.binary_cross_entropy_with_logits(odds, alone)), 4),
        "alone_surprise_of_share": round(float(known), 4),
        "alone_auc": round(float(above), 4),
    }


def _add_to_pedigree(folder: Path, figures: dict[str, float]) -> None:
    pedigree = tomllib.loads((folder / "seam.toml").read_text(encoding="utf8"))
    files = [*(file for file in pedigree.pop("sha256") if file != ALONE_FILE), ALONE_FILE]
    write_pedigree(folder / "seam.toml", {**pedigree, **figures, "files": files})


if __name__ == "__main__":
    main()

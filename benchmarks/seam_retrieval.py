"""Measure what the seam network alone knows: how often the true neighbour of a side comes first.

By the raw logits of the joint head (each side's own row) and by the scores made of them, with the
pairs that were judged per side, the surprise of the true neighbours, and the time.

    python benchmarks/seam_retrieval.py val --data PICTURES                   # as shipped
    python benchmarks/seam_retrieval.py val --data PICTURES --every-pair      # judge all pairs
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from sherd.bench.predict import puzzle_of, tasks_of
from sherd.bench.protocol import load_protocol
from sherd.events import ignore
from sherd.layout import Layout, seams_of
from sherd.pieces import Pieces
from sherd.scorers import seam
from sherd.scores import Scores
from sherd.sides import Relations


def measured(scorer: seam.Seam, pieces: Pieces, truth: Layout, turns: bool) -> list[float]:
    """Give the top-1 share by logit and by score, pairs per side, surprise and seconds."""
    relations = Relations(turns, pieces.square)
    started = time.perf_counter()
    rows = scorer.judge(pieces, relations, ignore)
    seconds = time.perf_counter() - started
    scores = Scores.from_logits(relations, rows.candidates, rows.logits)
    seams = seams_of(truth)
    sides, partners = np.concatenate([seams, seams[:, ::-1]]).T
    logits = np.where(rows.judged, rows.logits, -np.inf)[sides]
    first = rows.candidates[sides, logits.argmax(axis=1)]
    return [
        float((first == partners).mean()),
        float((scores.candidates[sides, 0] == partners).mean()),
        float(rows.judged.sum() / 2 / len(rows.judged)),
        -float(scores.of(seams[:, 0], seams[:, 1]).mean()),
        seconds,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--erosion", type=int, nargs="+")
    parser.add_argument("--sets", nargs="+", default=())
    parser.add_argument("--limit", type=int)
    parser.add_argument("--turns", action="store_true")
    parser.add_argument("--shortlist", type=int, default=16)
    parser.add_argument("--views", type=int, default=1)
    parser.add_argument("--every-pair", action="store_true")
    options = parser.parse_args()
    protocol = load_protocol(options.protocol)
    protocol = protocol.narrowed(sets=options.sets, erosion=options.erosion or ())
    protocol = replace(protocol, turns=options.turns)
    if options.every_pair:
        options.shortlist, seam._MASS = 10**6, np.inf
    scorer = seam.Seam(shortlist=options.shortlist, views=options.views)
    found: dict[tuple[str, int], list[list[float]]] = {}
    for task in tasks_of(protocol, options.data, options.limit):
        pieces, truth = puzzle_of(task, protocol)
        cell = found.setdefault((task.part.name, task.erosion), [])
        cell.append(measured(scorer, pieces, truth, options.turns))
    print("set        e   by logit  by score  pairs/side  surprise  seconds")
    for (name, erosion), rows in found.items():
        mean = np.mean(rows, axis=0)
        line = "    ".join(f"{value:.4f}" for value in mean[:2])
        print(f"{name:9} {erosion:2}    {line}  {mean[2]:8.2f}  {mean[3]:8.3f}  {mean[4]:8.2f}")
    print(f"mean of all cells, by score: {np.mean([np.mean(r, 0)[1] for r in found.values()]):.4f}")


if __name__ == "__main__":
    main()

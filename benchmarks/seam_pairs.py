"""True neighbours of held-out pictures and as many false ones, for the two figures of filling."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from sherd.train.evaluate import read_boards, true_pairs
from sherd.train.pairs import lay_down, whole


def draw_pairs(folders: Sequence[Path], seams: int, seed: int = 1) -> tuple[Tensor, Tensor]:
    """Draw seams of all pictures evenly: true and false pairs, float [seams, 3, 64, 128] each.

    A false pair has the first piece of a true one and any other piece of the picture.
    """
    random = torch.Generator().manual_seed(seed)
    boards = read_boards(folders)
    true, false = [], []
    for number, board in enumerate(boards):
        ways = torch.cat(
            [
                torch.nn.functional.pad(torch.from_numpy(pairs), (0, 1), value=way)
                for way, pairs in enumerate(true_pairs(board.rows, board.columns))
            ]
        )  # [P, 3]: first piece, second piece, way
        share = seams * (number + 1) // len(boards) - seams * number // len(boards)
        chosen = ways[torch.randperm(len(ways), generator=random)[:share]]
        for first, second, way in chosen.tolist():
            wrong = int(torch.randint(len(board.pieces) - 2, (1,), generator=random))
            for barred in sorted((first, second)):
                wrong += wrong >= barred
            a, b, c = (board.pieces[i] for i in (first, second, wrong))
            pairs_of = (torch.cat([a, b], 2), torch.cat([a, c], 2))
            if way:  # one above the other: laid down
                pairs_of = (
                    torch.cat([lay_down(a), lay_down(b)], 2),
                    torch.cat([lay_down(a), lay_down(c)], 2),
                )
            true.append(pairs_of[0])
            false.append(pairs_of[1])
    return whole(torch.stack(true)), whole(torch.stack(false))

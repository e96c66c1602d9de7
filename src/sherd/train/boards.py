"""Whole puzzles cut from photographs, and pieces whose true neighbour hides among likely ones."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from sherd.train.networks import PIECE
from sherd.train.pairs import Dice, draw_erosions, known_masks, lay_down, mirror, recolour, whole
from sherd.train.photos import PhotoNeeds, PhotoStore

__all__ = [
    "SHARPNESS",
    "BoardConfig",
    "Candidates",
    "border_distance",
    "draw_candidates",
    "pick_candidates",
]

SHARPNESS = 3.0
"""Weight of the cheap border distance, in deviations, against the Gumbel noise."""


@dataclass(frozen=True)
class BoardConfig:
    """How candidates are drawn."""

    rows: int = 6
    columns: int = 8
    boards: int = 8
    """Puzzles per step."""
    anchors: int = 12
    """Seams per puzzle and step."""
    hard: int = 7
    """Wrong candidates per seam that look likely."""
    easy: int = 2
    """Wrong candidates per seam drawn uniformly."""

    @property
    def group(self) -> int:
        """Candidates per seam, the true one included."""
        return 1 + self.hard + self.easy

    @property
    def needs(self) -> PhotoNeeds:
        """Photographs that hold a whole board; big ones also serve when made smaller."""
        return PhotoNeeds(self.rows * PIECE, self.columns * PIECE, (1.0, 0.71, 0.5))


@dataclass(frozen=True)
class Candidates:
    """Pairs in groups, the true one first in each group; S seams, K candidates, M = S * K."""

    original: Tensor  # float [M, 3, 64, 128], nothing erased yet
    known: Tensor  # float [M, 1, 64, 128]


def draw_candidates(
    store: PhotoStore, dice: Dice, config: BoardConfig, erosion: int = 0
) -> Candidates:
    """Draw boards, seams in them and for each seam the true and wrong pieces beside one side.

    `erosion` 0 draws an erosion per board.
    """
    pieces = _draw_pieces(store, dice, config)  # [B, N, 3, 64, 64]
    bank = torch.stack([pieces, lay_down(pieces)], 1)  # [B, 2, N, 3, 64, 64]
    boards = len(bank)
    depth = draw_erosions(dice, boards) if not erosion else torch.full((boards,), erosion)
    depth = depth.to(store.device)
    distance = border_distance(bank, depth)  # [B, 2, N, N]
    way, first, second = _draw_seams(config, dice, store.device)  # each [B, A]
    board = torch.arange(boards, device=store.device)[:, None]
    keep_first = dice.chance(0.5, *first.shape)
    rows = distance[board, way, first]  # [B, A, N]
    columns = distance.transpose(2, 3)[board, way, second]
    cost = torch.where(keep_first[..., None], rows, columns)
    true = torch.where(keep_first, second, first)
    anchor = torch.where(keep_first, first, second)
    chosen = pick_candidates(cost, true, anchor, dice, config)  # [B, A, K]
    keep = keep_first[..., None]
    left = torch.where(keep, first[..., None], chosen)
    right = torch.where(keep, chosen, second[..., None])
    where = (board[..., None].expand_as(left), way[..., None].expand_as(left))
    original = torch.cat([bank[(*where, left)], bank[(*where, right)]], 5).flatten(0, 2)
    known = known_masks(store.device)[depth]  # [B, 1, 64, 128]
    return Candidates(original, known.repeat_interleave(left.shape[1] * left.shape[2], 0))


def _draw_pieces(store: PhotoStore, dice: Dice, config: BoardConfig) -> Tensor:
    """Pieces of whole boards, colours varied and mirrored: float [B, N, 3, 64, 64]."""
    count, height, width = config.boards, config.rows * PIECE, config.columns * PIECE
    photo = dice.below(torch.full((count,), len(store), device=store.device))
    portrait = store.is_portrait(photo)
    full_height, full_width = store.sizes(photo, portrait)
    top, left = dice.below(full_height - height + 1), dice.below(full_width - width + 1)
    board = whole(store.windows(photo, top, left, height, width, portrait))
    board = mirror(mirror(board, dice.chance(0.5, count)), dice.chance(0.5, count), 2)
    board = recolour(board, dice)
    cells = board.unflatten(3, (config.columns, PIECE)).unflatten(2, (config.rows, PIECE))
    return torch.as_tensor(cells.permute(0, 2, 4, 1, 3, 5).flatten(1, 2))


def _draw_seams(config: BoardConfig, dice: Dice, device: torch.device) -> tuple[Tensor, ...]:
    """Direction (0 right, 1 down), first and second piece of random seams, each int64 [B, A]."""
    cells = torch.arange(config.rows * config.columns, device=device)
    cells = cells.view(config.rows, config.columns)
    first = torch.cat([cells[:, :-1].flatten(), cells[:-1].flatten()])
    second = torch.cat([cells[:, 1:].flatten(), cells[1:].flatten()])
    way = (torch.arange(len(first), device=device) >= cells[:, 1:].numel()).long()
    drawn = dice.uniform(config.boards, len(first)).topk(config.anchors, 1).indices
    return way[drawn], first[drawn], second[drawn]


def border_distance(bank: Tensor, erosion: Tensor) -> Tensor:
    """Cheap distance of every piece to every other as its right neighbour: [B, 2, N, N].

    `bank` [B, 2, N, 3, 64, 64] whole pieces, `erosion` int64 [B]. Each outermost known column
    is continued by half the slope measured there, and the two compared by their L1 distance.
    """
    boards, _, count = bank.shape[:3]
    board = torch.arange(boards, device=bank.device)

    def column(place: Tensor) -> Tensor:
        """Column `place` [B] of every piece: [B, 2, N, 192]."""
        return bank[board, ..., place].flatten(3)

    right = 1.5 * column(PIECE - 1 - erosion) - 0.5 * column(PIECE - 3 - erosion)
    left = 1.5 * column(erosion) - 0.5 * column(erosion + 2)
    shape = (boards, 2, count, count)
    return torch.cdist(right.flatten(0, 1), left.flatten(0, 1), p=1.0).view(shape)


def pick_candidates(
    cost: Tensor, true: Tensor, anchor: Tensor, dice: Dice, config: BoardConfig
) -> Tensor:
    """Choose the candidates of each seam: int64 [B, A, K], the true one first, none twice.

    `cost` [B, A, N] of every piece at that side, `true` and `anchor` [B, A] pieces. Likely wrong
    pieces are drawn by weight exp(-SHARPNESS * cost in deviations), then a few uniformly.
    """
    never = -torch.inf
    spread = cost.std(2, keepdim=True) + 1e-6
    likely = -SHARPNESS * (cost - cost.mean(2, keepdim=True)) / spread + dice.gumbel(*cost.shape)
    barred = torch.stack([true, anchor], 2)
    hard = likely.scatter(2, barred, never).topk(config.hard, 2).indices
    barred = torch.cat([barred, hard], 2)
    easy = dice.uniform(*cost.shape).scatter(2, barred, never).topk(config.easy, 2).indices
    return torch.cat([true[..., None], hard, easy], 2)

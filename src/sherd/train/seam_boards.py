"""Boards for the seam network: cut from photographs, worn, and posed as problems of retrieval.

A problem holds n sides that look and n sides that are looked at; a seam is a pair of both. Upright
boards pose two problems (right to left, bottom to top), turned ones a single one of all sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from sherd.canonical import resampling_matrix
from sherd.errors import InputError
from sherd.sides import BOTTOM, LEFT, RIGHT, TOP
from sherd.train.augment import degrade
from sherd.train.networks import PIECE
from sherd.train.pairs import Dice, mirror, recolour, whole
from sherd.train.photos import PhotoNeeds, PhotoStore

__all__ = ["KINDS", "BoardKind", "Problems", "draw_pieces", "fitting", "grid_seams", "pose", "wear"]

EROSION_WEIGHTS = (1.2, 0.8, 1.6, 0.9, 1.6, 0.9, 1.3, 0.7, 1.1, 0.5, 0.5)
"""How often 0, 1, ... 10 pixels of 64 are lost on each side."""
_RAGGED = 0.2
"""Share of the boards whose erosion differs from side to side and line to line."""
_PLAIN, _MIRRORED = 0, 1
_UPRIGHT = ((RIGHT, _PLAIN), (BOTTOM, _MIRRORED), (LEFT, _MIRRORED), (TOP, _PLAIN))
_TURNED = tuple((side, view) for view in (_PLAIN, _MIRRORED) for side in range(4))


@dataclass(frozen=True)
class BoardKind:
    """Boards that are drawn together."""

    rows: int
    columns: int
    boards: int
    piece: int = PIECE
    """Pixels of a piece before it is brought to 64."""
    turned: bool = False
    weight: float = 1.0
    """How often this kind is drawn."""

    @property
    def needs(self) -> PhotoNeeds:
        """Photographs that hold such a board."""
        sides = sorted((self.rows * self.piece, self.columns * self.piece))
        return PhotoNeeds(sides[0], sides[1], (1.0, 0.71, 0.5))


# Every kind gives 2,880 views of sides a step, so that one compiled encoder serves all of them.
KINDS = (
    BoardKind(6, 8, 15, weight=3),
    BoardKind(12, 15, 4, weight=0.7),
    BoardKind(8, 9, 5, 50, turned=True),
    BoardKind(5, 8, 9, turned=True),
    BoardKind(8, 10, 9, 50),
    BoardKind(4, 5, 36, 96, weight=0.3),
    BoardKind(10, 12, 6, 40, weight=0.5),
    BoardKind(10, 12, 6, 28),
    BoardKind(12, 15, 4, 28),
)


@dataclass(frozen=True)
class Problems:
    """Q problems of n looking and n looked-at sides over V views of sides.

    views: float [V, 4, 64, 64].
    first, second: int64 [Q, n], the view of each looking and looked-at side.
    forbidden: bool [n, n], pairs of sides of one piece.
    seams: int64 [Q, M, 2] true pairs (looking, looked at).
    """

    views: Tensor
    first: Tensor
    second: Tensor
    forbidden: Tensor
    seams: Tensor


def fitting(store: PhotoStore, kind: BoardKind) -> Tensor:
    """List the photographs (int64 [P]) that hold a board of a kind."""
    photo = torch.arange(len(store), device=store.device)
    sizes = torch.stack(store.sizes(photo, torch.zeros_like(photo, dtype=torch.bool)))
    enough = (sizes.amin(0) >= kind.needs.short) & (sizes.amax(0) >= kind.needs.long)
    if not enough.any():
        raise InputError(
            f"No photograph holds a board of {kind.rows} x {kind.columns} pieces of {kind.piece} "
            "pixels; give larger ones."
        )
    return photo[enough]


def draw_pieces(store: PhotoStore, photos: Tensor, dice: Dice, kind: BoardKind) -> Tensor:
    """Draw whole pieces of boards, colours varied, blurred and compressed: [B, N, 3, p, p]."""
    chosen = photos[dice.below(torch.full((kind.boards,), len(photos), device=store.device))]
    height, width = kind.rows * kind.piece, kind.columns * kind.piece
    lying = store.is_portrait(chosen) != (height > width)
    full_height, full_width = store.sizes(chosen, lying)
    top, left = dice.below(full_height - height + 1), dice.below(full_width - width + 1)
    board = whole(store.windows(chosen, top, left, height, width, lying))
    board = mirror(mirror(board, dice.chance(0.5, kind.boards)), dice.chance(0.5, kind.boards), 2)
    board = recolour(degrade(board, dice), dice)
    cells = board.unflatten(3, (kind.columns, kind.piece)).unflatten(2, (kind.rows, kind.piece))
    return torch.as_tensor(cells.permute(0, 2, 4, 1, 3, 5).flatten(1, 2))


def wear(pieces: Tensor, dice: Dice) -> Tensor:
    """Wear pieces [B, N, 3, p, p], bring them to 64 pixels and add the mask: [B, N, 4, 64, 64]."""
    boards, count, _, size = pieces.shape[:4]
    weights = torch.tensor(EROSION_WEIGHTS, device=pieces.device)[: 10 * size // PIECE + 1]
    even = torch.multinomial(weights, boards, True, generator=dice.generator).float()
    noise = dice.normal(boards * count, 4, size // 8 + 2)
    noise = F.interpolate(noise, size=size, mode="linear").view(boards, count, 4, size)
    ragged = dice.chance(_RAGGED, boards).float()[:, None, None, None] * 1.5 * noise
    depth = (even[:, None, None, None] + ragged).round().clamp(min=0)  # [B, N, 4, p]
    place = torch.arange(size, device=pieces.device, dtype=torch.float32)
    left, right, top, bottom = depth.unbind(2)
    across = (place >= left[..., None]) & (place < size - right[..., None])  # rows by columns
    along = (place[:, None] >= top[..., None, :]) & (place[:, None] < size - bottom[..., None, :])
    return _canonical(pieces, (across & along).float()[:, :, None])


def _canonical(pieces: Tensor, known: Tensor) -> Tensor:
    """Do what `sherd.canonical` does, to [B, N, 3, p, p] and [B, N, 1, p, p]."""
    if pieces.shape[-1] != PIECE:
        matrix = torch.from_numpy(resampling_matrix(pieces.shape[-1], PIECE)).to(pieces.device)
        weight = matrix @ known @ matrix.T
        pieces = (matrix @ (pieces * known) @ matrix.T) / weight.clamp(min=1e-3)
        known = (weight > 0.5).float()
    return torch.cat([pieces.clamp(-1, 1) * known, known], 2)


def pose(pieces: Tensor, kind: BoardKind, anchors: int, dice: Dice) -> Problems:
    """Pose the problems of boards of pieces [B, N, 4, 64, 64] in reading order.

    Args:
        pieces: worn pieces.
        kind: of the boards.
        anchors: true seams in all, shared out evenly.
        dice: draws the seams.
    """
    boards, count = pieces.shape[:2]
    flat = pieces.flatten(0, 1)
    wanted = _TURNED if kind.turned else _UPRIGHT
    views = torch.cat([_seen(flat, side, view) for side, view in wanted])
    at = torch.arange(len(views), device=pieces.device).view(len(wanted), boards, count)
    half = len(wanted) // 2
    if kind.turned:  # one problem a board: all sides plain, looking at all sides mirrored
        first, second = (part.transpose(0, 1).flatten(1) for part in (at[:half], at[half:]))
    else:
        first, second = at[:half].flatten(0, 1), at[half:].flatten(0, 1)
    piece = torch.arange(first.shape[1], device=pieces.device) % count
    seams = _draw_seams(kind, len(first), anchors, dice)
    return Problems(views, first, second, piece[:, None] == piece, seams)


def _seen(pieces: Tensor, side: int, view: int) -> Tensor:
    """Turn pieces [M, 4, 64, 64] so that a side is at the right end, rows mirrored if asked."""
    turned = torch.rot90(pieces, side, (2, 3))
    return turned.flip(2) if view == _MIRRORED else turned


def grid_seams(rows: int, columns: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Pairs of pieces in reading order that are neighbours to the right, and below: [S, 2] each."""
    cells = torch.arange(rows * columns, device=device).view(rows, columns)
    right = torch.stack([cells[:, :-1].flatten(), cells[:, 1:].flatten()], 1)
    down = torch.stack([cells[:-1].flatten(), cells[1:].flatten()], 1)
    return right, down


def _draw_seams(kind: BoardKind, problems: int, anchors: int, dice: Dice) -> Tensor:
    """Draw true pairs of every problem: int64 [Q, M, 2]."""
    right, down = grid_seams(kind.rows, kind.columns, dice.device)
    if kind.turned:
        lists = [_both_ways(right, down, kind.rows * kind.columns)] * problems
    else:
        lists = [right] * (problems // 2) + [down] * (problems // 2)
    most = min(min(map(len, lists)), max(1, anchors // problems))
    return torch.stack([seams[dice.uniform(len(seams)).topk(most).indices] for seams in lists])


def _both_ways(right: Tensor, down: Tensor, count: int) -> Tensor:
    """Seams of a turned problem, each from both sides; side s of piece p is number s * N + p."""
    parts: list[Tensor] = []
    for seams, a, b in ((right, RIGHT, LEFT), (down, BOTTOM, TOP)):
        numbered = seams + torch.tensor([a * count, b * count], device=seams.device)
        parts += [numbered, numbered.flip(1)]
    return torch.cat(parts)

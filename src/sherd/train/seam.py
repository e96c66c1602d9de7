"""Training of the seam network: whole boards, every piece of a board against the true neighbour.

The embedding learns by a softmax over all sides of the same board, from both ends of a seam. The
joint head learns on the true pair among the hardest wrong ones, drawn by the embedding with Gumbel
noise: by a softmax over them, and pair by pair, so that its logits compare between sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sherd.train.evaluate import Board
from sherd.train.loop import CHUNK, Plan, Task, compiled, halved_precision, move_to, resolve_device
from sherd.train.networks import PIECE
from sherd.train.pairs import Dice, known_masks, whole
from sherd.train.photos import PhotoStore
from sherd.train.seam_boards import (
    KINDS,
    BoardKind,
    Problems,
    draw_pieces,
    fitting,
    grid_seams,
    pose,
    wear,
)
from sherd.train.seam_network import EncodedSides, SeamNetwork

__all__ = ["SeamConfig", "SeamTraining", "retrieval"]

_EMBEDDING_WEIGHT = 0.5
_CLIP = 2.0
_BETAS = (0.9, 0.98)
_WEIGHT_DECAY = 0.02
_NEVER = -1e4


@dataclass(frozen=True)
class SeamConfig:
    """How the seam network is trained.

    rate: learning rate at the start; it falls to zero.
    hard: wrong candidates of each seam that the joint head sees.
    anchors: seams a step.
    frozen_norms: keep the running statistics of the batch norms, for training that goes on.
    kinds: boards to draw.
    validation: boards to measure on.
    erosions: of the validation boards.
    """

    rate: float = 2e-3
    hard: int = 7
    anchors: int = 1080
    frozen_norms: bool = False
    kinds: tuple[BoardKind, ...] = KINDS
    validation: tuple[Board, ...] = ()
    erosions: tuple[int, ...] = (2, 4, 6, 8)


class SeamTraining(Task):
    """Train a seam network on boards cut from photographs."""

    metrics = ("embedding", "listwise", "binary", "top1_embedding", "top1_joint")

    def __init__(
        self, network: SeamNetwork, config: SeamConfig, store: PhotoStore, plan: Plan
    ) -> None:
        """Prepare to train `network`, fresh or trained before."""
        self.config, self.store = config, store
        self.device = resolve_device(plan.device)
        self.examples_per_batch = config.anchors
        self.network = network
        move_to(network, self.device)
        network.train(not config.frozen_norms)
        self.networks = {"seam": network}
        self.optimisers = [_optimiser(network, config.rate)]
        self._encode = compiled(network.encoder, plan.compiled)
        self._judge = compiled(network.joint, plan.compiled)
        self._photos = [fitting(store, kind) for kind in config.kinds]
        weights = [kind.weight for kind in config.kinds]
        self._weights = torch.tensor(weights, device=self.device)

    def settings(self) -> dict[str, object]:
        """What the weights depend on beside the photographs."""
        config = self.config
        return {"rate": config.rate, "hard": config.hard, "frozen_norms": config.frozen_norms}

    def batches(self, dice: Dice) -> Iterator[tuple[Tensor, ...]]:
        """Draw steps: each the fields of `Problems` and the numbers of its random choices."""
        for _ in range(CHUNK):
            number = int(torch.multinomial(self._weights, 1, generator=dice.generator))
            kind = self.config.kinds[number]
            pieces = draw_pieces(self.store, self._photos[number], dice, kind)
            problems = pose(wear(pieces, dice), kind, self.config.anchors, dice)
            problems_count, seams = problems.seams.shape[:2]
            coins = dice.uniform(2, problems_count, seams)
            noise = dice.gumbel(problems_count, seams, problems.first.shape[1])
            yield (*_fields(problems), coins, noise)

    def step(self, batch: tuple[Tensor, ...]) -> Tensor:
        """Take one step."""
        problems, coins, noise = Problems(*batch[:5]), batch[5], batch[6]
        with halved_precision(self.device):
            encoded = EncodedSides(*self._encode(problems.views))
        rows, columns = _embedding_logits(self.network, encoded, problems)
        looking, looked_at = problems.seams.unbind(2)
        embedding = _softmax_loss(rows, looked_at) + _softmax_loss(columns, looking)
        keep_first = coins[0] < 0.5
        hardness = torch.where(keep_first[..., None], rows, columns).detach() + noise
        first, second = self._pairs(problems, hardness, keep_first, coins[1] < 0.5)
        with halved_precision(self.device):
            # The joint head is to use the closeness, not to shape it.
            logits = self._judge(*(_gathered(encoded, part) for part in (first, second)))
        logits = logits.float().view(-1, self.config.hard + 1)
        true = F.one_hot(logits.new_zeros(len(logits)).long(), logits.shape[1]).float()
        listwise = F.cross_entropy(logits, true)
        binary = F.binary_cross_entropy_with_logits(logits, true)
        self._update(_EMBEDDING_WEIGHT * embedding + listwise + binary)
        top1 = (rows.argmax(2) == looked_at).float().mean()
        joint = (logits.argmax(1) == 0).float().mean()
        values = (embedding / 2, listwise, binary, top1, joint)
        return torch.stack([value.detach() for value in values])

    def _pairs(
        self, problems: Problems, hardness: Tensor, keep_first: Tensor, swapped: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Views of the pairs that the joint head sees, the true one first in each group."""
        looking, looked_at = problems.seams.unbind(2)
        true = torch.where(keep_first, looked_at, looking)
        chosen = hardness.scatter(2, true[..., None], 1e9).topk(self.config.hard + 1, 2).indices
        keep = keep_first[..., None]
        i = torch.where(keep, looking[..., None], chosen)
        j = torch.where(keep, chosen, looked_at[..., None])
        first = problems.first.gather(1, i.flatten(1)).view_as(i)
        second = problems.second.gather(1, j.flatten(1)).view_as(j)
        swap = swapped[..., None]
        one, other = torch.where(swap, second, first), torch.where(swap, first, second)
        return one.flatten(), other.flatten()

    def _update(self, loss: Tensor) -> None:
        (optimiser,) = self.optimisers
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        optimiser.step()

    @torch.no_grad()
    def evaluate(self, networks: Mapping[str, nn.Module]) -> dict[str, object]:
        """Top-1 retrieval of the joint head on the validation boards, for each erosion."""
        network = networks["seam"]
        assert isinstance(network, SeamNetwork)
        was_training = network.training
        network.eval()
        figures: dict[str, object] = {}
        for erosion in self.config.erosions if self.config.validation else ():
            shares = [retrieval(network, board, erosion) for board in self.config.validation]
            figures[f"top1_e{erosion}"] = round(sum(shares) / len(shares), 4)
        network.train(was_training)
        return figures

    @torch.no_grad()
    def pictures(self) -> Tensor:
        """Eight worn sides and their true partners, the same ones every time: [3, 512, 128]."""
        dice = Dice(self.device, 0)
        kind = self.config.kinds[0]
        pieces = wear(draw_pieces(self.store, self._photos[0], dice, kind), dice)
        problems = pose(pieces, kind, self.config.anchors, dice)
        looking, looked_at = problems.seams[0, :8].unbind(1)
        left = problems.views[problems.first[0, looking], :3]
        right = problems.views[problems.second[0, looked_at], :3].flip(3)
        return torch.cat([left, right], 3).permute(1, 0, 2, 3).flatten(1, 2)


def _fields(problems: Problems) -> tuple[Tensor, ...]:
    seen = (problems.views, problems.first, problems.second)
    return (*seen, problems.forbidden, problems.seams)


def _optimiser(network: SeamNetwork, rate: float) -> torch.optim.Optimizer:
    """AdamW; norms, biases and the temperature do not decay."""
    groups = [
        {"params": [p for p in network.parameters() if p.ndim > 1], "weight_decay": _WEIGHT_DECAY},
        {"params": [p for p in network.parameters() if p.ndim <= 1], "weight_decay": 0.0},
    ]
    fused = next(network.parameters()).device.type == "cuda"
    return torch.optim.AdamW(groups, lr=rate, betas=_BETAS, fused=fused)


def _embedding_logits(
    network: SeamNetwork, encoded: EncodedSides, problems: Problems
) -> tuple[Tensor, Tensor]:
    """Logits of each seam's looking side over all columns and the other way: two [Q, M, n]."""
    first, second = encoded.embedding[problems.first], encoded.embedding[problems.second]
    logits = network.log_scale.exp() * (first @ second.transpose(1, 2))
    logits = logits.masked_fill(problems.forbidden, _NEVER)
    problem = torch.arange(len(logits), device=logits.device)[:, None]
    looking, looked_at = problems.seams.unbind(2)
    return logits[problem, looking], logits.transpose(1, 2)[problem, looked_at]


def _softmax_loss(logits: Tensor, true: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), true.flatten())


def _gathered(encoded: EncodedSides, views: Tensor) -> EncodedSides:
    """The encoded views [P], without a gradient through the embedding."""
    features, embedding, context = encoded
    return EncodedSides(features[views], embedding.detach()[views], context[views])


def retrieval(network: SeamNetwork, board: Board, erosion: int, shortlist: int = 8) -> float:
    """Share of the sides whose true partner the joint head puts first of the shortlist."""
    device = next(network.parameters()).device
    known = known_masks(device)[erosion][:, :, :PIECE]  # [1, 64, 64]
    pieces = whole(board.pieces.to(device)) * known
    worn = torch.cat([pieces, known.expand(len(pieces), -1, -1, -1)], 1)[None]
    problems = pose(worn, BoardKind(board.rows, board.columns, 1), 2, Dice(device, 0))
    hits: list[Tensor] = []
    with halved_precision(device):
        encoded = EncodedSides(*network.encoder(problems.views))
        for number, seams in enumerate(grid_seams(board.rows, board.columns, device)):
            first, second = problems.first[number], problems.second[number]
            close = encoded.embedding[first] @ encoded.embedding[second].T
            close = close.masked_fill(problems.forbidden, _NEVER)
            for looking_first in (True, False):
                sides, true = seams.unbind(1) if looking_first else seams.flip(1).unbind(1)
                rows = (close if looking_first else close.T)[sides]
                best = rows.topk(min(shortlist, len(close)), 1).indices  # [S, k]
                sides = sides[:, None].expand_as(best)
                i, j = (sides, best) if looking_first else (best, sides)
                pairs = (_gathered(encoded, view.flatten()) for view in (first[i], second[j]))
                logits = network.joint(*pairs).view_as(best)
                hits.append(best.gather(1, logits.argmax(1, keepdim=True))[:, 0] == true)
    return float(torch.cat(hits).float().mean())

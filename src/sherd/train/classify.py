"""Stage 2: the discriminator goes on learning, now to tell true neighbours from false ones."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sherd.train.boards import BoardConfig, draw_candidates
from sherd.train.evaluate import Board, Scorer, measure_boards
from sherd.train.inpaint import GENERATOR_RATE, L1_WEIGHT, adam, gap_l1, sample_strip
from sherd.train.loop import (
    CHUNK,
    Plan,
    Task,
    compiled,
    halved_precision,
    load_state,
    move_to,
    resolve_device,
)
from sherd.train.networks import Judge, ModelConfig, discriminator_view, log_odds_and_cost
from sherd.train.pairs import Dice, draw_seams, erase, known_masks
from sherd.train.photos import PhotoStore

__all__ = ["Classification", "ClassifyConfig", "load_judge"]


@dataclass(frozen=True)
class ClassifyConfig:
    """What the second stage trains on; the defaults are the paper's."""

    rate: float = 2e-4
    boards: BoardConfig | None = None
    """With boards: hard candidates from whole puzzles and a ranking loss beside the paper's."""
    tune_generator: bool = False
    """Whether the generator goes on learning too, its L1 loss kept."""
    generator_rate: float = GENERATOR_RATE / 2
    validation: tuple[Board, ...] = field(default=(), repr=False)
    """Puzzles to measure on while training."""
    erosions: tuple[int, ...] = (2, 4)


class Classification(Task):
    """Trains the discriminator on filled pairs of true and false neighbours."""

    metrics = ("loss", "cross_entropy", "ranking", "l1", "positive", "negative", "first")

    def __init__(self, judge: Judge, config: ClassifyConfig, store: PhotoStore, plan: Plan) -> None:
        """Go on from the weights in `judge`."""
        self.judge, self.config, self.store, self.plan = judge, config, store, plan
        self.device = resolve_device(plan.device)
        self.model = judge.config
        judge.generator.requires_grad_(config.tune_generator)
        self.networks = {"generator": judge.generator, "discriminator": judge.discriminator}
        self.optimisers = [adam(judge.discriminator, config.rate)]
        if config.tune_generator:
            self.optimisers.append(adam(judge.generator, config.generator_rate))
        boards = config.boards
        pairs = boards.boards * boards.anchors * boards.group if boards else 2 * plan.batch
        self.examples_per_batch = pairs
        self.group = boards.group if boards else 2
        self._fill = compiled(judge.generator, plan.compiled)
        self._judge = compiled(judge.discriminator, plan.compiled)
        self._scorer = Scorer(copy.deepcopy(judge).requires_grad_(False), plan.compiled)
        self._masks = known_masks(self.device)

    def settings(self) -> dict[str, object]:
        """The model's configuration."""
        return dict(vars(self.model))

    def batches(self, dice: Dice) -> Iterator[tuple[Tensor, ...]]:
        """Draw batches of originals [M, 3, 64, 128] and masks; the first of a group is true."""
        for _ in range(CHUNK):
            if self.config.boards:
                drawn = draw_candidates(self.store, dice, self.config.boards, self.model.erosion)
                yield drawn.original, drawn.known
            else:
                seams = draw_seams(self.store, dice, self.plan.batch)
                both = torch.stack([seams.positive, seams.negative], 1).flatten(0, 1)
                yield both, self._masks[self.model.erosion].expand(len(both), -1, -1, -1)

    def step(self, batch: tuple[Tensor, ...]) -> Tensor:
        """One step: cross-entropy of pairs, with boards also of the ranking within groups."""
        original, known = batch
        logits, filled = self._pass(original, known)
        maps = logits.unflatten(0, (-1, self.group))  # [S, K, 1, h, w]
        entropy = (F.softplus(-maps[:, 0]).mean() + F.softplus(maps[:, 1:]).mean()) / 2
        odds, cost = log_odds_and_cost(logits, self.model.average)
        odds = odds.view(-1, self.group)
        ranking = F.cross_entropy(odds, torch.zeros_like(odds[:, 0], dtype=torch.long))
        truth = slice(None, None, self.group)
        l1 = gap_l1(filled[truth], original[truth], known[truth])
        loss = entropy + (ranking if self.config.boards else 0.0)
        self._descend(loss + L1_WEIGHT / 10 * l1 if self.config.tune_generator else loss)
        with torch.no_grad():
            chance = torch.exp(-cost).view(-1, self.group)
            first = (odds.argmax(1) == 0).float().mean()
            values = [loss, entropy, ranking, l1, chance[:, 0].mean(), chance[:, 1:].mean(), first]
            return torch.stack([value.detach() for value in values])

    def _pass(self, original: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
        """Fill and judge pairs: float logits [M, 1, h, w] and filled pairs [M, 3, 64, 128]."""
        pixels = erase(original, known, self.model.fill)
        with halved_precision(self.device):
            with torch.set_grad_enabled(self.config.tune_generator):
                filled = self._fill(pixels, known)
            logits = self._judge(discriminator_view(filled, known, self.model.erosion))
        return logits.float(), filled

    def _descend(self, loss: Tensor) -> None:
        """Step down the gradient of `loss`."""
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()

    @torch.no_grad()
    def pictures(self) -> Tensor:
        """Eight pairs, one above the other: input, filled, original."""
        return sample_strip(self.judge.generator, self.model, self.store, self._masks)

    def evaluate(self, networks: Mapping[str, nn.Module]) -> dict[str, object]:
        """Share of true neighbours ranked first on the validation puzzles, per erosion."""
        if not self.config.validation:
            return {}
        for name, network in networks.items():
            self._scorer.judge.get_submodule(name).load_state_dict(network.state_dict())
        erosions = (self.model.erosion,) if self.model.erosion else self.config.erosions
        found = measure_boards(self._scorer, self.config.validation, erosions)
        return {f"top1_e{erosion}": round(value, 4) for erosion, value in found.items()}


def load_judge(path: Path, device: torch.device, average: str | None = None) -> Judge:
    """Read weights written by either stage; `average` overrides how patches are averaged."""
    state = load_state(path, device)
    model = ModelConfig(**state["settings"])
    judge = Judge(replace(model, average=average) if average else model)
    judge.generator.load_state_dict(state["networks"]["generator"])
    judge.discriminator.load_state_dict(state["networks"]["discriminator"])
    move_to(judge, device)
    return judge

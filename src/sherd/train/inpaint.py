"""Stage 1: a generator learns to fill the gap between neighbours, a discriminator to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sherd.train.loop import CHUNK, Plan, Task, compiled, halved_precision, move_to, resolve_device
from sherd.train.networks import (
    Discriminator,
    Generator,
    ModelConfig,
    discriminator_view,
    hole_of,
    initialise,
)
from sherd.train.pairs import (
    Dice,
    draw_erosions,
    draw_seams,
    erase,
    known_masks,
    mirror,
    recolour,
)
from sherd.train.photos import PhotoStore

__all__ = [
    "BETAS",
    "GENERATOR_RATE",
    "L1_WEIGHT",
    "InpaintConfig",
    "Inpainting",
    "adam",
    "fresh_networks",
    "gap_l1",
    "sample_strip",
]

GENERATOR_RATE = 2e-4
BETAS = (0.5, 0.999)
L1_WEIGHT = 100.0


@dataclass(frozen=True)
class InpaintConfig:
    """What the first stage weighs; the defaults are the paper's."""

    adversarial: float = 1.0
    """Weight of the adversarial loss beside 100 x L1."""
    generator_rate: float = GENERATOR_RATE
    discriminator_rate: float = 1e-4


class Inpainting(Task):
    """The paper's first stage; with mixed erosions also turns and varies the colours."""

    metrics = ("discriminator", "adversarial", "l1")

    def __init__(
        self,
        model: ModelConfig,
        store: PhotoStore,
        plan: Plan,
        config: InpaintConfig = InpaintConfig(),
    ) -> None:
        """Build fresh networks for `model`."""
        self.model, self.store, self.config = model, store, config
        self.device = resolve_device(plan.device)
        self.examples_per_batch = plan.batch
        self.generator, self.discriminator = fresh_networks(model, plan.seed, self.device)
        self.networks = {"generator": self.generator, "discriminator": self.discriminator}
        self._g_optimiser = adam(self.generator, config.generator_rate)
        self._d_optimiser = adam(self.discriminator, config.discriminator_rate)
        self.optimisers = [self._g_optimiser, self._d_optimiser]
        self._fill = compiled(self.generator, plan.compiled)
        self._judge = compiled(self.discriminator, plan.compiled)
        self._masks = known_masks(self.device)

    def settings(self) -> dict[str, object]:
        """The model's configuration."""
        return asdict(self.model)

    def begin_with(self, networks: Mapping[str, Mapping[str, Tensor]]) -> None:
        """Take over weights of both networks; the optimisers start afresh."""
        for name, state in networks.items():
            self.networks[name].load_state_dict(state)

    def batches(self, dice: Dice) -> Iterator[tuple[Tensor, ...]]:
        """Draw batches of originals [B, 3, 64, 128] and masks [B, 1, 64, 128]."""
        count = CHUNK * self.examples_per_batch
        original = draw_seams(self.store, dice, count, with_negatives=False).positive
        if self.model.erosion:
            known = self._masks[self.model.erosion].expand(count, -1, -1, -1)
        else:
            original = recolour(mirror(original, dice.chance(0.5, count), 2), dice)
            known = self._masks[draw_erosions(dice, count)]
        size = self.examples_per_batch
        return iter(list(zip(original.split(size), known.split(size), strict=True)))

    def step(self, batch: tuple[Tensor, ...]) -> Tensor:
        """One step of the discriminator, then one of the generator."""
        original, known = batch
        with halved_precision(self.device):
            filled = self._fill(erase(original, known, self.model.fill), known)
        d_loss = self._train_discriminator(original, filled.detach(), known)
        self.discriminator.requires_grad_(False)
        logits = self._logits(filled, known)
        self.discriminator.requires_grad_(True)
        adversarial = F.binary_cross_entropy_with_logits(logits, torch.ones_like(logits))
        l1 = gap_l1(filled, original, known)
        self._g_optimiser.zero_grad(set_to_none=True)
        (self.config.adversarial * adversarial + L1_WEIGHT * l1).backward()
        self._g_optimiser.step()
        return torch.stack([d_loss, adversarial.detach(), l1.detach()])

    def _train_discriminator(self, original: Tensor, filled: Tensor, known: Tensor) -> Tensor:
        """Step towards calling originals real (1) and filled pairs generated (0)."""
        # One pass over both: samples are normalised one by one, so they do not interact.
        logits = self._logits(torch.cat([original, filled]), torch.cat([known, known]))
        labels = torch.zeros_like(logits)
        labels[: len(original)] = 1
        loss = F.binary_cross_entropy_with_logits(logits, labels)
        self._d_optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self._d_optimiser.step()
        return loss.detach()

    def _logits(self, picture: Tensor, known: Tensor) -> Tensor:
        """The discriminator's map for pairs, in single precision."""
        with halved_precision(self.device):
            logits: Tensor = self._judge(discriminator_view(picture, known, self.model.erosion))
        return logits.float()

    @torch.no_grad()
    def pictures(self) -> Tensor:
        """Eight pairs, one above the other: input, filled, original."""
        return sample_strip(self.generator, self.model, self.store, self._masks)


def fresh_networks(
    model: ModelConfig, seed: int, device: torch.device
) -> tuple[Generator, Discriminator]:
    """Networks with initial weights that depend on `seed` alone."""
    random = torch.Generator().manual_seed(seed)
    generator = Generator(model.width, model.most, model.mask_channel, model.residual)
    discriminator = Discriminator(model.discriminator_width)
    for network in (generator, discriminator):
        initialise(network, random)
    if model.residual:
        generator.begin_with_lines()
    for network in (generator, discriminator):
        move_to(network, device)
    return generator, discriminator


def adam(network: nn.Module, rate: float) -> torch.optim.Adam:
    """The paper's optimiser, in one kernel on CUDA."""
    fused = next(network.parameters()).device.type == "cuda"
    return torch.optim.Adam(network.parameters(), rate, BETAS, fused=fused)


def gap_l1(filled: Tensor, original: Tensor, known: Tensor) -> Tensor:
    """Mean absolute difference over the gaps; all arguments [B, C, 64, 128], result a scalar."""
    hole = hole_of(known)
    return ((filled - original).abs() * hole).sum() / (3 * hole.sum())


@torch.no_grad()
def sample_strip(
    generator: Generator, model: ModelConfig, store: PhotoStore, masks: Tensor
) -> Tensor:
    """Fill eight pairs, the same ones every time: [3, 8 * 64, 3 * 128] in [-1, 1]."""
    dice = Dice(store.device, 0)
    original = draw_seams(store, dice, 8, with_negatives=False).positive
    spread = torch.arange(1, 9, device=store.device)
    known = masks[torch.full_like(spread, model.erosion) if model.erosion else spread]
    pixels = erase(original, known, model.fill)
    rows = torch.cat([pixels, generator(pixels, known), original], 3)
    return rows.permute(1, 0, 2, 3).flatten(1, 2)

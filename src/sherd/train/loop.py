"""What both training stages share: the clock, the log, checkpoints, averaged weights."""

from __future__ import annotations

import copy
import json
import pickle
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from torch import Tensor, nn

from sherd.errors import DeviceError, InputError, OptionError, OutputError, WeightsError
from sherd.train.pairs import Dice

__all__ = [
    "CHUNK",
    "FORMAT",
    "Listener",
    "Plan",
    "Task",
    "Training",
    "compiled",
    "halved_precision",
    "load_state",
    "move_to",
    "resolve_device",
    "save_weights",
]

Listener = Callable[[dict[str, object]], None]
"""Receives one record per event: what is also written to `log.jsonl`."""

FORMAT = "sherd-training-1"
CHUNK = 8
"""Batches drawn at a time; time limits and checkpoints are looked at between chunks."""


@dataclass(frozen=True)
class Plan:
    """How long and with what to train; whichever of the two limits comes first ends it."""

    seconds: float = 1e9
    examples: int = 48 * 45_000
    batch: int = 64
    decay: bool = False
    """Learning rates fall linearly to zero over the limits; else they are constant."""
    average: float = 0.0
    """Decay of the averaged weights per step; 0: none are kept."""
    seed: int = 1
    device: str = "auto"
    compiled: bool = True
    checkpoint_every: float = 60.0
    log_every: int = 25
    """Chunks between two lines of the log."""
    evaluate_every: float = 1e9


def resolve_device(name: str) -> torch.device:
    """Turn `auto`, `cpu` or `cuda` into a device; `cuda` without one is an error."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cpu", "cuda"):
        raise OptionError(f"There is no device {name!r}; choose one of auto, cpu, cuda.")
    if name == "cuda" and not torch.cuda.is_available():
        raise DeviceError("PyTorch finds no CUDA on this machine; use --device cpu.")
    device = torch.device(name)
    if device.type == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
    return device


def halved_precision(device: torch.device) -> torch.autocast:
    """Automatic bfloat16 where it is faster: on CUDA only."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


def move_to(network: nn.Module, device: torch.device) -> None:
    """Move a network to `device`, its weights laid out as that device's convolutions want them."""
    network.to(device)
    if device.type == "cuda":
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def compiled(network: nn.Module, wanted: bool) -> Callable[..., Any]:
    """Compile `network` for fixed shapes if `wanted`; what cannot be compiled raises."""
    if not wanted:
        return network
    import torch._dynamo  # costs a second that runs without compilation need not pay

    torch._dynamo.config.recompile_limit = 64
    function: Callable[..., Any] = torch.compile(network, dynamic=False, fullgraph=True)
    return function


class Task(ABC):
    """One training stage: networks, optimisers and what one step does."""

    metrics: tuple[str, ...]
    networks: dict[str, nn.Module]
    optimisers: list[torch.optim.Optimizer]
    examples_per_batch: int

    @abstractmethod
    def batches(self, dice: Dice) -> Iterable[tuple[Tensor, ...]]:
        """Draw one chunk of batches."""

    @abstractmethod
    def step(self, batch: tuple[Tensor, ...]) -> Tensor:
        """Take one step and return its metrics, float [len(metrics)], still on the device."""

    @abstractmethod
    def pictures(self) -> Tensor:
        """Sample pictures [3, H, W] in [-1, 1]: input, filled and original side by side."""

    @abstractmethod
    def settings(self) -> dict[str, object]:
        """Settings that belong to the weights."""

    def evaluate(self, networks: Mapping[str, nn.Module]) -> dict[str, object]:
        """Measure (averaged) networks on validation pictures; nothing by default."""
        return {}


class Training:
    """Runs a task until its plan is fulfilled, keeping everything needed to go on later."""

    def __init__(self, task: Task, plan: Plan, folder: Path, on: Listener) -> None:
        """Write into `folder`; report every event to `on`."""
        self.task, self.plan, self.folder, self._on = task, plan, folder, on
        self.device = resolve_device(plan.device)
        self.dice = Dice(self.device, plan.seed)
        self.steps = 0
        self.elapsed = 0.0
        self.averaged = copy.deepcopy(task.networks) if plan.average else task.networks
        self._first_rates = [group["lr"] for group in self._groups()]
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def examples(self) -> int:
        """Examples seen so far."""
        return self.steps * self.task.examples_per_batch

    @property
    def progress(self) -> float:
        """Fraction of the plan fulfilled, 0..1."""
        return min(1.0, max(self.examples / self.plan.examples, self.elapsed / self.plan.seconds))

    def run(self) -> None:
        """Train; afterwards `weights-half.pt` and a last checkpoint are in the folder."""
        plan, before, started = self.plan, self.elapsed, time.monotonic()
        last_saved = last_evaluated = started
        while self.progress < 1:
            self._set_rates()
            for batch in self.task.batches(self.dice):
                values = self.task.step(batch)
                self.steps += 1
                self._update_averages()
            now = time.monotonic()
            self.elapsed = before + now - started
            if self.steps // CHUNK % plan.log_every == 1 or plan.log_every == 1:
                self._log_step(values)
            if now - last_saved > plan.checkpoint_every:
                self.save()
                last_saved = now
            if now - last_evaluated > plan.evaluate_every:
                self.report("validation", **self.task.evaluate(self.averaged))
                last_evaluated = time.monotonic()
        self.save()
        self.report("trained", examples=self.examples, seconds=round(self.elapsed, 1))

    def report(self, event: str, **values: object) -> None:
        """Append a record to the log and pass it on."""
        record: dict[str, object] = {"event": event, "step": self.steps, **values}
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(record) + "\n")
        self._on(record)

    def save(self) -> None:
        """Write checkpoint, half-precision weights and sample pictures, each by atomic rename."""
        state = {
            "format": FORMAT,
            "networks": {name: net.state_dict() for name, net in self.task.networks.items()},
            "averaged": {name: net.state_dict() for name, net in self.averaged.items()},
            "optimisers": [optimiser.state_dict() for optimiser in self.task.optimisers],
            "random": self.dice.generator.get_state(),
            "steps": self.steps,
            "elapsed": self.elapsed,
        }
        _save_whole(state, self.folder / "checkpoint.pt")
        save_weights(self.folder / "weights-half.pt", self.averaged, self.task.settings())
        strip = ((self.task.pictures().clamp(-1, 1) + 1) * 127.5).round().byte()
        samples = Image.fromarray(strip.permute(1, 2, 0).cpu().numpy())
        with _whole(self.folder / "samples.png") as partial:
            samples.save(partial, "PNG")

    def resume(self) -> None:
        """Go on from the folder's checkpoint; the same pictures and plan are assumed."""
        state = load_state(self.folder / "checkpoint.pt", self.device)
        for name, network in self.task.networks.items():
            network.load_state_dict(state["networks"][name])
            self.averaged[name].load_state_dict(state["averaged"][name])
        for optimiser, saved in zip(self.task.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(saved)
        self.dice.generator.set_state(state["random"].cpu())
        self.steps, self.elapsed = state["steps"], state["elapsed"]

    def _groups(self) -> list[dict[str, Any]]:
        """All parameter groups of all optimisers."""
        return [group for optimiser in self.task.optimisers for group in optimiser.param_groups]

    def _set_rates(self) -> None:
        """Lower the learning rates as the plan says."""
        factor = 1 - self.progress if self.plan.decay else 1.0
        for group, first in zip(self._groups(), self._first_rates, strict=True):
            group["lr"] = first * factor

    @torch.no_grad()
    def _update_averages(self) -> None:
        """Let the averaged weights follow; early in training faster, to forget the start."""
        if not self.plan.average:
            return
        decay = min(self.plan.average, (1 + self.steps) / (10 + self.steps))
        for name, network in self.task.networks.items():
            slow: list[Tensor] = list(self.averaged[name].parameters())
            fast: list[Tensor] = list(network.parameters())
            torch._foreach_lerp_(slow, fast, 1 - decay)
            # Running statistics of norms belong to the weights; counters are copied.
            for kept, new in zip(self.averaged[name].buffers(), network.buffers(), strict=True):
                kept.lerp_(new, 1 - decay) if kept.is_floating_point() else kept.copy_(new)

    def _log_step(self, values: Tensor) -> None:
        """Report the last step's metrics; waits for the device."""
        named = dict(zip(self.task.metrics, values.tolist(), strict=True))
        rounded = {name: round(value, 5) for name, value in named.items()}
        rate = self.examples / max(self.elapsed, 1e-9)
        numbers = {
            "seconds": round(self.elapsed, 1),
            "per_second": round(rate, 1),
            "progress": round(self.progress, 5),
        }
        self.report("step", examples=self.examples, **numbers, **rounded)


def save_weights(
    path: Path, networks: Mapping[str, nn.Module], settings: Mapping[str, object]
) -> None:
    """Write the networks' parameters in half precision, with the settings they belong to."""
    half = {
        name: {key: value.half().cpu() for key, value in network.state_dict().items()}
        for name, network in networks.items()
    }
    _save_whole({"format": FORMAT, "settings": dict(settings), "networks": half}, path)


def load_state(path: Path, device: torch.device) -> dict[str, Any]:
    """Read a checkpoint or weights file of this version."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the name.")
    try:
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except (OSError, EOFError, RuntimeError, pickle.UnpicklingError) as error:
        reason = str(error).partition("\n")[0]
        raise WeightsError(
            f"{path}: not a whole file of weights ({reason}); train again."
        ) from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise WeightsError(
            f"{path}: not weights of this version ({FORMAT}); train again, or use the version of "
            "sherd that wrote them."
        )
    return state


def _save_whole(state: dict[str, Any], path: Path) -> None:
    with _whole(path) as partial:
        torch.save(state, partial)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Give a name to write to; a kill at any moment leaves the old `path` or the new, no part."""
    partial = path.with_suffix(".part")
    try:
        yield partial
        partial.replace(path)
    except (OSError, RuntimeError) as error:  # PyTorch reports a full disk as a RuntimeError
        partial.unlink(missing_ok=True)
        reason = str(error).partition("\n")[0]
        raise OutputError(
            f"{path}: cannot be written ({reason}); make room there and go on with --resume."
        ) from error

"""Whole training runs, from photographs to weights and figures in a folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sherd.errors import OutputError, WeightsError
from sherd.train.classify import Classification, ClassifyConfig, load_judge
from sherd.train.curve import draw_curves
from sherd.train.evaluate import evaluate_model, read_boards
from sherd.train.inpaint import InpaintConfig, Inpainting
from sherd.train.loop import Listener, Plan, Task, Training, load_state, resolve_device
from sherd.train.networks import ModelConfig
from sherd.train.photos import PhotoNeeds, PhotoStore, load_photos, wait_for

__all__ = [
    "EROSIONS",
    "SHIPPED_INPAINTING",
    "Sources",
    "classify",
    "evaluate",
    "inpaint",
    "paper_model",
    "shipped_model",
]

EROSIONS = (2, 4)
"""Erosions that a model for every erosion is measured at."""

SHIPPED_INPAINTING = InpaintConfig(adversarial=0.1, discriminator_rate=2e-5)
"""Stage 1 of our recipe: a discriminator that wins early must not drive the generator."""

_SCALES = (1.0, 0.71, 0.5)


@dataclass(frozen=True)
class Sources:
    """Where pictures come from and where results go."""

    photos: tuple[Path, ...]
    """Folders and zip files of photographs to train on."""
    out: Path
    validation: tuple[Path, ...] = ()
    """Folders of pictures to measure on as puzzles."""
    part: str = "all"
    """Train on `all` photographs, or on the `first` or `second` of two disjoint halves."""
    wait: float = 0
    """Seconds to wait for photographs that are still on their way."""
    resume: bool = False
    command: str = ""
    """What was typed, for the log and the pedigree."""


def paper_model(
    erosion: int, width: int = 64, most: int = 8, discriminator_width: int | None = None
) -> ModelConfig:
    """The paper's networks for one erosion."""
    return ModelConfig(width, most, discriminator_width or width, erosion=erosion)


def shipped_model(width: int = 32, most: int = 4, discriminator_width: int = 64) -> ModelConfig:
    """Our networks for every erosion: a mask tells what is lost, straight lines are added to."""
    return ModelConfig(
        width, most, discriminator_width, mask_channel=True, average="logits", residual=True
    )


def inpaint(
    model: ModelConfig,
    config: InpaintConfig,
    plan: Plan,
    sources: Sources,
    on: Listener,
    start: Path | None = None,
) -> None:
    """Stage 1: train a generator and a discriminator to fill gaps, on from weights `start`."""
    _check_folder(sources)
    state = load_state(start, resolve_device(plan.device)) if start else None
    if state and ModelConfig(**state["settings"]) != model:
        raise WeightsError(
            f"{start}: weights of another model ({state['settings']}); give the options that it "
            "was trained with, or begin without --start."
        )
    store = _photos(sources, PhotoNeeds(scales=(1.0,) if model.erosion else _SCALES), plan, on)
    task = Inpainting(model, store, plan, config)
    if state:
        task.begin_with(state["networks"])
    _train(task, plan, sources, on)
    _measure(model, plan, sources, on)


def classify(
    start: Path, config: ClassifyConfig, plan: Plan, sources: Sources, on: Listener, most: int = 2
) -> None:
    """Stage 2: train the discriminator of weights `start` to tell neighbours.

    The first `most` pictures of each validation folder are measured on while it trains.
    """
    _check_folder(sources)
    judge = load_judge(start, resolve_device(plan.device))
    config = replace(config, validation=read_boards(sources.validation, most))
    needs = config.boards.needs if config.boards else PhotoNeeds()
    store = _photos(sources, needs, plan, on)
    _train(Classification(judge, config, store, plan), plan, sources, on)
    _measure(judge.config, plan, sources, on)


def evaluate(
    weights: Path,
    validation: Sequence[Path],
    out: Path,
    erosions: Sequence[int],
    plan: Plan,
    on: Listener,
) -> None:
    """Measure weights on pictures cut into puzzles; writes figures.json and tables.npz."""
    judge = load_judge(weights, resolve_device(plan.device))
    boards = read_boards(validation)
    out.mkdir(parents=True, exist_ok=True)
    figures = evaluate_model(judge, boards, erosions, plan.compiled, out / "tables.npz")
    (out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    on({"event": "figures", **figures})


def _check_folder(sources: Sources) -> None:
    if (sources.out / "checkpoint.pt").exists() and not sources.resume:
        raise OutputError(
            f"{sources.out}: holds a training run; go on with it by --resume, or give another -o."
        )


def _photos(sources: Sources, needs: PhotoNeeds, plan: Plan, on: Listener) -> PhotoStore:
    """Read the photographs, once they are there."""
    places = wait_for(sources.photos, sources.wait)
    store = load_photos(places, replace(needs, part=sources.part), resolve_device(plan.device))
    on({"event": "photos", "kept": len(store), "dropped": store.dropped})
    return store


def _train(task: Task, plan: Plan, sources: Sources, on: Listener) -> None:
    """Run a task, from its checkpoint if asked and there is one."""
    training = Training(task, plan, sources.out, on)
    if sources.resume and (sources.out / "checkpoint.pt").exists():
        training.resume()
    device = str(training.device)
    training.report("start", command=sources.command, settings=task.settings(), device=device)
    training.run()
    draw_curves(sources.out / "log.jsonl", sources.out / "curve.svg")


def _measure(model: ModelConfig, plan: Plan, sources: Sources, on: Listener) -> None:
    """Measure what was trained, if there are pictures to measure on."""
    if sources.validation:
        erosions = (model.erosion,) if model.erosion else EROSIONS
        weights = sources.out / "weights-half.pt"
        evaluate(weights, sources.validation, sources.out, erosions, plan, on)

"""Run a training stage: `python -m sherd.train inpaint|classify|evaluate ...`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from sherd.train.boards import BoardConfig
from sherd.train.classify import Classification, ClassifyConfig, load_judge
from sherd.train.evaluate import evaluate_model, read_boards
from sherd.train.inpaint import Inpainting
from sherd.train.loop import Plan, Task, Training, resolve_device
from sherd.train.networks import ModelConfig
from sherd.train.photos import PhotoNeeds, PhotoStore, load_photos, wait_for


def main() -> None:
    """Parse the command line and run one stage."""
    parser = argparse.ArgumentParser(prog="sherd.train")
    stages = parser.add_subparsers(dest="stage", required=True)
    inpaint = stages.add_parser("inpaint", help="stage 1: fill gaps")
    _add_training_options(inpaint)
    inpaint.add_argument("--recipe", choices=("paper", "shipped"), default="paper")
    inpaint.add_argument("--erosion", type=int, default=2, help="of the paper recipe")
    inpaint.add_argument("--width", type=int, default=64)
    inpaint.add_argument("--discriminator-width", type=int)
    inpaint.add_argument("--most", type=int, default=8)
    classify = stages.add_parser("classify", help="stage 2: tell neighbours")
    _add_training_options(classify)
    classify.add_argument("--recipe", choices=("paper", "shipped"), default="paper")
    classify.add_argument("--start", type=Path, required=True, help="weights of stage 1")
    classify.add_argument("--rate", type=float, default=2e-4)
    classify.add_argument("--tune-generator", action="store_true")
    classify.add_argument("--boards", type=int, default=BoardConfig.boards)
    classify.add_argument("--anchors", type=int, default=BoardConfig.anchors)
    classify.add_argument("--hard", type=int, default=BoardConfig.hard)
    classify.add_argument("--easy", type=int, default=BoardConfig.easy)
    classify.add_argument("--validate-most", type=int, default=2)
    evaluate = stages.add_parser("evaluate", help="measure on puzzles")
    _add_common_options(evaluate)
    evaluate.add_argument("--start", type=Path, required=True)
    evaluate.add_argument("--erosions", type=int, nargs="+", default=[2, 4])
    evaluate.add_argument("--validate-most", type=int, default=10**6)
    options = parser.parse_args()
    {"inpaint": _inpaint, "classify": _classify, "evaluate": _evaluate}[options.stage](options)


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    """Options of every command."""
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--validation", type=Path, nargs="*", default=[])


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    """Options of both training stages."""
    _add_common_options(parser)
    parser.add_argument("--photos", type=Path, nargs="+", required=True)
    parser.add_argument("--wait", type=float, default=0, help="seconds for photos to appear")
    parser.add_argument("--part", choices=("all", "first", "second"), default="all")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--examples", type=int, default=48 * 45_000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--average", type=float, help="decay of averaged weights")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--evaluate-every", type=float, default=1e9)
    parser.add_argument("--log-every", type=int, default=25)


def _plan(options: argparse.Namespace) -> Plan:
    """The plan that the options describe; our recipe averages weights and lowers its rates."""
    shipped = options.recipe == "shipped"
    average = options.average if options.average is not None else 0.999 * shipped
    return Plan(
        seconds=options.seconds,
        examples=options.examples,
        batch=options.batch,
        decay=shipped,
        average=average,
        seed=options.seed,
        device=options.device,
        compiled=not options.no_compile,
        evaluate_every=options.evaluate_every,
        log_every=options.log_every,
    )


def _photos(options: argparse.Namespace, needs: PhotoNeeds) -> PhotoStore:
    """The photographs that the options name, once they are there."""
    sources = wait_for(options.photos, options.wait)
    device = resolve_device(options.device)
    store = load_photos(sources, replace(needs, part=options.part), device)
    _say({"event": "photos", "kept": len(store), "dropped": store.dropped})
    return store


def _say(record: dict[str, object]) -> None:
    """Show a record on the terminal."""
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _train(task: Task, plan: Plan, options: argparse.Namespace) -> None:
    """Run `task`, from its checkpoint if asked and there is one."""
    training = Training(task, plan, options.out, _say)
    if options.resume and (options.out / "checkpoint.pt").exists():
        training.resume()
    training.report("start", settings=task.settings(), device=str(training.device))
    training.run()


def _inpaint(options: argparse.Namespace) -> None:
    """Stage 1."""
    shipped = options.recipe == "shipped"
    model = ModelConfig(
        width=options.width,
        most=options.most,
        discriminator_width=options.discriminator_width or options.width,
        mask_channel=shipped,
        erosion=0 if shipped else options.erosion,
        average="logits" if shipped else "probabilities",
    )
    plan = _plan(options)
    needs = PhotoNeeds(scales=(1.0, 0.71, 0.5) if shipped else (1.0,))
    store = _photos(options, needs)
    _train(Inpainting(model, store, plan), plan, options)
    _evaluate_end(options, (model.erosion,) if model.erosion else (2, 4))


def _classify(options: argparse.Namespace) -> None:
    """Stage 2."""
    plan = _plan(options)
    device = resolve_device(options.device)
    numbers = (options.boards, options.anchors, options.hard, options.easy)
    names = ("boards", "anchors", "hard", "easy")
    boards = None
    if options.recipe == "shipped":
        boards = replace(BoardConfig(), **dict(zip(names, numbers, strict=True)))
    config = ClassifyConfig(
        rate=options.rate,
        boards=boards,
        tune_generator=options.tune_generator,
        validation=read_boards(options.validation, options.validate_most),
    )
    store = _photos(options, boards.needs if boards else PhotoNeeds())
    judge = load_judge(options.start, device)
    _train(Classification(judge, config, store, plan), plan, options)
    _evaluate_end(options, (judge.config.erosion,) if judge.config.erosion else (2, 4))


def _evaluate_end(options: argparse.Namespace, erosions: tuple[int, ...]) -> None:
    """Measure the trained weights, if there are validation pictures."""
    if options.validation:
        options.start, options.erosions = options.out / "weights-half.pt", erosions
        options.validate_most = 10**6
        _evaluate(options)


def _evaluate(options: argparse.Namespace) -> None:
    """Measure weights on puzzles; writes `figures.json` and `tables.npz`."""
    judge = load_judge(options.start, resolve_device(options.device))
    boards = read_boards(options.validation, options.validate_most)
    options.out.mkdir(parents=True, exist_ok=True)
    figures = evaluate_model(
        judge, boards, options.erosions, not options.no_compile, options.out / "tables.npz"
    )
    (options.out / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    _say({"event": "figures", **figures})


if __name__ == "__main__":
    main()

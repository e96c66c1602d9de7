"""`sherd train`: train the networks of the scorer `inpaint`, measure them, export them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sherd.cli.main import INTERRUPTED
from sherd.cli.training_progress import training_listener
from sherd.errors import OptionError

if TYPE_CHECKING:
    from sherd.train.loop import Plan
    from sherd.train.runs import Sources

__all__ = ["command"]

_PATH = click.Path(path_type=Path)
_Command = Callable[..., None]


@click.group("train")
def command() -> None:
    """Train the networks of the scorer `inpaint` on photographs of your own.

    Stage 1 is `inpaint`, stage 2 `classify`; `export` makes weights for `sherd solve --weights` of
    what they leave in their folders. Training needs PyTorch: pip install "sherd[train]".
    """


def _options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Join several options in one decorator."""

    def decorate(function: _Command) -> _Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_measuring = _options(
    click.option(
        "-o", "--output", type=_PATH, required=True, help="Folder for everything that is written."
    ),
    click.option(
        "--validation",
        type=_PATH,
        multiple=True,
        help="Folder of pictures to measure on, cut into puzzles; may be repeated.",
    ),
    click.option(
        "--device",
        type=click.Choice(("auto", "cpu", "cuda")),
        default="auto",
        show_default=True,
        help="Where to compute.",
    ),
    click.option("--no-compile", is_flag=True, help="Do not compile the networks on CUDA."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON lines instead of a bar."),
)
_training = _options(
    click.argument("photos", nargs=-1, required=True, type=_PATH),
    _measuring,
    click.option(
        "--recipe",
        type=click.Choice(("paper", "shipped")),
        default="shipped",
        show_default=True,
        help="The paper's, for one erosion, or that of the weights that ship with sherd.",
    ),
    click.option(
        "--examples",
        type=click.IntRange(1),
        default=48 * 45_000,
        show_default=True,
        help="Pairs to train on.",
    ),
    click.option("--seconds", type=float, default=1e9, help="Train no longer than this."),
    click.option(
        "--batch", type=click.IntRange(1), default=64, show_default=True, help="Pairs a step."
    ),
    click.option("--average", type=float, help="Decay of averaged weights per step."),
    click.option("--seed", type=int, default=1, show_default=True, help="Seed of all chance."),
    click.option("--resume", is_flag=True, help="Go on from the checkpoint in the folder."),
    click.option(
        "--part",
        type=click.Choice(("all", "first", "second")),
        default="all",
        show_default=True,
        help="Use all photographs, or one of two disjoint halves.",
    ),
    click.option("--wait", type=float, default=0, help="Seconds to wait for PHOTOS to appear."),
    click.option("--evaluate-every", type=float, default=1e9, help="Seconds between measurements."),
    click.option("--log-every", type=click.IntRange(1), help="Chunks of 8 steps between records."),
)


@command.command()
@_training
@click.option("--erosion", type=click.IntRange(1, 8), default=2, help="Of the paper's recipe.")
@click.option("--width", type=click.IntRange(1), help="Channels of the generator's first level.")
@click.option("--most", type=click.IntRange(1), help="Most channels, as a multiple of the width.")
@click.option("--discriminator-width", type=click.IntRange(1), help="Channels of its first level.")
@click.option("--adversarial", type=float, help="Weight of that loss beside 100 x L1.")
@click.option("--discriminator-rate", type=float, help="Learning rate of the discriminator.")
@click.option("--start", type=_PATH, help="Weights of stage 1 to go on from (weights-half.pt).")
def inpaint(**given: Any) -> None:
    """Stage 1: learn to fill the gap between neighbours.

    PHOTOS are folders and zip files of photographs. The folder gets weights-half.pt, checkpoint.pt,
    log.jsonl, curve.svg and samples.png (input, filled, original).
    """
    with _session(given) as listen:
        from sherd.train import runs
        from sherd.train.inpaint import InpaintConfig

        sizes = _chosen(given, "width", "most", "discriminator_width")
        shipped = given["recipe"] == "shipped"
        config = replace(
            runs.SHIPPED_INPAINTING if shipped else InpaintConfig(),
            **_chosen(given, "adversarial", "discriminator_rate"),
        )
        model = (
            runs.shipped_model(**sizes) if shipped else runs.paper_model(given["erosion"], **sizes)
        )
        runs.inpaint(model, config, _plan(given), _sources(given), listen, given["start"])


@command.command()
@_training
@click.option("--start", type=_PATH, required=True, help="Weights of stage 1 (weights-half.pt).")
@click.option("--rate", type=float, default=2e-4, show_default=True, help="Learning rate.")
@click.option("--tune-generator", is_flag=True, help="Let the generator go on learning, too.")
@click.option("--boards", type=click.IntRange(1), help="Puzzles a step (shipped recipe).")
@click.option("--anchors", type=click.IntRange(1), help="Seams a puzzle (shipped recipe).")
@click.option("--hard", type=click.IntRange(1), help="Likely wrong candidates a seam.")
@click.option("--easy", type=click.IntRange(0), help="Other wrong candidates a seam.")
@click.option("--rows", type=click.IntRange(2), help="Rows of a puzzle (shipped recipe).")
@click.option("--columns", type=click.IntRange(2), help="Columns of a puzzle (shipped recipe).")
@click.option("--validate-most", type=int, default=2, help="Pictures measured on while it trains.")
def classify(**given: Any) -> None:
    """Stage 2: learn to tell true neighbours from false ones.

    Give photographs that stage 1 has not seen (other PHOTOS, or --part).
    """
    with _session(given) as listen:
        from sherd.train import runs
        from sherd.train.boards import BoardConfig
        from sherd.train.classify import ClassifyConfig

        sizes = _chosen(given, "boards", "anchors", "hard", "easy", "rows", "columns")
        boards = BoardConfig(**sizes) if given["recipe"] == "shipped" else None
        config = ClassifyConfig(given["rate"], boards, given["tune_generator"])
        most = given["validate_most"]
        runs.classify(given["start"], config, _plan(given), _sources(given), listen, most)


@command.command()
@click.argument("weights", type=_PATH)
@_measuring
@click.option("--erosion", type=click.IntRange(1, 8), multiple=True, default=(2, 4))
def evaluate(weights: Path, erosion: tuple[int, ...], **given: Any) -> None:
    """Measure WEIGHTS (a weights-half.pt) on puzzles: neighbours found first, filled gaps."""
    if not given["validation"]:
        raise OptionError("There is nothing to measure on; give --validation FOLDER.")
    with _session(given) as listen:
        from sherd.train import runs

        plan = _plan({**given, "recipe": "paper"})
        runs.evaluate(weights, given["validation"], given["output"], erosion, plan, listen)


@command.command()
@click.argument("run", type=_PATH)
@click.option(
    "-o", "--output", type=_PATH, required=True, help="Folder for the ONNX files and pedigree."
)
@click.option("--date", default="", help="When it was trained, for the pedigree.")
@click.option("--data", default="", help="What it was trained on and under which terms.")
def export(run: Path, output: Path, date: str, data: str) -> None:
    """Export what a training run left in its folder RUN, for `sherd solve --weights OUTPUT`."""
    _need("torch", "onnx", "onnxscript")
    from sherd.train.export_inpaint import export_run

    facts = {name: value for name, value in (("date", date), ("data", data)) if value}
    written = export_run(run, output, facts)
    size = sum(file.stat().st_size for file in output.glob("inpaint-*.onnx")) / 1e6
    click.echo(output)
    click.echo(f"{size:.1f} MB, largest difference to PyTorch {written['onnx_difference']}")


@contextmanager
def _session(given: dict[str, Any]) -> Iterator[Callable[[dict[str, object]], None]]:
    """Give a listener that shows what happens; Ctrl-C becomes one line."""
    _need("torch")
    try:
        with training_listener(as_json=given["as_json"]) as listen:
            yield listen
    except KeyboardInterrupt:
        click.echo("sherd: interrupted; --resume goes on from the last checkpoint", err=True)
        click.get_current_context().exit(INTERRUPTED)


def _need(*packages: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise OptionError(
            f'Training needs {", ".join(missing)}, not installed here; pip install "sherd[train]".'
        )


def _chosen(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """The options among `names` that were given."""
    return {name: given[name] for name in names if given[name] is not None}


def _plan(given: dict[str, Any]) -> Plan:
    """The plan that options describe; our recipe averages weights and lowers its rates."""
    from sherd.train.loop import Plan, resolve_device

    on_gpu = resolve_device(given["device"]).type == "cuda"
    shipped = given["recipe"] == "shipped"
    names = ("seconds", "examples", "batch", "seed", "evaluate_every")
    average = given.get("average")
    return Plan(
        **{name: given[name] for name in names if name in given},
        decay=shipped,
        average=0.999 * shipped if average is None else average,
        device=given["device"],
        compiled=on_gpu and not given["no_compile"],
        log_every=given.get("log_every") or (25 if on_gpu else 1),
    )


def _sources(given: dict[str, Any]) -> Sources:
    from sherd.train.runs import Sources

    return Sources(
        given["photos"],
        given["output"],
        given["validation"],
        given["part"],
        given["wait"],
        given["resume"],
        shlex.join(["sherd", *sys.argv[1:]]),
    )

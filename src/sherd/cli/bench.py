"""`sherd bench`: run a protocol, judge the saved predictions, print the tables."""

from __future__ import annotations

from pathlib import Path

import click

from sherd.cli.main import INTERRUPTED

__all__ = ["command"]


def _numbers(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, ...]:
    """Split whole numbers separated by commas."""
    try:
        return tuple(int(word) for word in value.split(",")) if value else ()
    except ValueError as error:
        raise click.BadParameter(
            f"{value!r} is not a list of whole numbers such as 1,2,3."
        ) from error


def _names(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[str, ...]:
    """Split names separated by commas."""
    return tuple(word.strip() for word in (value or "").split(",") if word.strip())


_data = click.option(
    "--data",
    envvar="SHERD_DATA",
    show_envvar=True,
    type=click.Path(path_type=Path),
    help="Folder of the picture sets.",
)
_sets = click.option(
    "--sets",
    metavar="NAME,NAME,...",
    callback=_names,
    help="Only these sets of the protocol.",
)
_erosion = click.option(
    "--erosion",
    metavar="E,E,...",
    callback=_numbers,
    help="Other erosions than the protocol's, in px per side.",
)
_limit = click.option("--limit", type=click.IntRange(1), help="Only the first pictures of a set.")
_saved = click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)


@click.group("bench")
def command() -> None:
    """Measure scorers and assemblers on sets of pictures.

    `run` makes predictions and saves them; `evaluate` and `table` read saved predictions only;
    `retrieval` measures a scorer alone. PROTOCOL is paper, erosion, small, big, huge, val or
    val-small, or the path of a .toml file of your own.
    """


@command.command()
@click.argument("protocol")
@_data
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    default=("prediction",),
    show_default=True,
    help="A scorer by name, or module:Class; may be repeated.",
)
@click.option(
    "--assembler",
    "assemblers",
    multiple=True,
    default=("greedy",),
    show_default=True,
    help="An assembler by name, or module:Class; may be repeated.",
)
@click.option(
    "--seeds", metavar="N,N,...", callback=_numbers, help="Other seeds than the protocol's."
)
@_sets
@_erosion
@_limit
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0, min_open=True),
    help="Seconds for placing one puzzle.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the predictions.  [default: bench-out/PROTOCOL]",
)
@click.option("--overwrite", is_flag=True, help="Make predictions anew that are there already.")
@click.pass_context
def run(
    ctx: click.Context,
    protocol: str,
    data: Path | None,
    scorers: tuple[str, ...],
    assemblers: tuple[str, ...],
    seeds: tuple[int, ...],
    sets: tuple[str, ...],
    erosion: tuple[int, ...],
    limit: int | None,
    seconds: float | None,
    output: Path | None,
    overwrite: bool,
) -> None:
    """Solve the puzzles of PROTOCOL and save the predictions.

    Puzzles that the output folder has already are skipped, so an interrupted run goes on where
    it stopped. Every scorer is run with every assembler, and scores each puzzle once.
    """
    from sherd.bench.datasets import data_root
    from sherd.bench.evaluate import judge
    from sherd.bench.predict import Run, run_protocol
    from sherd.bench.protocol import load_protocol
    from sherd.bench.records import Record, Store

    chosen = load_protocol(protocol).narrowed(sets=sets, erosion=erosion, seeds=seeds)
    plan = Run(chosen, data_root(data), scorers, assemblers, limit, seconds)
    store = Store(output or Path("bench-out") / chosen.name)

    def show(record: Record) -> None:
        measures = judge(record).measures
        click.echo(
            f"{record.set} {record.picture} e={record.erosion} seed={record.seed} "
            f"{record.scorer} + {record.assembler}: neighbour {100 * measures.neighbour:.1f} %, "
            f"{record.scoring_seconds:.2f} + {record.placing_seconds:.2f} s",
            err=True,
        )

    try:
        there = run_protocol(plan, store, overwrite=overwrite, on=show)
    except KeyboardInterrupt:
        click.echo(
            "sherd: interrupted; finished puzzles are saved, and the same command goes on from "
            "there (without --overwrite)",
            err=True,
        )
        ctx.exit(INTERRUPTED)
    if there:
        click.echo(f"{there} predictions were there already.", err=True)
    click.echo(store.file)


@command.command()
@_saved
def evaluate(files: tuple[Path, ...]) -> None:
    """Judge saved predictions (FILES, or folders that `run` wrote), cell by cell."""
    from sherd.bench.evaluate import summarise
    from sherd.bench.records import read_records
    from sherd.bench.table import evaluation, made_by

    records = read_records(files)
    click.echo(evaluation(summarise(records)))
    click.echo(made_by(records))


@command.command()
@_saved
def table(files: tuple[Path, ...]) -> None:
    """Print saved predictions as a Markdown table beside the published figures."""
    from sherd.bench.evaluate import summarise
    from sherd.bench.records import read_records
    from sherd.bench.table import made_by, markdown

    records = read_records(files)
    click.echo(markdown(summarise(records)))
    click.echo(f"\n{made_by(records)}")


@command.command()
@click.argument("protocol")
@_data
@click.option(
    "--scorer", default="prediction", show_default=True, help="A scorer by name, or module:Class."
)
@_sets
@_erosion
@_limit
def retrieval(
    protocol: str,
    data: Path | None,
    scorer: str,
    sets: tuple[str, ...],
    erosion: tuple[int, ...],
    limit: int | None,
) -> None:
    """Measure how often a scorer ranks the true neighbour of a side first."""
    from sherd.bench.datasets import data_root
    from sherd.bench.predict import Task
    from sherd.bench.protocol import load_protocol
    from sherd.bench.retrieval import run_retrieval
    from sherd.bench.table import retrieval_table

    def show(task: Task) -> None:
        click.echo(f"{task.part.name} {task.picture.name} e={task.erosion}", err=True)

    chosen = load_protocol(protocol).narrowed(sets=sets, erosion=erosion)
    cells = run_retrieval(chosen, data_root(data), scorer, limit=limit, on=show)
    click.echo(retrieval_table(chosen, scorer, cells))

"""`sherd solve`: put pieces back together."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sherd.cli.hints import hint_options, read_hints
from sherd.cli.interrupt import Interrupt
from sherd.cli.main import INTERRUPTED
from sherd.cli.methods import method_options, scorer_options
from sherd.cli.options import rows_by_cols, size_in_pixels
from sherd.cli.progress import NORMAL, QUIET, VERBOSE, listener
from sherd.errors import OptionError, SherdError
from sherd.events import Note
from sherd.stop import AnyOf, MaxTime

if TYPE_CHECKING:
    from sherd.events import Event, Listener
    from sherd.fill import Restored
    from sherd.result import Result
    from sherd.stop import Stop

__all__ = ["command"]


@click.command("solve")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("solved"),
    show_default=True,
    help="Folder for the results; with several inputs, OUTPUT/NAME for each.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, nothing else.")
@click.option(
    "--board",
    type=rows_by_cols,
    metavar="ROWSxCOLS",
    help="Rows and columns of the board, if known.",
)
@click.option("--turns", is_flag=True, help="The pieces may be turned.")
@click.option(
    "--missing", type=click.IntRange(0), default=0, help="Pieces missing from the --board."
)
@click.option(
    "--piece", type=size_in_pixels, metavar="PX|WxH", help="Size of the pieces of a mosaic picture."
)
@click.option(
    "--grid", type=rows_by_cols, metavar="ROWSxCOLS", help="Rows and columns of a mosaic picture."
)
@click.option(
    "--erode",
    type=click.IntRange(0),
    default=0,
    help="Outer pixels of each given piece that are not to be trusted (the most on any side).",
)
@click.option(
    "--lost",
    type=click.IntRange(0),
    default=0,
    help="Pixels cropped away on each side: the pieces are smaller than their cells.",
)
@method_options
@click.option(
    "--fill",
    type=click.Choice(("none", "interpolate", "inpaint")),
    default="none",
    show_default=True,
    help="Fill the gaps: writes restored.png and restored-mask.png (white where filled) as well.",
)
@hint_options
@click.option("--scores", type=click.Path(path_type=Path), help="Solve from a saved table.")
@click.option(
    "--save-scores", type=click.Path(path_type=Path), help="Save the table of scores as .npz."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of all chance."
)
@click.option(
    "--time", "seconds", type=click.FloatRange(0, min_open=True), help="Seconds for placing."
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Also list the files that are passed over.")
@click.option("--overwrite", is_flag=True, help="Replace results that exist.")
@click.pass_context
def command(ctx: click.Context, /, inputs: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Put the pieces of INPUT back together.

    INPUT is a folder of pictures, a zip file of pictures, or one mosaic picture (with --piece or
    --grid). OUTPUT gets picture.png, layout.json and report.html. Ctrl-C while the pieces are
    being placed stops the search and writes the best layout so far.
    """
    if len(inputs) > 1 and (given["scores"] or given["save_scores"]):
        raise OptionError("A table of scores is for one puzzle; give one INPUT.")
    failed = 0
    with Interrupt() as interrupt:
        for source, target in _targets(inputs, given["output"]).items():
            try:
                result = _solve(source, target, given, interrupt)
            except SherdError as error:
                if len(inputs) == 1:
                    raise
                failed += 1
                text = str(error)
                about = "" if text.startswith(source) else f"{source}: "
                click.echo(f"sherd: {about}{text}", err=True)
            except KeyboardInterrupt:
                if len(inputs) == 1:
                    raise
                click.echo(f"sherd: interrupted, nothing of {source} is written", err=True)
                ctx.exit(INTERRUPTED)
            else:
                _tell(result, target, as_json=as_json, quiet=given["quiet"])
            if interrupt.stop.is_set:
                click.echo("sherd: interrupted, the best layout so far is written", err=True)
                ctx.exit(INTERRUPTED)
    if len(inputs) > 1 and not given["quiet"]:
        click.echo(f"{len(inputs) - failed} of {len(inputs)} puzzles solved", err=True)
    ctx.exit(1 if failed else 0)


def _targets(inputs: tuple[str, ...], output: Path) -> dict[str, Path]:
    """Give each input its folder; equal names would overwrite each other and are refused."""
    if len(inputs) == 1:
        return {inputs[0]: output}
    targets: dict[str, Path] = {}
    for source in inputs:
        whole = Path(source).resolve()
        target = output / (whole.name if whole.is_dir() else whole.stem)
        rival = next((name for name, taken in targets.items() if taken == target), None)
        if rival is not None:
            raise OptionError(
                f"{rival} and {source} would both be written to {target}; rename one of them, or "
                "solve them one by one."
            )
        targets[source] = target
    return targets


def _solve(source: str, target: Path, given: dict[str, Any], interrupt: Interrupt) -> Result:
    """Solve one puzzle and write its results."""
    from sherd.cache import ScoreCache
    from sherd.output import check_free, whole_file
    from sherd.saving import save_result
    from sherd.schema import Source
    from sherd.scores import Scores
    from sherd.solve import solve

    interrupt.begin()
    for place in filter(None, (target, given["save_scores"])):
        check_free(place, overwrite=given["overwrite"])
    reading = {name: given[name] for name in ("piece", "grid", "erode", "lost", "turns")}
    asked = ("scorer", "assembler", "board", "turns", "missing", "seed")
    origin, notes = Source(source, **reading), list[str]()
    with listener(_verbosity(given)) as show:
        on = _listener(show, interrupt, notes)
        pieces = origin.read(on)
        result = solve(
            pieces,
            **{name: given[name] for name in asked},
            hints=read_hints(given["pin"], given["keep"], given["frame"], pieces),
            scores=Scores.load(given["scores"]) if given["scores"] else None,
            scorer_options=scorer_options(given),
            cache=None if given["no_cache"] else ScoreCache(),
            stop=_stop(given["seconds"], interrupt),
            on=on,
        )
        restored = _restored(result, given, on)
    result = _judged(replace(result, source=origin), notes)
    if given["save_scores"]:
        with whole_file(given["save_scores"], overwrite=given["overwrite"]) as path:
            result.scores.save(path)
    line = shlex.join(["sherd", *sys.argv[1:]])
    save_result(
        result,
        target,
        command=line,
        notes=notes,
        restored=restored,
        overwrite=given["overwrite"],
    )
    return result


def _restored(result: Result, given: dict[str, Any], on: Listener) -> list[Restored]:
    """Fill the gaps of every board, if asked to."""
    from sherd.fill import restore

    if given["fill"] == "none":
        return []
    device, weights = given["device"] or "auto", given["weights"]
    return [
        restore(
            result.pieces,
            result.layout,
            given["fill"],
            board,
            device=device,
            weights=weights,
            on=on,
        )
        for board in range(len(result.layout.shapes))
    ]


def _verbosity(given: dict[str, Any]) -> int:
    return QUIET if given["quiet"] else VERBOSE if given["verbose"] else NORMAL


def _listener(show: Listener, interrupt: Interrupt, notes: list[str]) -> Listener:
    """Show events, tell the watch for Ctrl-C, and collect the notes for the report."""

    def on(event: Event) -> None:
        interrupt.listen(event)
        if isinstance(event, Note):
            notes.append(event.text)
        show(event)

    return on


def _stop(seconds: float | None, interrupt: Interrupt) -> Stop:
    return AnyOf(interrupt.stop, MaxTime(seconds)) if seconds else interrupt.stop


def _judged(result: Result, notes: list[str]) -> Result:
    """Measure the result against the truth.json that lies beside the pieces, if one does."""
    from sherd.cut import read_truth

    assert result.source is not None
    path = Path(result.source.path) / "truth.json"
    if not path.is_file():
        return result
    try:
        pieces = result.pieces
        return result.judged(read_truth(path, pieces.names, pieces.given_turn))
    except SherdError as error:  # a truth of other pieces must not cost the layout
        notes.append(f"not measured: {error}")
        return result


def _tell(result: Result, target: Path, *, as_json: bool, quiet: bool) -> None:
    """Print what was found: one line of JSON, or the path of the picture and the figures."""
    from sherd.schema import result_record

    if as_json:
        click.echo(json.dumps({"output": str(target), **result_record(result)}))
    elif not quiet:
        click.echo(target / "picture.png")
        click.echo(result.summary())

"""The recipe: from pieces to a result, one way, nothing reaching back."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sherd.assemblers import DEFAULT_ASSEMBLER, Assembler, find_assembler
from sherd.cache import ScoreCache
from sherd.errors import InputError, OptionError
from sherd.events import Finished, Listener, Scored, ignore
from sherd.hints import Hints
from sherd.layout import BoardSpec, Layout, seams_of
from sherd.metrics import board_energy
from sherd.pieces import Pieces
from sherd.result import Result
from sherd.schema import Source
from sherd.scorers import DEFAULT_SCORER, Scorer, find_scorer
from sherd.scores import Scores
from sherd.sides import Relations
from sherd.stop import Never, Stop

__all__ = ["seam_confidence", "solve"]


def solve(
    pieces: Pieces | Path | str,
    *,
    scorer: Scorer | str = DEFAULT_SCORER,
    assembler: Assembler | str = DEFAULT_ASSEMBLER,
    board: BoardSpec | tuple[int, int] | None = None,
    turns: bool = False,
    missing: int = 0,
    hints: Hints | None = None,
    scores: Scores | None = None,
    scorer_options: Mapping[str, object] | None = None,
    cache: ScoreCache | None = None,
    stop: Stop | None = None,
    seed: int = 0,
    on: Listener = ignore,
) -> Result:
    """Put pieces back together.

    Args:
        pieces: a folder, zip or mosaic picture to read, or `Pieces` (see `read_pieces`).
        scorer: judges which sides meet: a name, `module:Class`, or an object.
        assembler: places the pieces: a name, `module:Class`, or an object.
        board: (rows, cols) where they are known, or a `BoardSpec`.
        turns: the pieces may be turned.
        missing: pieces that are missing from a board of known size.
        hints: pins, blocks and border pieces, for assemblers that heed them (`search`).
        scores: a table made before, for the pieces in the order given; then nothing is scored.
        scorer_options: of a scorer that is given by name (shortlist, device, ...).
        cache: where tables of learned scorers are kept and looked for; None keeps nothing.
        stop: when to stop placing and give the best layout so far.
        seed: of all chance; the same seed gives the same result.
        on: told of every event.
    """
    placer = find_assembler(assembler) if isinstance(assembler, str) else assembler
    source = None if isinstance(pieces, Pieces) else Source(str(pieces), turns=turns)
    given = source.read(on) if source else cast("Pieces", pieces)
    spec = _board_spec(board, missing, len(given))
    if hints is not None:
        spec = replace(spec, hints=_heeded(hints, placer, given))
    relations = Relations(turns, given.square)
    bag, order = given.sorted_by_content()  # so that labels play no part in what follows
    started = time.perf_counter()
    if scores is None:
        table = _scoring(scorer, scorer_options or {}, cache)(bag, relations, on)
    else:
        table = _checked(scores, given, relations).relabelled(order)
    scored = time.perf_counter()
    on(Scored(scored - started))
    rng = np.random.default_rng(seed)
    bounds = spec if spec.hints is None else replace(spec, hints=spec.hints.relabelled(order))
    layout = placer.assemble(table, bounds, stop or Never(), rng, on)
    if layout.confidence is None:  # else the assembler knows better
        layout = replace(layout, confidence=seam_confidence(table, layout))
    placed = time.perf_counter()
    back = np.argsort(order).astype(np.int32)
    result = Result(
        pieces=given,
        scores=_marked(table.relabelled(back), given),
        layout=layout.relabelled(back),
        energy=board_energy(table, layout, with_frame=not spec.known),
        seconds={"scoring": scored - started, "placing": placed - scored},
        seed=seed,
        scorer=_name(scorer) if scores is None else table.made_by.get("scorer", "a saved table"),
        assembler=_name(assembler),
        versions=_versions(),
        source=source,
    )
    on(Finished(result.layout, placed - started))
    return result


def seam_confidence(scores: Scores, layout: Layout) -> NDArray[np.float32]:
    """[E] probability of each seam of a layout, in the order of `seams_of`."""
    seams = seams_of(layout)
    return np.exp(scores.of(seams[:, 0], seams[:, 1]))


def _board_spec(board: BoardSpec | tuple[int, int] | None, missing: int, pieces: int) -> BoardSpec:
    """Say what is known of the board, and check that it fits the number of pieces."""
    rows, cols = (None, None) if board is None or isinstance(board, BoardSpec) else board
    spec = board if isinstance(board, BoardSpec) else BoardSpec(rows, cols, missing)
    if pieces < 2:
        raise InputError(f"{pieces} piece makes no puzzle; give at least two.")
    spec.check(pieces)
    return spec


def _heeded(hints: Hints, assembler: Assembler, pieces: Pieces) -> Hints:
    """Give the hints back if they are for these pieces and the assembler heeds them."""
    if not getattr(assembler, "heeds_hints", False):
        raise OptionError(
            f"{type(assembler).__name__} heeds no pins, blocks or border pieces; use the assembler "
            "search."
        )
    for named in (hints.pins, hints.blocks):
        if named is not None and len(named.turn) != len(pieces):
            raise OptionError(
                f"The hints are for {len(named.turn)} pieces, but there are {len(pieces)}."
            )
    return hints


def _scoring(
    scorer: Scorer | str, options: Mapping[str, object], cache: ScoreCache | None
) -> Callable[[Pieces, Relations, Listener], Scores]:
    """Give the function that scores, by way of the cache if there is one."""
    if isinstance(scorer, str):
        scorer = find_scorer(scorer, **options)
    elif options:
        raise OptionError(
            "scorer_options are for a scorer given by name; give them to the object itself."
        )
    return partial(cache.score, scorer) if cache else scorer.score


def _checked(scores: Scores, pieces: Pieces, relations: Relations) -> Scores:
    """Give the table back if it is one for these pieces."""
    if scores.pieces != len(pieces):
        raise OptionError(
            f"The table of scores is for {scores.pieces} pieces, but there are {len(pieces)}; "
            "give the table that was made for them."
        )
    if scores.relations != relations:
        turned = "pieces that may be turned" if scores.relations.turns else "pieces not turned"
        shape = "square" if scores.relations.square else "oblong"
        raise OptionError(
            f"The table of scores is for {shape} {turned}; solve with the same pieces and --turns "
            "as when it was made."
        )
    if scores.made_by.get("pieces", marker := pieces.fingerprint()) != marker:
        raise OptionError(
            "The table of scores was made for other pieces, or for these in another order or with "
            "another --erode or --lost; give the table that was made for them."
        )
    return scores


def _marked(scores: Scores, pieces: Pieces) -> Scores:
    """Write into a table for which pieces it is, so that a saved one is not used for others."""
    return replace(scores, made_by={**scores.made_by, "pieces": pieces.fingerprint()})


def _name(plug_in: object) -> str:
    """Name a scorer or an assembler: as it was asked for, or by its class."""
    return plug_in if isinstance(plug_in, str) else type(plug_in).__qualname__


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("sherd", "numpy", "pillow", "onnxruntime")}
    return packages | {"python": platform.python_version()}

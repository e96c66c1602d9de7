"""Search: its energies against a slow twin, its best against brute force, and what always holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.assemblers.search_reference import every_board, random_table, run, slow_energy

from sherd._core import ReplicaExchange
from sherd.assemblers import find_assembler
from sherd.assemblers.search import Search
from sherd.errors import OptionError
from sherd.events import Event, Improved
from sherd.layout import BoardSpec, Layout, seams_of
from sherd.metrics import board_energy
from sherd.scores import FLOOR, Scores
from sherd.sides import Relations
from sherd.stop import MaxRounds, Never

RELATIONS = [Relations(), Relations(turns=True), Relations(turns=True, square=False)]


def exchange_of(
    scores: Scores, rows: int, cols: int, seed: int, *, alone: bool = False, dense: int = 1 << 27
) -> ReplicaExchange:
    """Make a small exchange that starts from a random board."""
    rng = np.random.default_rng(seed)
    start = np.full(rows * cols, 4 * scores.pieces, np.int32)
    start[: scores.pieces] = 4 * np.arange(scores.pieces)
    return ReplicaExchange(
        scores.candidates,
        scores.score,
        scores.alone if alone else None,
        FLOOR,
        scores.relations.turns,
        rows,
        cols,
        rng.permuted(start)[None],
        np.array([4096, 2048, 1024, 400], np.int32),
        np.zeros((3, scores.pieces), np.int32),
        8,
        seed,
        dense,
    )


@given(
    st.integers(0, 99),
    st.integers(1, 4),
    st.integers(2, 4),
    st.sampled_from(RELATIONS),
    st.integers(0, 2),
    st.booleans(),
)
@settings(deadline=None, max_examples=25)
def test_energy_of_every_move(
    seed: int, rows: int, cols: int, relations: Relations, holes: int, dense: bool
) -> None:
    """After any moves a board holds every piece once and has the energy of the slow twin."""
    pieces = rows * cols - min(holes, rows * cols - 2)
    scores = random_table(pieces, seed, relations=relations, width=5, alone=True)
    exchange = exchange_of(scores, rows, cols, seed, alone=True, dense=1 << 27 if dense else 0)
    exchange.run(5, 60, 32, 1)
    for slot in range(4):
        cells = np.array(exchange.board(slot), np.int32)
        assert sorted(cells[cells < 4 * pieces] // 4) == list(range(pieces))
        energy = exchange.board_energy(slot)
        assert energy == exchange.recomputed_energy(slot)
        slow = slow_energy(scores, cells, rows, cols, alone=True)
        assert energy == pytest.approx(slow, abs=0.0005 * 4 * rows * cols)
        assert exchange.best_energy() >= energy


def test_sparse_rows_and_dense_table_agree() -> None:
    """The form of the table in memory changes nothing."""
    scores = random_table(12, 3, relations=Relations(turns=True), width=9)
    boards = []
    for dense in (0, 1 << 27):
        exchange = exchange_of(scores, 3, 4, 1, dense=dense)
        exchange.run(20, 100, 32, 1)
        boards.append((exchange.best(), exchange.best_energy()))
    assert boards[0] == boards[1]


@given(st.integers(0, 999), st.sampled_from([(1, 3), (2, 2), (2, 3), (1, 5)]), st.booleans())
@settings(deadline=None, max_examples=12)
def test_finds_the_best_of_all_boards(seed: int, shape: tuple[int, int], ties: bool) -> None:
    """On boards that can be enumerated no layout has more energy than the one found."""
    rows, cols = shape
    scores = random_table(rows * cols, seed, levels=3 if ties else None)
    found = board_energy(scores, run(scores, BoardSpec(rows, cols), seed))
    boards = every_board(rows * cols, rows * cols, turns=False)
    best = max(slow_energy(scores, cells, rows, cols, alone=False) for cells in boards)
    assert found == pytest.approx(best, abs=0.02)


@given(st.integers(0, 999))
@settings(deadline=None, max_examples=4)
def test_finds_the_best_turned_board(seed: int) -> None:
    """With turns, too, no layout of four pieces has more energy than the one found."""
    scores = random_table(4, seed, relations=Relations(turns=True))
    found = board_energy(scores, run(scores, BoardSpec(2, 2), seed))
    boards = every_board(4, 4, turns=True)
    best = max(slow_energy(scores, cells, 2, 2, alone=False) for cells in boards)
    assert found == pytest.approx(best, abs=0.02)


@given(
    st.integers(0, 99),
    st.integers(1, 4),
    st.integers(1, 5),
    st.sampled_from(RELATIONS),
    st.integers(0, 3),
    st.booleans(),
)
@settings(deadline=None, max_examples=15)
def test_layout_is_valid(
    seed: int, rows: int, cols: int, relations: Relations, holes: int, known: bool
) -> None:
    """Every piece lies once, inside the board, with a confidence in 0..1 for each seam."""
    pieces = max(rows * cols - holes, 2)
    missing = max(rows * cols - pieces, 0)
    board = BoardSpec(rows, cols, missing) if known and rows * cols >= 2 else BoardSpec()
    scores = random_table(pieces, seed, relations=relations, width=4)
    layout = run(scores, board, seed)
    assert layout.placed.all()
    assert len(np.unique(layout.cell, axis=0)) == pieces
    assert (layout.cell >= 0).all()
    assert (layout.cell < layout.shapes[0]).all()
    if board.known:
        assert layout.shapes == ((rows, cols),)
    if not relations.turns:
        assert not layout.turn.any()
    assert layout.confidence is not None
    assert len(layout.confidence) == len(seams_of(layout))
    assert ((layout.confidence > 0) & (layout.confidence < 1)).all()


def same(one: Layout, other: Layout) -> bool:
    """Tell whether two layouts are equal to the last bit of their confidence."""
    assert one.confidence is not None
    assert other.confidence is not None
    return (
        np.array_equal(one.cell, other.cell)
        and np.array_equal(one.turn, other.turn)
        and np.array_equal(one.confidence, other.confidence)
    )


def test_threads_and_seeds() -> None:
    """The number of threads changes nothing, nor does running again."""
    scores = random_table(20, 5)
    board = BoardSpec(4, 5)
    one = run(scores, board, 7, threads=1)
    assert same(one, run(scores, board, 7, threads=3))
    assert same(one, run(scores, board, 7, threads=1))


def test_stops_when_told() -> None:
    """A stopping rule ends the search at its next look, with a whole layout."""
    scores = random_table(20, 5)
    layout = run(scores, BoardSpec(4, 5), stop=MaxRounds(0))
    assert layout.placed.all()


def test_tells_of_improvements() -> None:
    """Each improvement comes with a layout of just that energy, higher than the one before."""
    scores = random_table(20, 5)
    events: list[Event] = []
    search = Search(rounds=3, threads=1)
    rng = np.random.default_rng(0)
    layout = search.assemble(scores, BoardSpec(4, 5), Never(), rng, events.append)
    better = [event for event in events if isinstance(event, Improved)]
    energies = [event.energy for event in better]
    assert energies == sorted(set(energies))
    for event in better:
        assert board_energy(scores, event.layout) == pytest.approx(event.energy, abs=0.05)
    assert np.array_equal(better[-1].layout.cell, layout.cell)


def test_refuses_bad_starts() -> None:
    """A start that misses a piece or a board that is too small is refused by the core."""
    scores = random_table(4, 0)
    for start in ([0, 4, 8, 8], [0, 4, 8, 16], [0, 4, 8], [0, 4, 8, 17]):
        with pytest.raises(ValueError, match="start"):
            ReplicaExchange(
                scores.candidates,
                scores.score,
                None,
                FLOOR,
                False,
                2,
                2,
                np.array([start], np.int32),
                np.array([1024], np.int32),
                np.zeros((3, 4), np.int32),
                8,
                0,
            )


def test_is_found_by_name() -> None:
    """The search is built in, and refuses a board that the pieces do not fill."""
    search = find_assembler("search")
    assert isinstance(search, Search)
    with pytest.raises(OptionError, match="--missing"):
        run(random_table(5, 0), BoardSpec(2, 3))
    with pytest.raises(OptionError, match="rounds"):
        Search(rounds=0)

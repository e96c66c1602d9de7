"""Search: its energies against a slow twin, its best against brute force, and what always holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.assemblers.search_reference import every_board, random_table, slow_energy

from sherd._core import ReplicaExchange
from sherd.assemblers import find_assembler
from sherd.assemblers.cells import cells_of, layout_of_cells, meetings
from sherd.assemblers.exact import better_board, can_be_proved
from sherd.assemblers.rounds import Rounds, Task
from sherd.assemblers.search import Search
from sherd.assemblers.ties import Ties
from sherd.assemblers.visits import record
from sherd.errors import OptionError
from sherd.events import Event, Improved, ignore
from sherd.hints import Hints
from sherd.layout import BoardSpec, Layout, seams_of
from sherd.metrics import board_energy
from sherd.scores import FLOOR, Scores
from sherd.sides import Relations
from sherd.stop import MaxRounds, Never, Stop

RELATIONS = [Relations(), Relations(turns=True), Relations(turns=True, square=False)]


def run(
    scores: Scores, board: BoardSpec, seed: int = 0, stop: Stop | None = None, **options: int
) -> Layout:
    """Search with few rounds."""
    options = {"rounds": 3, "threads": 1} | options
    search = Search(**options)
    return search.assemble(scores, board, stop or Never(), np.random.default_rng(seed), ignore)


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


def enumerated_shares(
    scores: Scores, rows: int, cols: int, turns: bool
) -> dict[tuple[int, int], float]:
    """Weigh every board by the exponential of its energy: the probability that two sides meet."""
    pieces = scores.pieces
    boards = np.array(list(every_board(pieces, rows * cols, turns)), np.int32)
    alone = scores.alone is not None
    energy = np.array([slow_energy(scores, cells, rows, cols, alone) for cells in boards])
    weight = np.exp(energy - energy.max())
    weight /= weight.sum()
    partner = meetings(boards, pieces, rows, cols)
    shares: dict[tuple[int, int], float] = {}
    for a in range(4 * pieces):
        for b in np.unique(partner[:, a]):
            shares[a, int(b)] = float(weight[partner[:, a] == b].sum())
    return shares


@pytest.mark.parametrize(
    ("shape", "holes", "relations", "seed"),
    [
        ((2, 2), 0, Relations(), 1),
        ((2, 3), 0, Relations(), 2),
        ((2, 3), 1, Relations(), 3),
        ((1, 3), 0, Relations(turns=True), 4),
        ((2, 2), 1, Relations(turns=True), 5),
    ],
)
def test_recording_equals_enumeration(
    shape: tuple[int, int], holes: int, relations: Relations, seed: int
) -> None:
    """Recorded shares are the probabilities that all boards together give, to 0.03."""
    rows, cols = shape
    pieces = rows * cols - holes
    scores = random_table(pieces, seed, relations=relations, sharpness=1.0, alone=holes > 0)
    ties = Ties(None, pieces, rows, cols)
    task = Task(scores, rows, cols, scores.alone, ties)
    start = np.full(rows * cols, 4 * pieces, np.int32)
    start[:pieces] = 4 * np.arange(pieces)
    visited = record(task, start, seed, 1, exchanges=6000)
    partner = meetings(visited, pieces, rows, cols)
    for (a, b), share in enumerated_shares(scores, rows, cols, relations.turns).items():
        assert (partner[:, a] == b).mean() == pytest.approx(share, abs=0.03)


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


@pytest.mark.parametrize(
    ("shape", "holes", "relations"),
    [
        ((2, 3), 0, Relations()),
        ((2, 3), 1, Relations()),
        ((1, 3), 0, Relations(turns=True)),
        ((2, 2), 1, Relations(turns=True)),
    ],
)
def test_proof_equals_brute_force(shape: tuple[int, int], holes: int, relations: Relations) -> None:
    """Branch and bound finds the best of all boards, and nothing that is better than it."""
    rows, cols = shape
    for seed in range(6):
        pieces = rows * cols - holes
        scores = random_table(
            pieces, seed, relations=relations, alone=holes > 0, levels=seed % 2 * 2 or None
        )
        task = Task(scores, rows, cols, scores.alone, Ties(None, pieces, rows, cols))
        assert can_be_proved(task)
        best = max(
            slow_energy(scores, cells, rows, cols, holes > 0)
            for cells in every_board(pieces, rows * cols, relations.turns)
        )
        cells = better_board(task, -1e6)
        assert cells is not None
        found = slow_energy(scores, cells, rows, cols, holes > 0)
        assert found == pytest.approx(best, abs=0.02)
        assert better_board(task, best + 0.02) is None


def test_search_without_proof_comes_close() -> None:
    """One round alone reaches what is proved best on 95 of 100 flat tables, else misses a hair."""
    missed = []
    for seed in range(100):
        turned, rows, cols = (seed % 3 == 0, 2, 3) if seed % 3 == 0 else (False, 3, 3)
        relations, sharp = Relations(turns=turned), seed % 7 + 0.5
        levels = seed % 4 or None
        scores = random_table(
            rows * cols, seed, relations=relations, sharpness=sharp, levels=levels
        )
        task = Task(scores, rows, cols, None, Ties(None, rows * cols, rows, cols))
        search = Rounds(task, seed, 1)
        search.round(Never(), ignore)
        search.polish()
        if (better := better_board(task, search.energy)) is not None:
            missed.append(slow_energy(scores, better, rows, cols, alone=False) - search.energy)
    assert len(missed) <= 5
    assert max(missed, default=0) < 0.3


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


@given(st.integers(0, 99), st.sampled_from(RELATIONS[:2]))
@settings(deadline=None, max_examples=8)
def test_heeds_hints(seed: int, relations: Relations) -> None:
    """Pinned pieces keep cell and turn, a block keeps together, border pieces are on the border."""
    rng = np.random.default_rng(seed)
    rows, cols = 4, 5
    scores = random_table(rows * cols, seed, relations=relations)
    names = rng.permutation(rows * cols)
    pinned, together, framed = names[:2], names[2:6], names[6:9]
    cell = np.full((rows * cols, 2), -1, np.int32)
    cell[pinned] = [(0, 0), (2, 3)]
    turn = rng.integers(4 if relations.turns else 1, size=rows * cols).astype(np.int32)
    pins = Layout.from_cells(cell, turn, np.isin(np.arange(20), pinned), (rows, cols))
    shape = np.full((rows * cols, 2), -1, np.int32)
    shape[together] = [(0, 0), (0, 1), (1, 1), (0, 2)]
    blocks = Layout.from_cells(shape, turn * 0, np.isin(np.arange(20), together), (2, 3))
    frame = np.isin(np.arange(20), framed)
    layout = run(scores, BoardSpec(rows, cols, hints=Hints(pins, blocks, frame)), seed)
    assert np.array_equal(layout.cell[pinned], cell[pinned])
    assert np.array_equal(layout.turn[pinned], turn[pinned])
    spin = int(layout.turn[together[0]])
    assert (layout.turn[together] == spin).all()
    kept = layout.cell[together] - layout.cell[together[0]]
    back = kept
    for _ in range((4 - spin) % 4):
        back = np.stack([back[:, 1], -back[:, 0]], axis=1)
    assert np.array_equal(back, shape[together] - shape[together[0]])
    on_border = (layout.cell % (rows - 1, cols - 1) == 0).any(axis=1)
    assert on_border[framed].all()


def test_refuses_hints_that_cannot_be() -> None:
    """Hints outside the board, too large for it, or without one are refused with the cure."""
    scores = random_table(6, 0)
    everything = Layout.from_grid(2, 3)
    row = Layout.from_grid(1, 6)
    inner = Layout.from_grid(3, 3)
    for hints, board, word in (
        (Hints(pins=row), (2, 3), "outside"),
        (Hints(blocks=row), (2, 3), "no room"),
        (Hints(pins=everything), (None, None), "--board"),
    ):
        with pytest.raises(OptionError, match=word):
            run(scores, BoardSpec(*board, hints=hints))
    nine = random_table(9, 0)
    with pytest.raises(OptionError, match="border"):
        run(nine, BoardSpec(3, 3, hints=Hints(frame=np.ones(9, np.bool_))))
    middle = np.arange(9) == 4
    with pytest.raises(OptionError, match="border"):
        run(nine, BoardSpec(3, 3, hints=Hints(pins=inner, frame=middle)))


def test_cells_and_layouts() -> None:
    """A layout written as cells and read again is the same."""
    cell = np.array([[0, 1], [1, 0], [1, 2]], np.int32)
    turn = np.array([3, 0, 2], np.int32)
    layout = Layout.from_cells(cell, turn, np.ones(3, np.bool_), (2, 3))
    cells = cells_of(layout, 2, 3)
    assert cells.tolist() == [12, 3, 12, 4, 12, 10]
    back = layout_of_cells(cells, 3, 2, 3)
    assert np.array_equal(back.cell, cell)
    assert np.array_equal(back.turn, turn)


@given(st.integers(0, 99), st.integers(1, 3), st.integers(2, 4), st.integers(0, 2))
@settings(deadline=None, max_examples=20)
def test_meetings_are_seams(seed: int, rows: int, cols: int, holes: int) -> None:
    """The partners on a board are just the seams of its layout."""
    rng = np.random.default_rng(seed)
    pieces = max(rows * cols - holes, 1)
    cells = np.full(rows * cols, 4 * pieces, np.int32)
    cells[:pieces] = 4 * np.arange(pieces) + rng.integers(4, size=pieces)
    cells = rng.permuted(cells)
    partner = meetings(cells[None], pieces, rows, cols)[0]
    seams = seams_of(layout_of_cells(cells, pieces, rows, cols))
    expected = np.full(4 * pieces, -1)
    expected[seams[:, 0]] = seams[:, 1]
    expected[seams[:, 1]] = seams[:, 0]
    assert np.array_equal(partner, expected)


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

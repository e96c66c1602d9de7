"""Greedy: against its slow twin, and what holds for every layout it makes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.assemblers.greedy_reference import Reference

from sherd._core import greedy
from sherd.assemblers import find_assembler
from sherd.assemblers.greedy import Greedy
from sherd.errors import OptionError
from sherd.events import Event, Progress, ignore
from sherd.layout import BoardSpec, Layout, seams_of
from sherd.metrics import measure
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers.prediction import Prediction
from sherd.scores import Scores, top_candidates
from sherd.sides import Relations, turn_picture
from sherd.stop import Flag, Never, Stop


@dataclass(frozen=True)
class Case:
    """A small table with a board that fits it."""

    scores: Scores
    board: BoardSpec


def random_scores(
    pieces: int,
    relations: Relations,
    width: int,
    seed: int,
    *,
    levels: int | None = None,
    cols: int | None = None,
    sharp: float = 4,
) -> Scores:
    """Make rows of random costs.

    `levels` whole numbers instead of reals make costs tie; with `cols`, the seams of a picture of
    that width cost `sharp` times less than others, so that loops and best buddies are no rare luck.
    """
    rng = np.random.default_rng(seed)
    sides = 4 * pieces
    cost = rng.random((sides, sides)) if levels is None else rng.integers(levels, size=(sides,) * 2)
    if cols is not None:
        rows = -(-pieces // cols)
        seams = seams_of(Layout.from_grid(rows, cols))
        a, b = seams[(seams < sides).all(axis=1)].T
        cost = cost.astype(float)
        cost[a, b] /= sharp
        cost[b, a] /= sharp
    own = np.arange(sides)
    meets = np.zeros((sides, sides), np.bool_)
    for side in range(4):
        meets[np.ix_(own % 4 == side, np.isin(own % 4, relations.partners(side)))] = True
    table = np.where(meets, cost, np.inf).astype(np.float32)
    ids = own.astype(np.int32)
    width = max(1, min(width, relations.candidates_per_side(pieces)))
    candidates, kept = top_candidates(table, ids, ids, width)
    return Scores.from_costs(relations, candidates, kept, sharpness=1.0)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a table: any relations, short or full rows, known or unknown boards, missing pieces."""
    rows, cols = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    missing = draw(st.integers(0, min(2, rows * cols - 1)))
    relations = draw(
        st.sampled_from(
            [Relations(), Relations(square=False), Relations(True), Relations(True, False)]
        )
    )
    width = draw(st.sampled_from([1, 3, 1000]))
    levels = draw(st.sampled_from([None, 3]))
    scores = random_scores(
        rows * cols - missing,
        relations,
        width,
        draw(st.integers(0, 2**32 - 1)),
        levels=levels,
        cols=draw(st.sampled_from([None, cols])),
    )
    known = draw(st.booleans())
    return Case(scores, BoardSpec(rows, cols, missing) if known else BoardSpec(missing=missing))


def lay(case: Case, stop: Stop | None = None, events: list[Event] | None = None) -> Layout:
    """Assemble a case."""
    on = ignore if events is None else events.append
    rng = np.random.default_rng(0)
    return Greedy().assemble(case.scores, case.board, stop or Never(), rng, on)


def from_picture(pixels: np.ndarray, relations: Relations) -> Scores:
    """Score uneroded pieces u8 [N, H, W, 3]."""
    return Prediction().score(Pieces.from_arrays(pixels), relations, ignore)


def painted(rows: int, cols: int, seed: int = 1, height: int = 28, width: int = 28) -> np.ndarray:
    """Cut a painted picture into pieces u8 [N, H, W, 3], row by row."""
    picture = paint(rows * height, cols * width, seed)
    grid = picture.reshape(rows, height, cols, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(grid.reshape(rows * cols, height, width, 3))


def assert_agrees(case: Case) -> None:
    """Compare the kernel with its slow twin, piece by piece."""
    board = case.board
    twin = Reference(case.scores, board.rows or 0, board.cols or 0, board.missing > 0)
    first = twin.run()
    assert case.scores.cost is not None
    placed, start = greedy(
        case.scores.candidates,
        case.scores.cost,
        board.rows or 0,
        board.cols or 0,
        twin.either_way,
        board.missing > 0,
        lambda count: False,
    )
    theirs = np.array([[*twin.lie[p][0], twin.lie[p][1]] for p in range(case.scores.pieces)])
    theirs[:, :2] -= theirs[:, :2].min(0)
    assert start == first
    np.testing.assert_array_equal(placed, theirs)


@settings(deadline=None, max_examples=150)
@given(cases())
def test_kernel_agrees_with_the_slow_twin(case: Case) -> None:
    """The kernel lays every piece where the rules, written down slowly, lay it."""
    assert_agrees(case)


@pytest.mark.parametrize("board", [BoardSpec(5, 6), BoardSpec()])
@pytest.mark.parametrize(
    ("seed", "sharp"), [*((seed, 4) for seed in range(8)), (11, 6), (21, 6), (38, 6)]
)
def test_kernel_agrees_on_boards_with_loops(board: BoardSpec, seed: int, sharp: float) -> None:
    """The same on pictures large enough for every bonus, with some seams too worn to see."""
    scores = random_scores(30, Relations(), 1000, seed, cols=6, sharp=sharp)
    assert_agrees(Case(scores, board))


@pytest.mark.parametrize("seed", range(20))
def test_first_piece_agrees_with_the_slow_twin(seed: int) -> None:
    """Both begin with the same piece, whatever decides: buddies, loops, or the fit."""
    scores = random_scores(20, Relations(), 1000, seed, cols=5, sharp=10)
    layout = lay(Case(scores, BoardSpec(4, 5)))
    assert layout.start == Reference(scores).first_piece()


@settings(deadline=None, max_examples=60)
@given(cases())
def test_layout_is_a_valid_placement(case: Case) -> None:
    """Every piece lies inside the board, alone in its cell, and only sides that can meet do."""
    layout = lay(case)
    rows, cols = layout.shapes[0]
    cells = {tuple(cell) for cell in layout.cell.tolist()}
    assert layout.placed.all()
    assert len(cells) == case.scores.pieces
    assert all(0 <= row < rows and 0 <= col < cols for row, col in cells)
    if case.board.known:
        assert (rows, cols) == (case.board.rows, case.board.cols)
    else:
        assert layout.cell.max(0).tolist() == [rows - 1, cols - 1]
    relations = case.scores.relations
    assert all(b % 4 in relations.partners(a % 4) for a, b in seams_of(layout).tolist())


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("board", [BoardSpec(3, 4), BoardSpec(3, 5, missing=3), BoardSpec()])
@pytest.mark.parametrize("seed", range(5))
def test_labels_do_not_matter(turns: bool, board: BoardSpec, seed: int) -> None:
    """Renumbering the pieces gives the same layout, renumbered (where no two keys tie)."""
    case = Case(random_scores(12, Relations(turns), 1000, seed), board)
    order = np.random.default_rng(seed).permutation(12).astype(np.int32)
    old = (4 * order[:, None] + np.arange(4)).ravel()  # side ids as they were
    new = np.empty_like(old)
    new[old] = np.arange(len(old))
    candidates = case.scores.candidates[old]
    renamed = np.where(candidates >= 0, new[np.maximum(candidates, 0)], -1).astype(np.int32)
    assert case.scores.cost is not None
    scores = replace(
        case.scores,
        candidates=renamed,
        score=case.scores.score[old],
        cost=case.scores.cost[old],
    )
    ours, theirs = lay(Case(scores, case.board)), lay(case).relabelled(order)
    np.testing.assert_array_equal(ours.cell, theirs.cell)
    np.testing.assert_array_equal(ours.turn, theirs.turn)
    assert ours.start == theirs.start


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("height", "width"), [(28, 28), (20, 32)])
def test_clean_picture_is_solved(known: bool, height: int, width: int) -> None:
    """An uneroded picture comes out perfect, whether or not the board's size is known."""
    scores = from_picture(painted(5, 7, 3, height, width), Relations(square=height == width))
    layout = lay(Case(scores, BoardSpec(5, 7) if known else BoardSpec()))
    assert measure(layout, Layout.from_grid(5, 7)).perfect


@pytest.mark.parametrize("lying", [0, 1])
def test_turned_pieces_are_solved_in_the_shape_of_the_board(lying: int) -> None:
    """Turned pieces come out perfect, also if the first one lies on its side in the picture."""
    pixels = painted(4, 6, 3)
    turns = np.random.default_rng(5).integers(0, 4, len(pixels))
    turns[:] = (turns + lying) % 4
    turned = np.stack([turn_picture(p, int(t)) for p, t in zip(pixels, turns, strict=True)])
    layout = lay(Case(from_picture(turned, Relations(turns=True)), BoardSpec(4, 6)))
    truth = replace(Layout.from_grid(4, 6), turn=((-turns) % 4).astype(np.int32))
    assert layout.shapes == ((4, 6),)
    assert measure(layout, truth).perfect


@pytest.mark.parametrize("lying", [0, 1])
def test_oblong_pieces_given_on_their_side_fill_the_board(lying: int) -> None:
    """Oblong pieces that were all given on their side are turned to the shape of the board."""
    turns = lying + 2 * np.random.default_rng(5).integers(0, 2, 20)
    pixels = painted(4, 5, 3, 12, 15)
    turned = np.stack([turn_picture(p, int(t)) for p, t in zip(pixels, turns, strict=True)])
    relations = Relations(turns=True, square=False)
    layout = lay(Case(from_picture(turned, relations), BoardSpec(4, 5)))
    truth = replace(Layout.from_grid(4, 5), turn=((-turns) % 4).astype(np.int32))
    assert layout.shapes == ((4, 5),)
    assert measure(layout, truth).perfect


@pytest.mark.parametrize("seed", [1, 3, 5])
def test_missing_pieces_leave_their_cells_empty(seed: int) -> None:
    """Where pieces are missing, the others keep their places around the holes."""
    kept = np.sort(np.random.default_rng(seed).permutation(42)[3:])
    scores = from_picture(painted(6, 7, seed)[kept], Relations())
    layout = lay(Case(scores, BoardSpec(6, 7, missing=3)))
    np.testing.assert_array_equal(layout.cell, Layout.from_grid(6, 7).cell[kept])


def test_scores_without_costs_are_enough() -> None:
    """A table that carries log-probabilities only is solved from those."""
    scores = replace(from_picture(painted(5, 6), Relations()), cost=None)
    assert measure(lay(Case(scores, BoardSpec(5, 6))), Layout.from_grid(5, 6)).perfect


def test_start_is_the_first_piece_and_counts_as_placed() -> None:
    """The layout names the piece that the others were laid around."""
    layout = lay(Case(random_scores(6, Relations(), 1000, 0), BoardSpec(2, 3)))
    assert layout.start is not None
    assert layout.placed[layout.start]


def test_stop_returns_what_lies_so_far() -> None:
    """A stop that says yes at once gets the first piece and nothing else."""
    flag = Flag()
    flag.set()
    layout = lay(Case(random_scores(6, Relations(), 1000, 0), BoardSpec(2, 3)), flag)
    assert np.flatnonzero(layout.placed).tolist() == [layout.start]
    assert (layout.cell[~layout.placed] == -1).all()
    assert layout.shapes == ((2, 3),)


def test_error_in_a_listener_comes_through() -> None:
    """What a listener or a stop raises ends the run and reaches the caller."""

    def interrupted(best: float) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lay(Case(random_scores(6, Relations(), 1000, 0), BoardSpec(2, 3)), interrupted)


def test_progress_counts_the_placed_pieces() -> None:
    """Listeners hear how many pieces lie, and at the end that all do."""
    events: list[Event] = []
    lay(Case(random_scores(6, Relations(), 1000, 0), BoardSpec(2, 3)), events=events)
    assert events[0] == Progress("placing", 1, 6)
    assert events[-1] == Progress("placing", 6, 6)


def test_board_that_does_not_fit_is_refused() -> None:
    """Six pieces on a board of four cells are refused before anything is laid."""
    with pytest.raises(OptionError, match="4 cells"):
        lay(Case(random_scores(6, Relations(), 1000, 0), BoardSpec(2, 2)))


def test_costs_that_are_no_numbers_count_as_not_listed() -> None:
    """A damaged table (NaN, infinite costs) still gives a valid layout."""
    scores = random_scores(6, Relations(), 1000, 0)
    assert scores.cost is not None
    cost = scores.cost.copy()
    cost[::2], cost[1::4] = np.nan, np.inf
    assert lay(Case(replace(scores, cost=cost), BoardSpec(2, 3))).placed.all()


@pytest.mark.parametrize("pieces", [0, 1])
def test_hardly_any_pieces(pieces: int) -> None:
    """No piece gives an empty layout, one piece a board of one cell."""
    empty = np.empty((4 * pieces, 0), np.int32)
    scores = Scores(Relations(), empty, empty.astype(np.float32))
    layout = lay(Case(scores, BoardSpec()))
    assert layout.shapes == ((pieces, pieces),)
    assert layout.start == (0 if pieces else None)


@pytest.mark.parametrize(
    ("candidates", "cost", "message"),
    [
        ([[8]] * 4, [[1.0]] * 4, "does not exist"),
        ([[1]] * 4, [[1.0, 2.0]] * 4, "shape"),
        ([[1]] * 3, [[1.0]] * 3, "four rows"),
    ],
)
def test_broken_tables_are_refused(
    candidates: list[list[int]], cost: list[list[float]], message: str
) -> None:
    """Tables that would make the kernel read beyond its arrays are refused."""
    with pytest.raises(ValueError, match=message):
        greedy(
            np.array(candidates, np.int32),
            np.array(cost, np.float32),
            0,
            0,
            False,
            False,
            lambda count: False,
        )


def test_greedy_is_found_by_name() -> None:
    """The assembler can be chosen by its name."""
    assert isinstance(find_assembler("greedy"), Greedy)

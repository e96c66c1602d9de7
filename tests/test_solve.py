"""The recipe puts pieces together, whatever they are called and in whatever order they come."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sherd.cut import cut, write_puzzle
from sherd.errors import InputError, OptionError
from sherd.events import Event, Finished, Listener, Read, Scored
from sherd.layout import BoardSpec, Layout
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scores import Scores
from sherd.solve import seam_confidence, solve
from sherd.stop import Stop


@pytest.fixture(scope="module")
def puzzle() -> tuple[Pieces, Layout]:
    """Give a puzzle of 3 x 4 shuffled pieces, and its truth."""
    return cut(paint(96, 128, seed=1), piece=32, seed=3).pieces()


class InOrder:
    """An assembler that lays the pieces out in the order in which they come."""

    def assemble(
        self, scores: Scores, board: BoardSpec, stop: Stop, rng: np.random.Generator, on: Listener
    ) -> Layout:
        """Fill the board row by row."""
        return Layout.from_grid(board.rows or 1, board.cols or scores.pieces)


def test_solves(puzzle: tuple[Pieces, Layout]) -> None:
    """The built-in recipe finds the picture, and the result says so."""
    pieces, truth = puzzle
    result = solve(pieces, board=(3, 4)).judged(truth)
    assert result.measures is not None
    assert result.measures.perfect
    assert result.search_gap == pytest.approx(0)


def test_solves_a_folder(tmp_path: Path) -> None:
    """A path is read, and the result remembers it."""
    write_puzzle(cut(paint(64, 96, seed=1), piece=32, seed=3), tmp_path / "pieces")
    result = solve(tmp_path / "pieces", board=BoardSpec(2, 3))
    assert result.source is not None
    assert result.source.path == str(tmp_path / "pieces")
    assert result.layout.placed.all()


@pytest.mark.parametrize("assembler", ["greedy", "tree"])
def test_labels_play_no_part(puzzle: tuple[Pieces, Layout], assembler: str) -> None:
    """Pieces in another order get the same layout under their new numbers."""
    pieces, _ = puzzle
    order = np.random.default_rng(5).permutation(len(pieces)).astype(np.int32)
    first = solve(pieces, assembler=assembler)
    second = solve(pieces.take(order), assembler=assembler)
    expected = first.layout.relabelled(order)
    for name in ("cell", "turn", "board", "confidence"):
        np.testing.assert_array_equal(getattr(second.layout, name), getattr(expected, name))
    assert second.layout.start == expected.start
    assert second.energy == first.energy


def test_assembler_sees_the_order_of_content(puzzle: tuple[Pieces, Layout]) -> None:
    """The pieces come to the assembler sorted by their pixels; the layout is mapped back."""
    pieces, _ = puzzle
    result = solve(pieces, assembler=InOrder(), board=(3, 4))
    _, order = pieces.sorted_by_content()
    np.testing.assert_array_equal(result.layout.grid().ravel(), order)
    assert result.assembler == "InOrder"


def test_saved_scores_give_the_same_result(puzzle: tuple[Pieces, Layout], tmp_path: Path) -> None:
    """Solving from the table of a result scores nothing and finds the same layout."""
    pieces, _ = puzzle
    first = solve(pieces, board=(3, 4), scorer="prediction")
    first.scores.save(tmp_path / "scores.npz")
    again = solve(pieces, board=(3, 4), scorer="none", scores=Scores.load(tmp_path / "scores.npz"))
    np.testing.assert_array_equal(again.layout.grid(), first.layout.grid())
    assert again.energy == first.energy
    assert again.scorer == "prediction"


def test_scores_are_for_the_given_order(puzzle: tuple[Pieces, Layout]) -> None:
    """The best candidate of a side of the result's table is its true neighbour, by given number."""
    pieces, truth = puzzle
    scores = solve(pieces, board=(3, 4)).scores
    grid = truth.grid()
    best = scores.candidates[4 * grid[1, 1], 0]  # who lies right of the piece in cell (1, 1)?
    assert best == 4 * grid[1, 2] + 2


def test_foreign_scores_are_refused(puzzle: tuple[Pieces, Layout]) -> None:
    """A table for other pieces, or for turned ones, is an OptionError."""
    pieces, _ = puzzle
    scores = solve(pieces, board=(3, 4)).scores
    few = pieces.take(np.arange(6, dtype=np.int32))
    with pytest.raises(OptionError, match="for 12 pieces, but there are 6"):
        solve(few, scores=scores)
    with pytest.raises(OptionError, match="pieces not turned; solve with"):
        solve(pieces, scores=scores, turns=True)


def test_scores_of_other_pieces_of_the_same_number_are_refused(
    puzzle: tuple[Pieces, Layout],
) -> None:
    """A table remembers for which pieces it was made, and in which order."""
    pieces, _ = puzzle
    scores = solve(pieces, board=(3, 4)).scores
    other, _ = cut(paint(96, 128, seed=2), piece=32, seed=3).pieces()
    for wrong in (other, pieces.take(np.roll(np.arange(12, dtype=np.int32), 1))):
        with pytest.raises(OptionError, match="made for other pieces"):
            solve(wrong, board=(3, 4), scores=scores)
    assert solve(pieces, board=(3, 4), scores=scores).layout.placed.all()


def test_too_little_and_too_much(puzzle: tuple[Pieces, Layout]) -> None:
    """One piece makes no puzzle, and a board must fit the pieces."""
    pieces, _ = puzzle
    with pytest.raises(InputError, match="give at least two"):
        solve(pieces.take(np.zeros(1, np.int32)))
    with pytest.raises(OptionError, match="5x5 has 25 cells, but there are 12"):
        solve(pieces, board=(5, 5))
    with pytest.raises(OptionError, match="12 pieces and 1 missing"):
        solve(pieces, board=(3, 4), missing=1)


def test_an_unknown_assembler_is_refused_before_any_work(puzzle: tuple[Pieces, Layout]) -> None:
    """A slip in the name of the assembler does not cost the time of the scoring."""
    heard: list[Event] = []
    with pytest.raises(OptionError, match="no assembler 'gredy'"):
        solve(puzzle[0], assembler="gredy", on=heard.append)
    assert heard == []


def test_events_come_in_order(puzzle: tuple[Pieces, Layout], tmp_path: Path) -> None:
    """A listener hears of reading, then of the scores, at last of the finished layout."""
    write_puzzle(cut(paint(64, 64, seed=1), piece=32), tmp_path / "pieces")
    heard: list[Event] = []
    result = solve(tmp_path / "pieces", on=heard.append)
    marks = [event for event in heard if isinstance(event, Read | Scored | Finished)]
    assert [type(event) for event in marks] == [Read, Scored, Finished]
    assert marks[2].layout is result.layout


def test_confidence_is_a_probability(puzzle: tuple[Pieces, Layout]) -> None:
    """Each seam's confidence is the exponential of its score."""
    pieces, truth = puzzle
    scores = solve(pieces, board=(3, 4)).scores
    sure = seam_confidence(scores, truth)
    assert sure.shape == (17,)
    assert ((sure > 0) & (sure <= 1)).all()
    first = scores.of(np.array([4 * truth.grid()[0, 0]]), np.array([4 * truth.grid()[0, 1] + 2]))
    assert sure[0] == pytest.approx(np.exp(first[0]))


def test_relabelling_scores(puzzle: tuple[Pieces, Layout]) -> None:
    """A table for pieces in another order gives the same scores and costs to the same pairs."""
    pieces, _ = puzzle
    made = solve(pieces, board=(3, 4), scorer="prediction").scores
    scores = replace(made, alone=np.linspace(-2, 0, len(made.candidates), dtype=np.float32))
    order = np.random.default_rng(1).permutation(len(pieces)).astype(np.int32)
    moved = scores.relabelled(order)
    a, b = np.meshgrid(np.arange(48), np.arange(48))
    a, b = a.ravel(), b.ravel()
    old_a, old_b = 4 * order[a // 4] + a % 4, 4 * order[b // 4] + b % 4
    np.testing.assert_array_equal(moved.of(a, b), scores.of(old_a, old_b))
    np.testing.assert_array_equal(moved.cost_of(a, b), scores.cost_of(old_a, old_b))
    assert moved.alone is not None
    assert scores.alone is not None
    np.testing.assert_array_equal(moved.alone[a], scores.alone[old_a])
    back = moved.relabelled(np.argsort(order).astype(np.int32))
    np.testing.assert_array_equal(back.candidates, scores.candidates)

"""What holds for every classical scorer: oracles, invariances, neighbours found."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sherd.colour import to_lab
from sherd.errors import SherdError
from sherd.events import Event, Progress, ignore
from sherd.layout import Layout, seams_of
from sherd.paint import paint
from sherd.pieces import Pieces
from sherd.scorers import find_scorer
from sherd.scores import Scores
from sherd.sides import Relations

NAMES = ("mgc", "prediction", "prediction-symmetric")
DUMMIES = [(0, 0, 0), (1, 1, 1), (-1, -1, -1)] + [
    tuple(sign * np.eye(3, dtype=int)[axis]) for sign in (1, -1) for axis in range(3)
]


def painted(rows: int, cols: int, height: int, width: int, seed: int) -> np.ndarray:
    """Cut a painted picture: u8 [rows * cols, height, width, 3]."""
    picture = paint(rows * height, cols * width, seed)
    grid = picture.reshape(rows, height, cols, width, 3).swapaxes(1, 2)
    return np.ascontiguousarray(grid).reshape(-1, height, width, 3)


def dense(scores: Scores) -> np.ndarray:
    """Spread the costs over a table [4N, 4N], infinite where a pair is not listed."""
    assert scores.cost is not None
    table = np.full((len(scores.candidates),) * 2, np.inf, np.float32)
    rows, places = np.nonzero(scores.candidates >= 0)
    table[rows, scores.candidates[rows, places]] = scores.cost[rows, places]
    return table


def border(pieces: Pieces, piece: int, side: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Walk inwards in every row of a side: outer [L, 3], inner [L, 3], known [L]."""
    turned = np.rot90(pieces.pixels[piece], side).astype(int)
    mask = np.rot90(pieces.known[piece], side)
    outer, inner, known = [], [], []
    for row in range(len(turned)):
        across = turned.shape[1]
        places = [
            c for c in range(across - across // 2, across) if mask[row, c] and mask[row, c - 1]
        ]
        place = places[-1] if places else across - 1
        outer.append(turned[row, place])
        inner.append(turned[row, place - 1])
        known.append(bool(places))
    return np.array(outer), np.array(inner), np.array(known)


def prediction_term(ours: tuple, theirs: tuple, shared: np.ndarray) -> float:
    """Sum |2 outer - inner - outer of the partner| in L*a*b* over shared rows."""
    outer, inner = (to_lab(pixels.astype(np.uint8)).astype(float) for pixels in ours[:2])
    shown = to_lab(theirs[0].astype(np.uint8)).astype(float)
    return float(np.abs(2 * outer - inner - shown)[shared].sum())


def mgc_term(ours: tuple, theirs: tuple, shared: np.ndarray) -> float:
    """Sum the squared Mahalanobis distances of the step across the seam over shared rows."""
    outer, inner, known = ours
    gradients = (outer - inner)[known]
    mean = gradients.mean(axis=0) if len(gradients) else np.zeros(3)
    inverse = np.linalg.inv(np.cov(np.concatenate([gradients, DUMMIES]), rowvar=False))
    steps = (theirs[0] - outer - mean)[shared]
    return float(np.einsum("ri,ij,rj->", steps, inverse, steps))


def backwards(side: tuple) -> tuple:
    """Run the rows of a side the other way."""
    return tuple(table[::-1] for table in side)


def oracle(name: str, pieces: Pieces, a: tuple[int, int], b: tuple[int, int], used: int) -> float:
    """Compute one cost from the definition."""
    ours, theirs = border(pieces, *a), backwards(border(pieces, *b))
    shared = ours[2] & theirs[2]
    if shared.sum() < max(1, used / 4):
        return np.inf
    term: Callable[..., float] = mgc_term if name == "mgc" else prediction_term
    total = term(ours, theirs, shared)
    if name != "prediction":
        total += term(theirs, ours, shared)
    return total / shared.sum() * len(shared)


def used_rows(pieces: Pieces, sides: tuple[int, ...], others: tuple[int, ...]) -> int:
    """Count the rows that any two sides could share."""
    everyone = range(len(pieces))
    looking = np.any([border(pieces, p, s)[2] for p in everyone for s in sides], axis=0)
    facing = np.any([border(pieces, p, s)[2][::-1] for p in everyone for s in others], axis=0)
    return int((looking & facing).sum())


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=12)
@given(
    height=st.integers(3, 7),
    width=st.integers(3, 7),
    square=st.booleans(),
    turns=st.booleans(),
    share=st.sampled_from([0.5, 0.8, 1.0]),
    seed=st.integers(0, 999),
)
def test_costs_follow_the_definition(
    name: str, height: int, width: int, square: bool, turns: bool, share: float, seed: int
) -> None:
    """Every cost equals the published sum, computed pixel by pixel."""
    width = height if square else width
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (4, height, width, 3), dtype=np.uint8)
    pieces = Pieces.from_arrays(pixels, rng.random(pixels.shape[:3]) < share)
    relations = Relations(turns, pieces.square)
    costs = dense(find_scorer(name).score(pieces, relations, ignore))
    expected = np.full_like(costs, np.inf)
    for sides, others in relations.pair_groups():
        used = used_rows(pieces, sides, others)
        for a, b in np.ndindex(4, 4):
            for s, o in ((s, o) for s in sides for o in others if a != b):
                expected[4 * a + s, 4 * b + o] = oracle(name, pieces, (a, s), (b, o), used)
    np.testing.assert_allclose(costs, expected, rtol=2e-4, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("erosion", [0, 1])
@pytest.mark.parametrize("turns", [False, True])
def test_true_neighbours_come_first(name: str, erosion: int, turns: bool) -> None:
    """On a painted picture most sides find their true partner as the cheapest candidate."""
    pixels = painted(5, 6, 24, 24, seed=3)
    known = np.zeros(pixels.shape[:3], np.bool_)
    known[:, erosion : 24 - erosion, erosion : 24 - erosion] = True
    scores = find_scorer(name).score(Pieces.from_arrays(pixels, known), Relations(turns), ignore)
    costs, seams = dense(scores), seams_of(Layout.from_grid(5, 6))
    found = np.r_[
        costs.argmin(axis=1)[seams[:, 0]] == seams[:, 1],
        costs.argmin(axis=1)[seams[:, 1]] == seams[:, 0],
    ]
    assert found.mean() > (0.9 if erosion == 0 else 0.6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("turns", [False, True])
def test_relabelling_permutes_the_costs(name: str, turns: bool) -> None:
    """The order of the pieces changes nothing but their numbers."""
    pixels = painted(3, 4, 12, 12, seed=1)
    order = np.random.default_rng(5).permutation(12)
    sides = (4 * order[:, None] + np.arange(4)).ravel()
    costs, mixed = (
        dense(find_scorer(name).score(Pieces.from_arrays(some), Relations(turns), ignore))
        for some in (pixels, pixels[order])
    )
    assert np.array_equal(mixed, costs[np.ix_(sides, sides)])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("turns", [False, True])
def test_transposing_swaps_right_with_bottom(name: str, turns: bool) -> None:
    """A picture mirrored at its diagonal has the same costs with sides 0, 1 and 2, 3 swapped."""
    pixels = painted(3, 3, 12, 10, seed=2)
    relations = Relations(turns, square=False)
    mirrored = np.ascontiguousarray(pixels.swapaxes(1, 2))
    sides = (4 * np.arange(9)[:, None] + np.array([1, 0, 3, 2])).ravel()
    costs, other = (
        dense(find_scorer(name).score(Pieces.from_arrays(some), relations, ignore))
        for some in (pixels, mirrored)
    )
    np.testing.assert_allclose(other, costs[np.ix_(sides, sides)], rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("turns", [False, True])
def test_turning_all_pieces_rolls_their_sides(name: str, turns: bool) -> None:
    """After a quarter turn of every piece, side s is where side s - 1 was."""
    pixels = painted(3, 3, 12, 10, seed=4)
    relations = Relations(turns, square=False)
    turned = np.ascontiguousarray(np.rot90(pixels, -1, (1, 2)))
    sides = (4 * np.arange(9)[:, None] + (np.arange(4) - 1) % 4).ravel()
    costs, other = (
        dense(find_scorer(name).score(Pieces.from_arrays(some), relations, ignore))
        for some in (pixels, turned)
    )
    assert np.array_equal(other, costs[np.ix_(sides, sides)])


@pytest.mark.parametrize("name", ["mgc", "prediction-symmetric"])
def test_symmetric_measures_are_symmetric(name: str) -> None:
    """The cost of a seam does not depend on the side it is seen from."""
    scores = find_scorer(name).score(
        Pieces.from_arrays(painted(3, 4, 10, 10, seed=7)), Relations(True), ignore
    )
    np.testing.assert_allclose(dense(scores), dense(scores).T, rtol=1e-5)


def test_prediction_is_directed() -> None:
    """What a predicts of b is not what b predicts of a."""
    costs = dense(
        find_scorer("prediction").score(
            Pieces.from_arrays(painted(3, 4, 10, 10, seed=7)), Relations(), ignore
        )
    )
    assert not np.allclose(costs, costs.T)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_and_shortlists_agree_with_the_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small blocks and short rows give the best part of the full table, and tell their progress."""
    pieces = Pieces.from_arrays(painted(5, 6, 8, 8, seed=6))
    whole = dense(find_scorer(name).score(pieces, Relations(True), ignore))
    monkeypatch.setattr("sherd.scorers.borders._BLOCK_ENTRIES", 1)
    monkeypatch.setattr("sherd.scores._MOST_ENTRIES", 10)
    monkeypatch.setattr("sherd.scores._LARGE_BOARD_ROW", 7)
    heard: list[Event] = []
    part = find_scorer(name).score(pieces, Relations(True), heard.append)
    assert part.cost is not None
    assert part.candidates.shape == (120, 7)
    assert np.array_equal(np.sort(part.cost, 1), np.sort(whole, 1)[:, :7])
    assert np.array_equal(dense(part)[np.isfinite(dense(part))], whole[np.isfinite(dense(part))])
    done = [event.done for event in heard if isinstance(event, Progress)]
    assert done == [*range(16, 120, 16), 120]


@pytest.mark.parametrize("name", NAMES)
def test_pieces_without_known_pixels_meet_nobody(name: str) -> None:
    """A lost piece has no candidates; the others are judged as if it were absent."""
    pieces = Pieces.from_arrays(painted(2, 3, 8, 8, seed=8))
    lost = replace(pieces, known=pieces.known & (np.arange(6) != 2)[:, None, None])
    scores = find_scorer(name).score(lost, Relations(), ignore)
    assert (scores.candidates[8:12] == -1).all()
    assert not np.isin(scores.candidates, np.arange(8, 12)).any()
    others = np.delete(np.arange(24), np.s_[8:12])
    whole = dense(find_scorer(name).score(pieces, Relations(), ignore))
    np.testing.assert_allclose(
        dense(scores)[np.ix_(others, others)], whole[np.ix_(others, others)], rtol=1e-5
    )


@pytest.mark.parametrize("name", NAMES)
def test_flat_pieces_give_finite_scores(name: str) -> None:
    """Pieces of one colour all fit equally well, without a warning and without a winner."""
    pieces = Pieces.from_arrays(np.full((5, 6, 6, 3), 90, np.uint8))
    scores = find_scorer(name).score(pieces, Relations(), ignore)
    np.testing.assert_allclose(scores.score, np.log(1 / 4), rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_thin_pieces_are_refused(name: str) -> None:
    """A piece one pixel wide has no gradient."""
    with pytest.raises(SherdError, match="gradient"):
        find_scorer(name).score(
            Pieces.from_arrays(np.zeros((3, 1, 4, 3), np.uint8)), Relations(), ignore
        )

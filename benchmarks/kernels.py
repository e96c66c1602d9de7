"""Each compiled kernel beside a vectorised NumPy twin: python benchmarks/kernels.py.

Both are given the borders of 805 painted pieces of 28 px; the twins must give the same answers.
Kernels use all cores, NumPy one. The assemblers have no vectorised form and are timed alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from measuring import best_of, describe_machine, yardstick

from sherd import _core
from sherd.assemblers import ASSEMBLERS, find_assembler
from sherd.cut import cut
from sherd.events import ignore
from sherd.layout import BoardSpec
from sherd.paint import paint
from sherd.scorers import find_scorer
from sherd.scorers.borders import borders_of
from sherd.sides import LEFT, RIGHT, Relations
from sherd.stop import Never

ROWS, COLS, PIECE = 23, 35, 28
CHUNK = 16  # sides that the twins compare at a time, for memory


def l1_costs(queries, targets, query_known, target_known, least, length):
    """Sum absolute differences over shared rows: [A, B]."""
    total = [
        (np.abs(q[:, None] - targets).sum(axis=3) * (k[:, None] & target_known)).sum(axis=2)
        for q, k in _chunks(queries, query_known)
    ]
    return _per_row(np.concatenate(total), query_known, target_known, least, length)


def mgc_costs(seen, expected, white, known, seen_b, expected_b, white_b, known_b, least, length):
    """Sum squared whitened steps over shared rows, both directions: [A, B]."""
    total = []
    for s, e, w, k in _chunks(seen, expected, white, known):
        forth = _whitened_squares(w[:, None, None], seen_b - e[:, None])
        back = _whitened_squares(white_b[:, None], s[:, None] - expected_b)
        total.append(((forth + back) * (k[:, None] & known_b)).sum(axis=2))
    return _per_row(np.concatenate(total), known, known_b, least, length)


def top_rows(cost, row_sides, col_sides, k):
    """Sort out the k cheapest columns of each row: ids and costs [A, k]."""
    masked = np.where((row_sides // 4)[:, None] == col_sides // 4, np.inf, cost)
    order = np.argsort(masked, axis=1, kind="stable")[:, :k]
    return col_sides[order], np.take_along_axis(masked, order, 1)


def reverse_positions(candidates):
    """Find where each side stands in the row of its candidate: [S, K], -1 where it does not."""
    row, place = np.nonzero(candidates >= 0)
    other = candidates[row, place]
    where = np.full((len(candidates),) * 2, -1, np.int32)
    where[row, other] = place
    out = np.full(candidates.shape, -1, np.int32)
    out[row, place] = where[other, row]
    return out


def main() -> None:
    print(describe_machine(yardstick()))
    rng = np.random.default_rng(0)
    pieces, _ = cut(paint(ROWS * PIECE, COLS * PIECE, 1), piece=PIECE, seed=1).pieces()
    count = len(pieces)
    looking, faced = borders_of(pieces, (RIGHT,)), borders_of(pieces, (LEFT,)).facing()
    a, b = looking.outer.astype(np.float32), np.ascontiguousarray(faced.outer, np.float32)
    known, facing = np.ascontiguousarray(looking.known), np.ascontiguousarray(faced.known)
    white = rng.random((2, count, 6), np.float32)
    rule = (7.0, float(PIECE))
    _compare("l1_costs", _core.l1_costs, l1_costs, (a, b, known, facing, *rule))
    views = (a, a + 1, white[0], known, b, b + 1, white[1], facing)
    _compare("mgc_costs", _core.mgc_costs, mgc_costs, (*views, *rule))
    cost = _core.l1_costs(a, b, known, facing, *rule)
    ids = 4 * np.arange(count, dtype=np.int32)
    _compare("top_rows", _core.top_rows, top_rows, (cost, ids, ids + LEFT, count - 1))
    scores = find_scorer("prediction").score(pieces, Relations(), ignore)
    _compare("reverse_positions", _core.reverse_positions, reverse_positions, (scores.candidates,))
    for name in ASSEMBLERS:
        assembler, board = find_assembler(name), BoardSpec(ROWS, COLS)
        place = partial(assembler.assemble, scores, board, Never(), rng, ignore)
        print(f"{name:<18} {1000 * best_of(3, place):8.1f} ms")


def _compare(name: str, kernel: Callable, twin: Callable, arguments: tuple) -> None:
    """Check that both give the same, and print their times."""
    for ours, theirs in zip(_outputs(kernel(*arguments)), _outputs(twin(*arguments)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-2, err_msg=name)
    fast = best_of(5, lambda: kernel(*arguments))
    slow = best_of(2, lambda: twin(*arguments))
    print(
        f"{name:<18} {1000 * fast:8.1f} ms   NumPy {1000 * slow:8.1f} ms   {slow / fast:6.1f} times"
    )


def _outputs(result: object) -> tuple:
    return result if isinstance(result, tuple) else (result,)


def _chunks(*tables):
    for start in range(0, len(tables[0]), CHUNK):
        yield tuple(table[start : start + CHUNK] for table in tables)


def _per_row(total, known, other_known, least, length):
    """Scale sums to all rows; infinite where too few are shared."""
    shared = known.astype(np.float32) @ other_known.astype(np.float32).T
    return np.where(shared >= least, total / np.maximum(shared, 1) * length, np.inf)


def _whitened_squares(white, step):
    """Square the length of steps [..., 3] after a lower triangular matrix of entries [..., 6]."""
    first, second, third = np.moveaxis(step, -1, 0)
    w = np.moveaxis(white, -1, 0)
    return (
        (w[0] * first) ** 2
        + (w[1] * first + w[2] * second) ** 2
        + (w[3] * first + w[4] * second + w[5] * third) ** 2
    )


if __name__ == "__main__":
    main()

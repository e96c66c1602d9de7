"""Measuring a model while it is trained: retrieval, filled gaps, whole puzzles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.errors import InputError
from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.train import evaluate  # noqa: E402
from sherd.train.evaluate import (  # noqa: E402
    Scorer,
    evaluate_model,
    read_board,
    read_boards,
    retrieval,
    true_pairs,
)
from sherd.train.networks import Judge, ModelConfig  # noqa: E402

TINY = ModelConfig(width=4, most=2, discriminator_width=4, erosion=2)


def test_true_pairs_of_a_small_board() -> None:
    """On 2 x 2 pieces two pairs lie side by side and two one above the other."""
    right, down = true_pairs(2, 2)
    assert right.tolist() == [[0, 1], [2, 3]]
    assert down.tolist() == [[0, 2], [1, 3]]


def test_retrieval_of_a_table_made_by_hand() -> None:
    """On 1 x 3 pieces each seam is asked from both of its sides: here three answers of four."""
    table = np.full((2, 3, 3), 9.0)
    table[0, 0, 1] = 1.0  # 0 finds 1 to its right, and 1 finds 0 to its left
    table[0, 1, 2] = 2.0  # 2 finds 1 to its left,
    table[0, 1, 0] = 1.5  # but 1 prefers 0 to its right
    assert retrieval(table, 1, 3) == 0.75


def test_a_picture_becomes_pieces_in_reading_order(tmp_path: Path) -> None:
    """The remainder at the right and at the bottom is dropped."""
    picture = paint(130, 200)
    Image.fromarray(picture).save(tmp_path / "a.png")
    board = read_board(tmp_path / "a.png")
    assert (board.rows, board.columns, board.folder) == (2, 3, tmp_path.name)
    assert np.array_equal(board.pieces[4].numpy(), picture[64:128, 64:128].transpose(2, 0, 1))


def test_a_picture_smaller_than_two_pieces_is_an_error(tmp_path: Path) -> None:
    """One piece has no neighbour to find."""
    Image.fromarray(paint(100, 100)).save(tmp_path / "small.png")
    with pytest.raises(InputError, match=r"small\.png: smaller than two pieces"):
        read_boards([tmp_path])


def test_a_model_is_measured_on_whole_puzzles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures per folder and erosion, and the tables they come from; no piece beside itself."""
    monkeypatch.setattr(evaluate, "BATCH", 8)
    folder = tmp_path / "pictures"
    folder.mkdir()
    Image.fromarray(paint(128, 192)).save(folder / "a.png")
    torch.manual_seed(0)
    boards = read_boards([folder])
    figures = evaluate_model(Judge(TINY), boards, (2,), False, tmp_path / "tables.npz")
    assert 0 <= figures["top1_pictures_e2"] <= 1
    assert figures["l1_line_e2"] < figures["l1_model_e2"]
    with np.load(tmp_path / "tables.npz") as tables:
        table = tables["pictures_2_0"]
    assert table.shape == (2, 6, 6)
    assert np.isinf(table[:, np.arange(6), np.arange(6)]).all()
    assert figures["top1_pictures_e2"] == pytest.approx(retrieval(table, 2, 3), abs=1e-4)


def test_padding_a_batch_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are judged one by one: the table does not depend on the size of a batch."""
    torch.manual_seed(0)
    scorer = Scorer(Judge(TINY), False)
    pieces = torch.randint(0, 256, (3, 3, 64, 64), dtype=torch.uint8)
    board = evaluate.Board("a", "b", 1, 3, pieces)
    tables = []
    for size in (4, 9):
        monkeypatch.setattr(evaluate, "BATCH", size)
        tables.append(scorer.table(board, 2))
    off = ~np.eye(3, dtype=bool)
    assert np.allclose(tables[0][:, off], tables[1][:, off], atol=2e-3)

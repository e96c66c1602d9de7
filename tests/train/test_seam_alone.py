"""Training of the "meets nothing" head: honest labels, a head that learns, whole weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.layout import Layout, seams_of
from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.events import ignore  # noqa: E402
from sherd.pieces import Pieces  # noqa: E402
from sherd.scorers.alone import ALONE_FILE, FACTS  # noqa: E402
from sherd.scorers.seam import JudgedRows, Seam  # noqa: E402
from sherd.sides import Relations  # noqa: E402
from sherd.train import seam_alone  # noqa: E402
from sherd.train.seam_alone import AloneHead, examples, train_alone  # noqa: E402
from sherd.weights import find_weights  # noqa: E402


def every_row(pieces: int) -> JudgedRows:
    """Rows that list every opposite side, with logits that name the pair."""
    sides = np.arange(4 * pieces)
    candidates = np.array(
        [[4 * q + (s + 2) % 4 for q in range(pieces) if q != s // 4] for s in sides], np.int32
    )
    logits = np.random.default_rng(0).normal(size=candidates.shape).astype(np.float32)
    return JudgedRows(candidates, logits, np.ones(candidates.shape, np.bool_))


def test_labels() -> None:
    """On a whole board the frame is alone; with pieces taken away, their neighbours are too."""
    truth, rows = Layout.from_grid(3, 4), every_row(12)
    known = np.ones(48, np.float32)
    facts, alone = examples(rows, known, truth, 0.0, seed=1)
    assert facts.shape == (48, FACTS)
    assert alone.sum() == 48 - 2 * len(seams_of(truth))
    fewer, holes = examples(rows, known, truth, 0.4, seed=1)
    left = len(holes) // 4
    assert len(fewer) == len(holes) == 4 * left
    assert left < 12
    assert holes.mean() > alone.mean()
    np.testing.assert_allclose(fewer[:, 5], np.log(left - 1), atol=1e-6)


def test_head_learns() -> None:
    """A head finds a rule in the facts, whatever their scale."""
    torch.manual_seed(0)
    facts = torch.randn(4000, FACTS) * 20 + 5
    alone = (facts[:, 0] > 5).float()
    head = train_alone(facts, alone)
    right = (head(facts) > 0) == (alone > 0)
    assert right.float().mean() > 0.8


@pytest.mark.slow
def test_command(tmp_path: Path) -> None:
    """The command adds a head to weights that lack one, and to their pedigree."""
    weights, photos = tmp_path / "weights", tmp_path / "photos"
    shutil.copytree(find_weights("seam").files["seam-joint.onnx"].parent, weights)
    photos.mkdir()
    for seed in range(6):
        Image.fromarray(paint(256, 384, seed)).save(photos / f"{seed}.png")
    before = (weights / ALONE_FILE).read_bytes()
    seam_alone.main(["--photos", str(photos), "--weights", str(weights)])
    assert (weights / ALONE_FILE).read_bytes() != before
    done = shutil.copytree(weights, tmp_path / "done")  # a folder is read but once
    assert find_weights("seam", done).pedigree["alone_boards"] == 6
    pieces = Pieces.from_arrays(np.stack([paint(64, 64, seed) for seed in (1, 2, 3)]))
    assert Seam(weights=done).score(pieces, Relations(), ignore).alone is not None
    assert AloneHead()(torch.zeros(2, FACTS)).shape == (2,)

"""Training of the seam network: true seams, honest wear, steps that learn, runs that go on."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.errors import InputError, OutputError  # noqa: E402
from sherd.train import seam_run  # noqa: E402
from sherd.train.augment import blurred, compressed  # noqa: E402
from sherd.train.evaluate import Board, read_board  # noqa: E402
from sherd.train.loop import Plan, Training  # noqa: E402
from sherd.train.pairs import Dice  # noqa: E402
from sherd.train.photos import PhotoStore  # noqa: E402
from sherd.train.seam import SeamConfig, SeamTraining, retrieval  # noqa: E402
from sherd.train.seam_boards import (  # noqa: E402
    KINDS,
    BoardKind,
    Problems,
    draw_pieces,
    fitting,
    pose,
    wear,
)
from sherd.train.seam_network import SeamNetwork  # noqa: E402
from sherd.weights import find_weights  # noqa: E402

CPU = torch.device("cpu")
PLAN = Plan(examples=16 * 4, batch=4, device="cpu", compiled=False, decay=True, average=0.9)
SMALL = SeamConfig(kinds=(BoardKind(2, 2, 1),), anchors=4, hard=1, rate=1e-3)
SHIPPED = find_weights("seam").files["seam-encoder.onnx"].parent


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def store(size: tuple[int, int] = (200, 264)) -> PhotoStore:
    """Two painted photographs."""
    photos = [paint(*size, seed).transpose(2, 0, 1) for seed in (1, 2)]
    return PhotoStore([np.ascontiguousarray(photo) for photo in photos], CPU)


def ramps(kind: BoardKind) -> torch.Tensor:
    """Pieces of a board [1, N, 4, 64, 64] whose colours tell row and column of each pixel."""
    height, width = kind.rows * 64, kind.columns * 64
    rows = torch.arange(height).float()[:, None].expand(height, width)
    columns = torch.arange(width).float()[None].expand(height, width)
    board = torch.stack([rows, columns, 0 * rows, 0 * rows + 1])
    cells = board.view(4, kind.rows, 64, kind.columns, 64).permute(1, 3, 0, 2, 4)
    return cells.reshape(1, -1, 4, 64, 64)


@pytest.mark.parametrize("turned", [False, True])
def test_seams_are_true(turned: bool) -> None:
    """The two sides of every seam touch pixel by pixel, rows in line; none is of one piece."""
    kind = BoardKind(2, 3, 1, turned=turned)
    problems = pose(ramps(kind), kind, 100, Dice(CPU, 1))
    for q, seams in enumerate(problems.seams):
        for i, j in seams.tolist():
            assert not problems.forbidden[i, j]
            edges = [
                problems.views[side, :2, :, -1]
                for side in (problems.first[q, i], problems.second[q, j])
            ]
            apart = (edges[0] - edges[1]).abs().sum(0)
            torch.testing.assert_close(apart, torch.ones(64))  # one step across the seam
    expected = 2 * 7 if turned else 3
    assert problems.seams.shape[1] == expected
    assert len(problems.views) == 6 * (8 if turned else 4)


def test_kinds_fit_together() -> None:
    """Every kind of board gives the same number of views and the wanted number of seams."""
    for kind in KINDS:
        pieces = torch.zeros(kind.boards, kind.rows * kind.columns, 4, 2, 2)
        problems = pose(pieces, kind, SeamConfig.anchors, Dice(CPU, 0))
        assert len(problems.views) == 2880
        assert problems.seams[..., 0].numel() == SeamConfig.anchors


def test_photographs_that_fit() -> None:
    """Only photographs that hold a board are drawn from, in either orientation."""
    mixed = [np.zeros((3, *size), np.uint8) for size in ((200, 130), (130, 200), (127, 300))]
    assert fitting(PhotoStore(mixed, CPU), BoardKind(2, 3, 1)).tolist() == [0, 1]
    with pytest.raises(InputError, match="larger ones"):
        fitting(PhotoStore(mixed, CPU), BoardKind(9, 9, 1))


@pytest.mark.parametrize("size", [28, 64, 96])
def test_wear(size: int) -> None:
    """Pieces of every size come out as 64 pixels, lost ones 0, the middle always known."""
    dice, kind = Dice(CPU, 3), BoardKind(2, 2, 4, size)
    chosen = store()
    pieces = draw_pieces(chosen, fitting(chosen, kind), dice, kind)
    assert pieces.shape == (4, 4, 3, size, size)
    worn = wear(pieces, dice)
    assert worn.shape == (4, 4, 4, 64, 64)
    assert worn.abs().max() <= 1
    known = worn[:, :, 3:]
    assert (known[..., 20:44, 20:44] == 1).all()
    assert (worn[:, :, :3] * (1 - known) == 0).all()
    assert len({float(share) for share in known.mean((1, 2, 3, 4))}) > 1


def test_jpeg() -> None:
    """The imitation differs from a picture about as much as JPEG of that quality does."""
    picture = paint(64, 96, seed=1)
    pixels = torch.from_numpy(picture.transpose(2, 0, 1).copy())[None].float() / 127.5 - 1
    for quality in (40, 90):
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "JPEG", quality=quality)
        true = np.abs(np.asarray(Image.open(file), float) - picture).mean()
        ours = compressed(pixels, torch.tensor([float(quality)]))
        assert 0.6 < float((ours - pixels).abs().mean() * 127.5) / true < 1.6


def test_blur() -> None:
    """Strength 0 changes nothing, and a blur keeps a constant."""
    noise = torch.rand(2, 3, 8, 8)
    torch.testing.assert_close(blurred(noise, torch.zeros(2)), noise)
    assert blurred(noise, torch.ones(2)).std() < 0.5 * noise.std()
    torch.testing.assert_close(blurred(noise * 0 + 0.3, torch.ones(2)), noise * 0 + 0.3)


def test_one_batch_is_learnt() -> None:
    """Repeated steps on one batch lower every loss."""
    torch.manual_seed(0)
    task = SeamTraining(SeamNetwork(), SMALL, store(), PLAN)
    batch = next(iter(task.batches(Dice(CPU, 1))))
    first = task.step(batch)
    for _ in range(12):
        last = task.step(batch)
    assert (last[:3] < first[:3]).all()
    assert isinstance(Problems(*batch[:5]), Problems)


def test_run_goes_on_after_a_stop(tmp_path: Path) -> None:
    """A run that stopped half way and goes on ends where an unbroken one does."""

    def network(stops: tuple[int, ...], folder: Path) -> SeamNetwork:
        for steps in stops:
            torch.manual_seed(0)
            plan = Plan(examples=4 * steps, batch=4, device="cpu", compiled=False, average=0.9)
            training = Training(
                SeamTraining(SeamNetwork(), SMALL, store(), plan), plan, folder, lambda record: None
            )
            if (folder / "checkpoint.pt").exists():
                training.resume()
            training.run()
        averaged = training.averaged["seam"]
        assert isinstance(averaged, SeamNetwork)
        return averaged

    whole = network((16,), tmp_path / "whole").state_dict()
    broken = network((8, 16), tmp_path / "broken").state_dict()
    for name, value in whole.items():
        torch.testing.assert_close(broken[name], value)
    assert (tmp_path / "whole" / "samples.png").is_file()


@pytest.mark.parametrize("frozen", [False, True])
def test_norms(frozen: bool, tmp_path: Path) -> None:
    """Running statistics move with training, the averaged ones too, unless they are frozen."""
    torch.manual_seed(0)
    config = replace(SMALL, frozen_norms=frozen)
    plan = replace(PLAN, examples=8 * 4)
    training = Training(
        SeamTraining(SeamNetwork(), config, store(), plan), plan, tmp_path, lambda record: None
    )
    training.run()
    for networks in (training.task.networks, training.averaged):
        moved = networks["seam"].get_buffer("encoder.near.0.0.norm.running_mean").abs().max() > 0
        assert bool(moved) != frozen


def test_retrieval_of_the_shipped_network(tmp_path: Path) -> None:
    """The shipped network finds most neighbours of a painted board, a fresh one does not."""
    Image.fromarray(paint(192, 256, seed=3)).save(tmp_path / "board.png")
    board = read_board(tmp_path / "board.png")
    assert isinstance(board, Board)
    torch.manual_seed(0)
    shares = [
        retrieval(network.eval(), board, 2)
        for network in (seam_run.read_seam(SHIPPED), SeamNetwork())
    ]
    assert shares[0] > 0.8 > 0.5 > shares[1]


@pytest.mark.slow
def test_command(tmp_path: Path) -> None:
    """The command trains on from the shipped weights and leaves whole weights with figures."""
    photos = tmp_path / "photos"
    photos.mkdir()
    for seed in (1, 2):
        Image.fromarray(paint(200, 264, seed)).save(photos / f"{seed}.png")
    words = ["--out", str(tmp_path / "run"), "--photos", str(photos), "--start", str(SHIPPED)]
    words += ["--miniature", "--no-compile", "--device", "cpu", "--steps", "1", "--rate", "1e-6"]
    seam_run.main([*words, "--validation", str(photos), "--validate-most", "1"])
    weights = find_weights("seam", tmp_path / "run" / "weights")
    assert weights.pedigree["top1_e2"] > 0.5
    shipped = find_weights("seam").pedigree
    assert weights.pedigree["embedding_scale"] == pytest.approx(shipped["embedding_scale"], 0.01)
    with pytest.raises(OutputError, match="--resume"):
        seam_run.main(words)

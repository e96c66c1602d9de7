"""Both training stages: they learn, stop, go on after a kill, and give the same twice."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sherd.errors import DeviceError, InputError, OptionError, OutputError, WeightsError
from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")

from sherd.train import evaluate  # noqa: E402
from sherd.train.boards import BoardConfig  # noqa: E402
from sherd.train.classify import Classification, ClassifyConfig, load_judge  # noqa: E402
from sherd.train.evaluate import Board  # noqa: E402
from sherd.train.inpaint import InpaintConfig, Inpainting  # noqa: E402
from sherd.train.loop import (  # noqa: E402
    CHUNK,
    Plan,
    Task,
    Training,
    load_state,
    resolve_device,
    save_weights,
)
from sherd.train.networks import Judge, ModelConfig  # noqa: E402
from sherd.train.pairs import Dice  # noqa: E402
from sherd.train.photos import PhotoStore  # noqa: E402

CPU = torch.device("cpu")
PAPER = ModelConfig(width=4, most=2, discriminator_width=4, erosion=2)
SHIPPED = ModelConfig(width=4, most=2, discriminator_width=4, mask_channel=True, average="logits")
BOARDS = BoardConfig(rows=2, columns=3, boards=1, anchors=2, hard=1, easy=1)
PLAN = Plan(
    examples=2 * CHUNK * 2, batch=2, device="cpu", compiled=False, checkpoint_every=0, log_every=1
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def store() -> PhotoStore:
    """Two painted photographs."""
    photos = [paint(200, 264, seed).transpose(2, 0, 1) for seed in (1, 2)]
    return PhotoStore([np.ascontiguousarray(photo) for photo in photos], CPU)


def make(stage: str, plan: Plan) -> Task:
    """Make the task of a stage with fresh small networks."""
    if stage.startswith("inpaint"):
        return Inpainting(SHIPPED if stage.endswith("shipped") else PAPER, store(), plan)
    torch.manual_seed(0)
    if stage.endswith("shipped"):
        config = ClassifyConfig(boards=BOARDS, tune_generator=True)
        return Classification(Judge(SHIPPED), config, store(), plan)
    return Classification(Judge(PAPER), ClassifyConfig(), store(), plan)


STAGES = ("inpaint-paper", "inpaint-shipped", "classify-paper", "classify-shipped")


@pytest.mark.parametrize("stage", STAGES)
def test_going_on_after_a_kill_gives_the_uninterrupted_result(stage: str, tmp_path: Path) -> None:
    """Killed after the first checkpoint and resumed, every weight is the same to the last bit."""
    shipped = stage.endswith("shipped")
    examples = 2 * CHUNK * (BOARDS.anchors * BOARDS.group if stage == "classify-shipped" else 2)
    examples *= 2 if stage == "classify-paper" else 1
    plan = replace(PLAN, examples=examples, decay=shipped, average=0.9 * shipped)
    whole = Training(make(stage, plan), plan, tmp_path / "whole", lambda record: None)
    whole.run()

    def kill(record: dict[str, object]) -> None:
        if record["event"] == "step" and record["step"] == 2 * CHUNK:
            raise KeyboardInterrupt

    broken = Training(make(stage, plan), plan, tmp_path / "broken", kill)
    with pytest.raises(KeyboardInterrupt):
        broken.run()
    resumed = Training(make(stage, plan), plan, tmp_path / "broken", lambda record: None)
    resumed.resume()
    assert resumed.steps == CHUNK
    resumed.run()
    assert resumed.steps == whole.steps == 2 * CHUNK
    for networks in ("networks", "averaged"):
        first, second = (
            load_state(tmp_path / folder / "checkpoint.pt", CPU)[networks]
            for folder in ("whole", "broken")
        )
        for name, state in first.items():
            assert all(torch.equal(value, second[name][key]) for key, value in state.items())


def test_inpainting_learns_to_fill(tmp_path: Path) -> None:
    """After some steps the sample pictures are filled better than by the initial weights."""
    plan = replace(PLAN, examples=15 * CHUNK * 2, checkpoint_every=1e9)
    task = Inpainting(PAPER, store(), plan)

    def error() -> float:
        _, filled, original = task.pictures().chunk(3, 2)
        return float((filled - original)[..., 62:66].abs().mean())

    before = error()
    Training(task, plan, tmp_path, lambda record: None).run()
    assert error() < 0.9 * before


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_the_discriminator_has_as_much_say_as_its_weight(weight: float) -> None:
    """Without weight another discriminator leads to the same generator; with it, to another."""
    learnt = []
    for other in (False, True):
        task = Inpainting(SHIPPED, store(), PLAN, InpaintConfig(adversarial=weight))
        if other:
            torch.nn.init.normal_(task.discriminator.layers[0].weight)
        task.step(next(iter(task.batches(Dice(CPU, 1)))))
        learnt.append(torch.cat([value.flatten() for value in task.generator.parameters()]))
    assert torch.equal(*learnt) == (weight == 0)


def test_inpainting_goes_on_from_given_weights(tmp_path: Path) -> None:
    """What weights-half.pt holds is where both networks begin."""
    Training(Inpainting(PAPER, store(), PLAN), PLAN, tmp_path, lambda record: None).run()
    state = load_state(tmp_path / "weights-half.pt", CPU)
    task = Inpainting(PAPER, store(), replace(PLAN, seed=2))
    task.begin_with(state["networks"])
    for name, network in task.networks.items():
        for key, value in network.state_dict().items():
            assert torch.equal(value, state["networks"][name][key].float())


def test_the_log_has_one_record_a_line(tmp_path: Path) -> None:
    """What a listener hears is what log.jsonl holds."""
    records: list[dict[str, object]] = []
    Training(make("inpaint-paper", PLAN), PLAN, tmp_path, records.append).run()
    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == records
    assert [record["event"] for record in records] == ["step", "step", "trained"]
    assert {"discriminator", "adversarial", "l1", "per_second"} <= set(records[0])


def test_sample_pictures_are_written(tmp_path: Path) -> None:
    """Eight pairs, one above the other: input, filled, original."""
    Training(make("inpaint-paper", PLAN), PLAN, tmp_path, lambda record: None).run()
    with Image.open(tmp_path / "samples.png") as picture:
        assert picture.size == (3 * 128, 8 * 64)


def test_the_second_stage_leaves_the_generator_alone(tmp_path: Path) -> None:
    """Only the discriminator of the paper's second stage learns."""
    task = make("classify-paper", PLAN)
    before = {
        name: [value.clone() for value in network.parameters()]
        for name, network in task.networks.items()
    }
    Training(task, PLAN, tmp_path, lambda record: None).run()
    for name, changed in (("generator", False), ("discriminator", True)):
        pairs = zip(before[name], task.networks[name].parameters(), strict=True)
        assert any(not torch.equal(a, b) for a, b in pairs) == changed


def test_weights_go_from_stage_to_stage(tmp_path: Path) -> None:
    """The half-precision file rebuilds the networks, up to the precision of halves."""
    task = make("inpaint-shipped", PLAN)
    save_weights(tmp_path / "weights-half.pt", task.networks, task.settings())
    judge = load_judge(tmp_path / "weights-half.pt", CPU)
    assert judge.config == SHIPPED
    for name, network in task.networks.items():
        for key, value in network.state_dict().items():
            assert torch.equal(judge.get_submodule(name).state_dict()[key], value.half().float())
    assert load_judge(tmp_path / "weights-half.pt", CPU, "probabilities").config.average != (
        SHIPPED.average
    )


def test_validation_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With puzzles to measure on, stage 2 reports the share of neighbours found first."""
    monkeypatch.setattr(evaluate, "BATCH", 4)
    pieces = torch.randint(0, 256, (2, 3, 64, 64), dtype=torch.uint8)
    config = ClassifyConfig(validation=(Board("a", "b", 1, 2, pieces),))
    task = Classification(Judge(PAPER), config, store(), PLAN)
    assert task.evaluate(task.networks) == {"top1_e2": 1.0}


def test_unreadable_weights_are_an_error(tmp_path: Path) -> None:
    """A missing, a truncated and a foreign file each give one line with the file's name."""
    with pytest.raises(InputError, match=r"none\.pt: there is no such file"):
        load_state(tmp_path / "none.pt", CPU)
    torch.save({"format": "of old"}, tmp_path / "old.pt")
    with pytest.raises(WeightsError, match=r"old\.pt: not weights of this version"):
        load_state(tmp_path / "old.pt", CPU)
    (tmp_path / "part.pt").write_bytes((tmp_path / "old.pt").read_bytes()[:300])
    with pytest.raises(WeightsError, match=r"part\.pt: not a whole file of weights"):
        load_state(tmp_path / "part.pt", CPU)


def test_a_full_disk_is_an_error_and_leaves_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a file cannot be written, one line says so, and the old file stands."""

    def fail(state: object, path: Path) -> None:
        Path(path).write_bytes(b"part")
        raise RuntimeError("PytorchStreamWriter failed writing file data/0: file write failed")

    (tmp_path / "weights-half.pt").write_bytes(b"old")
    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OutputError, match=r"weights-half\.pt: cannot be written .*--resume"):
        save_weights(tmp_path / "weights-half.pt", {}, {})
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_a_device_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """CUDA asked for and absent is refused; "auto" takes what there is."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DeviceError, match="--device cpu"):
        resolve_device("cuda")
    with pytest.raises(OptionError, match="tpu"):
        resolve_device("tpu")
    assert resolve_device("auto") == CPU

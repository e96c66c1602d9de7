"""The paper's networks as ONNX files: the same numbers, half the size, a pedigree beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sherd.errors import WeightsError
from sherd.runtime import Network
from sherd.weights import find_weights

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("onnxscript", reason="exporting needs onnx and onnxscript")

from sherd.train.export_inpaint import (  # noqa: E402
    FILLER_FILE,
    JUDGE_FILE,
    export_run,
    onnx_difference,
    read_exported,
)
from sherd.train.inpaint import fresh_networks  # noqa: E402
from sherd.train.loop import save_weights  # noqa: E402
from sherd.train.networks import Judge, ModelConfig  # noqa: E402
from sherd.train.pairs import known_masks  # noqa: E402

CPU = torch.device("cpu")
PAPER = ModelConfig(width=8, most=2, discriminator_width=8, erosion=3)
SHIPPED = ModelConfig(width=8, most=2, discriminator_width=8, mask_channel=True, average="logits")
RESIDUAL = replace(SHIPPED, residual=True)


def make_run(folder: Path, config: ModelConfig) -> Judge:
    """Write weights as a training run leaves them; the initial ones, made more decided."""
    generator, discriminator = fresh_networks(replace(config, residual=False), 1, CPU)
    judge = Judge(config)
    for name, network in (("generator", generator), ("discriminator", discriminator)):
        state = {key: (4 * value).half().float() for key, value in network.state_dict().items()}
        judge.get_submodule(name).load_state_dict(state)
    folder.mkdir(exist_ok=True)
    networks = {"generator": judge.generator, "discriminator": judge.discriminator}
    save_weights(folder / "weights-half.pt", networks, vars(config))
    return judge.eval()


@pytest.mark.parametrize("config", [PAPER, SHIPPED, RESIDUAL], ids=["paper", "anew", "residual"])
def test_onnx_and_pytorch_agree(config: ModelConfig, tmp_path: Path) -> None:
    """Probabilities differ by less than a thousandth, for pairs of every erosion."""
    judge = make_run(tmp_path, config)
    facts = export_run(tmp_path, tmp_path, {})
    assert onnx_difference(judge, tmp_path) < 1e-3
    assert facts["onnx_difference"] == pytest.approx(onnx_difference(judge, tmp_path), abs=1e-6)


@pytest.mark.parametrize("config", [SHIPPED, RESIDUAL], ids=["anew", "residual"])
def test_what_is_lost_has_no_say_and_what_is_known_stays(
    config: ModelConfig, tmp_path: Path
) -> None:
    """Whatever lies under lost pixels, the filler returns the same; known pixels are copied."""
    make_run(tmp_path, config)
    export_run(tmp_path, tmp_path, {})
    filler = Network(tmp_path / FILLER_FILE)
    known = known_masks(CPU)[[2]].numpy()
    rng = np.random.default_rng(0)
    pixels = rng.uniform(-1, 1, (1, 3, 64, 128)).astype(np.float32)
    (filled,) = filler(pixels=pixels, known=known)
    (again,) = filler(pixels=np.where(known > 0, pixels, np.float32(0.7)), known=known)
    assert np.array_equal(filled, again)
    where = np.broadcast_to(known > 0, filled.shape)
    assert np.array_equal(filled[where], pixels[where])


def test_exported_files_can_be_read_back(tmp_path: Path) -> None:
    """Every weight and the model's settings are what was exported."""
    judge = make_run(tmp_path, RESIDUAL)
    export_run(tmp_path, tmp_path, {})
    again = read_exported(find_weights("inpaint", tmp_path))
    assert again.config == judge.config
    for name, value in again.state_dict().items():
        assert torch.allclose(value, judge.state_dict()[name], atol=1e-3)


def test_files_are_stored_in_half_precision(tmp_path: Path) -> None:
    """A parameter takes two bytes, and the generator is in one of the files alone."""
    judge = make_run(tmp_path, ModelConfig(width=16, most=4, discriminator_width=32, erosion=2))
    export_run(tmp_path, tmp_path, {})
    for file, network in ((FILLER_FILE, judge.generator), (JUDGE_FILE, judge.discriminator)):
        parameters = sum(value.numel() for value in network.parameters())
        assert 2 * parameters < (tmp_path / file).stat().st_size < 2 * parameters + 80_000


def test_the_pedigree_says_where_the_weights_come_from(tmp_path: Path) -> None:
    """Command, steps, figures and model are in the .toml, whose hashes are checked."""
    make_run(tmp_path / "run", SHIPPED)
    log = [
        {"event": "start", "command": "sherd train inpaint --seed 1"},
        {"event": "trained", "step": 7, "examples": 70, "seconds": 1.5},
    ]
    (tmp_path / "run/log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in log))
    (tmp_path / "run/figures.json").write_text('{"top1_e2": 0.9}')
    export_run(tmp_path / "run", tmp_path / "out", {"data": "painted pictures"})
    pedigree = find_weights("inpaint", tmp_path / "out").pedigree
    assert pedigree["command"] == "sherd train inpaint --seed 1"
    assert (pedigree["step"], pedigree["top1_e2"]) == (7, 0.9)
    assert (pedigree["data"], pedigree["model_mask_channel"]) == ("painted pictures", True)
    (tmp_path / "out" / JUDGE_FILE).write_bytes(b"damaged")
    find_weights.cache_clear()
    with pytest.raises(WeightsError, match="wrong sha256"):
        find_weights("inpaint", tmp_path / "out")

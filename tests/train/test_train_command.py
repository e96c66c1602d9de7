"""`sherd train`: a miniature run through the command line, and what it refuses."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from sherd.cli import main
from sherd.cli import train as command
from sherd.cli.training_progress import training_listener
from sherd.cut import cut, write_puzzle
from sherd.paint import paint

torch = pytest.importorskip("torch", reason="training needs PyTorch")
pytest.importorskip("onnxscript", reason="exporting needs onnx and onnxscript")

SMALL = ("--device", "cpu", "--batch", 2, "--log-every", 1)
NETWORKS = ("--width", 4, "--most", 2, "--discriminator-width", 4)
BOARDS = ("--rows", 2, "--columns", 3, "--boards", 1, "--anchors", 2, "--hard", 1, "--easy", 1)

Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Give a function that runs `sherd ARGUMENTS...` in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    torch.set_num_threads(1)

    def run(*arguments: object) -> Result:
        words = [str(word) for word in arguments]
        monkeypatch.setattr("sys.argv", ["sherd", *words])
        return CliRunner().invoke(main, words)

    return run


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Give a folder of painted photographs."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for seed in range(3):
        Image.fromarray(paint(192, 200, seed)).save(folder / f"{seed}.png")
    return folder


def test_from_photographs_to_a_solved_puzzle(call: Call, photos: Path, tmp_path: Path) -> None:
    """Stage 1, stage 2, export, and solving with the exported weights."""
    first = call("train", "inpaint", photos, "-o", "one", *SMALL, *NETWORKS, "--examples", 16)
    assert first.exit_code == 0, first.output
    second = call(
        *("train", "classify", photos, "-o", "two", "--start", "one/weights-half.pt"),
        *(*SMALL, *BOARDS, "--examples", 48),
    )
    assert second.exit_code == 0, second.output
    for run in ("one", "two"):
        names = {path.name for path in (tmp_path / run).iterdir()}
        assert {"weights-half.pt", "log.jsonl", "curve.svg", "samples.png"} <= names
    export = call("train", "export", "two", "-o", "weights", "--data", "painted")
    assert export.exit_code == 0, export.output
    pedigree = (tmp_path / "weights/inpaint.toml").read_text()
    assert 'data = "painted"' in pedigree
    assert "sherd train classify" in pedigree
    write_puzzle(cut(paint(128, 128), piece=64, erode=2), tmp_path / "pieces")
    solved = call(
        *("solve", "pieces", "-o", "solved", "--scorer", "inpaint", "--weights", "weights"),
        *("--fill", "inpaint"),
    )
    assert solved.exit_code == 0, solved.output
    assert (tmp_path / "solved/restored-mask.png").exists()
    assert len(list((tmp_path / "cache/sherd/scores").iterdir())) == 1
    again = call("solve", "pieces", "-o", "again", "--scorer", "inpaint", "--weights", "weights")
    assert "scores taken from" in again.output


def test_the_paper_recipe_is_for_one_erosion(call: Call, photos: Path, tmp_path: Path) -> None:
    """Its networks are told no mask, and its pedigree names the erosion."""
    options = (*SMALL, *NETWORKS, "--recipe", "paper", "--erosion", 3, "--examples", 16)
    assert call("train", "inpaint", photos, "-o", "one", *options).exit_code == 0
    assert call("train", "export", "one", "-o", "weights").exit_code == 0
    pedigree = (tmp_path / "weights/inpaint.toml").read_text()
    assert "model_erosion = 3" in pedigree
    assert "model_mask_channel = false" in pedigree


def test_a_finished_run_is_not_overwritten_and_can_go_on(
    call: Call, photos: Path, tmp_path: Path
) -> None:
    """Without --resume the folder is refused; with it training goes on where it was."""
    options = ("train", "inpaint", photos, "-o", "one", *SMALL, *NETWORKS)
    assert call(*options, "--examples", 16).exit_code == 0
    refused = call(*options, "--examples", 32)
    assert refused.exit_code == 2
    assert "one: holds a training run; go on with it by --resume" in refused.output
    assert call(*options, "--examples", 32, "--resume").exit_code == 0
    log = [json.loads(line) for line in (tmp_path / "one/log.jsonl").read_text().splitlines()]
    assert [record["step"] for record in log if record["event"] == "start"] == [0, 8]
    assert log[-1]["examples"] == 32


def test_measuring_writes_figures(
    call: Call, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With validation pictures the trained weights are measured, and can be again."""
    monkeypatch.setattr("sherd.train.evaluate.BATCH", 32)
    options = (*SMALL, *NETWORKS, "--recipe", "paper", "--examples", 16, "--validation", photos)
    assert call("train", "inpaint", photos, "-o", "one", *options).exit_code == 0
    found = json.loads((tmp_path / "one/figures.json").read_text())
    assert set(found) >= {"top1_photos_e2", "l1_model_e2", "psnr_line_e2"}
    again = call(
        *("train", "evaluate", "one/weights-half.pt", "-o", "two", "--device", "cpu"),
        *("--validation", photos, "--erosion", 2, "--json"),
    )
    assert again.exit_code == 0, again.output
    assert json.loads(again.output.splitlines()[-1])["top1_photos_e2"] == found["top1_photos_e2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("inpaint", "nowhere", "-o", "x"), "nowhere: neither a folder nor a zip file"),
        (("inpaint", "empty", "-o", "x"), "empty: no usable photograph"),
        (("classify", "empty", "-o", "x", "--start", "none.pt"), "none.pt: there is no such file"),
        (("evaluate", "none.pt", "-o", "x"), "give --validation FOLDER"),
        (("export", "empty", "-o", "x"), "weights-half.pt: there is no such file"),
    ],
)
def test_bad_input_is_one_line(
    arguments: tuple[str, ...], message: str, call: Call, tmp_path: Path
) -> None:
    """What is missing is named, with the cure, and the exit code is 2."""
    (tmp_path / "empty").mkdir()
    found = call("train", *arguments)
    assert found.exit_code == 2
    assert message in found.output
    assert found.output.count("\n") == 1


def test_without_pytorch_one_line_says_what_to_install(
    call: Call, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is there all the same, and names the extra."""
    monkeypatch.setattr(
        command,
        "find_spec",
        lambda name: None if name == "torch" else importlib.util.find_spec(name),
    )
    found = call("train", "inpaint", photos, "-o", "x")
    assert found.exit_code == 2
    assert found.output == (
        'sherd: Training needs torch, not installed here; pip install "sherd[train]".\n'
    )
    assert call("train", "--help").exit_code == 0


def test_an_interrupted_training_says_how_to_go_on(
    call: Call, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C is one line and exit code 130."""
    from sherd.train import runs

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "inpaint", interrupt)
    found = call("train", "inpaint", photos, "-o", "x")
    assert found.exit_code == 130
    assert found.output == "sherd: interrupted; --resume goes on from the last checkpoint\n"


def test_a_terminal_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bar shows losses and the time left; other records are lines above it."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    step = {"event": "step", "step": 8, "examples": 16, "seconds": 60.0, "per_second": 0.3}
    with training_listener(as_json=False) as listen:
        listen({"event": "photos", "kept": 3})
        listen({**step, "progress": 0.25, "l1": 0.125})
    shown = capsys.readouterr().err
    assert "photos: kept 3" in shown
    assert "l1 0.125  0.3 examples/s  3.0 min left" in shown

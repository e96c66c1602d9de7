"""`sherd bench` from the command line: run, evaluate, table, retrieval."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sherd.bench.evaluate import Judged
from sherd.bench.records import Record, read_records
from sherd.cli import main


def call(*words: object, **environment: str) -> Result:
    """Call `sherd bench` with words."""
    return CliRunner(env=environment).invoke(main, ["bench", *(str(word) for word in words)])


@pytest.fixture
def saved(protocol_file: Path, data: Path, plugin: str, tmp_path: Path) -> Path:
    """A folder of predictions that `run` wrote."""
    out = tmp_path / "out"
    ways = ("--scorer", f"{plugin}:Reading", "--assembler", f"{plugin}:Chain")
    done = call("run", protocol_file, "--data", data, *ways, "--erosion", "2,3", "-o", out)
    assert done.exit_code == 0, done.output
    assert "predictions.jsonl" in done.stdout
    assert done.stderr.count("neighbour 100.0 %") == 8
    return out


def test_the_whole_path_from_run_to_table(saved: Path):
    """Predictions of a run are judged and printed beside the published figures."""
    judged = call("evaluate", saved)
    assert judged.exit_code == 0
    assert judged.stdout.count("2 of 2") == 2  # perfect, at both erosions
    printed = call("table", saved / "predictions.jsonl")
    assert printed.exit_code == 0
    assert "| 68.4" in printed.stdout
    assert "| 100.0" in printed.stdout


def test_evaluation_needs_no_pictures(saved: Path, data: Path):
    """Saved predictions are judged when the pictures are gone."""
    for picture in (data / "tiny").iterdir():
        picture.unlink()
    assert call("evaluate", saved).exit_code == 0


def test_a_second_run_says_what_is_there(saved: Path, protocol_file: Path, plugin: str, data: Path):
    """Seeds, sets and a limit narrow a run; what is there already is counted and kept."""
    ways = ("--scorer", f"{plugin}:Reading", "--assembler", f"{plugin}:Chain")
    narrow = ("--erosion", "2", "--seeds", "1,3", "--sets", "mit-70", "--limit", "1")
    done = call("run", protocol_file, *ways, *narrow, "-o", saved, SHERD_DATA=str(data))
    assert done.exit_code == 0, done.output
    assert "1 predictions were there already" in done.stderr
    assert len(read_records([saved])) == 9


def test_an_interrupted_run_says_how_to_go_on(
    protocol_file: Path, data: Path, plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Ctrl-C leaves the finished puzzles, exits with 130 and names the cure."""

    def interrupt(record: Record) -> Judged:
        raise KeyboardInterrupt

    monkeypatch.setattr("sherd.bench.evaluate.judge", interrupt)
    ways = ("--scorer", f"{plugin}:Reading", "--assembler", f"{plugin}:Chain")
    done = call("run", protocol_file, "--data", data, *ways, "-o", tmp_path / "out")
    assert done.exit_code == 130
    assert "the same command goes on" in done.stderr
    assert len(read_records([tmp_path / "out"])) == 1


def test_retrieval_prints_a_row_a_cell(protocol_file: Path, data: Path, plugin: str):
    """Retrieval is printed per cell, with both words for erosion."""
    ways = ("--scorer", f"{plugin}:Reading", "--erosion", "0,2")
    done = call("retrieval", protocol_file, "--data", data, *ways)
    assert done.exit_code == 0, done.output
    header, first, second = done.stdout.splitlines()
    assert "in the paper's words" in header
    assert "100.0" in first
    assert "100 %" in second  # 2 px off each side of 8: the gap is as wide as what is left


def test_a_missing_set_is_an_input_error(tmp_path: Path):
    """Without the pictures the paper's protocol says where to get them."""
    done = call("run", "paper", "--data", tmp_path, "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "CVPR 2010" in done.stderr


def test_without_data_the_option_is_named(tmp_path: Path):
    """Neither --data nor SHERD_DATA: the message names both."""
    done = call("run", "val", "-o", tmp_path / "out", SHERD_DATA="")
    assert done.exit_code == 2
    assert "SHERD_DATA" in done.stderr


def test_a_malformed_list_is_a_usage_error(protocol_file: Path, data: Path):
    """A list that is no list of numbers exits with 2 and says what is wanted."""
    done = call("run", protocol_file, "--data", data, "--seeds", "one")
    assert done.exit_code == 2
    assert "whole numbers such as 1,2,3" in done.stderr

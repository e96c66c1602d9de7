"""A protocol is run once, saved at once, and goes on where it stopped."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sherd.bench.predict import Run, run_protocol, tasks_of
from sherd.bench.protocol import Protocol
from sherd.bench.records import Record, Store, read_records
from sherd.errors import InputError
from sherd.metrics import measure


@pytest.fixture
def plan(protocol: Protocol, data: Path, plugin: str) -> Run:
    """Both assemblers of the plug-in on the tiny protocol."""
    assemblers = (f"{plugin}:Chain", f"{plugin}:Careless")
    return Run(protocol, data, (f"{plugin}:Reading",), assemblers)


def run(plan: Run, folder: Path, **options) -> list[Record]:
    """Run a plan and give the new records."""
    new: list[Record] = []
    run_protocol(plan, Store(folder), on=new.append, **options)
    return new


def test_every_puzzle_is_predicted_and_saved(plan: Run, tmp_path: Path):
    """2 pictures, 2 erosions, 2 assemblers, 2 seeds: 16 predictions, all on disk."""
    new = run(plan, tmp_path / "out")
    assert len({record.key for record in new}) == 16
    assert read_records([tmp_path / "out"]) == new


def test_predictions_are_judged_in_true_numbering(plan: Run, tmp_path: Path):
    """The plug-in that reads the cells is perfect, the one that does not look is not."""
    for record in run(plan, tmp_path / "out"):
        found = measure(record.predicted(), record.truth())
        assert found.perfect == record.assembler.endswith("Chain")


def test_the_energy_of_the_truth_is_saved_beside_that_found(plan: Run, tmp_path: Path):
    """A perfect layout has the energy of the truth, a careless one less."""
    for record in run(plan, tmp_path / "out"):
        missed = record.energy_truth - record.energy
        assert missed == 0 if record.assembler.endswith("Chain") else missed > 1


def test_a_puzzle_is_scored_once(plan: Run, tmp_path: Path, plugin: str):
    """Two assemblers and two seeds share the scores of a puzzle: four puzzles, four calls."""
    run(plan, tmp_path / "out")
    assert sys.modules[plugin].CALLS == [12] * 4


def test_a_second_run_makes_only_what_is_missing(plan: Run, tmp_path: Path, plugin: str):
    """Finished puzzles are skipped, without scoring them again."""
    first = replace(plan, assemblers=plan.assemblers[:1])
    run(first, tmp_path / "out")
    assert run(first, tmp_path / "out") == []
    assert len(sys.modules[plugin].CALLS) == 4
    added = run(plan, tmp_path / "out")
    assert {record.assembler for record in added} == {plan.assemblers[1]}


def test_an_interrupted_run_goes_on(plan: Run, tmp_path: Path):
    """After an interruption the saved puzzles stay and the rest is made."""

    def interrupt(record: Record) -> None:
        if record.erosion == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_protocol(plan, Store(tmp_path / "out"), on=interrupt)
    assert len(read_records([tmp_path / "out"])) == 5
    assert len(run(plan, tmp_path / "out")) == 11


def test_overwrite_makes_this_run_anew_and_leaves_others(plan: Run, tmp_path: Path):
    """With overwrite the puzzles of this run are made again, others stay as they are."""
    run(plan, tmp_path / "out")
    narrow = replace(plan, assemblers=plan.assemblers[:1])
    assert len(run(narrow, tmp_path / "out", overwrite=True)) == 8
    assert len(read_records([tmp_path / "out"])) == 16


def test_limit_takes_the_first_pictures(protocol: Protocol, data: Path):
    """A limit of one leaves the first picture of each set, at every erosion."""
    tasks = tasks_of(protocol, data, 1)
    assert [(task.picture.name, task.erosion) for task in tasks] == [("2.png", 0), ("2.png", 2)]


def test_a_broken_picture_is_named(plan: Run, tmp_path: Path, data: Path):
    """A file that is no picture is one clear error with its name."""
    (data / "tiny" / "2.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"2\.png"):
        run(plan, tmp_path / "out")


def test_a_record_says_where_it_was_made(plan: Run, tmp_path: Path):
    """Machine, versions, date and seconds are in every record."""
    record = run(replace(plan, limit=1, seconds=5.0), tmp_path / "out")[0]
    assert record.machine["cores"] >= 1
    assert {"sherd", "numpy", "python"} <= set(record.versions)
    assert record.date.endswith("+00:00")
    assert min(record.scoring_seconds, record.placing_seconds) >= 0

"""Predictions are saved whole, read back equal, and survive interruptions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sherd.bench.records import FILE_NAME, Record, Store, read_records
from sherd.errors import InputError, OutputError
from sherd.layout import Layout

Factory = Callable[..., Record]


def test_a_record_comes_back_as_it_was(record: Factory):
    """Writing and reading a record changes nothing."""
    assert Record.from_json(record().to_json()) == record()


def test_the_layout_comes_back_as_it_was(record: Factory):
    """The layout of a record keeps cells, turns, boards, shapes and the start."""
    layout = Layout(
        np.array([(0, 1), (-1, -1)], np.int32),
        np.array([3, 0], np.int32),
        np.array([0, -1], np.int32),
        ((1, 2),),
        start=0,
    )
    back = record(layout=Record.pack(layout)).predicted()
    for name in ("cell", "turn", "board"):
        np.testing.assert_array_equal(getattr(back, name), getattr(layout, name))
    assert (back.shapes, back.start) == (layout.shapes, layout.start)


def test_a_store_remembers(tmp_path: Path, record: Factory):
    """A second store of the same folder has what the first one saved."""
    Store(tmp_path).add(record())
    again = Store(tmp_path)
    assert record().key in again
    assert record("2.png").key not in again


def test_a_torn_last_line_is_dropped(tmp_path: Path, record: Factory):
    """What an interrupted run did not finish is made anew, and the next line is not spoilt."""
    Store(tmp_path).add(record())
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write(record("2.png").to_json()[:50])
    store = Store(tmp_path)
    assert record("2.png").key not in store
    store.add(record("3.png"))
    assert [one.picture for one in read_records([tmp_path])] == ["1.png", "3.png"]


def test_forgetting_drops_a_record_from_the_file(tmp_path: Path, record: Factory):
    """Forgotten records are gone from disk, the others stay."""
    store = Store(tmp_path)
    store.add(record())
    store.add(record("2.png"))
    store.forget([record().key, record("3.png").key])
    assert read_records([tmp_path / FILE_NAME]) == [record("2.png")]


@pytest.mark.parametrize("line", ["no json", "[1]", '{"format": 99}', '{"format": 1, "shape": 3}'])
def test_a_foreign_line_is_named(tmp_path: Path, line: str, record: Factory):
    """A line that is no record is an InputError with file and line."""
    (tmp_path / "x.jsonl").write_text(record().to_json() + "\n" + line + "\n")
    with pytest.raises(InputError, match=r"x\.jsonl, line 2"):
        read_records([tmp_path / "x.jsonl"])


def test_a_folder_without_predictions_is_named(tmp_path: Path):
    """A folder that no run wrote is an InputError with the cure."""
    with pytest.raises(InputError, match="sherd bench run"):
        read_records([tmp_path])


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    """An output folder below a file is an OutputError."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="choose another -o"):
        Store(tmp_path / "file" / "out")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, record: Factory):
    """Where predictions cannot be appended, the file is named."""
    store = Store(tmp_path)
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        store.add(record())

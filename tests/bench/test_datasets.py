"""Pictures are found in order, and missing ones are explained."""

from dataclasses import replace
from pathlib import Path

import pytest

from sherd.bench.datasets import data_root, pictures_of
from sherd.bench.protocol import Protocol, load_protocol
from sherd.errors import InputError, OptionError


def test_pictures_come_in_natural_order(data: Path, protocol: Protocol):
    """2.png comes before 10.png, and other files are passed over."""
    (data / "tiny" / "notes.txt").write_text("no picture")
    assert [path.name for path in pictures_of(protocol.sets[0], data)] == ["2.png", "10.png"]


def test_without_a_folder_the_cure_is_named():
    """Without --data the message names the option and the variable."""
    with pytest.raises(OptionError, match="--data DIR or the environment variable SHERD_DATA"):
        data_root(None)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path):
    """A mistyped folder is named."""
    with pytest.raises(InputError, match="nowhere: no such folder"):
        data_root(tmp_path / "nowhere")


def test_a_missing_set_says_where_to_get_it(tmp_path: Path):
    """The message names the paper, where it was looked for, and where to put it."""
    with pytest.raises(InputError, match=r"(?s)mit-70 is not there.*CVPR 2010.*test/mit432"):
        pictures_of(load_protocol("paper").sets[0], tmp_path)


def test_an_incomplete_set_is_refused(data: Path, protocol: Protocol):
    """An average over fewer pictures than the protocol's would be another figure."""
    with pytest.raises(InputError, match="has 2 pictures, not 3"):
        pictures_of(replace(protocol.sets[0], pictures=3), data)

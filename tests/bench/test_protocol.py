"""Protocols are read, checked and narrowed."""

from pathlib import Path

import pytest

from sherd.bench.datasets import WHERE_TO_GET
from sherd.bench.protocol import Protocol, load_protocol, protocol_names
from sherd.bench.published import FIGURES, SOURCES
from sherd.errors import InputError, OptionError

BUILT_IN = ["big", "erosion", "huge", "paper", "small", "val", "val-small"]


def test_the_built_in_protocols_are_found():
    """The package carries its protocols."""
    assert protocol_names() == BUILT_IN


def test_the_paper_has_six_cells():
    """70, 88 and 150 pieces of 64 px that lost 2 and 4 px, upright, on a known board."""
    paper = load_protocol("paper")
    assert [part.pieces for part in paper.sets] == [70, 88, 150]
    assert (paper.piece, paper.erosion, paper.turns, paper.board) == (64, (2, 4), False, True)
    assert all(part.pictures == 20 for part in paper.sets)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_set_says_where_to_get_it(name: str):
    """A set of a built-in protocol has words about its origin, with the number of pictures."""
    for part in load_protocol(name).sets:
        assert WHERE_TO_GET[part.folder].startswith(f"{part.pictures} ")


def test_every_published_row_can_be_printed():
    """Each published row names a source and a cell of a protocol that prints that source."""
    cells = {
        (source, part.name, erosion)
        for name in BUILT_IN
        for protocol in [load_protocol(name)]
        for source in protocol.published
        for part in protocol.sets
        for erosion in protocol.erosion
    }
    assert set(FIGURES) <= cells
    assert {source for source, _, _ in FIGURES} == set(SOURCES)


def test_narrowing_keeps_the_named_sets(protocol: Protocol):
    """Sets are kept by name; erosions and seeds are put in place of the protocol's."""
    narrowed = load_protocol("paper").narrowed(sets=["bgu-150"], erosion=[1], seeds=[7, 8])
    assert [part.name for part in narrowed.sets] == ["bgu-150"]
    assert (narrowed.erosion, narrowed.seeds) == ((1,), (7, 8))
    assert protocol.narrowed() == protocol


def test_narrowing_to_an_unknown_set_names_the_sets():
    """A misspelt set is refused with the names there are."""
    with pytest.raises(OptionError, match=r"no set mit; it has mit-70, mcgill-88, bgu-150"):
        load_protocol("paper").narrowed(sets=["mit"])


@pytest.mark.parametrize("erosion", [-1, 32])
def test_an_erosion_that_leaves_nothing_is_refused(erosion: int):
    """An erosion must leave pixels and not be negative."""
    with pytest.raises(OptionError, match="leaves nothing"):
        load_protocol("paper").narrowed(erosion=[erosion])


def test_an_unknown_protocol_names_those_there_are():
    """A misspelt protocol is refused with the names there are."""
    with pytest.raises(OptionError, match="choose one of big, erosion, huge, paper"):
        load_protocol("papr")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("piece = 8", ""),
        ("piece = 8", "piece = 0"),
        ("piece = 8", "piece = 8\ncolour = 3"),
        ("[[set]]", "[[set"),
        ("erosion = [0, 2]", "erosion = []"),
        ('"paper-baseline"', '"somebody"'),
    ],
)
def test_a_malformed_protocol_is_one_clear_error(protocol_file: Path, old: str, new: str):
    """A missing, unknown or impossible field is an InputError that names the file."""
    protocol_file.write_text(protocol_file.read_text().replace(old, new))
    with pytest.raises(InputError, match=r"tiny\.toml"):
        load_protocol(str(protocol_file))


def test_a_protocol_that_is_not_there_is_an_input_error(tmp_path: Path):
    """A path that cannot be read is named."""
    with pytest.raises(InputError, match=r"none\.toml"):
        load_protocol(str(tmp_path / "none.toml"))

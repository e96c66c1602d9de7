"""Tables say erosion in both words and stand beside the published figures."""

from collections.abc import Callable

import pytest

from sherd.bench.evaluate import summarise
from sherd.bench.records import Record
from sherd.bench.table import evaluation, made_by, markdown

Factory = Callable[..., Record]


def cells_of(line: str) -> list[str]:
    """Split a row of a Markdown table."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_published_rows_stand_above_ours(record: Factory):
    """The paper's baseline and method are printed for their cell, with the figures as published."""
    published = ("paper-baseline", "paper-method")
    text = markdown(summarise([record(set="mit-70", title="MIT", published=published)]))
    rows = [cells_of(line) for line in text.splitlines() if line.startswith("| MIT")]
    assert [row[4] for row in rows] == [
        "Paikin & Tal 2015, as run by the paper",
        "the paper (inpainting GAN)",
        "prediction + greedy",
    ]
    assert [row[5:9] for row in rows] == [
        ["68.4", "–", "42.9", "1"],
        ["84.6", "–", "86.0", "4"],
        ["100.0", "100.0", "100.0", "1 of 1"],
    ]
    assert "CVPR 2020" in text


def test_both_words_for_erosion_are_in_the_table(record: Factory):
    """The header has pixels per side and the paper's words, and a row has both."""
    header, _, row, *_ = markdown(summarise([record()])).splitlines()
    assert cells_of(header)[2:4] == ["e (px per side)", "in the paper's words"]
    assert cells_of(row)[2:4] == ["2", "7 %"]


@pytest.mark.parametrize("fields", [{"turns": True}, {"board": False}, {"erosion": 3}])
def test_published_rows_stand_only_beside_their_own_protocol(
    record: Factory, fields: dict[str, object]
):
    """Turned pieces, an unknown board or another erosion are not what was published."""
    text = markdown(summarise([record(set="mit-70", **fields)]))
    assert "68.4" not in text
    assert "the paper (" not in text


def test_a_markdown_table_has_columns_of_one_number(record: Factory):
    """Every row of the table has as many cells as its header."""
    text = markdown(summarise([record(set="mit-70"), record(set="mit-70", erosion=3)]))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 5
    assert len({len(cells_of(row)) for row in rows}) == 1


def test_evaluation_lists_every_measure(record: Factory):
    """One row a cell: measures in percent, counts, and the seconds of both stages."""
    header, row = evaluation(summarise([record(board=False, turns=True)])).splitlines()
    assert "largest island %" in header
    for word in ("board unknown, turned", "100.0", "1 of 1", "0 of 1", "0.25 + 0.5"):
        assert word in row


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0123, "0.012 +"), (3.14, "3.1 +"), (123.4, "123 +")]
)
def test_seconds_are_rounded_to_what_matters(record: Factory, seconds: float, words: str):
    """Milliseconds are not lost, and minutes are not written with an exponent."""
    assert words in evaluation(summarise([record(scoring_seconds=seconds)]))


def test_several_seeds_show_their_spread(record: Factory):
    """A spread is printed once there are several seeds."""
    assert "±" not in evaluation(summarise([record()]))
    assert "100.0 ± 0.0" in evaluation(summarise([record(), record(seed=2)]))


def test_mixed_commits_are_pointed_out(record: Factory):
    """Rows of several commits must not pass for one version."""
    one, other = record(), record("2.png", commit="fedcba987654")
    assert "mix" not in made_by([one])
    assert "a processor, 2 cores" in made_by([one])
    assert "rows mix versions" in made_by([one, other])

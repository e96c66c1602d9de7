"""Stopping rules: what they are told, and when they say stop."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sherd import stop
from sherd.stop import AnyOf, Flag, MaxRounds, MaxTime, Never, NoImprovement


def test_never_stops() -> None:
    """The rule for running to the end never says stop."""
    assert not any(Never()(energy) for energy in (-1.0, 0.0, float("inf")))


def test_a_flag_stops_once_it_is_set() -> None:
    """A flag says stop after `set`, not before."""
    flag = Flag()
    assert not flag(0.0)
    flag.set()
    assert flag(0.0)


def test_time_counts_from_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock starts with the first question, however long before the rule was made."""
    now = [100.0]
    monkeypatch.setattr(stop.time, "monotonic", lambda: now[0])
    rule = MaxTime(5)
    now[0] = 200.0
    assert not rule(0.0)
    now[0] = 204.9
    assert not rule(0.0)
    now[0] = 205.0
    assert rule(0.0)


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_rounds_are_questions(rounds: int) -> None:
    """After `rounds` questions that are answered with no, the next one is a stop."""
    rule = MaxRounds(rounds)
    assert [rule(0.0) for _ in range(rounds + 2)] == [False] * rounds + [True, True]


def test_no_improvement_counts_in_a_row() -> None:
    """Only questions in a row without a better energy count; an equal one is not better."""
    rule = NoImprovement(2)
    energies = [-5.0, -5.0, -4.0, -4.0, -6.0]
    assert [rule(energy) for energy in energies] == [False, False, False, False, True]


def test_any_of_asks_every_rule() -> None:
    """One rule is enough to stop, and the others go on counting."""
    flag, rounds = Flag(), MaxRounds(2)
    rule = AnyOf(flag, rounds)
    assert not rule(0.0)
    flag.set()
    assert rule(0.0)
    flag.is_set = False
    assert rule(0.0)  # the third question of the rounds
    assert not AnyOf()(0.0)


@pytest.mark.parametrize(
    "make", [lambda: MaxTime(0), lambda: MaxRounds(-1), lambda: NoImprovement(0)]
)
def test_senseless_limits_are_refused(make: Callable[[], object]) -> None:
    """A limit that could never run is an error where it is made."""
    with pytest.raises(ValueError, match="must"):
        make()

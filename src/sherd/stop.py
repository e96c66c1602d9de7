"""When to stop. A stopping rule is asked again and again with the best energy so far."""

from __future__ import annotations

import time
from typing import Protocol

__all__ = ["AnyOf", "Flag", "MaxRounds", "MaxTime", "Never", "NoImprovement", "Stop"]


class Stop(Protocol):
    """A stopping rule: told the best energy so far, it says whether to stop now."""

    def __call__(self, best: float) -> bool:
        """Say whether to stop; `best` is the highest board energy found so far."""
        ...


class Never:
    """Run until the assembler is done by itself."""

    def __call__(self, best: float) -> bool:
        """Never stop."""
        return False


class Flag:
    """Stop once somebody calls `set` (a Ctrl-C handler, a button)."""

    def __init__(self) -> None:
        self.is_set = False

    def set(self) -> None:
        """Ask for the stop."""
        self.is_set = True

    def __call__(self, best: float) -> bool:
        """Stop if asked to."""
        return self.is_set


class MaxTime:
    """Stop after `seconds`, counted from the first question."""

    def __init__(self, seconds: float) -> None:
        if seconds <= 0:
            raise ValueError(f"seconds must be positive, not {seconds}")
        self.seconds = seconds
        self._started: float | None = None

    def __call__(self, best: float) -> bool:
        """Stop once the time is used up."""
        now = time.monotonic()
        if self._started is None:
            self._started = now
        return now - self._started >= self.seconds


class MaxRounds:
    """Stop at the question after `rounds` questions."""

    def __init__(self, rounds: int) -> None:
        if rounds < 0:
            raise ValueError(f"rounds must not be negative, not {rounds}")
        self.rounds = rounds
        self._asked = 0

    def __call__(self, best: float) -> bool:
        """Stop once asked more than `rounds` times."""
        self._asked += 1
        return self._asked > self.rounds


class NoImprovement:
    """Stop after `rounds` questions in a row without a better energy."""

    def __init__(self, rounds: int) -> None:
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, not {rounds}")
        self.rounds = rounds
        self._best = float("-inf")
        self._stale = 0

    def __call__(self, best: float) -> bool:
        """Stop once `rounds` questions brought nothing better."""
        self._stale = 0 if best > self._best else self._stale + 1
        self._best = max(best, self._best)
        return self._stale >= self.rounds


class AnyOf:
    """Stop as soon as one of several rules says so."""

    def __init__(self, *rules: Stop) -> None:
        self.rules = rules

    def __call__(self, best: float) -> bool:
        """Ask every rule (each one counts its questions)."""
        return any([rule(best) for rule in self.rules])

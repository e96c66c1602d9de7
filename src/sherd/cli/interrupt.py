"""Ctrl-C: it stops the search and keeps its best layout; before the search it stops everything."""

from __future__ import annotations

import os
import signal
from types import FrameType, TracebackType
from typing import Self

from sherd.events import Event, Finished, Scored
from sherd.stop import Flag

__all__ = ["Interrupt"]


class Interrupt:
    """Watches for Ctrl-C while puzzles are solved.

    stop: the stopping rule for `solve`; `listen` must hear its events. A second Ctrl-C ends the
    process at once; while results are written, it takes away first what is half-written.
    """

    def __init__(self) -> None:
        self.stop = Flag()
        self._searching = self._finished = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def begin(self) -> None:
        """Begin another puzzle: until its search begins, Ctrl-C stops everything."""
        self._searching = self._finished = False
        if self.stop.is_set:
            raise KeyboardInterrupt

    def listen(self, event: Event) -> None:
        """Notice when the search begins, and when only the writing is left."""
        if isinstance(event, Scored):
            self._searching = True
        elif isinstance(event, Finished):
            self._finished = True
            if self.stop.is_set:
                signal.signal(signal.SIGINT, signal.default_int_handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        # The default handling ends the process at once, inside compiled code too; an exception
        # lets what is half-written be taken away.
        again = signal.default_int_handler if self._finished else signal.SIG_DFL
        signal.signal(signal.SIGINT, again)
        if not self._searching:
            raise KeyboardInterrupt
        self.stop.set()
        doing = b"finishing the writing" if self._finished else b"stopping the search"
        os.write(2, b"\nsherd: " + doing + b"; Ctrl-C once more kills\n")

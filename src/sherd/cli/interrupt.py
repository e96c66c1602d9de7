"""Ctrl-C: it stops the search and keeps its best layout; before the search it stops everything."""

from __future__ import annotations

import os
import signal
from types import FrameType, TracebackType
from typing import Self

from sherd.events import Event, Scored
from sherd.stop import Flag

__all__ = ["Interrupt"]


class Interrupt:
    """Watches for Ctrl-C while puzzles are solved.

    stop: the stopping rule for `solve`; `listen` must hear its events. A second Ctrl-C kills the
    process, wherever it is.
    """

    def __init__(self) -> None:
        self.stop = Flag()
        self._searching = False

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
        self._searching = False
        if self.stop.is_set:
            raise KeyboardInterrupt

    def listen(self, event: Event) -> None:
        """Notice when the search begins."""
        if isinstance(event, Scored):
            self._searching = True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        # The default handling ends the process at once, inside compiled code too.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if not self._searching:
            raise KeyboardInterrupt
        self.stop.set()
        os.write(2, b"\nsherd: stopping the search; Ctrl-C once more kills\n")

"""What a person knows of a layout before it is searched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.layout import Layout

__all__ = ["Hints"]


@dataclass(frozen=True, eq=False)
class Hints:
    """Hints for the search; each may be left out.

    pins: the pieces that it places keep their cell and their turn.
    blocks: pieces that lie side by side in it keep together, wherever that is.
    frame: [N] whether each piece lies on the border of the board.
    """

    pins: Layout | None = None
    blocks: Layout | None = None
    frame: NDArray[np.bool_] | None = None

    def relabelled(self, order: NDArray[np.int32]) -> Hints:
        """Give the hints for pieces in another order: new piece i is old piece order[i]."""
        return Hints(
            None if self.pins is None else self.pins.relabelled(order),
            None if self.blocks is None else self.blocks.relabelled(order),
            None if self.frame is None else self.frame[order],
        )

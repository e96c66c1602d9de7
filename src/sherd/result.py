"""What comes out of a puzzle: the layout, how sure it is, the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from sherd.fill import restore
from sherd.layout import Layout, islands_of, seams_of
from sherd.metrics import Measures, measure, search_gap
from sherd.pieces import Pieces
from sherd.render import SURE, render
from sherd.schema import Source, result_record, to_text
from sherd.scores import Scores

__all__ = ["Result"]


@dataclass(frozen=True, eq=False)
class Result:
    """A solved puzzle.

    pieces, scores, layout: all for the order in which the pieces were given.
    energy: board energy of the layout.
    seconds: time of each stage ("scoring", "placing").
    versions: of sherd and what it computes with.
    source: where the pieces came from, None if they came from no file.
    measures, search_gap: against the truth, where it is known (see `judged`).
    """

    pieces: Pieces
    scores: Scores
    layout: Layout
    energy: float
    seconds: Mapping[str, float]
    seed: int
    scorer: str
    assembler: str
    versions: Mapping[str, str]
    source: Source | None = None
    measures: Measures | None = None
    search_gap: float | None = None

    def picture(self, board: int = 0) -> Image.Image:
        """Put the original pixels of one board together.

        Gaps are transparent. Pillow holds 16 bits in gray only: `render(pieces, layout).png()`
        keeps them in colour too.
        """
        return render(self.pieces, self.layout, board).image()

    def restored(self, how: str = "inpaint", board: int = 0) -> tuple[Image.Image, Image.Image]:
        """Fill the gaps of one board: the picture, and a mask that is white where it was filled.

        How: "inpaint" by the generator of the scorer `inpaint`, "interpolate" by straight lines.
        `sherd.fill.restore` has more options and keeps 16 bits in colour.
        """
        found = restore(self.pieces, self.layout, how, board)
        return found.picture.image(), found.mask().image()

    def sure_seams(self, certain: float = SURE) -> NDArray[np.bool_]:
        """[E] whether the probability of each seam reaches `certain`."""
        if self.layout.confidence is None:
            return np.zeros(len(seams_of(self.layout)), np.bool_)
        return np.asarray(self.layout.confidence >= certain)

    def islands(self, certain: float = SURE) -> NDArray[np.int32]:
        """[N] number of the group that sure seams hold together, largest first; -1 unplaced."""
        return islands_of(self.layout, self.sure_seams(certain))

    def judged(self, truth: Layout) -> Result:
        """Give the same result measured against the truth of these `pieces` (as `layout`).

        There is no search gap where the layout has not as many seams as the truth: their energies
        cannot be compared, since each further seam costs energy.
        """
        comparable = len(seams_of(self.layout)) == len(seams_of(truth))
        gap = search_gap(self.scores, self.layout, truth) if comparable else None
        return replace(self, measures=measure(self.layout, truth), search_gap=gap)

    def to_json(self) -> str:
        """Write the result as JSON (the layout file, docs/layout-json.md)."""
        return to_text(result_record(self))

    def figures(self) -> dict[str, str]:
        """List what a person wants to know, in words and numbers."""
        layout, sure = self.layout, self.sure_seams()
        placed = int(layout.placed.sum())
        boards = ", ".join(f"{rows} x {cols}" for rows, cols in layout.shapes)
        figures = {
            "pieces": f"{len(self.pieces)} of {self.pieces.width} x {self.pieces.height} px",
            "board": f"{boards} cells",
            "placed": f"{placed} of {len(self.pieces)}",
            "sure seams": f"{int(sure.sum())} of {len(sure)} ({SURE:.0%} or more)",
            "islands": f"{int(self.islands().max(initial=-1)) + 1}",
            "seconds": ", ".join(f"{name} {time:.2f}" for name, time in self.seconds.items()),
        }
        return figures | self._judgement()

    def _judgement(self) -> dict[str, str]:
        """List the figures against the truth, none if it is not known."""
        if self.measures is None:
            return {}
        found = self.measures
        figures = {
            "neighbour": f"{found.neighbour:.1%} of the true seams found",
            "direct": f"{found.direct_frame:.1%} (frame), {found.direct_start:.1%} (start piece)",
        }
        if found.perfect:
            figures["search gap"] = "none: all pieces in place"
        elif self.search_gap is not None:
            culprit = "search" if self.search_gap > 0 else "scores"
            figures["search gap"] = f"{self.search_gap:.2f} ({culprit} at fault)"
        return figures

    def summary(self) -> str:
        """Give the figures as aligned lines."""
        return "\n".join(f"{name:<11} {figure}" for name, figure in self.figures().items())

    def __str__(self) -> str:
        return self.summary()

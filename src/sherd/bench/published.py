"""Published figures to print beside ours, each with its source.

Averages over the pictures of a set, in percent; perfect puzzles as a count. All are for known
orientation and a board of known size without missing pieces, the state of the art of their year.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FIGURES", "SOURCES", "Figures", "Source"]


@dataclass(frozen=True)
class Source:
    """Where published figures come from.

    name: what a table calls it.
    reference: authors, title, venue.
    direct_to: what its direct measure is aligned to, "frame" or "start".
    """

    name: str
    reference: str
    direct_to: str = "frame"


@dataclass(frozen=True)
class Figures:
    """One published row: neighbour and direct measure in percent, perfect puzzles of a set."""

    neighbour: float
    direct: float
    perfect: int | None = None


_PAPER = (
    "D. Bridger, D. Danon, A. Tal: Solving Jigsaw Puzzles with Eroded Boundaries, CVPR 2020, "
    "tables for erosion extents of 7 % and 14 %"
)

SOURCES = {
    "paper-baseline": Source("Paikin & Tal 2015, as run by the paper", _PAPER, "start"),
    "paper-method": Source("the paper (inpainting GAN)", _PAPER, "start"),
    "pomeranz": Source(
        "Pomeranz et al. 2011",
        "D. Pomeranz, M. Shemesh, O. Ben-Shahar: A fully automated greedy square jigsaw puzzle "
        "solver, CVPR 2011",
    ),
    "gallagher": Source(
        "Gallagher 2012",
        "A. Gallagher: Jigsaw puzzles with pieces of unknown orientation, CVPR 2012",
    ),
    "psqp": Source(
        "Andaló et al. 2017",
        "F. Andaló, G. Taubin, S. Goldenstein: PSQP: puzzle solving by quadratic programming, "
        "TPAMI 2017",
    ),
}

FIGURES: dict[tuple[str, str, int], Figures] = {
    # (source, set, pixels lost per side)
    ("paper-baseline", "mit-70", 2): Figures(68.4, 42.9, 1),
    ("paper-baseline", "mcgill-88", 2): Figures(66.2, 43.4, 3),
    ("paper-baseline", "bgu-150", 2): Figures(65.9, 42.2, 0),
    ("paper-method", "mit-70", 2): Figures(84.6, 86.0, 4),
    ("paper-method", "mcgill-88", 2): Figures(76.9, 70.7, 7),
    ("paper-method", "bgu-150", 2): Figures(76.3, 66.7, 2),
    ("paper-baseline", "mit-70", 4): Figures(41.4, 12.1, 0),
    ("paper-baseline", "mcgill-88", 4): Figures(38.5, 12.2, 0),
    ("paper-baseline", "bgu-150", 4): Figures(39.7, 11.1, 0),
    ("paper-method", "mit-70", 4): Figures(57.1, 50.5, 1),
    ("paper-method", "mcgill-88", 4): Figures(51.1, 35.2, 0),
    ("paper-method", "bgu-150", 4): Figures(51.3, 35.4, 0),
    ("pomeranz", "mit-432", 0): Figures(95.0, 94.0, 13),
    ("pomeranz", "mcgill-540", 0): Figures(91.0, 83.0),
    ("pomeranz", "bgu-805", 0): Figures(90.0, 80.0),
    ("gallagher", "mit-432", 0): Figures(95.1, 95.3, 12),
    ("psqp", "mit-432", 0): Figures(95.6, 96.0, 13),
    ("psqp", "mcgill-540", 0): Figures(95.3, 90.6, 13),
    ("psqp", "bgu-805", 0): Figures(93.4, 82.5, 8),
}

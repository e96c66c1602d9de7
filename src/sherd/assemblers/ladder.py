"""A ladder of temperatures that sets itself, so that neighbours exchange at even rates.

Syed, Bouchard-Côté, Deligiannidis and Doucet, "Non-reversible parallel tempering: a scalable highly
parallel MCMC scheme", Journal of the Royal Statistical Society B, 2022: the share of refused
exchanges, added up along the ladder, is a measure of distance between temperatures; temperatures at
even distances carry boards fastest from the hot end to the cold one. The ends stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNITS_PER_NAT", "even_ladder", "geometric_ladder"]

Ints = NDArray[np.int32]

UNITS_PER_NAT = 1024
_LEAST = 0.05  # refusals that every step counts for, so that no stretch is left without boards


def geometric_ladder(hottest: float, coldest: float, boards: int) -> Ints:
    """Give the ladder [boards] to begin with, hottest first, in units of 1/1024 nat."""
    ladder = np.geomspace(hottest, coldest, boards) * UNITS_PER_NAT
    return np.asarray(np.round(ladder), np.int32)


def even_ladder(temperatures: Ints, rates: Sequence[float]) -> Ints:
    """Place the temperatures [M] anew so that the observed rates of exchange [M - 1] become even.

    Between two temperatures the refusals are taken as spread evenly over the logarithm.
    """
    if len(temperatures) < 3:
        return temperatures
    refused = np.maximum(1 - np.asarray(rates), _LEAST)
    distance = np.concatenate([[0.0], np.cumsum(refused)])
    even = np.linspace(0, distance[-1], len(temperatures))
    placed = np.exp(np.interp(even, distance, np.log(temperatures)))
    return np.asarray(np.round(placed), np.int32)

"""Losses of the segment simulator: independent ones, by their probability, or a list of the packets that are lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from longfat.base.domains import integer, number, out_of_range


@dataclass(frozen=True)
class ListedLosses:
    """Losses of the listed packets and of no others; packets are numbered from 0 in the order of sending.

    Parameters
    ----------
    packets : sequence of int
        Serial numbers of transmissions [packets], at least 0, increasing.

    Examples
    --------
    >>> ListedLosses([0, 5]).packets
    (0, 5)
    """

    packets: Sequence[int]

    def __post_init__(self) -> None:
        checked = tuple(integer("packets", one, "packets", "[0, 1e15]") for one in self.packets)
        if any(later <= one for one, later in pairwise(checked)):
            raise out_of_range("packets", list(self.packets), "1", "increasing numbers")
        object.__setattr__(self, "packets", checked)


Loss = float | ListedLosses


def checked(loss: Loss) -> Loss:
    """Return a loss probability as a float in [0, 1), or the listed losses; raise an error for other values."""
    return loss if isinstance(loss, ListedLosses) else number("loss", loss, "probability", "[0, 1)")


def parameters(loss: Loss) -> np.ndarray:
    """Return the numbers that the kernel reads.

    They are -ln(1 - p), the rate of an exponential variable that, rounded down, is geometric with probability p; or -1,
    which identifies a list, and the number of packets delivered before each listed loss.
    """
    if isinstance(loss, ListedLosses):
        return np.array([-1.0, *(np.diff(loss.packets, prepend=-1) - 1.0)])
    return np.array([-np.log1p(-loss)])

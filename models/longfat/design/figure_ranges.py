"""Inputs that are known only within a range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from longfat.base import quantities
from longfat.base.domains import out_of_range

BETWEEN = ".."


@dataclass(frozen=True)
class Range:
    """Range of an input; both ends are equal if the input is known exactly.

    >>> Range(1.0, 4.0).middle, Range(0.0, 2.0).middle
    (2.0, 1.0)
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Geometric mean of the ends, because inputs are known to within a factor; arithmetic mean if one end is 0."""
        return math.sqrt(self.low * self.high) if self.low > 0 else (self.low + self.high) / 2


def read(name: str, value: Any, unit: str, allowed: str) -> Range:
    """Read a number, a text with its unit, a pair of ends, or a text such as "80..100Mbit/s".

    The arguments are those of `longfat.quantities.read`. A lower end without a unit has the unit of the upper end.

    >>> read("rate", "80..100Mbit/s", "bytes/s", "(0, inf)")
    Range(low=10000000.0, high=12500000.0)
    >>> read("rate", "900Mbit/s..1Gbit/s", "bytes/s", "(0, inf)").low
    112500000.0
    >>> read("loss", "2e-4..1e-4", "probability", "[0, 1)")
    Traceback (most recent call last):
    ValueError: loss = '2e-4..1e-4' is out of range: must be a range whose lower end comes first
    """
    ends = list(value) if isinstance(value, tuple | list) and len(value) == 2 else [value, value]
    if isinstance(value, str) and BETWEEN in value:
        ends = [end.strip() for end in value.split(BETWEEN, 1)]
        number = ends[0].rstrip("%").strip()
        if _is_number(ends[0]):
            own = ends[1].lstrip("+-0123456789.").strip()
            ends[0] = f"{number} {own}" if own and not _is_number(ends[1]) else ends[0]
    low, high = (quantities.read(name, end, unit, allowed) for end in ends)
    if low > high:
        raise out_of_range(name, repr(value), "1", "a range whose lower end comes first")
    return Range(low, high)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

"""Scales of sliders and axes, made from the record of a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longfat.law import Symbol

PER_DECADE = 24  # positions of a logarithmic slider; an arrow key moves by a tenth
LINEAR = 200  # steps of a linear one


@dataclass(frozen=True)
class Scale:
    """Range of a parameter on a slider or axis, and its division into steps.

    Parameters
    ----------
    symbol : Symbol
        The parameter.
    low, high : float
        Ends, in the domain [the parameter's unit].
    logarithmic : bool
        Whether equal steps are equal factors.

    Examples
    --------
    >>> window = Scale.of(Symbol("W", "segments", "[1, inf)", typical=(1, 4000)))
    >>> window.low, window.high, window.logarithmic, len(window.values)
    (1.0, 4000.0, True, 88)
    >>> window.values[window.position(24)]
    23.2
    """

    symbol: Symbol
    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, symbol: Symbol) -> Scale:
        """Return the scale of a parameter's typical range."""
        low, high = map(float, symbol.typical)
        return cls(symbol, low, high, symbol.logarithmic)

    def including(self, value: float) -> Scale:
        """Return the scale extended to a value; unchanged for infinity, and for values <= 0 if logarithmic."""
        if not math.isfinite(value) or (self.logarithmic and value <= 0) or self.low <= value <= self.high:
            return self
        return Scale(self.symbol, min(self.low, value), max(self.high, value), self.logarithmic)

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Values of the slider positions in order: both ends, and round values between them."""
        if self.logarithmic:
            steps = math.ceil(PER_DECADE * math.log10(self.high / self.low))
            inner = np.geomspace(self.low, self.high, steps + 1)
        else:
            steps = min(LINEAR, int(self.high - self.low)) if self.symbol.integer else LINEAR
            inner = np.linspace(self.low, self.high, steps + 1)
        digits = 3 if self.logarithmic else 10
        round_ones = [float(round(x)) if self.symbol.integer else float(f"{x:.{digits}g}") for x in inner[1:-1]]
        found = {self.low, self.high, *(x for x in round_ones if self.low < x < self.high)}
        return tuple(sorted(x for x in found if self.symbol.interval.contains(x)))

    def position(self, value: float) -> int:
        """Return the slider position with the nearest value, measured on this scale."""
        values = np.asarray(self.values)
        if self.logarithmic:
            value, values = math.log(max(value, self.low)), np.log(values)
        return int(np.abs(values - min(value, values[-1])).argmin())

    def dense(self, points: int) -> np.ndarray:
        """Return values for a curve from end to end; integers without repetition if the parameter is one."""
        made = np.geomspace if self.logarithmic else np.linspace
        found = made(self.low, self.high, points)
        found[0], found[-1] = self.low, self.high
        if self.symbol.integer:
            found = np.unique(np.round(found))
        inside: np.ndarray = found[self.symbol.interval.contains(found)]
        return inside

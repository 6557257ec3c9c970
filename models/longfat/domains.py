"""Domains of parameters, and one way of refusing what lies outside them.

Every room of the house uses this module and it uses none of them, so that a bad value is refused in the
same words by a law, by a simulator and at the command line: parameter, value, unit, allowed range.
"""

from __future__ import annotations

import math
import operator
import re
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Units that are no words to read behind a number: "loss = 2 is out of range".
_UNNAMED = ("1", "probability")
_INTERVAL = re.compile(r"^([\[(])\s*(\S+)\s*,\s*(\S+)\s*([\])])$")


@dataclass(frozen=True)
class Interval:
    """An interval of the real line, written as mathematicians write it: ``Interval.parse("[0, 1)")``."""

    low: float
    high: float
    includes_low: bool
    includes_high: bool

    @classmethod
    def parse(cls, text: str) -> Interval:
        """Read ``"(0, inf)"``, ``"[1, 128]"`` and the like.

        >>> Interval.parse("[0, 1)").contains(1.0)
        False
        """
        match = _INTERVAL.match(text)
        if match is None:
            raise ValueError(f"an interval is written like '[0, 1)', got {text!r}")
        left, low, high, right = match.groups()
        return cls(float(low), float(high), left == "[", right == "]")

    def contains(self, value: Any) -> Any:
        """True where the value lies inside; works elementwise on any array; False for NaN."""
        above = value >= self.low if self.includes_low else value > self.low
        below = value <= self.high if self.includes_high else value < self.high
        return above & below

    def __str__(self) -> str:
        left, right = "[("[not self.includes_low], "])"[not self.includes_high]
        return f"{left}{self.low:g}, {self.high:g}{right}"


def refuse(name: str, value: object, unit: str, allowed: object, *, integer: bool = False) -> ValueError:
    """The error for a value outside its domain, to be raised by the caller.

    >>> print(refuse("window", 0, "segments", "[1, inf)", whole=True))
    window = 0 segments is out of range: allowed are whole numbers in [1, inf)
    """
    shown = f"{value:.6g}" if isinstance(value, float) else str(value)
    unit = "" if unit in _UNNAMED else f" {unit}"
    allowed = f"whole numbers in {allowed}" if integer else f"values in {allowed}"
    return ValueError(f"{name} = {shown}{unit} is out of range: allowed are {allowed}")


def no_number(name: str, value: object, unit: str) -> TypeError:
    """Return the error for what is no real number at all, to be raised by the caller.

    >>> print(no_number("round_trip_time", "30 ms", "s"))
    round_trip_time must be a number [s], got the string '30 ms'
    """
    kinds = {"str": "the string ", "bytes": "the bytes ", "complex": "the complex number ", "NoneType": ""}
    kind = kinds.get(type(value).__name__, f"the {type(value).__name__} ")
    wanted = "a number" if unit == "1" else f"a number [{unit}]"
    return TypeError(f"{name} must be {wanted}, got {kind}{' '.join(reprlib.repr(value).split())}")


def number(name: str, value: Any, unit: str, allowed: str) -> float:
    """A float inside the interval, or a ValueError that says what was wrong.

    >>> number("loss", 0.01, "probability", "[0, 1)")
    0.01
    """
    interval = Interval.parse(allowed)
    result = _float(name, value, unit, interval, integer=False)
    if not interval.contains(result):  # False for NaN as well
        raise refuse(name, result, unit, interval)
    return result


def integer(name: str, value: Any, unit: str, allowed: str) -> int:
    """An int inside the interval; an integral float such as 16.0 is taken, 16.5 is refused.

    >>> whole_number("window", 16.0, "segments", "[1, inf)")
    16
    """
    interval = Interval.parse(allowed)
    try:
        result = operator.index(value)
    except TypeError:
        as_float = _float(name, value, unit, interval, integer=True)
        if not math.isfinite(as_float) or as_float != math.floor(as_float):
            raise refuse(name, as_float, unit, interval, integer=True) from None
        result = int(as_float)
    if not interval.contains(result):
        raise refuse(name, result, unit, interval, integer=True)
    return result


def generator(rng: Any) -> np.random.Generator:
    """A random generator from whatever ``rng=`` was given: None, a seed, a SeedSequence or a Generator.

    >>> bool(generator(1).integers(10) == np.random.default_rng(1).integers(10))
    True
    """
    try:
        result = np.random.default_rng(rng)
        result.spawn(0)  # a generator that cannot have children is of no use to replications
    except (TypeError, ValueError):
        raise ValueError(
            f"rng = {reprlib.repr(rng)} is out of range: allowed are None, whole numbers in [0, inf), "
            "a numpy.random.SeedSequence or a numpy.random.Generator made from one"
        ) from None
    return result


def seed_of(rng: Any) -> int:
    """Return a whole number that, given as ``rng=``, repeats the run: ``rng`` itself if it is one.

    >>> seed_of(7), 0 <= seed_of(None) < 2**63
    (7, True)
    """
    result = generator(rng)
    try:
        return operator.index(rng)
    except TypeError:  # None, a SeedSequence or a Generator: the seed is drawn from it
        return int(result.integers(2**63))


def _float(name: str, value: Any, unit: str, interval: Interval, *, integer: bool) -> float:
    """One number as a float; text, bytes and arrays of more than no dimension are none."""
    if not isinstance(value, str | bytes | bytearray) and not getattr(value, "ndim", 0):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
        except OverflowError:  # an integer beyond the largest float
            return math.inf if value > 0 else -math.inf
    raise refuse(name, " ".join(reprlib.repr(value).split()), unit, interval, integer=integer)


def array(name: str, values: Any, unit: str, interval: Interval, *, integer: bool = False) -> bool:
    """Refuse the first element outside the interval, by its index; True if there are NaN elements, which pass."""
    values = np.asarray(values)
    inside = interval.contains(values)
    if integer:
        inside &= values == np.floor(values)
    if inside.all():
        return False
    outside = ~inside & ~np.isnan(values)
    if outside.any():
        index = tuple(int(i) for i in np.argwhere(outside)[0])
        where = f"[{', '.join(map(str, index))}]" if index else ""
        raise refuse(f"{name}{where}", values[index].item(), unit, interval, integer=integer)
    return True


def numbers(name: str, value: Any, unit: str, allowed: str, *, integer: bool = False) -> np.ndarray:
    """The value as an array of floats, all inside the interval; NaN is refused like everything else outside.

    >>> numbers("flows", [1, 2], "flows", "[1, inf)", whole=True)
    array([1., 2.])
    """
    interval = Interval.parse(allowed)
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise refuse(name, repr(value), unit, interval, integer=integer) from None
    if array(name, found, unit, interval, integer=integer):
        raise refuse(name, float("nan"), unit, interval, integer=integer)
    return found

"""Reference values for the checks of laws: values that are correct to 30 digits, and slopes by differences."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.law import Law

if TYPE_CHECKING:
    import mpmath

TOLERANCE = 1e-12  # largest relative error of values in floats
SLOPE_TOLERANCE = 1e-6  # largest relative error of slopes; difference quotients near kinks are no more accurate
SLOPE_FLOOR = 1e-12  # absolute error of slopes that is accepted, times abs(value/argument) if that exceeds 1
LAST_PLACES = 2.0**-48  # relative change of an argument: 16 times the relative spacing of floats at 1


def exact(law: Law, values: Mapping[str, float]) -> mpmath.mpf:
    """Evaluate the law in mpmath, and double the precision until two results agree in 30 digits.

    >>> from longfat.laws.queues import mm1_wait
    >>> float(exact(mm1_wait, {"load": 0.5}))
    1.0
    """
    import mpmath

    digits, before = enough_digits(values), None
    while digits < 4000:
        with mpmath.workdps(digits):
            result = law(**{name: mpmath.mpf(value) for name, value in values.items()})
            if before is not None and (result == before or abs(result - before) <= mpmath.mpf(10) ** -30 * abs(result)):
                return result
            if mpmath.isnan(result) and before is not None:
                return result
            before = result
        digits *= 2
    if before is not None and abs(before) < mpmath.mpf(10) ** -1000:  # rounding errors alone: the value is 0
        return mpmath.mpf(0)
    raise ArithmeticError(f"{law.name} does not converge in 4000 digits at {dict(values)}")


def enough_digits(values: Mapping[str, float]) -> int:
    """Return the initial precision in digits: 60, and more for small values, so that 1 - x differs from 1."""
    smallest = min((abs(value) for value in values.values() if value), default=1.0)
    return 60 + 2 * max(0, -math.floor(math.log10(smallest)))


def slope(law: Law, values: Mapping[str, float], name: str) -> float | None:
    """Return the derivative of a law by parameter ``name`` in at least 60 digits; None at kinks, jumps and domain ends.

    >>> from longfat.laws.queues import mm1_wait
    >>> slope(mm1_wait, {"load": 0.5}, "load")
    4.0
    """
    import mpmath

    after, before = (_one_sided(law, values, name, side) for side in (1, -1))
    if after is None or before is None:
        return None
    if not (mpmath.isfinite(after) and mpmath.isfinite(before)):  # one side belongs to another case of the law
        return None
    if abs(after - before) > 1e-6 * max(abs(after), abs(before), mpmath.mpf(10) ** -20):
        return None
    return float((after + before) / 2)


def _one_sided(law: Law, values: Mapping[str, float], name: str, side: int) -> mpmath.mpf | None:
    """Return the slope just above (``side`` 1) or below (-1) a point; None if either side is outside the domain."""
    import mpmath

    with mpmath.workdps(enough_digits(values)):
        precise = {key: mpmath.mpf(value) for key, value in values.items()}
        inside = law.symbols[name].interval
        signed = inside.low < 0  # 0 is then an interior point
        step = mpmath.mpf(10) ** -25 * ((0 if signed else abs(precise[name])) or 1)
        if not (inside.contains(precise[name] - step) and inside.contains(precise[name] + step)):
            return None
        moved = law(**(precise | {name: precise[name] + side * step}))
        return (moved - _once(law, tuple(values.items()))) / (side * step)


@functools.lru_cache(maxsize=64)
def _once(law: Law, values: tuple[tuple[str, float], ...]) -> mpmath.mpf:
    """Return the law's value at a point with `enough_digits`; the cache serves several comparisons at the point."""
    import mpmath

    with mpmath.workdps(enough_digits(dict(values))):
        return law(**{name: mpmath.mpf(value) for name, value in values})


def beside(law: Law, values: Mapping[str, float], change: float = LAST_PLACES) -> list[dict[str, float]]:
    """Return points beside a given point, each with one argument changed in its last digits."""
    real = [name for name, symbol in law.symbols.items() if not symbol.integer]
    moved = [(name, values[name] * (1 + side * change)) for name in real for side in (-1, 1)]
    return [{**values, name: x} for name, x in moved if x != values[name] and law.symbols[name].interval.contains(x)]


def value_error(law: Law, values: Mapping[str, float], got: Any, expected: Any = None) -> float:
    """Return the relative error of ``got``, a value computed in floats, against ``expected``, by default from `exact`.

    If one evaluation with `enough_digits` agrees with ``got``, this evaluation is the reference: rounding errors as
    large as the tolerance would not be equal in two arithmetics. If ``got`` is 0 or infinite, both may be wrong in the
    same way, so `exact` gives the reference.

    Arguments are rounded to floats, which matters at jumps and in differences of nearly equal numbers. A result between
    the exact values at the points of `beside` therefore has no error.

    >>> from longfat.laws.blt import additive_priority
    >>> float(exact(additive_priority, {"packet": 273, "step": 0.1})), additive_priority(273, 0.1)  # 65 at 1/10
    (64.0, 65.0)
    >>> value_error(additive_priority, {"packet": 273, "step": 0.1}, 65.0)
    0.0
    """
    if expected is None and math.isfinite(got) and got != 0:
        off = error(got, _once(law, tuple(values.items())))
        if off <= TOLERANCE:
            return off
    off = error(got, exact(law, values) if expected is None else expected)
    if off <= TOLERANCE:
        return off
    around = [exact(law, there) for there in (values, *beside(law, values))]
    numbers = [one for one in around if one == one]
    if math.isnan(got) or not numbers:
        return 0.0 if math.isnan(got) and len(numbers) < len(around) else math.inf
    return error(got, min(max(numbers), max(min(numbers), float(got))))


def slope_error(law: Law, values: Mapping[str, float], name: str, got: float) -> float:
    """Return the relative error of ``got``, a slope computed in floats, against `slope`; 0 if `slope` returns None.

    If a kink is within the last digits of an argument, rounding decides on which side of it the argument lies. There,
    any slope between the slopes of the two sides has no error.

    A slope may be the difference of two terms of about value/argument, and then has the rounding errors of both, for
    which `SLOPE_FLOOR` allows.

    >>> from longfat.laws.queues import mm1_wait
    >>> slope_error(mm1_wait, {"load": 0.5}, "load", 4.4), slope_error(mm1_wait, {"load": 0.5}, "load", float("nan"))
    (0.1, inf)
    """
    above = _one_sided(law, values, name, 1)
    if above is None:
        return 0.0
    off = _off(got, float(above), SLOPE_FLOOR)
    if off <= SLOPE_TOLERANCE:  # the usual case; the slope of the other side is then not needed
        return off
    expected = slope(law, values, name)
    if expected is None:
        return 0.0
    off = _off(got, expected, SLOPE_FLOOR)
    if off <= SLOPE_TOLERANCE:
        return off
    floor = SLOPE_FLOOR * max(1.0, abs(float(exact(law, values)) / (values[name] or math.inf)))
    sides = [expected, *(slope(law, there, name) for there in beside(law, values))]
    slopes = [one for one in sides if one is not None]
    return _off(got, min(max(slopes), max(min(slopes), got)), floor)


def _off(got: float, expected: float, floor: float) -> float:
    """Return the relative error of a slope; 0 if the absolute error is at most ``floor``."""
    off = abs(got - expected)
    if off <= floor:
        return 0.0
    return off / abs(expected) if expected and not math.isnan(off) else math.inf


def error(got: Any, expected: Any) -> float:
    """Return the relative error of a float against its high-precision reference.

    The error is infinite if exactly one of the two numbers is NaN or infinite.

    ``got`` may be 0 for a number below the smallest float, and infinite for a number above the largest.

    >>> error(1.0, 1.0), error(0.0, 1e-320), error(1.0, float("nan"))
    (0.0, 0.0, inf)
    """
    import mpmath

    got, expected = mpmath.mpf(float(got)), mpmath.mpf(expected)
    if mpmath.isnan(expected) or mpmath.isnan(got):
        return 0.0 if mpmath.isnan(expected) and mpmath.isnan(got) else math.inf
    if got == expected or abs(got - expected) <= np.finfo(float).tiny:
        return 0.0
    if mpmath.isinf(got) and abs(expected) > np.finfo(float).max and (got > 0) == (expected > 0):
        return 0.0
    if mpmath.isinf(expected) or mpmath.isinf(got) or expected == 0:
        return math.inf
    return float(abs((got - expected) / expected))

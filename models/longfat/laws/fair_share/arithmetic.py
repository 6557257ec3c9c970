"""Floats and fractions, and checks of arguments that preserve fractions."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from longfat.base import domains

LARGEST = int(sys.float_info.max)


def number(name: str, value: Any, unit: str, allowed: str) -> Any:
    """Return a float, an int or a Fraction inside the interval, or raise a ValueError that names the fault.

    >>> number("start", Fraction(1, 10), "s", "(-inf, inf)"), number("start", np.float32(0.5), "s", "(-inf, inf)")
    (Fraction(1, 10), 0.5)
    """
    if isinstance(value, Decimal) and value.is_finite():
        value = Fraction(value)
    if not isinstance(value, numbers.Rational):
        return domains.number(name, value, unit, allowed)
    exact: int | Fraction = int(value) if isinstance(value, numbers.Integral) else Fraction(value)
    interval = domains.Interval.parse(allowed)
    if not interval.contains(exact) or not -LARGEST <= exact <= LARGEST:
        raise domains.out_of_range(name, exact, unit, interval)
    return exact


def kind(values: Iterable[Any]) -> Callable[[Any], Any]:
    """Return the function that converts all values to one type: Fraction if some are and none is a float, else float.

    Infinity fits both types.

    >>> exact = kind([Fraction(1, 3), 2, math.inf])
    >>> exact(2), exact(math.inf), kind([1, 2])(2), kind([Fraction(1, 2), 0.5])(Fraction(1, 2))
    (Fraction(2, 1), inf, 2.0, 0.5)
    """
    kinds: set[type] = {type(value) for value in values if not (isinstance(value, float) and math.isinf(value))}
    if Fraction not in kinds or float in kinds:
        return float
    return fraction


def fraction(value: Any) -> Any:
    """Return a number as a Fraction of Python integers, which do not overflow as NumPy's do; infinity is unchanged."""
    return value if isinstance(value, float | Fraction) else Fraction(int(value))


def array(values: Any, convert: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """Return floats as an array of floats, fractions as an array of objects."""
    return np.array(values, dtype=float if convert is float else object).reshape(shape)


def kind_of_arrays(*arrays: Any) -> Callable[[Any], Any]:
    """Return the common type of several arrays, Fraction or float; integers fit both."""
    if any(array.dtype.kind == "f" for array in arrays):
        return float
    return kind(value for array in arrays if array.dtype == object for value in array.flat)


def numeric_array(name: str, values: Any, unit: str, allowed: str) -> Any:
    """Return an array of integers, floats, or fractions as objects, with every element inside the interval."""
    interval = domains.Interval.parse(allowed)
    refusal = domains.wrong_type(name, values, "a number or an array of numbers", unit)
    try:
        found = np.asarray(values)
    except ValueError:  # rows of unequal lengths
        raise refusal from None
    if found.dtype.kind == "O":
        checked = [number(name, value, unit, allowed) for value in found.flat]
        return array(checked, kind(checked), found.shape)
    if found.dtype.kind not in "biuf":
        raise refusal
    if domains.array(name, found, unit, interval):
        raise domains.out_of_range(name, math.nan, unit, interval)
    return found


def column(name: str, values: Any, unit: str, allowed: str, length: int) -> Any:
    """Return one number for each of the links or flows; a single value counts for all."""
    found = numeric_array(name, values, unit, allowed)
    if found.shape not in ((), (length,)):
        raise domains.wrong_shape(name, found.shape, f"one value or {length} in {allowed}")
    return np.broadcast_to(found, (length,)).copy()


def usage_table(name: str, values: Any, allowed: str = "[0, inf)") -> Any:
    """Return a table (links, flows) of the bytes that a link carries per byte of a flow; every flow uses a link."""
    found = numeric_array(name, values, "1", allowed)
    if found.ndim != 2 or not found.size:
        raise domains.wrong_shape(name, found.shape, "(links, flows)")
    if not (found > 0).any(axis=0).all():
        flow = int(np.argmin((found > 0).any(axis=0)))
        raise domains.out_of_range(f"{name}[:, {flow}]", "no link", "1", f"one value above 0 or more, all in {allowed}")
    return found

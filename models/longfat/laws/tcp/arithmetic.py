"""Exact rounding to integers in every arithmetic: sympy, mpmath, and arrays of floats."""

from __future__ import annotations

from typing import Any

EXPONENTS = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)  # they add up to 1023, the largest exponent of a double


def ceiling_quotient(number: Any, by: Any, xp: Any) -> Any:
    """Return the quotient of two integers, rounded up.

    With 1/2 subtracted from the numerator the quotient is never an integer, so rounding of the division does not
    matter.
    """
    return xp.ceil(number / by) if hasattr(xp, "sympy") else 1 + xp.floor((number - 0.5) / by)


def floor_log2(x: Any, xp: Any) -> tuple[Any, Any]:
    """Return the largest integer k with 2^k <= x, for x >= 1, and 2^k.

    It is found by comparisons, since a quotient of logarithms may lie on the wrong side of an integer. It has no
    gradient.
    """
    if hasattr(xp, "sympy"):
        k = xp.floor(xp.log(x) / xp.log(2))
        return k, 2**k
    if hasattr(xp, "mp"):
        k = xp.mp.frexp(x)[1] - 1
        return xp.mp.mpf(k), xp.mp.ldexp(1, k)
    k, power = xp.zeros_like(x), xp.ones_like(x)
    for exponent in EXPONENTS:
        if 2.0**exponent <= float(xp.finfo(x.dtype).max):
            fits = power * 2.0**exponent <= x
            k = xp.where(fits, k + exponent, k)
            power = xp.where(fits, power * 2.0**exponent, power)
    return k, power

"""Whole numbers in every arithmetic: sympy and mpmath have their own, arrays get exact steps."""

from __future__ import annotations

from typing import Any

EXPONENTS = (512, 256, 128, 64, 32, 16, 8, 4, 2, 1)  # they add up to 1023, the largest exponent of a double


def whole_quotient(whole: Any, by: Any, xp: Any) -> Any:
    """The quotient of two whole numbers, rounded up.

    Half a unit less above never gives a whole quotient, so that rounding in the division does not matter.
    """
    return xp.ceil(whole / by) if hasattr(xp, "sympy") else 1 + xp.floor((whole - 0.5) / by)


def whole_logarithm(x: Any, xp: Any) -> tuple[Any, Any]:
    """The largest whole k with 2^k <= x, for x >= 1, and 2^k.

    By comparisons: a quotient of logarithms may lie on the wrong side of a whole number. No gradient passes.
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

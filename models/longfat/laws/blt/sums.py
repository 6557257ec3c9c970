"""Sums of powers and of steps, exact in floats as long as whole numbers are."""

from __future__ import annotations

from typing import Any

DOUBLINGS = 53  # more terms than that many bits count no float has
BEYOND = 2.0**60  # a growth of windows that puts every packet but the first into window 1; its square is a float32


def geometric_sum(terms: Any, ratio: Any, xp: Any) -> Any:
    """1 + g + ... + g^(m-1), by doubling: F_2e = F_e + g^e F_e, and F_(a+b) = F_a + g^a F_b for the bits of m.

    Positive terms only, so no digit is lost; whole where g is whole; a polynomial in g, and so with a slope at g = 1.
    """
    if hasattr(xp, "sympy"):
        one = xp.equal(ratio, 1)
        return xp.sympy.Piecewise((terms, one), ((ratio**terms - 1) / (ratio - 1), True))
    if hasattr(xp, "mp"):
        return terms if ratio == 1 else (ratio**terms - 1) / (ratio - 1)

    def double(_: Any, rest: Any, total: Any, power: Any, part: Any, base: Any) -> tuple[Any, ...]:
        half = xp.floor(rest / 2)
        odd = rest > 2 * half
        total = xp.where(odd, total + power * part, total)
        power = xp.where(odd, power * base, power)
        # Powers beyond the last bit might overflow, and would spoil the slopes: they stay what they were.
        more = half >= 1
        return half, total, power, xp.where(more, part + base * part, part), xp.where(more, base * base, base)

    zero = 0 * (terms + ratio)
    one = 1 + zero
    return xp.repeat(DOUBLINGS, double, terms + zero, zero, one, one, ratio + zero)[1]


def whole_window(packet: Any, estimate: Any, before: Any, xp: Any) -> Any:
    """The largest whole k with ``before(k) <= packet``, from an estimate that is off by one at most."""
    low = xp.maximum(estimate, 1 + 0 * estimate)
    there = xp.where(before(low) <= packet, low, low - 1)
    return xp.where(before(low + 1) <= packet, low + 1, there)

"""Sums of powers, exact in floats as long as integers are."""

from __future__ import annotations

from typing import Any

DOUBLINGS = 53  # largest number of bits in the number of terms of any float
BEYOND = 2.0**60  # with this growth every packet but the first is in window 1; its square fits a float32


def geometric_sum(terms: Any, ratio: Any, xp: Any) -> Any:
    """Return 1 + g + ... + g^(m-1) by doubling: F_2e = F_e + g^e F_e, and F_(a+b) = F_a + g^a F_b for the bits of m.

    All terms are positive, so nothing cancels. The sum is an integer if g is one, and as a polynomial in g it has a
    slope at g = 1.
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
        # Powers beyond the last bit might overflow and spoil the slopes, so they are not updated.
        more = half >= 1
        return half, total, power, xp.where(more, part + base * part, part), xp.where(more, base * base, base)

    zero = 0 * (terms + ratio)
    one = 1 + zero
    return xp.repeat(DOUBLINGS, double, terms + zero, zero, one, one, ratio + zero)[1]


def window_number(packet: Any, estimate: Any, before: Any, xp: Any) -> Any:
    """Return the largest integer k with ``before(k) <= packet``, from an estimate that is off by one at most."""
    low = xp.maximum(estimate, 1 + 0 * estimate)
    there = xp.where(before(low) <= packet, low, low - 1)
    return xp.where(before(low + 1) <= packet, low + 1, there)

"""Functions with removable singularities, smooth in floats; choice of a formula for each arithmetic.

phi_k(x) is the sum over j >= 0 of x^j/(j + k)!, so phi_0 = exp and phi_k = 1/k! + x phi_(k+1). Where the textbook
divides by a load minus 1, a law divides by phi_1 instead, whose value and slope are right at 0, too: a limit
inserted with `where` would have the right value there, but the slope of a constant. (The phi_k are the functions
of exponential integrators.) Identities: derivations/queues.py, constant_queues.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NEAR = 2.0
TERMS = 22  # 2^22 4!/26! = 2e-19, and beyond NEAR the division loses less than a digit


def by_arithmetic(
    xp: Any, floats: Callable[[], Any], mpmath: Callable[[Any], Any], symbols: Callable[[Any], Any]
) -> Any:
    """Call the formula for the arithmetic ``xp``: ``floats``, ``mpmath`` or ``symbols``; return its value."""
    if hasattr(xp, "sympy"):
        return symbols(xp.sympy)
    if hasattr(xp, "mp"):
        return mpmath(xp.mp)
    return floats()


def phis(x: Any, xp: Any) -> tuple[Any, Any, Any, Any]:
    """Return phi_1(x) ... phi_4(x): by a Taylor series for abs(x) <= NEAR, by their definitions otherwise."""
    near = xp.abs(x) <= NEAR
    # Where a form is not used, its argument is replaced by one inside the form's region, so that its derivatives stay
    # finite.
    small = xp.where(near, x, xp.zeros_like(x))
    (total,) = xp.repeat(TERMS, lambda i, t: (1 + small / (TERMS + 5 - i) * t,), xp.ones_like(x))
    four = total / 24
    three = 1 / 6 + small * four
    two = 0.5 + small * three
    series = (1 + small * two, two, three, four)
    large = xp.where(near, xp.full_like(x, NEAR), x)
    one = xp.expm1(large) / large
    two = (one - 1) / large
    three = (two - 0.5) / large
    direct = (one, two, three, (three - 1 / 6) / large)
    first, second, third, fourth = (xp.where(near, *pair) for pair in zip(series, direct, strict=True))
    return first, second, third, fourth


def truncated_geometric_mean(load: Any, places: Any, xp: Any) -> Any:
    """Return the mean of j = 0 ... m - 1 with weights rho^j, which is 1/(1/rho - 1) - m/(rho^-m - 1).

    With u = ln rho and m |u| <= NEAR it is (m - 1)/2 + m h(m u) - h(u), where
    h(y) = 1/(exp(y) - 1) - 1/y + 1/2 = y (phi_2(y)/2 - phi_3(y))/phi_1(y).
    """
    positive = load > 0
    u = xp.log(xp.where(positive, load, xp.ones_like(load)))
    near = xp.abs(places * u) <= NEAR

    def bend(y: Any) -> Any:
        one, two, three, _ = phis(y, xp)
        return y * (two / 2 - three) / one

    small = xp.where(near, u, xp.zeros_like(u))
    middle = (places - 1) / 2 + places * bend(places * small) - bend(small)
    below, above = ~near & (u < 0), ~near & (u > 0)
    low = xp.where(below, u, xp.full_like(u, -1.0))
    high = xp.where(above, -u, xp.full_like(u, -1.0))
    # exp(low) is in the numerator. In the form 1/expm1(-low) the denominator would overflow and make the derivative
    # NaN.
    light = places * xp.exp(places * low) / xp.expm1(places * low) - xp.exp(low) / xp.expm1(low)
    heavy = 1 / xp.expm1(high) - places / xp.expm1(places * high)
    result = xp.where(below, light, xp.where(above, heavy, middle))
    result = xp.where(positive, result, load)  # rho + O(rho^2)
    return xp.where(places > 1, result, xp.zeros_like(result))

"""Parts of the loss-load curve, computed accurately with powers of rates as logarithms.

With r = b / f^(k+1), the own share is q = 1/(1 + r) and P = q (f + a)/f. For k = 50 neither f^(k+1) nor r fits into a
float where q still matters; log r does. Without others (b = 0) q = 1, and r is computed as b f^-(k+1), whose slope by b
is right.
"""

from __future__ import annotations

from typing import Any


def log_ratio(rate: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return log r, for a positive rate and a positive spread."""
    return xp.log(spread) - (k + 1) * xp.log(rate)


def shares(rate: Any, spread: Any, k: Any, xp: Any) -> tuple[Any, Any]:
    """Return q = f^(k+1)/(f^(k+1) + b) and 1 - q, both to full relative accuracy; 0 and 1 for a rate of 0."""
    if hasattr(xp, "sympy"):
        power = xp.power(rate, k + 1)
        return power / (power + spread), spread / (power + spread)
    silent, alone = xp.equal(rate, 0), xp.equal(spread, 0)
    one, some = 1 + 0 * (rate + spread + k), xp.where(silent, 1 + 0 * rate, rate)
    log_r = log_ratio(some, xp.where(alone, 1 + 0 * spread, spread), k, xp)
    nothing = 0 * one
    with_others = xp.exp(-xp.logaddexp(nothing, log_r)), xp.exp(-xp.logaddexp(nothing, -log_r))
    r = spread * xp.exp(xp.minimum(-(k + 1) * xp.log(some), 80 * one))  # used only where spread is 0
    q = xp.where(silent, nothing, xp.where(alone, 1 / (1 + r), with_others[0]))
    return q, xp.where(silent, one, xp.where(alone, r / (1 + r), with_others[1]))


def throughput(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return t = (1 - P) f: the rate up to -a, then f (1 - q) - a q, and 0 where P would exceed 1."""
    q, rest = shares(rate, spread, k, xp)
    lossless = (rate + excess <= 0) | xp.equal(rate, 0)
    return xp.where(lossless, rate, xp.maximum(rate * rest - excess * q, 0 * q))

"""Rate with the largest raw throughput: a root without a formula.

With c = (k + 1)/k and A = (b/k)^(1/(k+1)) the equation k f^(k+1) + (k + 1) a f^k = b is

    psi(f) = f + c a - A (A/f)^k = 0.

psi is increasing and concave, so Newton's method converges monotonically and quadratically from the left end of any
bracket, and every derivative of the root is a quotient of sums of positive terms.
"""

from __future__ import annotations

import math
from typing import Any

from longfat.law.roots import newton, root
from longfat.laws.loss_load.parameters import ACCESS, EXCESS, RATE, SPREAD, K
from longfat.laws.references import PRITHVIRAJ_WILLIAMSON


def others(spread: Any, xp: Any) -> Any:
    """Return the spread, or 1 for a source that is alone, whose results are computed with it but not used."""
    return xp.where(xp.equal(spread, 0), 1 + 0 * spread, spread)


def scale(spread: Any, k: Any, xp: Any) -> Any:
    """Return A = (b/k)^(1/(k+1)), the optimal rate if the others just fill the capacity."""
    return xp.exp((xp.log(spread) - xp.log(k)) / (k + 1))


def psi(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the difference of the sides of the law's equation, left less right, divided by k f^k."""
    top = scale(spread, k, xp)
    return rate + (k + 1) / k * excess - top * xp.power(top / rate, k)


def largest_throughput(excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the root of `psi` for a positive spread, from a bracket whose ends differ by a factor of 2 at most.

    For a >= 0 both terms of k f^(k+1) + (k + 1) a f^k are at most b, and one of them at least b/2; for a < 0 the
    rate is at least c |a| and at least A, and psi is positive at their sum.
    """
    top, ratio = scale(spread, k, xp), (k + 1) / k
    free = ratio * xp.maximum(-excess, 0 * excess)
    crowded = xp.maximum(ratio * excess, 1e-30 * top)
    above = xp.minimum(top, xp.exp(xp.log(top) * ratio - xp.log(crowded) / k))
    room = excess < 0
    low = xp.where(room, xp.maximum(free, top), above / xp.exp(math.log(2.0) / k))
    high = xp.where(room, free + top, above)

    def function(f: Any, offset: Any, top: Any, k: Any) -> tuple[Any, Any]:
        last = top * xp.power(top / f, k)
        return f + offset - last, 1 + k * last / f

    return newton(function, low * 0.98, high * 1.02, low, ratio * excess, top, k, xp=xp)


def throughput_optimum(excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """Return the root of `psi` with its derivatives, for a positive spread."""
    found = largest_throughput(xp.fixed(excess), xp.fixed(spread), xp.fixed(k), xp)
    return xp.implicit(lambda f, a, b, k: psi(f, a, b, k, xp), found, excess, spread, k)


@root(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2 (dt/df = 0)",
    unit="1",
    result=(
        "f, over the capacity that the link announces; at most the access rate. Without others (b = 0) the free "
        "capacity max(0, -a)"
    ),
    unknown=RATE,
    equation=lambda f, a, b, k, f_max: (k * f ** (k + 1) + (k + 1) * a * f**k, b),
    cases={
        "alone": lambda f, a, b, k, f_max: (b == 0) & (f < f_max),
        "access limit": lambda f, a, b, k, f_max: f >= f_max,
    },
    derivation="loss_load.optimal_rate",
    not_simulated="the rule that the simulated source computes itself; equilibrium_load checks its consequence",
    excess=EXCESS,
    spread=SPREAD.described(remark="It is 0 for a source that is alone"),
    k=K,
    access_rate=ACCESS,
)
def throughput_optimal_rate(excess: Any, spread: Any, k: Any, access_rate: Any = math.inf, *, xp: Any) -> Any:
    r"""Return the rate at which a source has the largest raw throughput.

    .. math:: k f^{k+1} + (k + 1) a f^k = b, \qquad f > \max(0, -a)

    Notes
    -----
    The root is unique, and below it the throughput rises: so the access rate is the best rate if it is less. The loss
    at the root is 1/(k + 1), whatever the others do; for k = 1 it is f = sqrt(a^2 + b) - a. The throughput of a
    source that is alone does not grow beyond the rate -a, whereas the equation would give c = (k + 1)/k of it: the
    optimal rate is not continuous at b = 0, since with any other source, however slow, a rate up to c times higher
    gains throughput. Without others a is -1. For b = 0 and a >= 0, which no set of sources has, nothing is delivered
    at any rate; the limit 0 is returned. The status of ``solve`` is "alone", "access limit" or "converged". The error
    is a few units in the last place times 1 + |log b|.

    Examples
    --------
    >>> round(throughput_optimal_rate(-0.25, 0.5625, 1), 12)  # the other sends 3/4: a = -1/4, b = 9/16
    1.040569415042
    """
    alone = xp.equal(spread, 0)
    rate = throughput_optimum(excess, others(spread, xp), k, xp)
    rate = xp.where(alone, xp.maximum(-excess, 0 * excess), rate)
    return xp.minimum(rate, access_rate)

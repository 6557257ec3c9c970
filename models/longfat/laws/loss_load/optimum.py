"""The rate with the largest raw throughput: a root without a formula.

With c = (k + 1)/k and A = (b/k)^(1/(k+1)) the equation k f^(k+1) + (k + 1) a f^k = b is

    psi(f) = f + c a - A (A/f)^k = 0.

psi is increasing and concave, so that Newton's method converges from the left end of any bracket without a
detour, quadratically, and every derivative of the root is a quotient of sums of positive terms.
"""

from __future__ import annotations

import math
from typing import Any

from longfat.laws.loss_load.parameters import ACCESS, EXCESS, PAPER, RATE, SPREAD, K
from longfat.roots import newton, root


def others(spread: Any, xp: Any) -> Any:
    """The spread, or 1 for a source that is alone: what is computed with it is not used then."""
    return xp.where(xp.equal(spread, 0), 1 + 0 * spread, spread)


def scale(spread: Any, k: Any, xp: Any) -> Any:
    """A = (b/k)^(1/(k+1)), the optimal rate where the others just fill the capacity."""
    return xp.exp((xp.log(spread) - xp.log(k)) / (k + 1))


def psi(rate: Any, excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """The equation, divided by k f^k."""
    top = scale(spread, k, xp)
    return rate + (k + 1) / k * excess - top * xp.power(top / rate, k)


def largest_throughput(excess: Any, spread: Any, k: Any, xp: Any) -> Any:
    """The root, for a positive spread, in a bracket whose ends are at most a factor of 2 apart.

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
    """The root with its derivatives, for a positive spread."""
    found = largest_throughput(xp.fixed(excess), xp.fixed(spread), xp.fixed(k), xp)
    return xp.implicit(lambda f, a, b, k: psi(f, a, b, k, xp), found, excess, spread, k)


@root(
    source=PAPER + ", section 2.2",
    unit="1",
    derivation="loss_load.optimal_rate",
    unknown=RATE,
    equation=lambda f, a, b, k, f_max: (k * f ** (k + 1) + (k + 1) * a * f**k, b),
    cases={
        "alone": lambda f, a, b, k, f_max: (b == 0) & (f < f_max),
        "access limit": lambda f, a, b, k, f_max: f >= f_max,
    },
    excess=EXCESS,
    spread=SPREAD,
    k=K,
    access_rate=ACCESS,
)
def throughput_optimal_rate(excess: Any, spread: Any, k: Any, access_rate: Any = math.inf, *, xp: Any) -> Any:
    r"""Rate at which a source gets most through, whatever its loss.

    .. math:: k f^{k+1} + (k + 1) a f^k = b, \qquad f > \max(0, -a)

    Parameters
    ----------
    excess : float or array
        a [1], in [-1, inf): the rates of the others over the capacity that the link announces, less 1.
    spread : float or array
        b [1], in [0, inf): the sum of the others' rates, each to the power k + 1; 0 for a source that is alone.
    k : float or array
        k [1], in [1, inf).
    access_rate : float or array
        f_max [1], in (0, inf]: the largest rate that the source can send at, over the same capacity.

    Returns
    -------
    float or array
        f [1], over the capacity that the link announces; at most the access rate. Without others (b = 0) the free
        capacity max(0, -a).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The root is unique, and below it the throughput rises: so the access rate is the best rate if it is less. The
    loss at the root is 1/(k + 1), whatever the others do; for k = 1 it is f = sqrt(a^2 + b) - a. A source that is
    alone gets no more for rates above -a, and the equation would give it c = (k + 1)/k of that for nothing: its rate
    is not continuous at b = 0, for any other source, however slow, lets it gain by c. Without others, a is -1 in
    truth. For b = 0 and a >= 0, which no sources have, nothing gets through at any rate; the limit 0 is returned.
    ``solve`` says "alone", "access limit" or "converged". The error is a few units in the last place times 1 + |log b|.

    Examples
    --------
    >>> round(throughput_optimal_rate(-0.25, 0.5625, 1), 12)  # the other sends 3/4: a = -1/4, b = 9/16
    1.040569415042

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.2 (dt/df = 0).
    """
    alone = xp.equal(spread, 0)
    rate = throughput_optimum(excess, others(spread, xp), k, xp)
    rate = xp.where(alone, xp.maximum(-excess, 0 * excess), rate)
    return xp.minimum(rate, access_rate)

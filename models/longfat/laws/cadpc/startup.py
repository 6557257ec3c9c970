"""The start of a flow: it acts like several flows, and like one when it is near its share.

The paper gives the idea in words (section III) and refers to a thesis for the formula. What stands here is ours, after
these words: the number of flows falls linearly with the rate from m_0 to 1.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import PAPER, RATE, SMOOTHING, TRAFFIC

INITIAL = Symbol("m_0", "flows", "[1, inf)", (1.0, 10.0), "flows that a sender acts like at first")
LARGEST = Symbol("G", "1", "(1, inf)", (1.25, 4.0), "largest growth in one update")


def acting_like(rate: Any, traffic: Any, initial_flows: Any, xp: Any) -> Any:
    """m; beyond the equilibrium, and with no capacity to spare, it is 1."""
    spare = 1 - traffic
    if hasattr(xp, "sympy"):
        return xp.piecewise(
            lambda: 1 + 0 * rate, (rate < spare, lambda: initial_flows + (1 - initial_flows) * rate / spare)
        )
    below = rate < spare
    # The divisor stays positive where the branch is not taken, so that no gradient is spoilt.
    progress = xp.where(below, rate / xp.where(below, spare, 1 + rate), 1 + 0 * rate)
    return progress + initial_flows * (1 - progress)


@law(
    source=f"ours, after the words of {PAPER}, section III",
    unit="flows",
    derivation="cadpc.startup",
    rate=RATE,
    traffic=TRAFFIC,
    initial_flows=INITIAL,
)
def startup_multiplicity(rate: Any, traffic: Any, initial_flows: Any = 2, *, xp: Any) -> Any:
    r"""Number of flows that a starting sender acts like.

    .. math:: m = m_0 + (1 - m_0) \min\left(1, \frac{x}{1 - L}\right), \qquad m = 1 \text{ for } L \ge 1

    Parameters
    ----------
    rate : float or array
        x [1], in (0, inf).
    traffic : float or array
        L [1], in [0, inf).
    initial_flows : float or array
        m_0 [flows], in [1, inf).

    Returns
    -------
    float or array
        m [flows], from m_0 down to 1.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A reconstruction: the paper says that a sender acts like more flows at first and that this falls linearly to
    one as the rate approaches its final value. That value is where x = 1 - L. A sender that has once come to m = 1
    stays there; this memory is the sender's, not the law's.

    Examples
    --------
    >>> startup_multiplicity(0.1, 0.6, initial_flows=5)
    4.0

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section III, in words.
    """
    return acting_like(rate, traffic, initial_flows, xp)


@law(
    source=f"ours, after the words of {PAPER}, section III",
    unit="1",
    derivation="cadpc.startup",
    rate=RATE,
    traffic=TRAFFIC,
    initial_flows=INITIAL,
    largest_growth=LARGEST,
    smoothing=SMOOTHING,
)
def startup_step(
    rate: Any, traffic: Any, initial_flows: Any = 2, largest_growth: Any = 2, smoothing: Any = 1, *, xp: Any
) -> Any:
    r"""Rate of a starting sender after one update.

    .. math:: x(t + 1) = x(t) \min(G, 1 + a m (1 - x(t) - L(t)))

    with m as in `startup_multiplicity`.

    Parameters
    ----------
    rate : float or array
        x [1], in (0, inf).
    traffic : float or array
        L [1], in [0, inf).
    initial_flows : float or array
        m_0 [flows], in [1, inf); 1 is `step`.
    largest_growth : float or array
        G [1], in (1, inf).
    smoothing : float or array
        a [1], in (0, 3].

    Returns
    -------
    float or array
        x(t + 1) [1]; not positive where x + L >= 1 + 1/a.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A reconstruction, see `startup_multiplicity`. Equilibrium and multipliers are those of `step`, since
    m = 1 and 1 - x - L = 0 there: the start costs no stability near the equilibrium. Far from it, and with late
    reports, it overshoots.

    Examples
    --------
    >>> startup_step(0.25, 0.25, initial_flows=4, smoothing=0.5)
    0.4375

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section III, in words.
    """
    m = acting_like(rate, traffic, initial_flows, xp)
    return rate * xp.minimum(largest_growth + 0 * m, 1 + smoothing * m * (1 - rate - traffic))

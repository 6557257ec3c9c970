"""Startup of a CADPC flow, which acts like several flows at first and like one near its share.

The paper gives the idea in words (section III) and refers to a thesis for the formula. The formula here is ours, after
these words: the number of flows falls linearly with the rate from m_0 to 1.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import RATE, SMOOTHING, TRAFFIC
from longfat.laws.references import WELZL

INITIAL = Symbol("m_0", "flows", "[1, inf)", (1.0, 10.0), "Flows that a sender acts like at first")
LARGEST = Symbol("G", "1", "(1, inf)", (1.25, 4.0), "Largest growth of the rate in one update")


def acting_like(rate: Any, traffic: Any, initial_flows: Any, xp: Any) -> Any:
    """Return m, the number of flows that a sender acts like: 1 beyond the equilibrium and without spare capacity."""
    spare = 1 - traffic
    if hasattr(xp, "sympy"):
        return xp.piecewise(
            lambda: 1 + 0 * rate, (rate < spare, lambda: initial_flows + (1 - initial_flows) * rate / spare)
        )
    below = rate < spare
    # The divisor stays positive where the branch is not taken, so that gradients stay finite.
    progress = xp.where(below, rate / xp.where(below, spare, 1 + rate), 1 + 0 * rate)
    return progress + initial_flows * (1 - progress)


@law(
    source=f"Ours, after the description in {WELZL}, section III",
    unit="flows",
    result="m, from m_0 down to 1",
    derivation="cadpc.startup",
    not_simulated="the rule that the simulated sender computes itself",
    rate=RATE,
    traffic=TRAFFIC,
    initial_flows=INITIAL,
)
def startup_multiplicity(rate: Any, traffic: Any, initial_flows: Any = 2, *, xp: Any) -> Any:
    r"""Return the number of flows that a starting CADPC sender acts like.

    .. math:: m = m_0 + (1 - m_0) \min\left(1, \frac{x}{1 - L}\right), \qquad m = 1 \text{ for } L \ge 1

    Notes
    -----
    A reconstruction: the paper says that a sender acts like more flows at first and that this falls linearly to one
    as the rate approaches its final value. That value is where x = 1 - L. A sender whose m has reached 1 keeps it;
    this memory is part of the sender, not of the law.

    Examples
    --------
    >>> startup_multiplicity(0.1, 0.6, initial_flows=5)
    4.0
    """
    return acting_like(rate, traffic, initial_flows, xp)


@law(
    source=f"Ours, after the description in {WELZL}, section III",
    unit="1",
    result="x(t + 1); not positive where x + L >= 1 + 1/a",
    derivation="cadpc.startup",
    not_simulated="the rule that the simulated sender computes itself",
    rate=RATE,
    traffic=TRAFFIC,
    initial_flows=INITIAL.described(remark="m_0 = 1 gives `step`"),
    largest_growth=LARGEST,
    smoothing=SMOOTHING,
)
def startup_step(
    rate: Any, traffic: Any, initial_flows: Any = 2, largest_growth: Any = 2, smoothing: Any = 1, *, xp: Any
) -> Any:
    r"""Return the rate of a starting CADPC sender after one update.

    .. math:: x(t + 1) = x(t) \min(G, 1 + a m (1 - x(t) - L(t)))

    with m as in `startup_multiplicity`.

    Notes
    -----
    A reconstruction, see `startup_multiplicity`. Equilibrium and multipliers are those of `step`, since m = 1 and 1 -
    x - L = 0 there: the startup rule costs no stability near the equilibrium. Far from it, and with delayed reports,
    the rate overshoots.

    Examples
    --------
    >>> startup_step(0.25, 0.25, initial_flows=4, smoothing=0.5)
    0.4375
    """
    m = acting_like(rate, traffic, initial_flows, xp)
    return rate * xp.minimum(largest_growth + 0 * m, 1 + smoothing * m * (1 - rate - traffic))

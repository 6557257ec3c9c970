"""CADPC flows of different weights, routes and rates; startup; delayed reports of the traffic.

Startup: the paper gives the idea in words (section III) and refers to a thesis for the formula. The formula here is
ours, after these words: as the rate grows, the number of flows falls linearly from m_0 to 1.

Delay: a sender knows its own rate, but the reported traffic is that of d updates ago. Near the equilibrium the total's
deviation then satisfies z^(d + 1) = (1 - s) z^d - n s, with s = a/(1 + n); the delay does not affect differences
between flows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.base import domains
from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.cadpc.flow import FLOWS, RATE, SMOOTHING, TRAFFIC
from longfat.laws.fair_share import max_min_rates, usage_table
from longfat.laws.references import WELZL

RIVALS = Symbol("n", "flows", "[2, inf)", (2, 100), "Flows that share the link", integer=True)
STABLE_SMOOTHING = Symbol("a", "1", "(0, 2)", (0.1, 1.0), "Smoothness factor")


def network_equilibrium(routes: ArrayLike, capacities: Any = 1, weights: Any = 1) -> NDArray[np.float64]:
    r"""Return the equilibrium rates of CADPC flows over several links.

    .. math:: \frac{\bar x_i}{w_i} = \min_{l \in i} \Bigl(C_l - \sum_{j \ni l} \bar x_j\Bigr)

    Parameters
    ----------
    routes : array of shape (links, flows)
        1 or True where a flow passes a link, else 0; every flow passes at least one link.
    capacities : float or array of shape (links,)
        C [bytes/s, or any unit], in (0, inf).
    weights : float or array of shape (flows,)
        w [flows], in (0, inf): the number of flows that each acts like.

    Returns
    -------
    ndarray of shape (flows,)
        The rates, in the unit of the capacities.

    Notes
    -----
    Exact, and the only fixed point with positive rates. A flow follows the report of the link with the least spare
    capacity; at equilibrium, its rate divided by its weight equals that spare capacity. So the rates are the weighted
    max-min fair rates (`fair_share.max_min_rates`) of a network with an additional flow of weight 1 on every link,
    whose share stays unused.

    Examples
    --------
    >>> network_equilibrium([[1, 1, 1, 0], [1, 0, 0, 1]]).tolist()
    [0.25, 0.25, 0.25, 0.375]

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections II.A (which report is sent back) and III (parking
    lot); the equation and its solution are ours, derivations/cadpc_network.py.
    """
    table = usage_table("routes", routes, "[0, 1]")
    if ((table > 0) & (table < 1)).any():
        row, flow = (int(i) for i in np.argwhere((table > 0) & (table < 1))[0])
        raise domains.out_of_range(f"routes[{row}, {flow}]", table[row, flow], "1", "0 or 1")
    links, flows = table.shape
    virtual = np.eye(links)  # a flow of weight 1 on each link
    weight = np.append(domains.numbers("weights", weights, "flows", "(0, inf)", length=flows), np.ones(links))
    capacity = domains.numbers("capacities", capacities, "bytes/s", "(0, inf)", length=links)
    rates: NDArray[np.float64] = max_min_rates(np.hstack([table, virtual]), capacity, weight)[:flows]
    return rates


FIRST = Symbol("m_1", "flows", "[1, inf)", (1, 50), "Flows over the first link only", integer=True)
SECOND = Symbol("m_2", "flows", "[1, inf)", (1, 50), "Flows over the second link only", integer=True)
OWN = Symbol("m_1", "flows", "[1, inf)", (1, 50), "Flows over the flow's own link only", integer=True)
OTHER = Symbol("m_2", "flows", "[1, inf)", (1, 50), "Flows over the other link only", integer=True)


@law(
    source=f"{WELZL}, sections II.A and III (parking lot); the values are ours",
    result="x [1], over the capacity of a link",
    derivation="cadpc_network.parking_lot.long",
    simulated=SimulatedBy("parking_lot_long", {"first": (1.0, 8.0), "second": (1.0, 8.0)}, relative=0.03),
)
def parking_lot_long_rate(first: FIRST, second: SECOND, *, xp):
    r"""Return the equilibrium rate of the CADPC flow that crosses both of two equal links, each with other flows.

    .. math:: \bar x = \frac{1}{2 + \max(m_1, m_2)}

    Exact: the link with less spare capacity, which is the one with more flows of its own, reports.

    >>> parking_lot_long_rate(8, 3)
    0.1
    """
    return 1 / (2 + xp.maximum(first, second))


@law(
    source=f"{WELZL}, sections II.A and III (parking lot); the values are ours",
    result="x [1], over the capacity of a link",
    derivation="cadpc_network.parking_lot.crowded",
    simulated=SimulatedBy("parking_lot_short", {"own": (1.0, 8.0), "other": (1.0, 8.0)}, relative=0.03),
    own=OWN.described(remark="The flow itself is included"),
)
def parking_lot_short_rate(own, other: OTHER, *, xp):
    r"""Return the equilibrium rate of a CADPC flow that crosses one of two equal links; another flow crosses both.

    .. math:: \bar x = \frac{1 + \max(m_1, m_2)}{(2 + \max(m_1, m_2)) (1 + m_1)}

    Exact. It is the max-min fair rate of a network with one flow more on each link, not that of the network itself:
    with 9 such flows on one link and a single one on the other, the single flow has the rate 5/11, whereas its max-min
    fair rate in the network itself is 9/10.

    >>> parking_lot_short_rate(8, 3), parking_lot_short_rate(3, 8)
    (0.1, 0.225)
    """
    most = xp.maximum(own, other)
    return (1 + most) / ((2 + most) * (1 + own))


REMAINING = Symbol("q", "1", "(0, 1]", (1e-3, 0.5), "Fraction of the differences that is left")
DISTURBANCES = "multipliers of small disturbances, which tests/test_cadpc_agreement.py checks against simulated packets"


@law(
    source=f"Ours, for equation (1) of {WELZL}",
    result="Multiplier [1]",
    derivation="cadpc_spectrum.spectrum.difference",
    long_proof=True,
    not_simulated=DISTURBANCES,
)
def difference_multiplier(flows: FLOWS, smoothing: SMOOTHING = 1, *, xp):
    r"""Return the factor by which one update shrinks the difference between two CADPC flows near equilibrium.

    .. math:: \mu = 1 - \frac{a}{1 + n}

    First order in the deviations; delayed reports change nothing if a sender knows its own rate. The total's
    multiplier is 1 - a, so at a = 1 the total is near equilibrium long before the flows are equal: its error e
    satisfies e(t + 1) = e(t)^2 + (1 + n) D/n, where D is the sum of the squared deviations of the rates from their
    mean. If flows have weights, n is their sum.

    >>> difference_multiplier(9)
    0.9
    """
    return (1 + flows - smoothing) / (1 + flows)


@law(
    source=f"Ours, for equation (1) of {WELZL}",
    result="t [updates], to be rounded up; about ln(1/q) (1 + n)/a",
    derivation="cadpc_spectrum.updates_to_fairness",
    long_proof=True,
    not_simulated=DISTURBANCES,
)
def updates_to_fairness(flows: RIVALS, remaining: REMAINING, smoothing: STABLE_SMOOTHING = 1, *, xp):
    r"""Return the number of updates that reduce the differences between CADPC flows to the fraction `remaining`.

    .. math:: t = \frac{\ln q}{\ln\left(1 - \dfrac{a}{1 + n}\right)}

    First order: it holds for differences that are small relative to the rates, and a total at equilibrium. The result
    grows with the number of flows, whereas `updates_to_fraction`, for flows that start equal, hardly depends on it.

    >>> round(updates_to_fairness(100, 0.01, smoothing=0.5))
    928
    """
    return xp.log(remaining) / xp.log1p(-smoothing / (1 + flows))


@law(
    source=f"Ours, for equation (1) of {WELZL}; the startup is discussed in its section III",
    result="Factor [1]; it decreases as the rate grows and holds for rates small beside 1/(1 + n)",
    derivation="cadpc_spectrum.newcomer",
    not_simulated=DISTURBANCES,
    flows=FLOWS.described("Flows that share the link already"),
)
def newcomer_growth(flows, smoothing: SMOOTHING = 1, *, xp):
    r"""Return the factor by which one update multiplies a small rate on a link where n CADPC flows are at equilibrium.

    .. math:: g = 1 + \frac{a}{1 + n}

    This is the limit for a rate of 0. On an empty link the factor is 1 + a. The paper calls the resulting start too
    long and adds a startup rule (`startup_step`).

    >>> newcomer_growth(9, smoothing=0.5)
    1.05
    """
    return 1 + smoothing / (1 + flows)


INITIAL = Symbol("m_0", "flows", "[1, inf)", (1.0, 10.0), "Flows that a sender acts like at first")
LARGEST = Symbol("G", "1", "(1, inf)", (1.25, 4.0), "Largest growth of the rate in one update")


def acting_like(rate: Any, traffic: Any, initial_flows: Any, xp: Any) -> Any:
    """Return m, the number of flows that a sender acts like; 1 if the rate is at least the spare capacity."""
    spare = 1 - traffic
    if hasattr(xp, "sympy"):
        return xp.piecewise(
            lambda: 1 + 0 * rate, (rate < spare, lambda: initial_flows + (1 - initial_flows) * rate / spare)
        )
    below = rate < spare
    # The divisor is replaced by a positive one where this branch is not used, so that derivatives stay finite.
    progress = xp.where(below, rate / xp.where(below, spare, 1 + rate), 1 + 0 * rate)
    return progress + initial_flows * (1 - progress)


@law(
    source=f"Ours, after the description in {WELZL}, section III",
    result="m [flows], from m_0 down to 1",
    derivation="cadpc.startup",
    not_simulated="the rule that the simulated sender computes itself",
)
def startup_multiplicity(rate: RATE, traffic: TRAFFIC, initial_flows: INITIAL = 2, *, xp):
    r"""Return the number of flows that a starting CADPC sender acts like.

    .. math:: m = m_0 + (1 - m_0) \min\left(1, \frac{x}{1 - L}\right), \qquad m = 1 \text{ for } L \ge 1

    A reconstruction: the paper says that a sender acts like more flows at first and that their number falls linearly to
    one as the rate approaches its final value. That value is where x = 1 - L. A sender whose m has reached 1 keeps it;
    this memory is part of the sender, not of the law.

    >>> startup_multiplicity(0.1, 0.6, initial_flows=5)
    4.0
    """
    return acting_like(rate, traffic, initial_flows, xp)


@law(
    source=f"Ours, after the description in {WELZL}, section III",
    result="x(t + 1) [1]; not positive where x + L >= 1 + 1/a",
    not_simulated="the rule that the simulated sender computes itself",
    initial_flows=INITIAL.described(remark="m_0 = 1 gives `step`"),
)
def startup_step(
    rate: RATE, traffic: TRAFFIC, initial_flows=2, largest_growth: LARGEST = 2, smoothing: SMOOTHING = 1, *, xp
):
    r"""Return the rate of a starting CADPC sender after one update, relative to the capacity.

    .. math:: x(t + 1) = x(t) \min(G, 1 + a m (1 - x(t) - L(t)))

    with m as in `startup_multiplicity`.

    Notes
    -----
    A reconstruction, see `startup_multiplicity`. Equilibrium and multipliers are those of `step`, since m = 1 and 1 -
    x - L = 0 there: the startup rule costs no stability near the equilibrium. Far from it, and with delayed reports,
    the rate overshoots.

    >>> startup_step(0.25, 0.25, initial_flows=4, smoothing=0.5)
    0.4375
    """
    m = acting_like(rate, traffic, initial_flows, xp)
    return rate * xp.minimum(largest_growth + 0 * m, 1 + smoothing * m * (1 - rate - traffic))


CONTRACTIONS = 40  # each step divides the error by at least 3, and 3^-40 is below the rounding error


def total_multipliers(flows: float, smoothing: float = 1, delay: int = 0) -> NDArray[np.complex128]:
    r"""Return the factors by which an update multiplies the deviation of the total rate, if reports are delayed.

    .. math:: z^{d + 1} = \left(1 - \frac{a}{1 + n}\right) z^d - \frac{a n}{1 + n}

    Parameters
    ----------
    flows : float
        n [flows], in (0, inf): a number of flows, or the sum of their weights.
    smoothing : float
        a [1], in (0, inf).
    delay : int
        d [updates], an integer in [0, 500]: age of the reported traffic.

    Returns
    -------
    ndarray
        The d + 1 multipliers [1], complex, the largest modulus first. The equilibrium is stable if all are inside the
        unit circle; deviations of the total then decay by the first of them per update.

    Notes
    -----
    First order in the deviations, for a sender that knows its own present rate and flows that update together. Computed
    as eigenvalues of a companion matrix, to about 1e-14 for simple roots. For d = 0 the multiplier is 1 - a; for d = 1
    and a = 1 there are two, of modulus sqrt(n/(1 + n)).

    Examples
    --------
    >>> abs(total_multipliers(1, 1, delay=1)).round(6).tolist()
    [0.707107, 0.707107]

    References
    ----------
    Ours, derivations/cadpc_delay.py; the update is equation (1) of M. Welzl, "Scalable Router Aided Congestion
    Avoidance for Bulk Data Transfer in High Speed Networks", University of Innsbruck.
    """
    n = domains.number("flows", flows, "flows", "(0, inf)")
    a = domains.number("smoothing", smoothing, "1", "(0, inf)")
    d = domains.integer("delay", delay, "updates", "[0, 500]")
    if d == 0:
        return np.array([1 - a], dtype=complex)
    polynomial = np.zeros(d + 2)
    polynomial[0], polynomial[1], polynomial[-1] = 1, -(1 + n - a) / (1 + n), a * (n / (1 + n))
    roots = np.roots(polynomial).astype(complex)
    return roots[np.argsort(-np.abs(roots), kind="stable")]


def largest_stable_smoothing(flows: Any, delay: Any = 0) -> Any:
    r"""Return the smoothness factor below which the equilibrium is stable although reports are delayed.

    .. math:: a < \frac{2 \sin\frac{\theta}{2} \sin\frac{(d + 1) \theta}{2}}{\cos\frac{d \theta}{2}}, \qquad
        n \cos\frac{(2 d + 1) \theta}{2} + \cos\frac{\theta}{2} = 0, \quad
        \frac{\pi}{2 d + 1} \le \theta \le \frac{\pi}{d + 1}

    Parameters
    ----------
    flows : float or array
        n [flows], in [1, inf]: a number of flows, or the sum of their weights.
    delay : int or array
        d [updates], an integer in [0, 1e6]: age of the reported traffic.

    Returns
    -------
    float or array
        The bound [1]: 2 for one flow or reports without delay, falling with n to 2 sin(pi/(2 (2 d + 1))).

    Notes
    -----
    Necessary and sufficient for small deviations: at the bound a pair of multipliers exp(+-i theta) leaves the unit
    circle, and is outside for every larger a. It is assumed that a sender knows its own present rate, and that all
    flows update together. The bound is (1 + n)/n for d = 1 and 2 (1 + n)/(n + sqrt(5 n^2 - 4 n)) for d = 2.

    Examples
    --------
    >>> largest_stable_smoothing(4, delay=1)
    1.25
    >>> round(largest_stable_smoothing(float("inf"), delay=2), 6)
    0.618034

    References
    ----------
    Ours, derivations/cadpc_delay.py; the limit for many flows is that of S. Levin and R. May, A note on
    difference-delay equations, Theoretical Population Biology 9, 1976.
    """
    n = domains.numbers("flows", flows, "flows", "[1, inf]")
    d = domains.numbers("delay", delay, "updates", "[0, 1e6]", integer=True)
    n, d = np.broadcast_arrays(n, d)
    late = d > 0
    tilt = np.zeros(n.shape)  # theta/2 = (pi/2 + tilt)/(2 d + 1) and sin(tilt) = cos(theta/2)/n
    for _ in range(CONTRACTIONS):
        tilt = np.where(late, np.arcsin(np.cos((np.pi / 2 + tilt) / (2 * d + 1)) / n), 0.0)
    half = (np.pi / 2 + tilt) / (2 * d + 1)
    bound = 2 * np.sin(half) * np.sin((d + 1) * half) / np.cos(d * half)
    return bound if bound.ndim else float(bound)

"""CADPC: congestion avoidance with distributed proportional control, from rare reports of a link's traffic.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law
from longfat.laws.cadpc.delay import largest_stable_smoothing as largest_stable_smoothing
from longfat.laws.cadpc.delay import total_multipliers as total_multipliers
from longfat.laws.cadpc.network import network_equilibrium as network_equilibrium

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def difference_multiplier(flows: Any, smoothing: Any = 1) -> Any:
    r"""Return the factor by which one update shrinks the difference between two CADPC flows near equilibrium.

    .. math:: \mu = 1 - \frac{a}{1 + n}

    Parameters
    ----------
    flows : int or array
        Flows that share the link: n [flows], an integer in [1, inf), typically 1 to 100.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 3], typically 0.1 to 1.

    Returns
    -------
    float or array
        Multiplier [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    First order in the deviations; delayed reports change nothing if a sender knows its own rate. The total's
    multiplier is 1 - a, so at a = 1 the total is near equilibrium long before the flows are equal: its error e
    satisfies e(t + 1) = e(t)^2 + (1 + n) D/n, where D is the sum of the squared deviations of the rates from their
    mean. If flows have weights, n is their sum.

    References
    ----------
    Ours, for equation (1) of M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High
    Speed Networks", University of Innsbruck, PFLDnet 2005. Proof: derivations/cadpc_spectrum.py, spectrum.

    Examples
    --------
    >>> difference_multiplier(9)
    0.9
    """

@_law
def equilibrium_rate(flows: Any) -> Any:
    r"""Return the equilibrium rate of each of n CADPC flows.

    .. math:: \bar x = \frac{1}{1 + n}

    Parameters
    ----------
    flows : int or array
        Flows that share the link: n [flows], an integer in [1, inf), typically 1 to 100.

    Returns
    -------
    float or array
        x [1], over the capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for any smoothness factor. The equilibrium is stable for a < 2 if reports arrive without delay; the other
    fixed point, 0, is unstable.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, section II.B, after equation (2). Proof: derivations/cadpc.py, equilibria.

    Examples
    --------
    >>> equilibrium_rate(4)
    0.2
    """

@_law
def equilibrium_traffic(flows: Any) -> Any:
    r"""Return the traffic of n CADPC flows at equilibrium, over the capacity.

    .. math:: n \bar x = \frac{n}{1 + n}

    Parameters
    ----------
    flows : int or array
        Flows that share the link: n [flows], an integer in [1, inf), typically 1 to 100.

    Returns
    -------
    float or array
        L [1], over the capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact. One flow alone uses half of the link; 10 flows use 0.909 and 99 flows 0.99 of it.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, section II.B, equation (3). Proof: derivations/cadpc.py, equilibria.

    Examples
    --------
    >>> equilibrium_traffic(1), equilibrium_traffic(99)
    (0.5, 0.99)
    """

@_law
def logistic_rate(rate: Any, flows: Any, updates: Any, smoothing: Any = 1) -> Any:
    r"""Return the rate of each of n CADPC flows on the logistic curve, the limit of many small updates.

    .. math:: x(t) = \frac{1}{e^{-a t}/x_0 + (1 + n) (1 - e^{-a t})}, \qquad
        \frac{dx}{dt} = a x (1 - (1 + n) x)

    Parameters
    ----------
    rate : float or array
        Rate over capacity before the first update: x_0 [1], in (0, 1), typically 1e-6 to 0.02.
    flows : int or array
        Flows that share the link: n [flows], an integer in [1, inf), typically 1 to 100.
    updates : float or array
        Time since the start, in updates: t [updates], in [0, inf), typically 0.01 to 40.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 3], typically 0.1 to 1.

    Returns
    -------
    float or array
        x(t) [1], over the capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The limit of small a at a given a t. At a = 1 it only illustrates the discrete updates: a small rate grows by the
    factor e = 2.72 instead of 2 per update, and near the equilibrium the curve gains 0.43 digits per update, while
    updates double their number.

    References
    ----------
    Ours: equation (2) of M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed
    Networks", University of Innsbruck, PFLDnet 2005 in continuous time; its section II.B names logistic growth.
    Proof: derivations/cadpc.py, logistic.

    Examples
    --------
    >>> round(logistic_rate(0.1, 4, 0), 12), round(logistic_rate(0.1, 4, 1e3), 12)
    (0.1, 0.2)
    """

@_law
def newcomer_growth(flows: Any, smoothing: Any = 1) -> Any:
    r"""Return the factor by which one update multiplies a small rate on a link where n flows are at equilibrium.

    .. math:: g = 1 + \frac{a}{1 + n}

    Parameters
    ----------
    flows : int or array
        Flows that share the link already: n [flows], an integer in [1, inf), typically 1 to 100.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 3], typically 0.1 to 1.

    Returns
    -------
    float or array
        Factor [1]; it decreases as the rate grows and holds for rates small beside 1/(1 + n).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The limit for a rate of 0. On an empty link the factor is 1 + a. The paper calls the resulting start too long and
    adds a startup rule (`startup_step`).

    References
    ----------
    Ours, for equation (1) of M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High
    Speed Networks", University of Innsbruck, PFLDnet 2005; the startup is discussed in its section III. Proof:
    derivations/cadpc_spectrum.py, newcomer.

    Examples
    --------
    >>> newcomer_growth(9, smoothing=0.5)
    1.05
    """

@_law
def parking_lot_long_rate(first: Any, second: Any) -> Any:
    r"""Return the equilibrium rate of a CADPC flow over two links of equal capacity, each with other flows.

    .. math:: \bar x = \frac{1}{2 + \max(m_1, m_2)}

    Parameters
    ----------
    first : int or array
        Flows over the first link only: m_1 [flows], an integer in [1, inf), typically 1 to 50.
    second : int or array
        Flows over the second link only: m_2 [flows], an integer in [1, inf), typically 1 to 50.

    Returns
    -------
    float or array
        x [1], over the capacity of a link.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact: the link with less spare capacity, which is the one with more flows of its own, reports.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, sections II.A and III (parking lot); the values are ours. Proof:
    derivations/cadpc_network.py, parking_lot.

    Examples
    --------
    >>> parking_lot_long_rate(8, 3)
    0.1
    """

@_law
def parking_lot_short_rate(own: Any, other: Any) -> Any:
    r"""Return the equilibrium rate of a CADPC flow over one of two links of equal capacity; one flow crosses both.

    .. math:: \bar x = \frac{1 + \max(m_1, m_2)}{(2 + \max(m_1, m_2)) (1 + m_1)}

    Parameters
    ----------
    own : int or array
        Flows over the flow's own link only: m_1 [flows], an integer in [1, inf), typically 1 to 50. The flow itself is
        included.
    other : int or array
        Flows over the other link only: m_2 [flows], an integer in [1, inf), typically 1 to 50.

    Returns
    -------
    float or array
        x [1], over the capacity of a link.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact. It is the max-min fair rate of a network with one flow more on each link, not that of the network itself:
    with 9 such flows on one link and 1 on the other, the latter has the rate 5/11, whereas its max-min fair rate is
    9/10.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, sections II.A and III (parking lot); the values are ours. Proof:
    derivations/cadpc_network.py, parking_lot.

    Examples
    --------
    >>> parking_lot_short_rate(8, 3), parking_lot_short_rate(3, 8)
    (0.1, 0.225)
    """

@_law
def startup_multiplicity(rate: Any, traffic: Any, initial_flows: Any = 2) -> Any:
    r"""Return the number of flows that a starting CADPC sender acts like.

    .. math:: m = m_0 + (1 - m_0) \min\left(1, \frac{x}{1 - L}\right), \qquad m = 1 \text{ for } L \ge 1

    Parameters
    ----------
    rate : float or array
        Rate of the sender over the capacity of the link that reports: x [1], in (0, inf), typically 1e-6 to 0.5.
    traffic : float or array
        Traffic of all flows, the sender's included, over the capacity of the link: L [1], in [0, inf), typically 0.1 to
        1.2.
    initial_flows : float or array, default 2
        Flows that a sender acts like at first: m_0 [flows], in [1, inf), typically 1 to 10.

    Returns
    -------
    float or array
        m [flows], from m_0 down to 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A reconstruction: the paper says that a sender acts like more flows at first and that this falls linearly to one
    as the rate approaches its final value. That value is where x = 1 - L. A sender whose m has reached 1 keeps it;
    this memory is part of the sender, not of the law.

    References
    ----------
    Ours, after the description in M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in
    High Speed Networks", University of Innsbruck, PFLDnet 2005, section III. Proof: derivations/cadpc.py, startup.

    Examples
    --------
    >>> startup_multiplicity(0.1, 0.6, initial_flows=5)
    4.0
    """

@_law
def startup_step(rate: Any, traffic: Any, initial_flows: Any = 2, largest_growth: Any = 2, smoothing: Any = 1) -> Any:
    r"""Return the rate of a starting CADPC sender after one update.

    .. math:: x(t + 1) = x(t) \min(G, 1 + a m (1 - x(t) - L(t)))

    with m as in `startup_multiplicity`.

    Parameters
    ----------
    rate : float or array
        Rate of the sender over the capacity of the link that reports: x [1], in (0, inf), typically 1e-6 to 0.5.
    traffic : float or array
        Traffic of all flows, the sender's included, over the capacity of the link: L [1], in [0, inf), typically 0.1 to
        1.2.
    initial_flows : float or array, default 2
        Flows that a sender acts like at first: m_0 [flows], in [1, inf), typically 1 to 10. m_0 = 1 gives `step`.
    largest_growth : float or array, default 2
        Largest growth of the rate in one update: G [1], in (1, inf), typically 1.25 to 4.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 3], typically 0.1 to 1.

    Returns
    -------
    float or array
        x(t + 1) [1]; not positive where x + L >= 1 + 1/a.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A reconstruction, see `startup_multiplicity`. Equilibrium and multipliers are those of `step`, since m = 1 and 1 -
    x - L = 0 there: the startup rule costs no stability near the equilibrium. Far from it, and with delayed reports,
    the rate overshoots.

    References
    ----------
    Ours, after the description in M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in
    High Speed Networks", University of Innsbruck, PFLDnet 2005, section III. Proof: derivations/cadpc.py, startup.

    Examples
    --------
    >>> startup_step(0.25, 0.25, initial_flows=4, smoothing=0.5)
    0.4375
    """

@_law
def step(rate: Any, traffic: Any, smoothing: Any = 1) -> Any:
    """Return the rate of a CADPC sender after one update.

    .. math:: x(t + 1) = x(t) (1 + a (1 - x(t) - L(t)))

    Parameters
    ----------
    rate : float or array
        Rate of the sender over the capacity of the link that reports: x [1], in (0, inf), typically 1e-6 to 0.5.
    traffic : float or array
        Traffic of all flows, the sender's included, over the capacity of the link: L [1], in [0, inf), typically 0.1 to
        1.2.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 3], typically 0.1 to 1. 1 gives the paper's equation (1); its simulations use
        0.5.

    Returns
    -------
    float or array
        x(t + 1) [1]. Not positive where x + L >= 1 + 1/a: there a sender needs a smallest rate, which the paper does
        not give; it says that the rate must not reach zero.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The paper names a, but gives no formula. This form is ours: it keeps the equilibrium, and a = 1 is equation (1).
    The smoothed update of the total has no closed solution in general (`trajectory` is that of a = 1). It holds if
    rate and traffic belong to the same time; `largest_stable_smoothing` gives the effect of delayed reports.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, section II.B, equation (1); smoothness factor in table I. Proof:
    derivations/cadpc.py, equilibria.

    Examples
    --------
    >>> step(0.25, 0.5)
    0.3125
    >>> step(0.25, 0.5, smoothing=0.5)
    0.28125
    """

@_law
def trajectory(rate: Any, flows: Any, updates: Any) -> Any:
    r"""Return the rate, after t updates, of each of n CADPC flows that started at the same rate.

    .. math:: x_t = \frac{1 - (1 - (1 + n) x_0)^{2^t}}{1 + n}

    Parameters
    ----------
    rate : float or array
        Rate over capacity before the first update: x_0 [1], in (0, 1), typically 1e-6 to 0.02. It has to be below 2/(1
        + n).
    flows : int or array
        Flows that share the link: n [flows], an integer in [1, inf), typically 1 to 100.
    updates : int or array
        Updates since the start: t [updates], an integer in [0, inf), typically 0 to 20.

    Returns
    -------
    float or array
        x_t [1], over the capacity; NaN where x_0 >= 2/(1 + n), from where the first update leads to no positive rate.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for smoothness a = 1, equal starting rates and reports without delay. After the first update at the latest,
    the rate grows without passing the equilibrium, and every update doubles the number of correct digits. For other a
    the update is the logistic map with parameter 1 + a, which has known closed forms for a = 1 and a = 3 only. Near
    x_0 = 2/(1 + n) the result depends on the last digits of x_0.

    References
    ----------
    Ours: exact solution of M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High
    Speed Networks", University of Innsbruck, PFLDnet 2005, section II.B, equation (2). Proof: derivations/cadpc.py,
    trajectory.

    Examples
    --------
    >>> [trajectory(0.1, 4, t) for t in (0, 1, 2)]
    [0.1, 0.15, 0.1875]
    """

@_law
def update_time(updates: Any, round_trip_time: Any, round_trips: Any = 4) -> Any:
    """Return the time that a number of CADPC updates takes.

    .. math:: T = t N R

    Parameters
    ----------
    updates : float or array
        Time since the start, in updates: t [updates], in [0, inf), typically 0.01 to 40.
    round_trip_time : float or array
        Round-trip time: R [s], in (0, inf), typically 0.001 to 1.
    round_trips : float or array, default 4
        Round trips between updates: N [round trips], in (0, inf), typically 1 to 40. The paper has 4.

    Returns
    -------
    float or array
        T [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A definition. The paper's statement that convergence "does not depend on the round-trip time" counts updates: in
    seconds, convergence takes a time proportional to the round-trip time. The two requests before the first report
    are not included.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, section III, table I. Proof: derivations/cadpc.py, update_time.

    Examples
    --------
    >>> round(update_time(10, 0.3), 12)
    12.0
    """

@_law
def updates_to_fairness(flows: Any, remaining: Any, smoothing: Any = 1) -> Any:
    r"""Return the updates after which a fraction q of the differences between CADPC flows is left.

    .. math:: t = \frac{\ln q}{\ln\left(1 - \dfrac{a}{1 + n}\right)}

    Parameters
    ----------
    flows : int or array
        Flows that share the link: n [flows], an integer in [2, inf), typically 2 to 100.
    remaining : float or array
        Fraction of the differences that is left: q [1], in (0, 1], typically 0.001 to 0.5.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 2), typically 0.1 to 1.

    Returns
    -------
    float or array
        t [updates], to be rounded up; about ln(1/q) (1 + n)/a.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    First order: for differences small beside the rates and a total at equilibrium. It grows with the number of flows,
    whereas `updates_to_fraction`, for flows that start equal, hardly depends on it.

    References
    ----------
    Ours, for equation (1) of M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High
    Speed Networks", University of Innsbruck, PFLDnet 2005. Proof: derivations/cadpc_spectrum.py,
    updates_to_fairness.

    Examples
    --------
    >>> round(updates_to_fairness(100, 0.01, smoothing=0.5))
    928
    """

@_law
def updates_to_fraction(rate: Any, flows: Any, fraction: Any) -> Any:
    r"""Return the updates until n CADPC flows, started at the same rate, reach a fraction of the equilibrium.

    .. math:: t = \max\left(0, \log_2 \frac{\ln(1 - \varphi)}{\ln\left|1 - (1 + n) x_0\right|}\right)

    Parameters
    ----------
    rate : float or array
        Rate over capacity before the first update: x_0 [1], in (0, 1), typically 1e-6 to 0.02. It has to be below 2/(1
        + n).
    flows : int or array
        Flows that share the link: n [flows], an integer in [1, inf), typically 1 to 100.
    fraction : float or array
        Fraction of the equilibrium: phi [1], in (0, 1), typically 0.1 to 0.999. If x_0 is above the equilibrium, 2 -
        phi times the equilibrium is meant.

    Returns
    -------
    float or array
        t [updates], to be rounded up; NaN where x_0 >= 2/(1 + n).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for smoothness a = 1, equal starting rates and reports without delay; flows that start at different rates
    take longer to become equal (`updates_to_fairness`). The number of updates does not depend on the round-trip time,
    their duration does (`update_time`).

    References
    ----------
    Ours: inverse of the exact solution of M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data
    Transfer in High Speed Networks", University of Innsbruck, PFLDnet 2005, section II.B, equation (2). Proof:
    derivations/cadpc.py, updates_to_fraction.

    Examples
    --------
    >>> round(updates_to_fraction(0.1, 4, 0.9375), 12)
    2.0
    """

@_law
def weighted_equilibrium_rate(weight: Any, total_weight: Any) -> Any:
    r"""Return the equilibrium rate of a CADPC flow with a weight.

    .. math:: \bar x = \frac{w}{1 + W}

    Parameters
    ----------
    weight : float or array
        Weight, the number of flows that a flow acts like: w [flows], in (0, inf), typically 0.5 to 4.
    total_weight : float or array
        Sum of the weights of all flows, this one included: W [flows], in (0, inf), typically 1 to 100.

    Returns
    -------
    float or array
        x [1], over the capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact. Rates are proportional to the weights. W >= w is assumed and not checked.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, sections III and IV.B. Proof: derivations/cadpc_network.py, weights.

    Examples
    --------
    >>> weighted_equilibrium_rate(2, 3), weighted_equilibrium_rate(1, 3)
    (0.5, 0.25)
    """

@_law
def weighted_step(rate: Any, traffic: Any, weight: Any, smoothing: Any = 1) -> Any:
    r"""Return the rate after one update of a CADPC sender that acts like w flows.

    .. math:: x(t + 1) = x(t) \left(1 + a \left(1 - \frac{x(t)}{w} - L(t)\right)\right)

    Parameters
    ----------
    rate : float or array
        Rate of the sender over the capacity of the link that reports: x [1], in (0, inf), typically 1e-6 to 0.5.
    traffic : float or array
        Traffic of all flows, the sender's included, over the capacity of the link: L [1], in [0, inf), typically 0.1 to
        1.2.
    weight : float or array
        Weight, the number of flows that a flow acts like: w [flows], in (0, inf), typically 0.5 to 4.
    smoothing : float or array, default 1
        Smoothness factor: a [1], in (0, 3], typically 0.1 to 1.

    Returns
    -------
    float or array
        x(t + 1) [1]; not positive where x/w + L >= 1 + 1/a.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Equal to the total rate of w flows of rate x/w each, which is how the paper weights flows; w need not be an
    integer.

    References
    ----------
    M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", University
    of Innsbruck, PFLDnet 2005, sections III and IV.B. Proof: derivations/cadpc_network.py, weights.

    Examples
    --------
    >>> weighted_step(0.5, 0.5, weight=2) == 2 * step(0.25, 0.5)
    True
    """

"""Active queue management: CoDel's drop times, PIE's gains and loss, the coupling of a dual queue.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def classic_probability(marking: Any, coupling_factor: Any = 2) -> Any:
    r"""Return the probability with which a coupled queue drops or marks classic packets.

    .. math:: p_C = \left(\frac{p_{CL}}{k}\right)^2

    Parameters
    ----------
    marking : float or array
        Coupled probability of marking low-latency packets: p_CL [probability], in [0, 1], typically 0.01 to 1.
    coupling_factor : float or array, default 2
        Coupling factor, 2 by default: k [1], in [1, inf), typically 1 to 8.

    Returns
    -------
    float or array
        p_C [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Its square root is the base probability, which the controller sets. Where p_CL reaches 1 this is at most 1/k^2.

    References
    ----------
    K. De Schepper, B. Briscoe and G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low
    Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, section 2.1, equation (1). Proof: derivations/aqm.py,
    classic_probability.

    Examples
    --------
    >>> round(classic_probability(0.2), 12)
    0.01
    """

@_law
def codel_control_time(loss: Any, capacity_packets: Any, interval: Any = ...) -> Any:
    r"""Return the time that CoDel needs, in the drop state, to reach a given share of drops.

    .. math:: T = I \max(0, 2 p \mu I + \zeta(1/2))

    Parameters
    ----------
    loss : float or array
        Share of the packets that are to be dropped: p [probability], in (0, 1), typically 0.0001 to 0.1.
    capacity_packets : float or array
        Capacity of the link: mu [packets/s], in (0, inf), typically 100 to 1e6.
    interval : float or array, default 0.1
        CoDel's interval, 0.1 s by default: I [s], in (0, inf), typically 0.01 to 0.2.

    Returns
    -------
    float or array
        T [s], from the first drop on; 0 where the first drops suffice.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    `codel_drop_time` at `codel_count`, in its asymptotic form, which is too small by 1/(2 p mu) at most. It is
    proportional to the capacity: an overload of 10 % takes 0.2 s to answer at 1000 packets/s, and 20 s at 100 000.

    References
    ----------
    Ours, by the rule of K. Nichols et al., "Controlled Delay Active Queue Management", RFC 8289, 2018, section 5.6.
    Proof: derivations/aqm.py, codel_control_time.

    Examples
    --------
    >>> round(codel_control_time(0.1, 1000), 2), round(codel_control_time(0.1, 100_000), 1)
    (1.85, 199.9)
    """

@_law
def codel_count(loss: Any, capacity_packets: Any, interval: Any = ...) -> Any:
    r"""Return the count with which CoDel drops a given share of the packets of a busy link.

    .. math:: n = (p \mu I)^2

    Parameters
    ----------
    loss : float or array
        Share of the packets that are to be dropped: p [probability], in (0, 1), typically 0.0001 to 0.1.
    capacity_packets : float or array
        Capacity of the link: mu [packets/s], in (0, inf), typically 100 to 1e6.
    interval : float or array, default 0.1
        CoDel's interval, 0.1 s by default: I [s], in (0, inf), typically 0.01 to 0.2.

    Returns
    -------
    float or array
        n [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A drop in every I/sqrt(n). A result below 1 says that the first drops are more than is needed.

    References
    ----------
    Ours, by the rule of K. Nichols et al., "Controlled Delay Active Queue Management", RFC 8289, 2018, section 5.6.
    Proof: derivations/aqm.py, codel_count.

    Examples
    --------
    >>> round(codel_count(0.01, 10_000), 12)
    100.0
    """

@_law
def codel_drop_rate(time: Any, interval: Any = ...) -> Any:
    r"""Return CoDel's rate of drops some time after the first, while the delay stays above the target.

    .. math:: r = \frac{1}{2 I} \left(\frac{t}{I} - \zeta(1/2)\right)

    Parameters
    ----------
    time : float or array
        Time since the first drop: t [s], in [0, inf), typically 0 to 10.
    interval : float or array, default 0.1
        CoDel's interval, 0.1 s by default: I [s], in (0, inf), typically 0.01 to 0.2.

    Returns
    -------
    float or array
        r [packets/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The asymptotic form of `codel_drop_time` solved for sqrt(n)/I. At the n-th drop it lies between sqrt(n)/I and
    sqrt(n + 1)/I, the inverse times before and after that drop. The rate grows by 1/(2 I^2) in a second, whatever the
    capacity: the faster the link, the slower the share of drops.

    References
    ----------
    Ours, by the rule of K. Nichols et al., "Controlled Delay Active Queue Management", RFC 8289, 2018, section 5.6.
    Proof: derivations/aqm.py, codel_drop_rate.

    Examples
    --------
    >>> round(codel_drop_rate(1.0), 1)
    57.3
    """

@_law
def codel_drop_time(drops: Any, interval: Any = ...) -> Any:
    r"""Return the time of CoDel's n-th drop after the first one, while the delay stays above the target.

    .. math:: t_n = I \sum_{j=1}^{n} \frac{1}{\sqrt j} \approx I \left(2 \sqrt n + \zeta(1/2)\right)

    Parameters
    ----------
    drops : int or array
        Drops since the first one: n [packets], an integer in [1, inf), typically 1 to 1000.
    interval : float or array, default 0.1
        CoDel's interval, 0.1 s by default: I [s], in (0, inf), typically 0.01 to 0.2.

    Returns
    -------
    float or array
        t_n [s], from the first drop to the n-th after it.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact but for the transmission time of a packet, since drops happen when packets leave. The first drop itself comes
    an interval after the delay has exceeded the target.

    References
    ----------
    K. Nichols et al., "Controlled Delay Active Queue Management", RFC 8289, 2018, sections 5.5 and 5.6 (the rule);
    the sum is ours. Proof: derivations/aqm.py, codel_drop_time.

    Examples
    --------
    >>> [round(codel_drop_time(n), 5) for n in (1, 2, 100)]
    [0.1, 0.17071, 1.85896]
    """

@_law
def coupled_rate_ratio(classic_round_trip_time: Any, scalable_round_trip_time: Any, coupling_factor: Any = 2) -> Any:
    r"""Return the rate of a scalable flow over that of a classic one at a coupled queue.

    .. math:: \frac{r_L}{r_C} = \sqrt{\frac{8}{3}} \, \frac{R_C}{k R_L}

    Parameters
    ----------
    classic_round_trip_time : float or array
        Mean round-trip time of the classic flow, with its queue: R_C [s], in (0, inf), typically 0.005 to 0.2.
    scalable_round_trip_time : float or array
        Round-trip time of the scalable flow, with its queue: R_L [s], in (0, inf), typically 0.005 to 0.2.
    coupling_factor : float or array, default 2
        Coupling factor, 2 by default: k [1], in [1, inf), typically 1 to 8.

    Returns
    -------
    float or array
        r_L/r_C [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The classic flow has the window sqrt(3/(2 p_C)), the scalable one 2/p_CL: DCTCP, or Prague where it does not make
    itself independent of the round-trip time. With equal round-trip times the rates are equal for k = 1.633; the RFC
    prints 1.64, because it rounds sqrt(3/2) to 1.22 first. The marks are evenly spaced, as those of the RFC's
    discipline; independent ones would give 1.37 times the rate (`longfat.laws.dctcp.window_at_random_marks`).

    References
    ----------
    K. De Schepper, B. Briscoe and G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low
    Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, appendix C.2, equation (10) (for k = 2). Proof:
    derivations/aqm.py, coupled_rate_ratio.

    Examples
    --------
    >>> round(coupled_rate_ratio(0.04, 0.025), 3)
    1.306
    """

@_law
def coupling_factor(round_trip_time: Any, target: Any = ..., decrease: Any = ...) -> Any:
    r"""Return the coupling factor with which a scalable and a classic flow get equal rates.

    .. math:: k = \sqrt{\frac{8}{3}} \, \frac{1 + \beta}{2} \left(1 + \frac{q}{R}\right)

    Parameters
    ----------
    round_trip_time : float or array
        Round-trip time, without queueing: R [s], in (0, inf), typically 0.005 to 0.2. It is that of both flows.
    target : float or array, default 0.015
        Queueing delay that the queue management aims at: q [s], in [0, inf), typically 0.001 to 0.03.
    decrease : float or array, default 0.5
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.5 to 0.7.

    Returns
    -------
    float or array
        k [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The queueing delay of the classic flow reaches the target at the tips of its sawtooth, so its mean round-trip time
    is (1 + beta)/2 (R + q); that of the scalable one is R. At R = 25 ms and a target of 15 ms this is 1.96 for Reno
    and 2.22 for CUBIC in its Reno-friendly region; the RFC prints 1.97, from rounded factors, and 2.22.

    References
    ----------
    K. De Schepper, B. Briscoe and G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low
    Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, appendix C.2, equations (7) to (9). Proof:
    derivations/aqm.py, coupling_factor.

    Examples
    --------
    >>> round(coupling_factor(0.025), 2), round(coupling_factor(0.025, decrease=0.7), 2)
    (1.96, 2.22)
    """

@_law
def equilibrium_loss(flows: Any, capacity_packets: Any, round_trip_time: Any, target: Any) -> Any:
    r"""Return the loss probability at which Reno flows fill a link with a given queueing delay.

    .. math:: p = \frac{3}{2} \left(\frac{N}{\mu (R + q)}\right)^2

    Parameters
    ----------
    flows : int or array
        Equal flows at the link: N [flows], an integer in [1, inf), typically 1 to 100.
    capacity_packets : float or array
        Capacity of the link: mu [packets/s], in (0, inf), typically 100 to 1e6.
    round_trip_time : float or array
        Round-trip time, without queueing: R [s], in (0, inf), typically 0.005 to 0.2.
    target : float or array
        Queueing delay that the queue management aims at: q [s], in [0, inf), typically 0.001 to 0.03.

    Returns
    -------
    float or array
        p [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    An integral controller such as PIE's rests at the target only, so this is its drop probability. It holds for small
    p, no timeouts, and acknowledgments of every packet. Above 1 there is no such equilibrium.

    References
    ----------
    Ours: M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance
    Algorithm", Computer Communication Review 27(3), 1997, doi:10.1145/263932.264023, section 2, at the queueing
    delay at which an integral controller comes to rest. Proof: derivations/aqm.py, equilibrium_loss.

    Examples
    --------
    >>> round(equilibrium_loss(10, 1000, 0.085, 0.015), 6)
    0.015
    """

@_law
def rescaled_integral_gain(integral_gain: Any, interval_ratio: Any) -> Any:
    r"""Return PIE's integral gain for another time between updates that keeps the dynamics of the control loop.

    .. math:: \alpha' = h \, \alpha

    Parameters
    ----------
    integral_gain : float or array
        Gain of the deviation of the delay, per update: alpha [1/s], in (0, inf), typically 0.01 to 1.
    interval_ratio : float or array
        New time between updates over the present one: h [1], in (0, 2], typically 0.1 to 2.

    Returns
    -------
    float or array
        alpha' [1/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A discretisation by the trapezoidal rule has the integral gain k_I T and the proportional gain k_P - k_I T/2.

    References
    ----------
    R. Pan et al., "Proportional Integral Controller Enhanced (PIE): A Lightweight Control Scheme to Address the
    Bufferbloat Problem", RFC 8033, 2017, section 4.2 (the case of half the interval); the general case is ours.
    Proof: derivations/aqm.py, rescaled_gains.

    Examples
    --------
    >>> rescaled_integral_gain(0.125, 0.5)
    0.0625
    """

@_law
def rescaled_proportional_gain(integral_gain: Any, proportional_gain: Any, interval_ratio: Any) -> Any:
    r"""Return PIE's proportional gain for another time between updates that keeps the dynamics of the control loop.

    .. math:: \beta' = \beta + \frac{1 - h}{2} \alpha

    Parameters
    ----------
    integral_gain : float or array
        Gain of the deviation of the delay, per update: alpha [1/s], in (0, inf), typically 0.01 to 1.
    proportional_gain : float or array
        Gain of the change of the delay between updates: beta [1/s], in (0, inf), typically 0.1 to 10.
    interval_ratio : float or array
        New time between updates over the present one: h [1], in (0, 2], typically 0.1 to 2.

    Returns
    -------
    float or array
        beta' [1/s], which grows by alpha/4 for h = 1/2.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    See `rescaled_integral_gain`. The rule of the RFC, alpha/2 and beta + alpha/4 for half the time, is exact for the
    trapezoidal rule.

    References
    ----------
    R. Pan et al., "Proportional Integral Controller Enhanced (PIE): A Lightweight Control Scheme to Address the
    Bufferbloat Problem", RFC 8033, 2017, section 4.2 (the case of half the interval); the general case is ours.
    Proof: derivations/aqm.py, rescaled_gains.

    Examples
    --------
    >>> rescaled_proportional_gain(0.125, 1.25, 0.5)
    1.28125
    """

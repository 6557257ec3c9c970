"""Loss-load curves and virtual capacity: a link announces the loss that a rate meets, sources choose their rate.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law
from longfat.roots import Root

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...

class _Root(Root, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _root(function: Callable[_P, Any]) -> _Root[_P]: ...
@_law
def bounded_loss(k: Any) -> Any:
    r"""Return the loss probability of a source at its throughput-optimal rate, whatever the others do.

    .. math:: P(f_t) = \frac{1}{k + 1}

    Parameters
    ----------
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.

    Returns
    -------
    float or array
        P [probability], of the announced loss-load curve; the link's true loss is less if it announces less than its
        capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a source that is not alone (b > 0) and whose access link allows `throughput_optimal_rate`.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.2 (bounded packet loss). Proof: derivations/loss_load.py, loss_at_optimum.

    Examples
    --------
    >>> bounded_loss(9)
    0.1
    """

@_law
def equilibrium_load(k: Any, v: Any) -> Any:
    r"""Return the offered load at which equal sources settle that all maximise their throughput.

    .. math:: L = \frac{k + 1}{k} v

    Parameters
    ----------
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.
    v : float or array
        Virtual factor, announced over true capacity: v [1], in (0, 1], typically 0.5 to 1. 1 gives the loss-load model
        itself.

    Returns
    -------
    float or array
        L [1], over the true capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for two or more equal sources, none limited by its access link, whatever their number. A source that is
    alone offers the load v.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time),
    sections 2.2 (v = 1) and 2.3. Proof: derivations/loss_load.py, virtual_capacity.

    Examples
    --------
    >>> equilibrium_load(5, 1), equilibrium_load(5, 0.5)
    (1.2, 0.6)
    """

@_law
def equilibrium_loss(k: Any, v: Any) -> Any:
    r"""Return the loss probability of a link at the load at which equal sources settle.

    .. math:: p = \max\left(0, 1 - \frac{1}{L}\right) = \max\left(0, 1 - \frac{k}{(k + 1) v}\right)

    Parameters
    ----------
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.
    v : float or array
        Virtual factor, announced over true capacity: v [1], in (0, 1], typically 0.5 to 1.

    Returns
    -------
    float or array
        p [probability]; 1/(k + 1) for v = 1, and 0 up to v = k/(k + 1), `lossless_virtual_factor`, where the slope
        jumps.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `equilibrium_load`, for a fluid: with random arrivals some packets are lost below that
    v, too. Sources mark the announced share 1/(k + 1) of their packets red, which is more than the loss for every v
    below 1.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.3 with footnote 3, and section 4.1 for the smallest v. Proof: derivations/loss_load.py, virtual_capacity.

    Examples
    --------
    >>> round(equilibrium_loss(4, 0.9), 12), equilibrium_loss(4, 0.75)  # L = 9/8
    (0.111111111111, 0.0)
    """

@_law
def equilibrium_rate(k: Any, v: Any, sources: Any) -> Any:
    r"""Return the rate at which each of M equal sources settles, over the true capacity.

    .. math:: f = \frac{(k + 1) v}{k M}

    Parameters
    ----------
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.
    v : float or array
        Virtual factor, announced over true capacity: v [1], in (0, 1], typically 0.5 to 1.
    sources : int or array
        Equal sources: M [sources], an integer in [2, inf), typically 2 to 100.

    Returns
    -------
    float or array
        f [1], over the true capacity.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    This is one of M equal shares of `equilibrium_load`.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time),
    sections 2.2 and 2.3. Proof: derivations/loss_load.py, equilibrium.

    Examples
    --------
    >>> round(equilibrium_rate(2, 1, 2), 12)  # of the paper's two senders
    0.75
    """

@_law
def loss_probability(rate: Any, excess: Any, spread: Any, k: Any) -> Any:
    r"""Return the loss probability that a link announces to a source, as a function of the source's rate.

    .. math:: P(f) = \min\left(1, \max\left(0, \frac{f^k (f + a)}{f^{k+1} + b}\right)\right),
        \qquad a = \sum_{i \ne j} f_i - 1, \qquad b = \sum_{i \ne j} f_i^{k+1}

    Parameters
    ----------
    rate : float or array
        Rate of the source over the capacity that the link announces: f [1], in [0, inf), typically 0.05 to 2.
    excess : float or array
        Rates of the other sources over the announced capacity, less 1: a [1], in [-1, inf), typically -1 to 2. Negative
        if they leave some capacity unused.
    spread : float or array
        Sum of the other sources' rates, each to the power k + 1: b [1], in [0, inf), typically 1e-6 to 1. It is 0 for a
        source that is alone.
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20. The paper has
        integers.

    Returns
    -------
    float or array
        P [probability], never decreasing in f; 0 up to f = -a. Without others max(0, (f + a)/f). At f = 0 the slope is
        set to 0.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The definition of a scheme, so exact, for sources with b > 0 if a > -1. As long as the total is at least 1 and no
    P exceeds 1, the losses of all sources add up to the excess over the capacity. The paper's formula has no bounds,
    though its P is a probability: it is negative below the capacity and above 1 where f^k a > b.

    Printed wrong in the source, whose expression is `as_printed`: exceeds 1 where f^k a > b, and is negative where
    the total stays below the capacity.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.2, after C. L. Williamson and D. R. Cheriton, "Loss-Load Curves: Support for Rate-Based Congestion Control in
    High-Speed Datagram Networks", ACM SIGCOMM 1991.

    Examples
    --------
    >>> loss_probability(0.75, -0.25, 0.5625, 1)  # two sources of 3/4 each
    0.3333333333333333
    """

@_law
def lossless_virtual_factor(k: Any) -> Any:
    r"""Return the largest virtual factor at which equal sources settle without loss: they just fill the link.

    .. math:: v = \frac{k}{k + 1}

    Parameters
    ----------
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.

    Returns
    -------
    float or array
        v [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `equilibrium_load`.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    4.1. Proof: derivations/loss_load.py, virtual_capacity.

    Examples
    --------
    >>> lossless_virtual_factor(4)
    0.8
    """

@_law
def raw_throughput(rate: Any, excess: Any, spread: Any, k: Any) -> Any:
    r"""Return the rate at which a source's packets are delivered, retransmissions included.

    .. math:: t(f) = (1 - P(f)) f = \begin{cases} f & f \le -a \\
        \max\left(0, \dfrac{b f - a f^{k+1}}{f^{k+1} + b}\right) & f > -a \end{cases}

    Parameters
    ----------
    rate : float or array
        Rate of the source over the capacity that the link announces: f [1], in [0, inf), typically 0.05 to 2.
    excess : float or array
        Rates of the other sources over the announced capacity, less 1: a [1], in [-1, inf), typically -1 to 2.
    spread : float or array
        Sum of the other sources' rates, each to the power k + 1: b [1], in [0, inf), typically 1e-6 to 1.
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.

    Returns
    -------
    float or array
        t [1], over the capacity that the link announces. Rises up to `throughput_optimal_rate`, then falls: to 0 if the
        others alone exceed the capacity, else to -a. A source that is alone has min(f, -a).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The mean throughput through a link that drops packets with `loss_probability`. As exact as that, except for rates
    at which next to nothing is delivered: there the error is up to 1e-12 of the rate.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.2.

    Examples
    --------
    >>> raw_throughput(0.75, -0.25, 0.5625, 1)  # 2/3 of 3/4
    0.5
    """

@_root
def response_optimal_rate(
    excess: Any, spread: Any, k: Any, packets: Any, round_trip_time: Any, capacity_packets: Any, access_rate: Any = ...
) -> Any:
    r"""Return the rate with the shortest `response_time` in (0, f_max].

    .. math:: \frac{d}{df} \left[ \frac{N}{(1 - P) f \mu} + \left(1 - \frac{\ln N}{\ln P}\right) R \right] = 0
        \qquad \text{or} \qquad f = -a

    Parameters
    ----------
    excess : float or array
        Rates of the other sources over the announced capacity, less 1: a [1], in [-1, inf), typically -1 to 2.
    spread : float or array
        Sum of the other sources' rates, each to the power k + 1: b [1], in [0, inf), typically 1e-6 to 1. It is 0 for a
        source that is alone.
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.
    packets : float or array
        Packets still to be delivered: N [packets], in [1, inf), typically 1 to 1e5.
    round_trip_time : float or array
        Round-trip time: R [s], in [0, inf), typically 0.001 to 1.
    capacity_packets : float or array
        Capacity that the link announces: mu [packets/s], in (0, inf), typically 1000 to 1e6.
    access_rate : float or array, default inf
        Rate of the source's access link over the announced capacity: f_max [1], in (0, inf], typically 0.1 to 5.

    Returns
    -------
    float or array
        f [1], over the capacity that the link announces. Without others (b = 0) the free capacity max(0, -a).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number. Symbols are refused, as the root has no formula.

    Notes
    -----
    Never above `throughput_optimal_rate`, and equal to it for R = 0 or N = 1 and in the limit of many packets. Where
    the others leave some capacity (a < 0), N > 1 and R > 0, the rate -a, up to which nothing is lost, is always a
    local minimum, a cusp, since the response time rises beyond it with infinite slope; at another minimum, if there
    is one, the derivative is 0. The better one is returned, so the rate jumps where they tie: at a critical value of
    R mu ln N / N that follows from a, b and k. That there is at most one other is proved for a >= 0 and found by
    scanning for a < 0. The status of ``solve`` is "cusp", "access limit", "alone" or "converged".

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.2, file transfer response time. Proof: derivations/loss_load_response.py, stationary.

    Examples
    --------
    >>> round(response_optimal_rate(0.5, 2.25, 1, 1000, 0.02, 10_000), 4)  # the other sends 3/2
    0.656
    """

@_law
def response_time(
    rate: Any, excess: Any, spread: Any, k: Any, packets: Any, round_trip_time: Any, capacity_packets: Any
) -> Any:
    r"""Return the expected time to deliver N packets at a given rate, rounds of retransmissions included.

    .. math:: T(f) = \frac{N}{(1 - P) f \mu} + \left(1 - \frac{\ln N}{\ln P}\right) R

    with P of `loss_probability`.

    Parameters
    ----------
    rate : float or array
        Rate of the source over the capacity that the link announces: f [1], in (0, inf), typically 0.05 to 2.
    excess : float or array
        Rates of the other sources over the announced capacity, less 1: a [1], in [-1, inf), typically -1 to 2.
    spread : float or array
        Sum of the other sources' rates, each to the power k + 1: b [1], in [0, inf), typically 1e-6 to 1.
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.
    packets : float or array
        Packets still to be delivered: N [packets], in [1, inf), typically 1 to 1e5.
    round_trip_time : float or array
        Round-trip time: R [s], in [0, inf), typically 0.001 to 1.
    capacity_packets : float or array
        Capacity that the link announces: mu [packets/s], in (0, inf), typically 1000 to 1e6.

    Returns
    -------
    float or array
        T [s]; N/(f mu) + R where nothing is lost, infinite where at most a share of 1e-140 is delivered.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The number of rounds is the real number after which N P^i has fallen to 1, not the mean of the largest of N
    geometric numbers, and each round adds R to the transmission time: an approximation by the paper, good for many
    packets and little loss. Rates are fractions, so the capacity mu, which the paper leaves out, is needed for the
    first term to be a time. Where loss begins, at f = -a, T rises with infinite slope if N > 1 and R > 0.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.2, file transfer response time.

    Examples
    --------
    >>> response_time(0.5, -0.5, 0.25, 1, 1000, 0.1, 1000)  # half the capacity: 2 s, and a round trip
    2.1
    """

@_root
def throughput_optimal_rate(excess: Any, spread: Any, k: Any, access_rate: Any = ...) -> Any:
    r"""Return the rate at which a source has the largest raw throughput.

    .. math:: k f^{k+1} + (k + 1) a f^k = b, \qquad f > \max(0, -a)

    Parameters
    ----------
    excess : float or array
        Rates of the other sources over the announced capacity, less 1: a [1], in [-1, inf), typically -1 to 2.
    spread : float or array
        Sum of the other sources' rates, each to the power k + 1: b [1], in [0, inf), typically 1e-6 to 1. It is 0 for a
        source that is alone.
    k : float or array
        Exponent, with which the loss of high rates grows: k [1], in [1, inf), typically 1 to 20.
    access_rate : float or array, default inf
        Rate of the source's access link over the announced capacity: f_max [1], in (0, inf], typically 0.1 to 5.

    Returns
    -------
    float or array
        f [1], over the capacity that the link announces; at most the access rate. Without others (b = 0) the free
        capacity max(0, -a).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number. Symbols are refused, as the root has no formula.

    Notes
    -----
    The root is unique, and below it the throughput rises: so the access rate is the best rate if it is less. The loss
    at the root is 1/(k + 1), whatever the others do; for k = 1 it is f = sqrt(a^2 + b) - a. The throughput of a
    source that is alone does not grow beyond the rate -a, whereas the equation would give c = (k + 1)/k of it: the
    optimal rate is not continuous at b = 0, since with any other source, however slow, a rate up to c times higher
    gains throughput. Without others a is -1. For b = 0 and a >= 0, which no set of sources has, nothing is delivered
    at any rate; the limit 0 is returned. The status of ``solve`` is "alone", "access limit" or "converged". The error
    is a few units in the last place times 1 + |log b|.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.2 (dt/df = 0). Proof: derivations/loss_load.py, optimal_rate.

    Examples
    --------
    >>> round(throughput_optimal_rate(-0.25, 0.5625, 1), 12)  # the other sends 3/4: a = -1/4, b = 9/16
    1.040569415042
    """

@_law
def virtual_capacity(capacity: Any, v: Any) -> Any:
    """Return the capacity that a link announces; rates in the loss-load laws are fractions of it.

    .. math:: C_v = v C

    Parameters
    ----------
    capacity : float or array
        True capacity of the link: C [bytes/s], in (0, inf), typically 1e5 to 1e10.
    v : float or array
        Virtual factor, announced over true capacity: v [1], in (0, 1], typically 0.5 to 1.

    Returns
    -------
    float or array
        C_v [bytes/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A definition. The link drops packets by its true capacity only. The paper allows v = 0, which announces no
    capacity.

    References
    ----------
    N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks",
    University of Saskatchewan, about 1995 (the paper prints no year; its newest reference is of that time), section
    2.3.

    Examples
    --------
    >>> virtual_capacity(5e6, 0.8)
    4000000.0
    """

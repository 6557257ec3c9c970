"""DCTCP and other scalable senders: the queue at a marking threshold, and windows under marks.

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
def largest_queue(flows: Any, threshold: Any) -> Any:
    """Return the longest queue of DCTCP flows at a marking threshold.

    .. math:: Q_{max} = K + N

    Parameters
    ----------
    flows : int or array
        Equal flows at the link, of one round-trip time: N [flows], an integer in [1, inf), typically 1 to 100.
    threshold : float or array
        Backlog above which every packet is marked: K [packets], in [0, inf), typically 5 to 1000.

    Returns
    -------
    float or array
        Q_max [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    In the round trip between the first mark and the answer to it every window grows by a packet. It holds in
    congestion avoidance, for windows above the least one of two packets and smooth sending: bursts and slow start
    need more room.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3.
    Proof: derivations/dctcp.py, largest_queue.

    Examples
    --------
    >>> largest_queue(10, 65)
    75.0
    """

@_law
def least_threshold(bandwidth_delay_product: Any) -> Any:
    r"""Return the least marking threshold with which DCTCP flows keep the link busy.

    .. math:: K > \frac{C R}{7}

    Parameters
    ----------
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.

    Returns
    -------
    float or array
        K [packets]; larger thresholds never let the link idle, for any number of flows.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The threshold at which `smallest_queue` is 0 for the number of flows for which it is smallest. Bursts need more:
    the paper takes 20 packets at 1 Gbit/s and 65 at 10 Gbit/s, where this bound is smaller.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3.
    Proof: derivations/dctcp.py, least_threshold.

    Examples
    --------
    >>> round(least_threshold(83), 1)  # 10 Gbit/s, 100 us, 1500 bytes
    11.9
    """

@_law
def marked_share(window: Any) -> Any:
    r"""Return DCTCP's estimate of congestion in steady state at a marking threshold.

    .. math:: \alpha^2 \left(1 - \frac{\alpha}{4}\right) = \frac{2 W + 1}{(W + 1)^2}, \qquad
        \alpha = \frac{8}{3} \sin^2 \frac{a}{3} + \frac{4}{\sqrt 3} \sin \frac{2 a}{3}, \quad
        \sin a = \frac{\sqrt{27 (2 W + 1)}}{8 (W + 1)}

    Parameters
    ----------
    window : float or array
        Window of a flow when the backlog reaches the threshold: W [packets], in [1, inf), typically 2 to 1e4.

    Returns
    -------
    float or array
        alpha [1], the share of marked packets, of which half is the relative decrease; 1 at W = 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The share is that of the packets of one round trip in a cycle, whose windows are between W and W + 1; it is taken
    as the estimate, so the gain g is small against one cycle. For large W alpha tends to sqrt(2/W), which the paper
    uses. The equation is the paper's, its solution ours.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3.
    Proof: derivations/dctcp.py, marked_share.

    Examples
    --------
    >>> round(marked_share(50), 4), marked_share(1)
    (0.2022, 1.0)
    """

@_law
def oscillation_period(flows: Any, bandwidth_delay_product: Any, threshold: Any, round_trip_time: Any) -> Any:
    r"""Return the period of the queue of synchronised DCTCP flows at a marking threshold.

    .. math:: T_C = \frac{R}{2} \sqrt{\frac{2 (C R + K)}{N}}

    Parameters
    ----------
    flows : int or array
        Equal flows at the link, of one round-trip time: N [flows], an integer in [1, inf), typically 1 to 100.
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    threshold : float or array
        Backlog above which every packet is marked: K [packets], in [0, inf), typically 5 to 1000.
    round_trip_time : float or array
        Round-trip time: R [s], in (0, inf), typically 0.0001 to 0.1. It includes the queueing delay, about that of the
        threshold.

    Returns
    -------
    float or array
        T_C [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A round trip for each packet by which a window is cut, in the accuracy of `queue_amplitude`.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3.
    Proof: derivations/dctcp.py, oscillation_period.

    Examples
    --------
    >>> round(oscillation_period(2, 100, 20, 1e-3), 6)
    0.005477
    """

@_law
def queue_amplitude(flows: Any, bandwidth_delay_product: Any, threshold: Any) -> Any:
    r"""Return the amplitude of the queue of synchronised DCTCP flows at a marking threshold.

    .. math:: A = \frac{1}{2} \sqrt{2 N (C R + K)}

    Parameters
    ----------
    flows : int or array
        Equal flows at the link, of one round-trip time: N [flows], an integer in [1, inf), typically 1 to 100.
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    threshold : float or array
        Backlog above which every packet is marked: K [packets], in [0, inf), typically 5 to 1000.

    Returns
    -------
    float or array
        A [packets]; the queue is between K + N - A and K + N.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The leading term for large windows W = (C R + K)/N: exactly A = N (W + 1) alpha/2 with alpha of `marked_share`,
    which is 1.09 times as much at W = 10, 1.02 times at W = 100. It grows with the square root of the
    bandwidth-delay product, that of Reno in proportion to it. Flows that are not synchronised have a smaller one.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3.
    Proof: derivations/dctcp.py, queue_amplitude.

    Examples
    --------
    >>> round(queue_amplitude(2, 100, 20), 2)
    10.95
    """

@_law
def smallest_queue(flows: Any, bandwidth_delay_product: Any, threshold: Any) -> Any:
    r"""Return the shortest queue of synchronised DCTCP flows at a marking threshold.

    .. math:: Q_{min} = \max\left(0, K + N - \frac{1}{2} \sqrt{2 N (C R + K)}\right)

    Parameters
    ----------
    flows : int or array
        Equal flows at the link, of one round-trip time: N [flows], an integer in [1, inf), typically 1 to 100.
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    threshold : float or array
        Backlog above which every packet is marked: K [packets], in [0, inf), typically 5 to 1000.

    Returns
    -------
    float or array
        Q_min [packets], 0 where the link idles.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    In the accuracy of `queue_amplitude`. For a given K it is shortest with N = (C R + K)/8 flows.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3.
    Proof: derivations/dctcp.py, smallest_queue.

    Examples
    --------
    >>> round(smallest_queue(2, 100, 20), 2)
    11.05
    """

@_law
def window_at_random_marks(marking: Any) -> Any:
    r"""Return the mean window of a DCTCP flow whose packets are marked independently with a given probability.

    .. math:: W = \frac{1 + \sqrt 3}{p}

    Parameters
    ----------
    marking : float or array
        Share of the packets that are marked: p [probability], in (0, 1], typically 0.01 to 0.5.

    Returns
    -------
    float or array
        W [packets], 1.37 times that of `window_at_spaced_marks`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A cut takes the share p/2 of the window away. It is followed by a round trip without another one and then by the
    wait for the next mark, 1/p packets in the mean. It holds for small p: a simulated window is smaller by the share
    1.6 p. RFC 9332 has 2/p for any spread marks; its own discipline spaces them evenly.

    References
    ----------
    Ours, by the rules of RFC 8257, section 3.3. Proof: derivations/dctcp.py, window_at_random_marks.

    Examples
    --------
    >>> round(window_at_random_marks(0.01), 1)
    273.2
    """

@_law
def window_at_spaced_marks(marking: Any) -> Any:
    r"""Return the window of a DCTCP or Prague flow of which every 1/p-th packet is marked.

    .. math:: W = \frac{2}{p}

    Parameters
    ----------
    marking : float or array
        Share of the packets that are marked: p [probability], in (0, 1], typically 0.01 to 0.5.

    Returns
    -------
    float or array
        W [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Every round trip adds a packet, has two marks and takes the share p/2 of the window away. It holds for small p: a
    simulated window is smaller by the share 0.8 p. Marks that are independent leave more, `window_at_random_marks`, as
    then some windows have none.

    References
    ----------
    K. De Schepper, B. Briscoe and G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low
    Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, appendix C.2, equation (6). Proof: derivations/dctcp.py,
    window_at_spaced_marks.

    Examples
    --------
    >>> window_at_spaced_marks(0.1)
    20.0
    """

@_law
def window_at_threshold_marks(marking: Any) -> Any:
    r"""Return the window of DCTCP flows of whose packets a threshold marks a given share.

    .. math:: W = \frac{1 - r + \sqrt{1 - r}}{r}, \qquad r = p^2 \left(1 - \frac{p}{4}\right)

    Parameters
    ----------
    marking : float or array
        Share of the packets that are marked: p [probability], in (0, 1], typically 0.01 to 0.5.

    Returns
    -------
    float or array
        W [packets], that at which the queue reaches the threshold; it tends to 2/p^2 for small p.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The inverse of `marked_share`. A threshold marks all packets of one round trip in a cycle and none of the others,
    so a given share of marks is one for far larger windows than if it were spread over all round trips, as in
    `window_at_spaced_marks`.

    References
    ----------
    M. Alizadeh et al., "Data Center TCP (DCTCP)", ACM SIGCOMM 2010, doi:10.1145/1851182.1851192, section 3.3,
    solved for the window by us. Proof: derivations/dctcp.py, window_at_threshold_marks.

    Examples
    --------
    >>> round(window_at_threshold_marks(0.1), 1), window_at_threshold_marks(1)
    (203.6, 1.0)
    """

"""BBR: Startup and Drain, in-flight cap and standing queue, losses, ProbeRTT, and the share beside loss-based flows.

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
def drain_time(round_trip_time: Any, cwnd_gain: Any = 2, drain_gain: Any = ...) -> Any:
    r"""Return the time in which Drain removes the queue of Startup.

    .. math:: T = R \, \frac{g - 1}{1 - g_d}

    Parameters
    ----------
    round_trip_time : float or array
        Round-trip time, without queueing: R [s], in (0, inf), typically 0.001 to 0.5.
    cwnd_gain : float or array, default 2
        Congestion window over the estimated bandwidth-delay product: g [1], in [1, inf), typically 1.5 to 3.
    drain_gain : float or array, default 0.5
        Pacing rate over the estimated bandwidth in Drain: g_d [1], in [0, 1), typically 0.3 to 0.9.

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
    At the end of Startup g bandwidth-delay products are in flight, all but one of them in the queue. With the gain
    g_d = 1/g the time is g R: one round trip, with the queue in it. It holds if the estimate of the bandwidth is the
    capacity and the buffer holds the queue.

    References
    ----------
    N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr-06, 2026, section 2.5 (any
    gain up to 1/g drains within a round trip); the time is ours. Proof: derivations/bbr.py, drain_time.

    Examples
    --------
    >>> drain_time(0.05)  # of a round trip that lasts 0.1 s with the queue
    0.1
    """

@_law
def inflight_cap(bandwidth_delay_product: Any, cwnd_gain: Any = 2, smallest_window: Any = 4) -> Any:
    r"""Return BBR's cap on the packets in flight while it probes for bandwidth.

    .. math:: W = \max(g \, C R, W_m)

    Parameters
    ----------
    bandwidth_delay_product : float or array
        Bandwidth-delay product that the flow estimates: C R [packets], in (0, inf), typically 10 to 1e4.
    cwnd_gain : float or array, default 2
        Congestion window over the estimated bandwidth-delay product: g [1], in [1, inf), typically 1.5 to 3.
    smallest_window : float or array, default 4
        Least congestion window: W_m [packets], in [0, inf), typically 2 to 8.

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
    Without the allowances for aggregated acknowledgments and for segmentation offload, and without the bounds that
    version 3 sets after losses.

    References
    ----------
    N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr-06, 2026, sections 2.6 and
    2.8; N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016,
    doi:10.1145/3012426.3022184. Proof: derivations/bbr.py, inflight_cap.

    Examples
    --------
    >>> inflight_cap(100), inflight_cap(1)
    (200.0, 4.0)
    """

@_law
def largest_loss(probe_gain: Any = ...) -> Any:
    r"""Return the loss probability up to which BBR of 2016 keeps its estimate of the bandwidth.

    .. math:: p = 1 - \frac{1}{g_p}

    Parameters
    ----------
    probe_gain : float or array, default 1.25
        Pacing rate over the estimated bandwidth in a probe: g_p [1], in [1, inf), typically 1.1 to 2.

    Returns
    -------
    float or array
        p [probability], 0.2 for g_p = 5/4.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A probe sends g_p times the estimate, of which 1 - p is delivered. As long as this is not less than the estimate,
    the goodput is 1 - p of the capacity; beyond, every cycle lowers the estimate. Losses are independent, and the
    filter holds the sample of one probe until the next. Version 3 gives way at a loss of 2 % in a round trip already.

    References
    ----------
    Ours, by the rules of N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016,
    doi:10.1145/3012426.3022184. Proof: derivations/bbr.py, largest_loss.

    Examples
    --------
    >>> round(largest_loss(), 12)
    0.2
    """

@_law
def probe_rtt_utilisation(round_trip_time: Any, low_gain: Any, interval: Any = 10, hold_time: Any = ...) -> Any:
    r"""Return the utilisation of a link by one BBR flow that measures its round-trip time by ProbeRTT.

    .. math:: U = 1 - (1 - g_l) \, \frac{\min(R + T, I)}{I}

    Parameters
    ----------
    round_trip_time : float or array
        Round-trip time, without queueing: R [s], in (0, inf), typically 0.001 to 0.5.
    low_gain : float or array
        In flight in ProbeRTT, over the bandwidth-delay product: g_l [1], in [0, 1], typically 0.01 to 0.75. 4 packets
        over the bandwidth-delay product in 2016, 0.5 in version 3.
    interval : float or array, default 10
        Time from a ProbeRTT to the next: 10 s in 2016, 5 s in version 3: I [s], in (0, inf), typically 5 to 10.
    hold_time : float or array, default 0.2
        Time for which ProbeRTT holds few packets in flight: 0.2 s: T [s], in [0, inf), typically 0.1 to 0.5.

    Returns
    -------
    float or array
        U [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    For R + T the link carries g_l of its capacity: one round trip because of what is not sent while in flight falls,
    and T. With 4 packets in flight acknowledgments come once in a round trip, so that T is a multiple of R, rounded up:
    at R = 96 ms the simulated loss is 0.036 instead of 0.029. The queue is empty otherwise; a standing one covers a
    part of it.
    With the usual values both versions lose 2 %: 0.98 of 0.2 s in 10 s, or half of 0.2 s in 5 s.

    References
    ----------
    Ours, by the rules of N. Cardwell et al., "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016,
    doi:10.1145/3012426.3022184 and N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control",
    draft-ietf-ccwg-bbr-06, 2026, section 5.3.4. Proof: derivations/bbr.py, probe_rtt_utilisation.

    Examples
    --------
    >>> round(probe_rtt_utilisation(0.05, 0.01), 5), round(probe_rtt_utilisation(0.05, 0.5, interval=5), 5)
    (0.97525, 0.975)
    """

@_law
def shallow_buffer_loss(flows: Any, probe_gain: Any = ...) -> Any:
    r"""Return the loss probability of equal BBR flows whose buffer is too small for their in-flight caps.

    .. math:: p = \left(1 - \frac{1}{g_p}\right) \left(1 - \frac{1}{N}\right)

    Parameters
    ----------
    flows : int or array
        BBR flows at the link: N [flows], an integer in [1, inf), typically 1 to 50.
    probe_gain : float or array, default 1.25
        Pacing rate over the estimated bandwidth in a probe: g_p [1], in [1, inf), typically 1.1 to 2.

    Returns
    -------
    float or array
        p [probability], which tends to that of `largest_loss` for many flows.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A flow that probes alone has the share g_p/(N - 1 + g_p) of the link, and takes it for its bandwidth. So all
    estimates together are g_p N/(N - 1 + g_p) times the capacity. It holds for BBR of 2016, equal flows that probe at
    different times, drops in proportion to rates, and buffers in which the caps do not rule: for g = 2 well below
    one bandwidth-delay product. It is an upper bound for flows that end a probe at its first loss: in a buffer of
    0.2 products simulated flows lose 0.04 (two) and 0.10 (five), where this is 0.10 and 0.16.

    References
    ----------
    S. Scherrer, M. Legner, A. Perrig and S. Schmid, "Model-Based Insights on the Performance, Fairness, and
    Stability of BBR", ACM IMC 2022, doi:10.1145/3517745.3561420 (flows of BBR of 2016 in a shallow buffer); the
    form with any gain is ours. Proof: derivations/bbr.py, shallow_buffer_loss.

    Examples
    --------
    >>> round(shallow_buffer_loss(2), 12), round(shallow_buffer_loss(10), 12)
    (0.1, 0.18)
    """

@_law
def share(buffer: Any, bandwidth_delay_product: Any, flows: Any = 1, cwnd_gain: Any = 2) -> Any:
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows.

    .. math:: 1 - p = \min\left(1, 1 - \frac{1}{g} + \frac{1 - 1/g}{B} + \frac{4 N}{B \, C R}\right)

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in (0, inf), typically 0.5 to 64.
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    flows : int or array, default 1
        BBR flows at the link: N [flows], an integer in [1, inf), typically 1 to 50.
    cwnd_gain : float or array, default 2
        Congestion window over the estimated bandwidth-delay product: g [1], in [1, inf), typically 1.5 to 3.

    Returns
    -------
    float or array
        1 - p [1], of all BBR flows together, from 1/2 (deep buffers) to 1; p is that of the loss-based flows.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The number of the loss-based flows does not matter. The model: the queue is full, shares of the queue are shares of
    the link, all flows have one round-trip time, and ProbeRTT leaves the loss-based packets and 4 of each BBR
    flow, so the cap is g (1 - p) C times the round trip over that queue. The last term is the paper's, which counts
    the 4 N packets beside the loss-based ones. Time spent in ProbeRTT: see `share_with_probes`. The first author
    reports median errors of 5 % against CUBIC and 8 % against Reno. Version 3 gives way to losses: it has less. In
    simulations the share hardly depends on the buffer, as in `share_refined`.

    References
    ----------
    R. Ware, M. K. Mukerjee, S. Seshan and J. Sherry, "Modeling BBR's Interactions with Loss-Based Congestion
    Control", ACM IMC 2019, doi:10.1145/3355369.3355604, extended model of the in-flight cap. Proof:
    derivations/bbr.py, share.

    Examples
    --------
    >>> round(share(16, 100), 5), share(0.5, 100)
    (0.53375, 1.0)
    """

@_law
def share_refined(buffer: Any, bandwidth_delay_product: Any, flows: Any = 1, cwnd_gain: Any = 2) -> Any:
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows that fill it meanwhile.

    .. math:: 1 - p = \begin{cases} \min\left(1, 1 - \dfrac{1}{g} + \dfrac{4 N}{(1 + B) \, C R}\right) & B > g - 1 \\
        1 & B \le g - 1 \end{cases}

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in (0, inf), typically 0.5 to 64.
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    flows : int or array, default 1
        BBR flows at the link: N [flows], an integer in [1, inf), typically 1 to 50.
    cwnd_gain : float or array, default 2
        Congestion window over the estimated bandwidth-delay product: g [1], in [1, inf), typically 1.5 to 3.

    Returns
    -------
    float or array
        1 - p [1], of all BBR flows together; it falls from 1 to about 1/2 where the cap begins to rule, at B = g - 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The model of `share`, but for the queue that ProbeRTT leaves. What the loss-based flows have in flight, p (q + C R),
    fills the link first, so that p (q + C R) - C R of it stays in the queue, not p q. The estimate of the round-trip
    time is smaller, and the share no longer depends on the buffer. Neither form is confirmed: simulated shares of
    `bbr1` beside four CUBIC flows are between 0.27 and 0.53 for B = 2 to 16, where this one gives 0.50 to 0.53 and
    `share` 0.53 to 0.83.

    References
    ----------
    Ours, after R. Ware, M. K. Mukerjee, S. Seshan and J. Sherry, "Modeling BBR's Interactions with Loss-Based
    Congestion Control", ACM IMC 2019, doi:10.1145/3355369.3355604. Proof: derivations/bbr.py, share_refined.

    Examples
    --------
    >>> round(share_refined(16, 100), 5), share_refined(0.5, 100)
    (0.50235, 1.0)
    """

@_law
def share_with_probes(
    buffer: Any,
    bandwidth_delay_product: Any,
    round_trip_time: Any,
    flows: Any = 1,
    cwnd_gain: Any = 2,
    interval: Any = 10,
    hold_time: Any = ...,
) -> Any:
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows, less the time of ProbeRTT.

    .. math:: (1 - p) \max\left(0, 1 - \frac{B R + T + R}{I}\right)

    with 1 - p of `share`.

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in (0, inf), typically 0.5 to 64.
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    round_trip_time : float or array
        Round-trip time, without queueing: R [s], in (0, inf), typically 0.001 to 0.5.
    flows : int or array, default 1
        BBR flows at the link: N [flows], an integer in [1, inf), typically 1 to 50.
    cwnd_gain : float or array, default 2
        Congestion window over the estimated bandwidth-delay product: g [1], in [1, inf), typically 1.5 to 3.
    interval : float or array, default 10
        Time from a ProbeRTT to the next: 10 s in 2016, 5 s in version 3: I [s], in (0, inf), typically 5 to 10.
    hold_time : float or array, default 0.2
        Time for which ProbeRTT holds few packets in flight: 0.2 s: T [s], in [0, inf), typically 0.1 to 0.5.

    Returns
    -------
    float or array
        Share of the BBR flows together [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    In every interval the flow sends nothing until the full queue has gone, B R, and then for T and a round trip.

    References
    ----------
    R. Ware, M. K. Mukerjee, S. Seshan and J. Sherry, "Modeling BBR's Interactions with Loss-Based Congestion
    Control", ACM IMC 2019, doi:10.1145/3355369.3355604, duration of ProbeRTT. Proof: derivations/bbr.py,
    share_with_probes.

    Examples
    --------
    >>> round(share_with_probes(16, 100, 0.04), 4)
    0.4868
    """

@_law
def standing_queue(bandwidth_delay_product: Any, cwnd_gain: Any = 2) -> Any:
    r"""Return the standing queue of several BBR flows with equal round-trip times in a deep buffer.

    .. math:: Q = (g - 1) \, C R

    Parameters
    ----------
    bandwidth_delay_product : float or array
        Bandwidth-delay product, without queueing: C R [packets], in (0, inf), typically 10 to 1e4.
    cwnd_gain : float or array, default 2
        Congestion window over the estimated bandwidth-delay product: g [1], in [1, inf), typically 1.5 to 3.

    Returns
    -------
    float or array
        Q [packets], one bandwidth-delay product for g = 2.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Probing makes the estimates of all flows together exceed the capacity, so that their caps rule, not their pacing:
    g bandwidth-delay products are in flight. It holds for buffers above Q, estimates of the round-trip time without
    queueing, and BBR of 2016: version 3 also keeps in flight less than what led to losses. A single flow paces
    at the capacity and has no standing queue.

    References
    ----------
    S. Scherrer, M. Legner, A. Perrig and S. Schmid, "Model-Based Insights on the Performance, Fairness, and
    Stability of BBR", ACM IMC 2022, doi:10.1145/3517745.3561420 (two or more flows of BBR of 2016 in a deep
    buffer); the form with any gain is ours. Proof: derivations/bbr.py, standing_queue.

    Examples
    --------
    >>> standing_queue(100)
    100.0
    """

@_law
def startup_pacing_gain(growth: Any = 2) -> Any:
    r"""Return the pacing gain with which BBR's rate grows by a given factor in every round trip of Startup.

    .. math:: g = \frac{\gamma^2 \ln \gamma}{\gamma - 1}

    Parameters
    ----------
    growth : float or array, default 2
        Factor by which the rate grows in a round trip: gamma [1], in (1, inf), typically 1.1 to 4.

    Returns
    -------
    float or array
        g [1], pacing rate over the measured delivery rate.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A sample of the delivery rate is the mean of what was sent in the round trip before the last one. The version of
    2016 has 2/ln 2 = 2.885 for doubling; with this gain the rate grows by 2.05 in a round trip.

    References
    ----------
    N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control", draft-ietf-ccwg-bbr-06, 2026, section 2.5 (the
    case of doubling, 4 ln 2 = 2.77); the general case is ours. Proof: derivations/bbr.py, startup_pacing_gain.

    Examples
    --------
    >>> round(startup_pacing_gain(2), 4)  # 4 ln 2
    2.7726
    """

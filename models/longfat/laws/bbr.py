"""BBR: Startup and Drain, in-flight cap and standing queue, losses, ProbeRTT, and the share beside loss-based flows.

Windows and queues are in packets, the buffer in bandwidth-delay products. Proofs: derivations/bbr.py.
"""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.queues.smooth import by_arithmetic, phis
from longfat.laws.references import BBR_2016, BBR_DRAFT, SCHERRER, WARE

__all__ = [
    "drain_time",
    "inflight_cap",
    "largest_loss",
    "probe_rtt_utilisation",
    "shallow_buffer_loss",
    "share",
    "share_refined",
    "share_with_probes",
    "standing_queue",
    "startup_pacing_gain",
]


GROWTH = Symbol(r"\gamma", "1", "(1, inf)", (1.1, 4.0), "Factor by which the rate grows in a round trip")
CWND_GAIN = Symbol("g", "1", "[1, inf)", (1.5, 3.0), "Congestion window over the estimated bandwidth-delay product")
DRAIN_GAIN = Symbol("g_d", "1", "[0, 1)", (0.3, 0.9), "Pacing rate over the estimated bandwidth in Drain")
PROBE_GAIN = Symbol("g_p", "1", "[1, inf)", (1.1, 2.0), "Pacing rate over the estimated bandwidth in a probe")
LOW_GAIN = Symbol("g_l", "1", "[0, 1]", (0.01, 0.75), "Packets in flight in ProbeRTT over the bandwidth-delay product")
BDP = Symbol("C R", "packets", "(0, inf)", (10.0, 1e4), "Bandwidth-delay product, without queueing")
BUFFER = Symbol("B", "1", "(0, inf)", (0.5, 64.0), "Buffer over the bandwidth-delay product of the empty path")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 50), "BBR flows at the link", integer=True)
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 0.5), "Round-trip time, without queueing")
HOLD = Symbol("T", "s", "[0, inf)", (0.1, 0.5), "Time for which ProbeRTT holds few packets in flight: 0.2 s")
INTERVAL = Symbol(
    "I", "s", "(0, inf)", (5.0, 10.0), "Time from the end of a ProbeRTT to the next: 10 s in 2016, 5 s in version 3"
)
SMALLEST_WINDOW = Symbol("W_m", "packets", "[0, inf)", (2.0, 8.0), "Least congestion window")


@law(
    source=f"{BBR_DRAFT}, section 2.5 (the case of doubling, 4 ln 2 = 2.77); the general case is ours",
    result="g [1], pacing rate over the measured delivery rate",
    not_simulated="runs do not record the rate before the link is full",
)
def startup_pacing_gain(growth: GROWTH = 2, *, xp):
    r"""Return the pacing gain with which BBR's rate grows by a given factor in every round trip of Startup.

    .. math:: g = \frac{\gamma^2 \ln \gamma}{\gamma - 1}

    A sample of the delivery rate is the mean sending rate of the round trip before the last one. The version of 2016
    has 2/ln 2 = 2.885 for doubling; with that gain the rate grows by the factor 2.05 in a round trip.

    >>> round(startup_pacing_gain(2), 4)  # 4 ln 2
    2.7726
    """
    more = growth - 1
    return by_arithmetic(
        xp,
        # ln(gamma)/(gamma - 1) is 1/phi_1(ln(gamma)). The derivative of this form is accurate for gamma near 1, too.
        lambda: growth * growth / phis(xp.log1p(more), xp)[0],
        lambda mp: growth * growth * (mp.log1p(more) / more),
        lambda sympy: growth * growth * (sympy.log(growth) / more),
    )


@law(
    source=f"{BBR_DRAFT}, section 2.5 (any gain up to 1/g drains within a round trip); the time is ours",
    result="T [s]",
    not_simulated="runs do not record the duration of a state",
)
def drain_time(round_trip_time: ROUND_TRIP, cwnd_gain: CWND_GAIN = 2, drain_gain: DRAIN_GAIN = 0.5, *, xp):
    r"""Return the time [s] in which the state Drain of BBR empties the queue that Startup has built up.

    .. math:: T = R \, \frac{g - 1}{1 - g_d}

    At the end of Startup g bandwidth-delay products are in flight, all but one of them in the queue. With the gain g_d
    = 1/g the time is g R: one round trip, queueing delay included. It holds if the estimate of the bandwidth is the
    capacity and the buffer holds the queue.

    >>> drain_time(0.05)  # of a round trip that lasts 0.1 s with the queue
    0.1
    """
    return round_trip_time * (cwnd_gain - 1) / (1 - drain_gain)


@law(
    source=f"{BBR_DRAFT}, sections 2.6 and 2.8; {BBR_2016}",
    result="W [packets]",
    derivation="",
    not_simulated="a definition; standing_queue, which depends on it, is simulated",
    bandwidth_delay_product=BDP.described("Bandwidth-delay product that the flow estimates"),
)
def inflight_cap(bandwidth_delay_product, cwnd_gain: CWND_GAIN = 2, smallest_window: SMALLEST_WINDOW = 4, *, xp):
    r"""Return BBR's cap on the packets in flight [packets] while it probes for bandwidth.

    .. math:: W = \max(g \, C R, W_m)

    The law leaves out the allowances for aggregated acknowledgments and for segmentation offload, and the bounds that
    version 3 sets after losses.

    >>> inflight_cap(100), inflight_cap(1)
    (200.0, 4.0)
    """
    return xp.maximum(cwnd_gain * bandwidth_delay_product, smallest_window + 0 * bandwidth_delay_product)


@law(
    source=f"{SCHERRER} (two or more flows of BBR of 2016 in a deep buffer); the form with any gain is ours",
    result="Q [packets], one bandwidth-delay product for g = 2",
    # Our choice of the range: the law's queue is proportional to the bandwidth-delay product, and so is the number of
    # packets to simulate; at 50 packets the rounding of windows to packets adds a tenth of the queue.
    simulated=SimulatedBy("bbr_queue", {"bandwidth_delay_product": (100.0, 200.0), "cwnd_gain": 2.0}, relative=0.12),
)
def standing_queue(bandwidth_delay_product: BDP, cwnd_gain: CWND_GAIN = 2, *, xp):
    r"""Return the standing queue [packets] of two or more BBR flows with equal round-trip times in a deep buffer.

    .. math:: Q = (g - 1) \, C R

    Probing makes the sum of all estimates exceed the capacity, so caps, not pacing, limit the flows: g bandwidth-delay
    products are in flight. The law holds for buffers above Q, for estimates of the round-trip time that include no
    queueing, and for BBR of 2016: version 3 also keeps less in flight than the volume that led to losses. A single flow
    paces at the capacity and has no standing queue.

    >>> standing_queue(100)
    100.0
    """
    return (cwnd_gain - 1) * bandwidth_delay_product


@law(
    source=f"Ours, by the rules of {BBR_2016} and {BBR_DRAFT}, section 5.3.4",
    result="U [1]",
    simulated=SimulatedBy(
        "bbr_utilisation",
        {
            "round_trip_time": [0.007, 0.015, 0.03, 0.045, 0.06, 0.08, 0.12, 0.15],  # points at which n does not jump
            "low_gain": (0.005, 0.05),
            "interval": 10.0,
            "hold_time": 0.2,
        },
        accuracy=0.001,
    ),
    low_gain=LOW_GAIN.described(remark="4 packets over the bandwidth-delay product in 2016, 0.5 in version 3"),
)
def probe_rtt_utilisation(round_trip_time: ROUND_TRIP, low_gain, interval: INTERVAL = 10, hold_time: HOLD = 0.2, *, xp):
    r"""Return the utilisation of a link by one BBR flow that sends nothing during parts of ProbeRTT.

    .. math::

        U = 1 - \frac{(1 - g_l) (n + 1) R}{I + (1 - g_l) R + \max(T, n R)}, \qquad
        n = \max\left(\left\lceil \frac{T}{R} - g_l \right\rceil, 1\right)

    The flow sends nothing for (1 - g_l) R, until only g_l bandwidth-delay products are in flight, and again for that
    time in each of the n round trips that ProbeRTT then lasts: acknowledgments come in bursts that last g_l R, and
    ProbeRTT ends only at an acknowledgment. The interval I begins at the end of ProbeRTT. The queue is assumed to be
    empty; a standing queue would keep the link busy for a part of that time. U jumps where T/R - g_l is an integer;
    derivatives ignore the jumps. Version 3 also paces 1 % below its estimate, which is not counted. With the usual
    values both versions lose 2 % on short paths: BBR of 2016 idles for 0.98 of 0.2 s in 10 s, version 3 for half of
    0.2 s in 5 s.

    >>> round(probe_rtt_utilisation(0.05, 0.01), 5), round(probe_rtt_utilisation(0.05, 0.5, interval=5), 5)
    (0.97585, 0.97608)
    """
    rounds = xp.maximum(xp.ceil(hold_time / round_trip_time - low_gain), 1 + 0 * low_gain)
    duration = xp.maximum(hold_time, rounds * round_trip_time)
    # The numerator is the denominator minus the idle time (1 - g_l) (n + 1) R. It is written as a sum, so that no
    # digits cancel.
    sent = interval + (duration - rounds * round_trip_time) + low_gain * (rounds * round_trip_time)
    return sent / (interval + (1 - low_gain) * round_trip_time + duration)


@law(
    source=f"Ours, by the rules of {BBR_2016}",
    result="p [probability], 0.2 for g_p = 5/4",
    not_simulated="the rate collapses at this limit, and runs near it are undecided",
)
def largest_loss(probe_gain: PROBE_GAIN = 1.25, *, xp):
    r"""Return the loss probability up to which BBR of 2016 keeps its estimate of the bandwidth.

    .. math:: p = 1 - \frac{1}{g_p}

    A probe sends g_p times the estimate, of which 1 - p is delivered. As long as this amount is not below the estimate,
    the goodput is 1 - p of the capacity; for a larger p the estimate falls in every cycle. It is assumed that losses
    are independent and that the filter keeps the sample of one probe until the next. Version 3 reduces its rate already
    at a loss of 2 % in a round trip.

    >>> round(largest_loss(), 12)
    0.2
    """
    return (probe_gain - 1) / probe_gain


@law(
    source=f"{SCHERRER} (flows of BBR of 2016 in a shallow buffer); the form with any gain is ours",
    result="p [probability], which tends to that of `largest_loss` for many flows",
    not_simulated="a bound: simulated flows lose half of it, because their probes end with the first loss",
)
def shallow_buffer_loss(flows: FLOWS, probe_gain: PROBE_GAIN = 1.25, *, xp):
    r"""Return the loss probability of equal BBR flows whose buffer is too small for their in-flight caps.

    .. math:: p = \left(1 - \frac{1}{g_p}\right) \left(1 - \frac{1}{N}\right)

    A flow that probes alone has the share g_p/(N - 1 + g_p) of the link, and takes it for its bandwidth. So all
    estimates together are g_p N/(N - 1 + g_p) times the capacity. It holds for BBR of 2016, equal flows that probe at
    different times, drops in proportion to rates, and buffers in which the caps do not limit the flows: for g = 2 well
    below one bandwidth-delay product. It is an upper bound for flows that end a probe at its first loss: in a buffer of
    0.2 bandwidth-delay products two simulated flows lose 0.04 and five lose 0.10, where the law gives 0.10 and 0.16.

    >>> round(shallow_buffer_loss(2), 12), round(shallow_buffer_loss(10), 12)
    (0.1, 0.18)
    """
    return (probe_gain - 1) / probe_gain * ((flows - 1) / flows)


@law(
    source=f"{WARE}, extended model of the in-flight cap",
    result="1 - p [1], of all BBR flows together, from 1/2 (deep buffers) to 1; p is that of the loss-based flows",
    not_simulated="the law leaves out that the other flows fill the link during ProbeRTT: see share_refined",
)
def share(buffer: BUFFER, bandwidth_delay_product: BDP, flows: FLOWS = 1, cwnd_gain: CWND_GAIN = 2, *, xp):
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows.

    .. math:: 1 - p = \min\left(1, 1 - \frac{1}{g} + \frac{1 - 1/g}{B} + \frac{4 N}{B \, C R}\right)

    p is the share of the loss-based flows, whose number does not matter. In the model the queue is full, shares of the
    queue are shares of the link, and all flows have one round-trip time. During ProbeRTT the queue holds the packets of
    the loss-based flows and 4 packets of each BBR flow: the cap is g (1 - p) C times the round-trip time with that
    queue. The last term, as in the paper, adds the 4 N packets to those of the loss-based flows. `share_with_probes`
    deducts the time spent in ProbeRTT. The first author reports median errors of 5 % against CUBIC and 8 % against
    Reno. Version 3 responds to losses and has a smaller share. In simulations the share hardly depends on the buffer,
    as in `share_refined`.

    >>> round(share(16, 100), 5), share(0.5, 100)
    (0.53375, 1.0)
    """
    kept = 1 - 1 / cwnd_gain
    total = kept + kept / buffer + 4 * flows / (buffer * bandwidth_delay_product)
    return xp.minimum(total, 1 + 0 * total)


@law(
    source=f"Ours, after {WARE}",
    result=(
        "1 - p [1], of all BBR flows together; it falls from 1 to about 1/2 at B = g - 1, beyond which the cap applies"
    ),
    not_simulated="simulated shares beside CUBIC are smaller, by up to 0.24; the model's queue is always full",
)
def share_refined(buffer: BUFFER, bandwidth_delay_product: BDP, flows: FLOWS = 1, cwnd_gain: CWND_GAIN = 2, *, xp):
    r"""Return the share of a drop-tail link that BBR flows take if loss-based flows fill the link during ProbeRTT.

    .. math:: 1 - p = \begin{cases} \min\left(1, 1 - \dfrac{1}{g} + \dfrac{4 N}{(1 + B) \, C R}\right) & B > g - 1 \\
        1 & B \le g - 1 \end{cases}

    The model is that of `share`, with the full queue q = B C R, except for the queue during ProbeRTT. The loss-based
    flows, with the share p, have p (q + C R) packets in flight. These fill the link first: p (q + C R) - C R of them
    stay in the queue, not p q. So the estimate of the round-trip time is smaller, and the share no longer depends on
    the buffer. Neither form is confirmed: simulated shares of `bbr1` beside four CUBIC flows are between 0.27 and 0.53
    for B = 2 to 16, where this law gives 0.50 to 0.53 and `share` 0.53 to 0.83.

    >>> round(share_refined(16, 100), 5), share_refined(0.5, 100)
    (0.50235, 1.0)
    """
    total = 1 - 1 / cwnd_gain + 4 * flows / ((1 + buffer) * bandwidth_delay_product)
    everything = 1 + 0 * total
    return xp.where(buffer > cwnd_gain - 1, xp.minimum(total, everything), everything)


@law(
    source=f"{WARE}, duration of ProbeRTT",
    result="Share of the BBR flows together [1]",
    not_simulated="the law extends share, which is not simulated: see there",
)
def share_with_probes(
    buffer: BUFFER,
    bandwidth_delay_product: BDP,
    round_trip_time: ROUND_TRIP,
    flows: FLOWS = 1,
    cwnd_gain: CWND_GAIN = 2,
    interval: INTERVAL = 10,
    hold_time: HOLD = 0.2,
    *,
    xp,
):
    r"""Return the share of a drop-tail link that BBR flows take from loss-based flows, reduced by ProbeRTT's pauses.

    .. math:: (1 - p) \max\left(0, 1 - \frac{B R + T + R}{I}\right)

    with 1 - p of `share`.

    Notes
    -----
    In every interval a BBR flow sends nothing for the time B R, until the full queue has drained, and then for T and a
    round trip.

    >>> round(share_with_probes(16, 100, 0.04), 4)
    0.4868
    """
    paused = (buffer * round_trip_time + hold_time + round_trip_time) / interval
    rest = xp.maximum(1 - paused, 0 * paused)
    return share.function(buffer, bandwidth_delay_product, flows, cwnd_gain, xp=xp) * rest

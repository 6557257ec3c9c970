"""BBR in steady state: in-flight cap, standing queue, tolerated and caused losses, and cost of ProbeRTT."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.bbr.parameters import (
    BDP,
    CWND_GAIN,
    FLOWS,
    HOLD,
    INTERVAL,
    LOW_GAIN,
    PROBE_GAIN,
    ROUND_TRIP,
    SMALLEST_WINDOW,
)
from longfat.laws.references import BBR_2016, BBR_DRAFT, SCHERRER


@law(
    source=f"{BBR_DRAFT}, sections 2.6 and 2.8; {BBR_2016}",
    unit="packets",
    result="W",
    derivation="bbr.inflight_cap",
    not_simulated="a definition; standing_queue has its effect",
    bandwidth_delay_product=BDP.described("Bandwidth-delay product that the flow estimates"),
    cwnd_gain=CWND_GAIN,
    smallest_window=SMALLEST_WINDOW,
)
def inflight_cap(bandwidth_delay_product: Any, cwnd_gain: Any = 2, smallest_window: Any = 4, *, xp: Any) -> Any:
    r"""Return BBR's cap on the packets in flight while it probes for bandwidth.

    .. math:: W = \max(g \, C R, W_m)

    Notes
    -----
    Without the allowances for aggregated acknowledgments and for segmentation offload, and without the bounds that
    version 3 sets after losses.

    Examples
    --------
    >>> inflight_cap(100), inflight_cap(1)
    (200.0, 4.0)
    """
    return xp.maximum(cwnd_gain * bandwidth_delay_product, smallest_window + 0 * bandwidth_delay_product)


@law(
    source=f"{SCHERRER} (two or more flows of BBR of 2016 in a deep buffer); the form with any gain is ours",
    unit="packets",
    result="Q, one bandwidth-delay product for g = 2",
    derivation="bbr.standing_queue",
    simulated=SimulatedBy("bbr_queue", {"bandwidth_delay_product": (300.0, 1000.0), "cwnd_gain": 2.0}, relative=0.12),
    bandwidth_delay_product=BDP,
    cwnd_gain=CWND_GAIN,
)
def standing_queue(bandwidth_delay_product: Any, cwnd_gain: Any = 2, *, xp: Any) -> Any:
    r"""Return the standing queue of several BBR flows with equal round-trip times in a deep buffer.

    .. math:: Q = (g - 1) \, C R

    Notes
    -----
    Probing makes the estimates of all flows together exceed the capacity, so that their caps rule, not their pacing:
    g bandwidth-delay products are in flight. It holds for buffers above Q, estimates of the round-trip time without
    queueing, and BBR of 2016: version 3 also keeps less in flight than the volume that led to losses. A single flow
    paces at the capacity and has no standing queue.

    Examples
    --------
    >>> standing_queue(100)
    100.0
    """
    return (cwnd_gain - 1) * bandwidth_delay_product


@law(
    source=f"Ours, by the rules of {BBR_2016} and {BBR_DRAFT}, section 5.3.4",
    unit="1",
    result="U",
    derivation="bbr.probe_rtt_utilisation",
    simulated=SimulatedBy(
        "bbr_utilisation",
        {
            "round_trip_time": [0.007, 0.015, 0.03, 0.045, 0.06, 0.08, 0.12, 0.15],  # away from the jumps of n
            "low_gain": (0.005, 0.05),
            "interval": 10.0,
            "hold_time": 0.2,
        },
        accuracy=0.001,
    ),
    round_trip_time=ROUND_TRIP,
    low_gain=LOW_GAIN.described(remark="4 packets over the bandwidth-delay product in 2016, 0.5 in version 3"),
    interval=INTERVAL,
    hold_time=HOLD,
)
def probe_rtt_utilisation(
    round_trip_time: Any, low_gain: Any, interval: Any = 10, hold_time: Any = 0.2, *, xp: Any
) -> Any:
    r"""Return the utilisation of a link by one BBR flow that measures its round-trip time by ProbeRTT.

    .. math::

        U = 1 - \frac{(1 - g_l) (n + 1) R}{I + (1 - g_l) R + \max(T, n R)}, \qquad
        n = \max\left(\left\lceil \frac{T}{R} - g_l \right\rceil, 1\right)

    Notes
    -----
    The flow sends nothing for (1 - g_l) R, until so little is in flight, and as long in each of the n round trips that
    ProbeRTT then lasts: acknowledgments come in bursts of g_l R, and only an acknowledgment ends it. I begins where
    ProbeRTT ends. The queue is empty; a standing one covers a part of the loss. U jumps where T/R - g_l is an integer;
    slopes are given between the jumps. Version 3 also paces 1 % below its estimate, which is not counted. With the
    usual values both versions lose 2 % on short paths: 0.98 of 0.2 s in 10 s, or half of 0.2 s in 5 s.

    Examples
    --------
    >>> round(probe_rtt_utilisation(0.05, 0.01), 5), round(probe_rtt_utilisation(0.05, 0.5, interval=5), 5)
    (0.97585, 0.97608)
    """
    rounds = xp.maximum(xp.ceil(hold_time / round_trip_time - low_gain), 1 + 0 * low_gain)
    duration = xp.maximum(hold_time, rounds * round_trip_time)
    # The numerator is the denominator less the loss, written so that nothing cancels.
    sent = interval + (duration - rounds * round_trip_time) + low_gain * (rounds * round_trip_time)
    return sent / (interval + (1 - low_gain) * round_trip_time + duration)


@law(
    source=f"Ours, by the rules of {BBR_2016}",
    unit="probability",
    result="p, 0.2 for g_p = 5/4",
    derivation="bbr.largest_loss",
    not_simulated="a limit at which the rate collapses, so that a run near it is undecided",
    probe_gain=PROBE_GAIN,
)
def largest_loss(probe_gain: Any = 1.25, *, xp: Any) -> Any:
    r"""Return the loss probability up to which BBR of 2016 keeps its estimate of the bandwidth.

    .. math:: p = 1 - \frac{1}{g_p}

    Notes
    -----
    A probe sends g_p times the estimate, of which 1 - p is delivered. As long as this is not less than the estimate,
    the goodput is 1 - p of the capacity; beyond, every cycle lowers the estimate. Losses are independent, and the
    filter holds the sample of one probe until the next. Version 3 gives way at a loss of 2 % in a round trip already.

    Examples
    --------
    >>> round(largest_loss(), 12)
    0.2
    """
    return (probe_gain - 1) / probe_gain


@law(
    source=f"{SCHERRER} (flows of BBR of 2016 in a shallow buffer); the form with any gain is ours",
    unit="probability",
    result="p, which tends to that of `largest_loss` for many flows",
    derivation="bbr.shallow_buffer_loss",
    not_simulated="a bound: probes of simulated flows end with their first loss, so that they lose one half of it",
    flows=FLOWS,
    probe_gain=PROBE_GAIN,
)
def shallow_buffer_loss(flows: Any, probe_gain: Any = 1.25, *, xp: Any) -> Any:
    r"""Return the loss probability of equal BBR flows whose buffer is too small for their in-flight caps.

    .. math:: p = \left(1 - \frac{1}{g_p}\right) \left(1 - \frac{1}{N}\right)

    Notes
    -----
    A flow that probes alone has the share g_p/(N - 1 + g_p) of the link, and takes it for its bandwidth. So all
    estimates together are g_p N/(N - 1 + g_p) times the capacity. It holds for BBR of 2016, equal flows that probe at
    different times, drops in proportion to rates, and buffers in which the caps do not rule: for g = 2 well below
    one bandwidth-delay product. It is an upper bound for flows that end a probe at its first loss: in a buffer of
    0.2 products simulated flows lose 0.04 (two) and 0.10 (five), where this is 0.10 and 0.16.

    Examples
    --------
    >>> round(shallow_buffer_loss(2), 12), round(shallow_buffer_loss(10), 12)
    (0.1, 0.18)
    """
    return (probe_gain - 1) / probe_gain * ((flows - 1) / flows)

"""Equal DCTCP flows at a queue that marks above a threshold: the sawtooth of the backlog.

The flows are synchronised, as in the paper: windows grow by a packet in a round trip, the marks of one round trip
come back in the next, and every window W + 1 is then multiplied by 1 - alpha/2.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.dctcp.parameters import BDP, FLOWS, ROUND_TRIP, THRESHOLD, WINDOW
from longfat.laws.references import DCTCP_2010

SAWTOOTH = f"{DCTCP_2010}, section 3.3"
SYNCHRONISED = "a synchronised sawtooth: largest_queue, its top, is simulated"


@law(
    source=SAWTOOTH,
    unit="1",
    result="alpha, the share of marked packets, of which half is the relative decrease; 1 at W = 1",
    derivation="dctcp.marked_share",
    not_simulated=SYNCHRONISED,
    window=WINDOW,
)
def marked_share(window: Any, *, xp: Any) -> Any:
    r"""Return DCTCP's estimate of congestion in steady state at a marking threshold.

    .. math:: \alpha^2 \left(1 - \frac{\alpha}{4}\right) = \frac{2 W + 1}{(W + 1)^2}, \qquad
        \alpha = \frac{8}{3} \sin^2 \frac{a}{3} + \frac{4}{\sqrt 3} \sin \frac{2 a}{3}, \quad
        \sin a = \frac{\sqrt{27 (2 W + 1)}}{8 (W + 1)}

    Notes
    -----
    The share is that of the packets of one round trip in a cycle, whose windows are between W and W + 1; it is taken
    as the estimate, so the gain g is small against one cycle. For large W alpha tends to sqrt(2/W), which the paper
    uses. The equation is the paper's, its solution ours.

    Examples
    --------
    >>> round(marked_share(50), 4), marked_share(1)
    (0.2022, 1.0)
    """
    third = xp.asin(xp.sqrt(27 * (2 * window + 1)) / (8 * (window + 1))) / 3
    sine = xp.sin(third)
    return 8 * sine * sine / 3 + 4 * xp.sin(2 * third) / xp.sqrt(3 + 0 * window)


@law(
    source=SAWTOOTH,
    unit="packets",
    result="A; the queue is between K + N - A and K + N",
    derivation="dctcp.queue_amplitude",
    not_simulated=SYNCHRONISED,
    flows=FLOWS,
    bandwidth_delay_product=BDP,
    threshold=THRESHOLD,
)
def queue_amplitude(flows: Any, bandwidth_delay_product: Any, threshold: Any, *, xp: Any) -> Any:
    r"""Return the amplitude of the queue of synchronised DCTCP flows at a marking threshold.

    .. math:: A = \frac{1}{2} \sqrt{2 N (C R + K)}

    Notes
    -----
    The leading term for large windows W = (C R + K)/N: exactly A = N (W + 1) alpha/2 with alpha of `marked_share`,
    which is 1.09 times as much at W = 10, 1.02 times at W = 100. It grows with the square root of the
    bandwidth-delay product, that of Reno in proportion to it. Flows that are not synchronised have a smaller one.

    Examples
    --------
    >>> round(queue_amplitude(2, 100, 20), 2)
    10.95
    """
    return xp.sqrt(flows * (bandwidth_delay_product + threshold) / 2)


@law(
    source=SAWTOOTH,
    unit="s",
    result="T_C",
    derivation="dctcp.oscillation_period",
    not_simulated=SYNCHRONISED,
    flows=FLOWS,
    bandwidth_delay_product=BDP,
    threshold=THRESHOLD,
    round_trip_time=ROUND_TRIP.described(remark="It includes the queueing delay, about that of the threshold"),
)
def oscillation_period(
    flows: Any, bandwidth_delay_product: Any, threshold: Any, round_trip_time: Any, *, xp: Any
) -> Any:
    r"""Return the period of the queue of synchronised DCTCP flows at a marking threshold.

    .. math:: T_C = \frac{R}{2} \sqrt{\frac{2 (C R + K)}{N}}

    Notes
    -----
    A round trip for each packet by which a window is cut, in the accuracy of `queue_amplitude`.

    Examples
    --------
    >>> round(oscillation_period(2, 100, 20, 1e-3), 6)
    0.005477
    """
    return round_trip_time * xp.sqrt((bandwidth_delay_product + threshold) / (2 * flows))


@law(
    source=SAWTOOTH,
    unit="packets",
    result="Q_max",
    derivation="dctcp.largest_queue",
    simulated=SimulatedBy("dctcp_queue", {"flows": (1.0, 10.0), "threshold": [60.0, 80.0, 120.0]}, accuracy=2.0),
    flows=FLOWS,
    threshold=THRESHOLD,
)
def largest_queue(flows: Any, threshold: Any, *, xp: Any) -> Any:
    r"""Return the longest queue of DCTCP flows at a marking threshold.

    .. math:: Q_{max} = K + N

    Notes
    -----
    In the round trip between the first mark and the answer to it every window grows by a packet. It holds in
    congestion avoidance, for windows above the least one of two packets and smooth sending: bursts and slow start
    need more room.

    Examples
    --------
    >>> largest_queue(10, 65)
    75.0
    """
    return threshold + flows


@law(
    source=SAWTOOTH,
    unit="packets",
    result="Q_min, 0 where the link idles",
    derivation="dctcp.smallest_queue",
    not_simulated=SYNCHRONISED,
    flows=FLOWS,
    bandwidth_delay_product=BDP,
    threshold=THRESHOLD,
)
def smallest_queue(flows: Any, bandwidth_delay_product: Any, threshold: Any, *, xp: Any) -> Any:
    r"""Return the shortest queue of synchronised DCTCP flows at a marking threshold.

    .. math:: Q_{min} = \max\left(0, K + N - \frac{1}{2} \sqrt{2 N (C R + K)}\right)

    Notes
    -----
    In the accuracy of `queue_amplitude`. For a given K it is shortest with N = (C R + K)/8 flows.

    Examples
    --------
    >>> round(smallest_queue(2, 100, 20), 2)
    11.05
    """
    shortest = threshold + flows - xp.sqrt(flows * (bandwidth_delay_product + threshold) / 2)
    return xp.maximum(shortest, 0 * shortest)


@law(
    source=SAWTOOTH,
    unit="packets",
    result="K; larger thresholds never let the link idle, for any number of flows",
    derivation="dctcp.least_threshold",
    not_simulated="a bound over all numbers of flows of a law for synchronised flows",
    bandwidth_delay_product=BDP,
)
def least_threshold(bandwidth_delay_product: Any, *, xp: Any) -> Any:
    r"""Return the least marking threshold with which DCTCP flows keep the link busy.

    .. math:: K > \frac{C R}{7}

    Notes
    -----
    The threshold at which `smallest_queue` is 0 for the number of flows for which it is smallest. Bursts need more:
    the paper takes 20 packets at 1 Gbit/s and 65 at 10 Gbit/s, where this bound is smaller.

    Examples
    --------
    >>> round(least_threshold(83), 1)  # 10 Gbit/s, 100 us, 1500 bytes
    11.9
    """
    return bandwidth_delay_product / 7

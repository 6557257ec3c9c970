"""DCTCP and other scalable senders: the queue at a marking threshold, and windows under marks.

Windows and queues are in packets. Proofs: derivations/dctcp.py.
"""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import DCTCP_2010, RFC_9332

__all__ = [
    "largest_queue",
    "least_threshold",
    "marked_share",
    "oscillation_period",
    "queue_amplitude",
    "smallest_queue",
    "window_at_random_marks",
    "window_at_spaced_marks",
    "window_at_threshold_marks",
]


FLOWS = Symbol("N", "flows", "[1, inf)", (1, 100), "Equal flows at the link, of one round-trip time", integer=True)
BDP = Symbol("C R", "packets", "(0, inf)", (10.0, 1e4), "Bandwidth-delay product, without queueing")
THRESHOLD = Symbol("K", "packets", "[0, inf)", (5.0, 1000.0), "Backlog above which every packet is marked")
WINDOW = Symbol("W", "packets", "[1, inf)", (2.0, 1e4), "Window of a flow when the backlog reaches the threshold")
MARKING = Symbol("p", "probability", "(0, 1]", (0.01, 0.5), "Fraction of the packets that are marked")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-4, 0.1), "Round-trip time")


@law(
    source=f"{RFC_9332}, appendix C.2, equation (6)",
    result="W [packets]",
    simulated=SimulatedBy("window_at_spaced_marks", {"marking": (0.005, 0.03)}, relative=0.05),
)
def window_at_spaced_marks(marking: MARKING, *, xp):
    r"""Return the window [packets] of a DCTCP or Prague flow of which every 1/p-th packet is marked.

    .. math:: W = \frac{2}{p}

    In every round trip two packets are marked; the window grows by one packet, and shrinks by the share p/2. It holds
    for small p: a simulated window is smaller by 0.8 p of its value. With independent marks the window is larger,
    `window_at_random_marks`, because some windows have none.

    >>> window_at_spaced_marks(0.1)
    20.0
    """
    return 2 / marking


@law(
    source="Ours, by the rules of RFC 8257, section 3.3",
    result="W [packets], 1.37 times that of `window_at_spaced_marks`",
    simulated=SimulatedBy("window_at_random_marks", {"marking": (0.005, 0.02)}, relative=0.08),
)
def window_at_random_marks(marking: MARKING, *, xp):
    r"""Return the mean window [packets] of a DCTCP flow whose packets are marked independently of each other.

    .. math:: W = \frac{1 + \sqrt 3}{p}

    A reduction shrinks the window by the share p/2. After it comes a round trip without another reduction, and then, on
    average, 1/p packets until the next mark. It holds for small p: a simulated window is smaller by a share
    of 1.6 p. RFC 9332 gives 2/p for all marks that are spread over time; its own queue management spaces them evenly.

    >>> round(window_at_random_marks(0.01), 1)
    273.2
    """
    return (1 + xp.sqrt(3 + 0 * marking)) / marking


@law(
    source=f"{DCTCP_2010}, section 3.3, solved for the window by us",
    result="W [packets], the window at which the queue reaches the threshold; it tends to 2/p^2 for small p",
    not_simulated="the inverse of marked_share",
)
def window_at_threshold_marks(marking: MARKING, *, xp):
    r"""Return the window [packets] of DCTCP flows if a marking threshold marks a given fraction of their packets.

    .. math:: W = \frac{1 - r + \sqrt{1 - r}}{r}, \qquad r = p^2 \left(1 - \frac{p}{4}\right)

    The inverse of `marked_share`. A threshold marks all packets of one round trip in a cycle and none of the others, so
    with the same fraction of marked packets the window is far larger than if the marks were spread over all round
    trips, as in `window_at_spaced_marks`.

    >>> round(window_at_threshold_marks(0.1), 1), window_at_threshold_marks(1)
    (203.6, 1.0)
    """
    rest = 1 - marking / 4
    unmarked = 1 - marking * marking * rest
    return (unmarked + xp.sqrt(unmarked)) / rest / marking / marking


SAWTOOTH = f"{DCTCP_2010}, section 3.3"
SYNCHRONISED = "a synchronised sawtooth: largest_queue, its top, is simulated"


@law(
    source=SAWTOOTH,
    result="alpha [1], the fraction of marked packets; half of it is the relative decrease of W; 1 at W = 1",
    not_simulated=SYNCHRONISED,
)
def marked_share(window: WINDOW, *, xp):
    r"""Return DCTCP's steady-state estimate of the fraction of marked packets at a marking threshold.

    .. math:: \alpha^2 \left(1 - \frac{\alpha}{4}\right) = \frac{2 W + 1}{(W + 1)^2}, \qquad
        \alpha = \frac{8}{3} \sin^2 \frac{a}{3} + \frac{4}{\sqrt 3} \sin \frac{2 a}{3}, \quad
        \sin a = \frac{\sqrt{27 (2 W + 1)}}{8 (W + 1)}

    In one round trip of each cycle windows are between W and W + 1, and all packets are marked. Their share of the
    cycle's packets is taken as the estimate, so the gain g has to be so small that the estimate hardly changes in a
    cycle. For large W alpha tends to sqrt(2/W), which the paper uses. The equation is the paper's, its solution ours.

    >>> round(marked_share(50), 4), marked_share(1)
    (0.2022, 1.0)
    """
    third = xp.asin(xp.sqrt(27 * (2 * window + 1)) / (8 * (window + 1))) / 3
    sine = xp.sin(third)
    return 8 * sine * sine / 3 + 4 * xp.sin(2 * third) / xp.sqrt(3 + 0 * window)


@law(
    source=SAWTOOTH,
    result="A [packets]; the queue is between K + N - A and K + N",
    not_simulated=SYNCHRONISED,
)
def queue_amplitude(flows: FLOWS, bandwidth_delay_product: BDP, threshold: THRESHOLD, *, xp):
    r"""Return the amplitude [packets] of the queue of synchronised DCTCP flows at a marking threshold.

    .. math:: A = \frac{1}{2} \sqrt{2 N (C R + K)}

    The leading term for large windows W = (C R + K)/N: exactly A = N (W + 1) alpha/2 with alpha of `marked_share`,
    which is 1.09 times as much at W = 10, 1.02 times at W = 100. DCTCP's amplitude grows with the square root of the
    bandwidth-delay product, and Reno's grows in proportion to that product. Flows that are not synchronised have a
    smaller amplitude.

    >>> round(queue_amplitude(2, 100, 20), 2)
    10.95
    """
    return xp.sqrt(flows * (bandwidth_delay_product + threshold) / 2)


@law(
    source=SAWTOOTH,
    result="T_C [s]",
    not_simulated=SYNCHRONISED,
    round_trip_time=ROUND_TRIP.described(remark="It includes the queueing delay, about that of the threshold"),
)
def oscillation_period(flows: FLOWS, bandwidth_delay_product: BDP, threshold: THRESHOLD, round_trip_time, *, xp):
    r"""Return the period [s] of the queue of synchronised DCTCP flows at a marking threshold.

    .. math:: T_C = \frac{R}{2} \sqrt{\frac{2 (C R + K)}{N}}

    The period is one round trip for each packet by which a window is reduced; it is as accurate as `queue_amplitude`.

    >>> round(oscillation_period(2, 100, 20, 1e-3), 6)
    0.005477
    """
    return round_trip_time * xp.sqrt((bandwidth_delay_product + threshold) / (2 * flows))


@law(
    source=SAWTOOTH,
    result="Q_max [packets]",
    simulated=SimulatedBy("dctcp_queue", {"flows": (1.0, 10.0), "threshold": [60.0, 80.0, 120.0]}, accuracy=2.0),
)
def largest_queue(flows: FLOWS, threshold: THRESHOLD, *, xp):
    r"""Return the longest queue [packets] of DCTCP flows at a marking threshold.

    .. math:: Q_{max} = K + N

    In the round trip between the first mark and the answer to it every window grows by a packet. It holds in congestion
    avoidance, for windows above the smallest window of two packets, and for smooth sending: bursts and slow start need
    more buffer.

    >>> largest_queue(10, 65)
    75.0
    """
    return threshold + flows


@law(
    source=SAWTOOTH,
    result="Q_min [packets], 0 where the link idles",
    not_simulated=SYNCHRONISED,
)
def smallest_queue(flows: FLOWS, bandwidth_delay_product: BDP, threshold: THRESHOLD, *, xp):
    r"""Return the shortest queue [packets] of synchronised DCTCP flows at a marking threshold.

    .. math:: Q_{min} = \max\left(0, K + N - \frac{1}{2} \sqrt{2 N (C R + K)}\right)

    As accurate as `queue_amplitude`. For a given K the queue is shortest with N = (C R + K)/8 flows.

    >>> round(smallest_queue(2, 100, 20), 2)
    11.05
    """
    shortest = threshold + flows - xp.sqrt(flows * (bandwidth_delay_product + threshold) / 2)
    return xp.maximum(shortest, 0 * shortest)


@law(
    source=SAWTOOTH,
    result="K [packets]; larger thresholds never let the link idle, for any number of flows",
    not_simulated="a bound for any number of flows, from smallest_queue, which assumes synchronised flows",
)
def least_threshold(bandwidth_delay_product: BDP, *, xp):
    r"""Return the smallest marking threshold [packets] with which DCTCP flows keep the link busy.

    .. math:: K > \frac{C R}{7}

    At this threshold `smallest_queue` is 0 for the number of flows that makes it smallest. Bursts need more: the paper
    takes 20 packets at 1 Gbit/s and 65 at 10 Gbit/s, where this bound is smaller.

    >>> round(least_threshold(83), 1)  # 10 Gbit/s, 100 us, 1500 bytes
    11.9
    """
    return bandwidth_delay_product / 7

"""Copa and LEDBAT++: shares and queue of Copa; queueing delay, slowdowns and utilisation of LEDBAT++.

Queues are in packets, capacities in packets/s. Proofs: derivations/delay_based.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import COPA, LEDBAT_DRAFT

__all__ = [
    "copa_largest_queue",
    "copa_mean_queue",
    "copa_queueing_delay",
    "copa_share",
    "ledbat_gain",
    "ledbat_queueing_delay",
    "ledbat_slowdown_time",
    "ledbat_utilisation",
]


DELTA = Symbol(r"\delta", "1/packets", "(0, inf)", (0.02, 0.5), "Weight of the delay (Copa)")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 10), "Equal flows at the link, of one round-trip time", integer=True)
TARGETS = Symbol("S", "packets", "(0, inf)", (20.0, 200.0), "Sum of 1/delta over all Copa flows, this one included")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (100.0, 1e5), "Capacity of the link")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 0.5), "Round-trip time, without queueing")
TARGET = Symbol("T", "s", "(0, inf)", (0.01, 0.1), "Target of the queueing delay (LEDBAT++): 0.06 s", default=0.06)


@law(
    source=f"{COPA}, section 2.1",
    result="d_q [s]",
    not_simulated="the centre of an oscillation; copa_mean_queue, its mean, is simulated",
)
def copa_queueing_delay(targets: TARGETS, capacity_packets: CAPACITY, *, xp):
    r"""Return the queueing delay [s] at which the target rates of Copa flows add up to the capacity of their link.

    .. math:: d_q = \frac{S}{\mu}, \qquad S = \sum_i \frac{1}{\delta_i}

    Every flow has the target rate 1/(delta d_q). A queue of S packets is the threshold between increase and decrease of
    the windows. The flows see the queue a round trip or more later, so it oscillates around 1.25 S packets.

    >>> copa_queueing_delay(4, 1000)
    0.004
    """
    return targets / capacity_packets


@law(
    source=f"{COPA}, section 2.1",
    result="x [1]; all shares together are 1",
    simulated=SimulatedBy("copa_share", {"delta": (0.04, 0.2), "targets": (40.0, 60.0)}, accuracy=0.015),
)
def copa_share(delta: DELTA, targets: TARGETS, *, xp):
    r"""Return the share of a link that a Copa flow gets beside other Copa flows.

    .. math:: x = \frac{1}{\delta S}, \qquad S = \sum_i \frac{1}{\delta_i}

    All flows see the same queueing delay, whatever their round-trip times are. It holds for S of at least 1/delta.

    >>> copa_share(0.1, 40)
    0.25
    """
    return 1 / (delta * targets)


@law(
    source=f"{COPA}, section 3",
    result="Q_max [packets]; the shortest queue is 0, and the period five round trips",
    not_simulated="the top of an oscillation; copa_mean_queue, its mean, is simulated",
)
def copa_largest_queue(flows: FLOWS, delta: DELTA, *, xp):
    r"""Return the longest queue [packets] of equal Copa flows.

    .. math:: Q_{max} = \frac{5}{2} \, \frac{N}{\delta}

    The queue grows by N/delta packets in a round trip (velocity 1). The windows change direction a round trip after the
    queue has passed N/delta packets, or, if the queue grows, one and a half round trips, because RTTstanding is
    the least round-trip time in half a round trip. It holds for bandwidth-delay products far above N/delta.

    >>> copa_largest_queue(2, 0.5)
    10.0
    """
    return 5 * flows / (2 * delta)


@law(
    source=f"{COPA}, section 3",
    result="Q [packets], the mean over the oscillation",
    simulated=SimulatedBy("copa_queue", {"flows": (2.0, 5.0), "delta": (0.04, 0.2)}, relative=0.06),
)
def copa_mean_queue(flows: FLOWS, delta: DELTA, *, xp):
    r"""Return the mean queue [packets] of equal Copa flows.

    .. math:: Q = \frac{5}{4} \, \frac{N}{\delta}

    Half of `copa_largest_queue`, because the queue rises and falls linearly. A single flow, whose window is in whole
    packets, changes its direction a part of a round trip earlier or later: its simulated mean queue is 0.88 to 1.16
    times the law for delta of 0.04 to 0.2.

    >>> copa_mean_queue(2, 0.5)
    5.0
    """
    return 5 * flows / (4 * delta)


LEAST = 2  # packets: the window in a slowdown


def _gain(round_trip_time: Any, target: Any, xp: Any) -> Any:
    """Return the number of packets by which a window grows in a round trip."""
    rounds = xp.ceil(2 * target / round_trip_time)
    return 1 / xp.minimum(rounds, 16 + 0 * rounds)


def _slowdown(capacity_packets: Any, round_trip_time: Any, target: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return a slowdown's duration [s], the part with a partly idle link [s], and the packets sent in that part."""
    gain = _gain(round_trip_time, target, xp)
    bdp = xp.maximum(capacity_packets * round_trip_time, LEAST + 0 * capacity_packets)
    ramp = round_trip_time * xp.log(bdp / LEAST) / xp.log(1 + gain)
    rest = round_trip_time + target - bdp / capacity_packets
    frozen = round_trip_time + target
    length = 2 * frozen + ramp + xp.maximum(rest, 0 * rest) / gain
    return length, frozen + ramp, LEAST * frozen / bdp * capacity_packets + (bdp - LEAST) / gain


@law(
    source=f"{LEDBAT_DRAFT}, section 4.2",
    result="G [packets], at most 1",
    not_simulated="a definition; ledbat_slowdown_time, which depends on it, is simulated",
)
def ledbat_gain(round_trip_time: ROUND_TRIP, target: TARGET = 0.06, *, xp):
    r"""Return the number of packets by which a LEDBAT++ window grows in a round trip.

    .. math:: G = \frac{1}{\min(16, \lceil 2 T / R \rceil)}

    The gain is 1 for round trips of at least twice the target, 1/16 for round trips below an eighth of the target.
    Derivatives ignore the jumps.

    >>> ledbat_gain(0.03), ledbat_gain(0.137), ledbat_gain(0.001)
    (0.25, 1.0, 0.0625)
    """
    return _gain(round_trip_time, target, xp)


@law(
    source=f"Ours, by the rules of {LEDBAT_DRAFT}, section 4.3",
    result="q [s], a little above the target",
    simulated=SimulatedBy(
        "ledbat_delay",
        {
            "flows": (1.0, 4.0),
            "capacity_packets": (1000.0, 5000.0),
            "round_trip_time": (0.005, 0.03),
            "target": (0.03, 0.06),
        },
        relative=0.02,
    ),
)
def ledbat_queueing_delay(
    flows: FLOWS, capacity_packets: CAPACITY, round_trip_time: ROUND_TRIP, target: TARGET = 0.06, *, xp
):
    r"""Return the queueing delay [s] of equal LEDBAT++ flows between their slowdowns.

    .. math::

        q = T + \frac{2 T G N / \mu}{T + R + \sqrt{(T + R)^2 + 4 T G N / \mu}}, \qquad
        G = \frac{1}{\min(16, \lceil 2 T / R \rceil)}

    The delay at which increase and decrease are equal: G = W (q/T - 1) with windows W = mu (R + q)/N. A change of the
    window is seen a round trip later, so the delay oscillates where R + T is above about pi/2 T.

    >>> round(ledbat_queueing_delay(4, 1000, 0.02), 5)
    0.0605
    """
    packet_time = target * _gain(round_trip_time, target, xp) * flows / capacity_packets
    total = target + round_trip_time
    return target + 2 * packet_time / (total + xp.sqrt(total * total + 4 * packet_time))


@law(
    source=f"Ours, by the rules of {LEDBAT_DRAFT}, sections 4.1 and 4.4",
    result="L [s]; a slowdown starts 9 L after the end of the one before",
    simulated=SimulatedBy(
        "ledbat_slowdown",
        {"capacity_packets": (1000.0, 5000.0), "round_trip_time": [0.005, 0.013, 0.035, 0.07, 0.14], "target": 0.06},
        relative=0.08,
    ),
)
def ledbat_slowdown_time(capacity_packets: CAPACITY, round_trip_time: ROUND_TRIP, target: TARGET = 0.06, *, xp):
    r"""Return the duration [s] of a slowdown of a LEDBAT++ flow that is alone on a link.

    .. math::

        L = 2 (R + T) + \frac{R \ln (B/2)}{\ln (1 + G)} + \frac{1}{G} \max\left(0, R + T - \frac{B}{\mu}\right), \qquad
        B = \max(\mu R, 2), \quad G = \frac{1}{\min(16, \lceil 2 T / R \rceil)}

    A slowdown begins at a window of mu (R + T). It consists of two round trips with 2 packets, slow start to the
    bandwidth-delay product, and slow start at the rate of the link until the queueing delay is the target. Fractions of
    packets, and the waiting times of a window sent in bursts, are neglected; simulated slowdowns are up to 6 % longer.

    >>> round(ledbat_slowdown_time(1250, 0.137), 2), round(ledbat_slowdown_time(1250, 0.001), 2)
    (1.33, 1.07)
    """
    return _slowdown(capacity_packets, round_trip_time, target, xp)[0]


@law(
    source=f"Ours, by the rules of {LEDBAT_DRAFT}, sections 4.1 and 4.4",
    result="U [1], at least 9/10",
    simulated=SimulatedBy(
        "ledbat_utilisation",
        {"capacity_packets": (1000.0, 5000.0), "round_trip_time": [0.005, 0.013, 0.035, 0.07, 0.14], "target": 0.06},
        accuracy=0.008,
    ),
)
def ledbat_utilisation(capacity_packets: CAPACITY, round_trip_time: ROUND_TRIP, target: TARGET = 0.06, *, xp):
    r"""Return the utilisation of a link by one LEDBAT++ flow, its slowdowns included.

    .. math::

        U = 1 - \frac{R + T}{10 L} \left(1 - \frac{2}{B}\right) - \frac{R}{10 L}
            \left(\frac{\ln (B/2)}{\ln (1 + G)} - \frac{B - 2}{G \mu R}\right), \qquad B = \max(\mu R, 2)

    The link is busy between slowdowns, and for R + T at the beginning of a slowdown, while the queue drains; then a
    window of 2 packets uses a share 2/B of the link for as long, and the slow start to the bandwidth-delay product
    sends (B - 2)/G packets. L is that of `ledbat_slowdown_time`. It holds for a link that is full between slowdowns, so
    for mu (R + T) above 2.

    >>> round(ledbat_utilisation(1250, 0.137), 3), round(ledbat_utilisation(1250, 0.001), 3)
    (0.93, 1.0)
    """
    length, partly, sent = _slowdown(capacity_packets, round_trip_time, target, xp)
    return 1 - (partly - sent / capacity_packets) / (10 * length)

"""Random early detection (RED): packets are marked or dropped with a probability that grows with the average queue.

The defaults are those of the paper. The options `gentle` and `wait` and the greatest probability at which packets are
marked are from ns-2.35 (red.cc).
"""

from __future__ import annotations

import math

from longfat.base import quantities
from longfat.base.domains import number
from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline, Parameter, flag
from longfat.sim.plugin.functions import is_full, mark, random

GREATEST_MARK = 0.1  # ns-2.35, red.cc, `mark_p_`: above this probability ECN-capable packets are dropped, too


# Floyd & Jacobson (1993), figure 2 and section 6: avg += w_q (q - avg) at each arrival. If the queue was empty for a
# time t, avg *= (1 - w_q)^(t/s), as if t/s packets had arrived at an empty queue; s is the transmission time of a
# packet of mean size.
@inline
def update_average(link, now):
    """Update the moving average of the backlog at an arrival."""
    idle = now - link.free_at
    if link.backlog > 0 or idle <= 0.0:
        link.average += link.weight * (link.backlog - link.average)
    else:
        packet_time = link.packet / link.rate
        link.average *= (1.0 - link.weight) ** (idle / packet_time) if packet_time > 0.0 else 0.0


# Floyd & Jacobson (1993), section 4: p_b = max_p (avg - min)/(max - min) between the thresholds, 1 above. ns-2.35,
# red.cc, `gentle_`: p_b grows from max_p to 1 between the upper threshold and twice the upper threshold.
@inline
def by_average(link):
    """Return p_b, the marking probability by the average queue alone."""
    if link.average < link.max_th:
        return link.max_p * (link.average - link.min_th) / (link.max_th - link.min_th)
    if link.gentle and link.average < 2.0 * link.max_th:
        return link.max_p + (1.0 - link.max_p) * (link.average - link.max_th) / link.max_th
    return 1.0


# Floyd & Jacobson (1993), section 7: p_a = p_b/(1 - count p_b), so that the number of packets between marks is uniform
# on 1 ... 1/p_b. ns-2.35, red.cc, `wait_`: p_a = 0 until count p_b >= 1, then p_b/(2 - count p_b), so that this number
# is uniform on 1/p_b ... 2/p_b.
@inline
def spread_out(link, probability):
    """Return p_a, the marking probability: p_b (`probability`), increased with the packets since the last mark."""
    expected = link.count * probability
    if probability >= 1.0:
        return 1.0
    if link.wait:
        return 0.0 if expected < 1.0 else probability / (2.0 - expected) if expected < 2.0 else 1.0
    return probability / (1.0 - expected) if expected < 1.0 else 1.0


def enqueue(link, packet, now):
    """Mark or drop the packet with the probability that follows from the average queue."""
    update_average(link, now)
    if link.average < link.min_th:
        link.count = -1
        return ENQUEUE
    probability = by_average(link)
    if is_full(link, packet, now):  # the buffer drops it, which counts as a drop here (ns-2.35, red.cc)
        link.count = 0
        return ENQUEUE
    link.count += 1
    if random(link) >= spread_out(link, probability):
        return ENQUEUE
    link.count = 0
    if link.ecn and probability <= GREATEST_MARK and mark(link, packet):
        return ENQUEUE
    return DROP


class _Red(Discipline):
    """Discipline that requires min_th < max_th."""

    def __post_init__(self) -> None:
        super().__post_init__()
        number("max_th", self.values["max_th"], "packets", f"({self.values['min_th']!r}, 1e15]")


red = _Red(
    "red",
    enqueue=enqueue,
    parameters={
        "min_th": Parameter(5.0, "packets", "[0, 1e15]", about="Average queue from which on packets are marked"),
        "max_th": Parameter(15.0, "packets", "(0, 1e15]", about="Average queue at which the probability reaches max_p"),
        "max_p": Parameter(0.02, "probability", "(0, 1]", about="Marking probability p_b at the upper threshold"),
        "weight": Parameter(0.002, "1", "(0, 1]", about="Weight w_q of a new sample in the average queue"),
        "gentle": flag(
            False,
            "Above `max_th`, raise the probability linearly to 1 at twice `max_th`; otherwise drop all packets there",
        ),
        "packet": Parameter(
            500.0,
            "bytes",
            "[1, 1e6]",
            about="Mean packet size, which decides how fast the average falls on an idle link",
        ),
        "ecn": flag(False, "Mark ECN-capable packets instead of dropping them, up to a probability of 0.1"),
        "wait": flag(False, "Let at least 1/p_b packets pass between two marks"),
    },
    state={"average": 0.0, "count": -1},  # moving average of the backlog [packets]; packets since the last mark
    needs_buffer=True,
    source='S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM '
    "Transactions on Networking 1(4), 1993, figure 2 and sections 4, 6 and 7, doi:10.1109/90.251892; ns-2.35, red.cc, "
    "for gentle, wait and the limit of marking",
)


def red_auto(
    rate: float | str, *, delay: float | str = 0.0, packet: float = 500, ecn: bool = False, wait: bool = True
) -> Discipline:
    """Return RED with the parameters that ns-2 derives from the link for a target queueing delay of 5 ms.

    With m = rate/packet: min_th = max(5, 2.5 ms m), max_th = 3 min_th, max_p = 0.1, weight = 1 - exp(-1/(10 r m)),
    where r = 3 (delay + 1/m), at least 0.1 s, stands for the round-trip time.

    Parameters
    ----------
    rate : float or str
        Rate of the link [bytes/s].
    delay : float or str
        Propagation delay of the link [s].
    packet : float
        Mean packet size [bytes].
    ecn, wait : bool
        Flags of `red`; ns-2 sets `wait`.

    Notes
    -----
    The thresholds count packets here; ns-2 counts bytes and divides by the mean size.

    Examples
    --------
    >>> red_auto("40 Mbit/s").values["min_th"]
    25.0

    References
    ----------
    ns-2.35, red.cc. S. Floyd, R. Gummadi and S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of
    RED's Active Queue Management", 2001, gives the reasons.
    """
    per_second = quantities.read("rate", rate, "bytes/s", "(0, inf)") / number("packet", packet, "bytes", "[1, 1e6]")
    round_trip = max(0.1, 3.0 * (quantities.read("delay", delay, "s", "[0, 1e6]") + 1.0 / per_second))
    min_th = max(5.0, 0.0025 * per_second)
    weight = -math.expm1(-1.0 / (10.0 * round_trip * per_second))
    return red(
        min_th=min_th, max_th=3.0 * min_th, max_p=0.1, weight=weight, gentle=True, packet=packet, ecn=ecn, wait=wait
    )

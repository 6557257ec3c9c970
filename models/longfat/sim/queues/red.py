"""Random early detection: packets are marked or dropped with a probability that grows with the average queue.

Floyd & Jacobson, IEEE/ACM ToN 1 (1993), fig. 2, with their defaults; from ns-2.35 (red.cc) come `gentle`, `wait` and
the greatest probability at which packets are marked.

>>> red(low=44, high=132, gentle=True).values["high"]
132.0
"""

from __future__ import annotations

import math

from longfat import quantities
from longfat.domains import number
from longfat.sim.jit import part
from longfat.sim.queues.discipline import DROP, ENQUEUE, Discipline, Parameter, flag
from longfat.sim.seam import is_full, mark, random

GREATEST_MARK = 0.1  # ns-2.35, `mark_p_`: above this probability packets are dropped that could be marked


@part
def update_average(link, now):
    """Take the backlog into the average; after an idle time t as if t/s empty queues had been seen (fig. 2).

    s is the transmission time of a packet of mean size.
    """
    idle = now - link.free_at
    if link.backlog > 0 or idle <= 0.0:
        link.average += link.weight * (link.backlog - link.average)
    else:
        packet_time = link.packet / link.rate
        link.average *= (1.0 - link.weight) ** (idle / packet_time) if packet_time > 0.0 else 0.0


@part
def by_average(link):
    """Return p_b, the probability by the average alone (sec. 4); `gentle`: it rises to 1 at twice the threshold."""
    if link.average < link.high:
        return link.max_p * (link.average - link.low) / (link.high - link.low)
    if link.gentle and link.average < 2.0 * link.high:
        return link.max_p + (1.0 - link.max_p) * (link.average - link.high) / link.high
    return 1.0


@part
def spread_out(link, probability):
    """Return p_a, which grows with the count of packets since the last mark, so that marks come evenly (sec. 7)."""
    expected = link.count * probability
    if probability >= 1.0:
        return 1.0
    if link.wait:  # ns-2.35: never two nearer to each other than 1/p_b packets
        return 0.0 if expected < 1.0 else probability / (2.0 - expected) if expected < 2.0 else 1.0
    return probability / (1.0 - expected) if expected < 1.0 else 1.0


def enqueue(link, packet, now):
    """Mark or drop by the average queue (fig. 2)."""
    update_average(link, now)
    if link.average < link.low:
        link.count = -1
        return ENQUEUE
    probability = by_average(link)
    if is_full(link, packet, now):  # dropped by the buffer, and that counts as a drop (ns-2.35, red.cc)
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
    """A discipline that refuses thresholds which are not low < high."""

    def __post_init__(self, *former: None) -> None:
        super().__post_init__(*former)
        number("high", self.values["high"], "packets", f"({self.values['low']!r}, 1e15]")


red = _Red(
    "red",
    enqueue=enqueue,
    parameters={
        "low": Parameter(5.0, "packets", "[0, 1e15]", about="average queue from which on packets are marked"),
        "high": Parameter(15.0, "packets", "(0, 1e15]", about="average queue of the greatest probability"),
        "max_p": Parameter(0.02, "probability", "(0, 1]", about="probability at the upper threshold"),
        "weight": Parameter(0.002, "1", "(0, 1]", about="of a new sample in the average"),
        "gentle": flag(False, "above `high` rise linearly to 1 at twice `high`, instead of dropping all"),
        "packet": Parameter(500.0, "bytes", "[1, 1e6]", about="mean size: how fast the average falls on an idle link"),
        "ecn": flag(False, "mark packets that can be marked instead of dropping them, up to a probability of 0.1"),
        "wait": flag(False, "let 1/p packets pass between marks"),
    },
    state={"average": 0.0, "count": -1},
    needs_buffer=True,
)


def red_auto(
    rate: float | str, *, delay: float | str = 0.0, packet: float = 500, ecn: bool = False, wait: bool = True
) -> Discipline:
    """Return random early detection as ns-2 configures it from the line, for a delay of 5 ms.

    With m = rate/packet: low = max(5, 2.5 ms m), high = 3 low, max_p = 0.1, weight = 1 - exp(-1/(10 r m)), where
    r = 3 (delay + 1/m) stands for the round trip, 0.1 s at least.

    Parameters
    ----------
    rate : float or str
        Of the line [bytes/s].
    delay : float or str
        Of the line [s].
    packet : float
        Mean size [bytes].
    ecn, wait : bool
        As of `red`; ns-2 waits.

    Returns
    -------
    Discipline
        A `red` with these numbers.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Notes
    -----
    The thresholds count packets here; ns-2 counts bytes and divides by the mean size.

    Examples
    --------
    >>> red_auto("40 Mbit/s").values["low"]
    25.0

    References
    ----------
    ns-2.35, red.cc; Floyd, Gummadi & Shenker, "Adaptive RED", 2001, sec. 5, for the reasons.
    """
    per_second = quantities.rate(rate, "rate") / number("packet", packet, "bytes", "[1, 1e6]")
    round_trip = max(0.1, 3.0 * (quantities.duration(delay, "delay", "[0, 1e6]") + 1.0 / per_second))
    low = max(5.0, 0.0025 * per_second)
    weight = -math.expm1(-1.0 / (10.0 * round_trip * per_second))
    return red(low=low, high=3.0 * low, max_p=0.1, weight=weight, gentle=True, packet=packet, ecn=ecn, wait=wait)

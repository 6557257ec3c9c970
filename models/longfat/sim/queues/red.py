"""Random early detection: packets are marked or dropped with a chance that grows with the average queue."""

from __future__ import annotations

import math

from longfat import quantities
from longfat.domains import number
from longfat.sim.queues.discipline import ADMIT, DROP, Discipline, flag
from longfat.sim.records import CE, ECT


def red_arrive(link, packet, header, now, rng):
    """Random early detection (schemes.md 16.5; Floyd & Jacobson 1993, fig. 2).

    p: weight, low, high, max_p, gentle, mean packet [bytes], ecn, wait. u: count since the last mark.
    """
    weight, low, high, most = link.p[0], link.p[1], link.p[2], link.p[3]
    idle = now - link.free * 1e-9
    full = idle < 0.0 and (link.waiting >= link.limit_packets or link.waiting_bytes + packet.length > link.limit_bytes)
    if link.waiting == 0 and idle > 0.0:
        # After idle time t the average has decayed as if t * mu empty arrivals had been seen.
        packet_time = 8.0 * link.p[5] * link.scale / link.rate
        link.average *= (1.0 - weight) ** (idle / packet_time) if packet_time > 0.0 else 0.0
    else:
        link.average += weight * (link.waiting - link.average)
    if link.average < low:
        link.u[0] = -1.0
        return ADMIT
    if link.average < high:
        chance = most * (link.average - low) / (high - low)
    elif link.p[4] > 0.0 and link.average < 2.0 * high:
        chance = most + (1.0 - most) * (link.average - high) / high  # gentle: rises to 1 at twice the threshold
    else:
        chance = 1.0
    if full:  # dropped by the buffer, and that counts as a drop (ns-2.35, red.cc)
        link.u[0] = 0.0
        return ADMIT
    link.u[0] += 1.0
    spread = link.u[0] * chance
    if chance >= 1.0:
        actual = 1.0
    elif link.p[7] > 0.0:  # ns's `wait`: never two in a row nearer than 1/chance
        actual = 0.0 if spread < 1.0 else chance / (2.0 - spread) if spread < 2.0 else 1.0
    else:
        actual = chance / (1.0 - spread) if spread < 1.0 else 1.0
    if rng.random() >= actual:
        return ADMIT
    link.u[0] = 0.0
    if link.p[6] > 0.0 and packet.marks & ECT and chance <= 0.1:
        packet.marks |= CE
        link.marked += 1
        return ADMIT
    return DROP


def red(
    *,
    low: float = 5,
    high: float = 15,
    max_p: float = 0.02,
    weight: float = 0.002,
    gentle: bool = False,
    packet: float = 500,
    ecn: bool = False,
    wait: bool = False,
) -> Discipline:
    """Random early detection; the defaults are the classic ones of 1993.

    Parameters
    ----------
    low, high : float
        Thresholds of the average queue [packets].
    max_p : float
        Marking probability at the upper one [probability].
    weight : float
        Of a new sample in the average [1].
    gentle : bool
        Above `high` rise linearly to 1 at twice `high`, instead of dropping all.
    packet : float
        Mean size [bytes]: how fast the average falls while the link is idle.
    ecn : bool
        Mark packets that say they can be marked, instead of dropping them, while the probability is at most 0.1.
    wait : bool
        ns's rule that lets 1/p packets pass between marks.

    Returns
    -------
    Discipline
        For ``link(..., discipline=)``.

    Raises
    ------
    ValueError
        For thresholds that are not 0 <= low < high, or values outside their ranges.

    Examples
    --------
    >>> red(low=44, high=132, gentle=True).parameters["high"]
    132.0

    References
    ----------
    Floyd & Jacobson, IEEE/ACM ToN 1 (1993); ns-2.35 for `gentle`, `wait` and the limit on marking.
    """
    low = number("low", low, "packets", "[0, 1e15]")
    high = number("high", high, "packets", f"({low:g}, 1e15]")
    return Discipline(
        "red",
        arrive=red_arrive,
        parameters={
            "weight": number("weight", weight, "1", "(0, 1]"),
            "low": low,
            "high": high,
            "max_p": number("max_p", max_p, "probability", "(0, 1]"),
            "gentle": flag("gentle", gentle),
            "packet": number("packet", packet, "bytes", "[1, 1e6]"),
            "ecn": flag("ecn", ecn),
            "wait": flag("wait", wait),
        },
        needs_buffer=True,
    )


def red_auto(
    rate: float | str, *, delay: float | str = 0.0, packet: float = 500, ecn: bool = False, wait: bool = True
) -> Discipline:
    """Random early detection as ns-2 configures it from the line: a target of 5 ms and a tenth at the upper threshold.

    With m = rate/packet: low = max(5, 2.5 ms m), high = 3 low, weight = 1 - exp(-1/(10 r m)), where r = 3 (delay + 1/m)
    stands for the round trip, 0.1 s at least.

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
    >>> red_auto("40 Mbit/s").parameters["low"]
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

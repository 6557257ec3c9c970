"""Random exponential marking: a price of the link grows with arrivals beyond its capacity and with the queue.

The price settles where as much arrives as the line carries and `target` packets wait, whatever that takes in marks:
the marking probability follows the price and not the queue (schemes.md 16.6).
"""

from __future__ import annotations

import math

from longfat import quantities
from longfat.domains import number
from longfat.sim.jit import part
from longfat.sim.queues.discipline import ADMIT, DROP, Discipline, flag
from longfat.sim.queues.line import capacity, finds_no_room
from longfat.sim.records import CE, ECT

# p
GAMMA, PHI, TARGET, WEIGHT, SMOOTHING, INTERVAL, PACKET, ECN = range(8)
# u: arrivals in this interval and their average [packets], the price, the probability that goes with it
ARRIVALS, INPUT, PRICE, PROBABILITY = range(4)


@part
def can_be_marked(link, packet):
    """Whether a mark will do instead of a drop."""
    return link.p[ECN] > 0.0 and packet.marks & ECT != 0


def rem_arrive(link, packet, header, now, rng):
    """Count, and drop with the probability of the price; what can be marked is marked when it departs."""
    link.u[ARRIVALS] += 1.0
    if can_be_marked(link, packet) or finds_no_room(link, packet, now):
        return ADMIT
    return DROP if rng.random() < link.u[PROBABILITY] else ADMIT


def rem_depart(link, packet, header, now, rng):
    """Mark at departure, by the price of now and not of the time at which the packet came."""
    if can_be_marked(link, packet) and rng.random() < link.u[PROBABILITY]:
        packet.marks |= CE
        link.marked += 1
    return 0


def rem_tick(link, now):
    """The next price."""
    link.u[INPUT] += link.p[SMOOTHING] * (link.u[ARRIVALS] - link.u[INPUT])
    link.u[ARRIVALS] = 0.0
    served = link.p[INTERVAL] * capacity(link) / link.p[PACKET]
    mismatch = link.u[INPUT] + link.p[WEIGHT] * (link.waiting - link.p[TARGET]) - served
    link.u[PRICE] = max(0.0, link.u[PRICE] + link.p[GAMMA] * mismatch)
    link.u[PROBABILITY] = -math.expm1(-link.u[PRICE] * math.log(link.p[PHI]))
    return now + link.p[INTERVAL]


def rem(
    *,
    gamma: float = 0.001,
    phi: float = 1.001,
    target: float = 20,
    weight: float = 0.1,
    smoothing: float = 1.0,
    interval: float | str = 0.002,
    packet: float = 1000,
    ecn: bool = False,
) -> Discipline:
    """Random exponential marking.

    Every `interval` the price becomes max(0, price + gamma (in + weight (q - target) - c)), where q packets wait, in
    have arrived and c could be sent meanwhile; the probability is 1 - phi^(-price).

    Parameters
    ----------
    gamma : float
        Step of the price [1/packet].
    phi : float
        Base of the probability [1].
    target : float
        Queue at which the price rests [packets].
    weight : float
        Of the queue beside the mismatch of the rates [1].
    smoothing : float
        Weight of an interval's arrivals in their moving average [1]; 1: none but the last interval counts.
    interval : float or str
        Between two prices [s].
    packet : float
        Mean size [bytes], which turns the line's rate into packets.
    ecn : bool
        Mark packets that say they can be marked, at their departure; others are dropped, at their arrival.

    Returns
    -------
    Discipline
        For ``link(..., discipline=)``.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Notes
    -----
    ns-2.35 lets packets pass that cannot be marked where it marks; here they are dropped with the same probability, as
    RFC 3168 (section 5) asks. Packets are counted: where their sizes differ much from `packet` the price rests at
    another load than 1.

    Examples
    --------
    >>> rem(target=50, ecn=True).parameters["target"]
    50.0

    References
    ----------
    Athuraliya, Low, Li & Yin, IEEE Network 15(3), 2001; ns-2.35 for the weight of 0.1.
    """
    return Discipline(
        "rem",
        service="departures" if flag("ecn", ecn) else "fifo",
        arrive=rem_arrive,
        depart=rem_depart if ecn else None,
        tick=rem_tick,
        parameters={
            "gamma": number("gamma", gamma, "1/packet", "(0, 1e3]"),
            "phi": number("phi", phi, "1", "(1, 1e6]"),
            "target": number("target", target, "packets", "[0, 1e15]"),
            "weight": number("weight", weight, "1", "[0, 1e3]"),
            "smoothing": number("smoothing", smoothing, "1", "(0, 1]"),
            "interval": quantities.duration(interval, "interval", "[1e-6, 1e6]"),
            "packet": number("packet", packet, "bytes", "[1, 1e6]"),
            "ecn": flag("ecn", ecn),
        },
        needs_buffer=True,
    )

"""The router of XCP: it tells every packet by how much its sender's window shall change (schemes.md 10.1).

Efficiency and fairness are apart. Once a control interval, about a round trip, the *aggregate* change follows from
spare capacity and standing queue. It is shared so that an increase adds equally to all flows' rates and a decrease
takes from each in proportion; where little has to change, some is taken and given all the same: that evens out rates.

Here the law is that of rates, as in ns-2, and what a packet is told is the change of rate times its round trip [bytes].
"""

from __future__ import annotations

import math

from longfat import quantities
from longfat.domains import number
from longfat.sim.jit import part
from longfat.sim.queues.discipline import ADMIT, Discipline
from longfat.sim.queues.line import capacity
from longfat.sim.records import DATA, STAMPED

# What the header says: round trip [s] (0: not known yet), window [bytes], change of the window [bytes], and UNHEEDED,
# or HEEDED once a router has spoken; anything else belongs to another scheme.
ROUND_TRIP, WINDOW, CHANGE, WHOSE = range(4)
UNHEEDED, HEEDED = -1.0, -2.0
# p
ALPHA, BETA, GAMMA, INTERVAL = range(4)
# u of this control interval: bytes; sums of rtt s/cwnd [s] and of rtt (rtt s/cwnd) [s^2]; its beginning and end [s].
BYTES, SPACINGS, WEIGHTED, BEGAN, ENDS = range(5)
# What the last one left: mean round trip [s]; rates still to be given and taken [bytes/s], and how much of it for each
# second of spacing, and for each byte.
MEAN, GIVE, TAKE, GAIN, TOLL = range(5, 10)
# Of the queue intervals: the standing queue, the least queue so far [bytes], the end [s].
STANDING, LEAST, LOOKS = range(10, 13)

SHORTEST, LONGEST, SHORTEST_LOOK = 0.001, 1.0, 0.002  # s


@part
def on_the_clock(time):
    """A time as the clock will show it, in whole nanoseconds: both kinds of intervals often end together."""
    return int(time * 1e9 + 0.5) * 1e-9


@part
def heeds(packet, header):
    """Whether the packet takes part, and its sender knows its round trip."""
    stamped = packet.kind == DATA and packet.marks & STAMPED != 0
    ours = header.x[WHOSE] == UNHEEDED or header.x[WHOSE] == HEEDED
    return stamped and ours and header.x[ROUND_TRIP] > 0.0 and header.x[WINDOW] > 0.0


@part
def spacing(packet, header):
    """Time between bytes, times the packet's: rtt s/cwnd, which sums up to the interval once for every flow."""
    return header.x[ROUND_TRIP] * packet.length / header.x[WINDOW]


def xcp_arrive(link, packet, header, now, rng):
    """Rule 1: what the control interval has to know."""
    link.u[BYTES] += packet.length
    if heeds(packet, header):
        own = spacing(packet, header)
        link.u[SPACINGS] += own
        link.u[WEIGHTED] += min(header.x[ROUND_TRIP], LONGEST) * own
    return ADMIT


def xcp_depart(link, packet, header, now, rng):
    """Rules 3 and 4: the packet's share, as far as there is still something to give and to take."""
    link.u[LEAST] = min(link.u[LEAST], float(link.waiting_bytes))
    if not heeds(packet, header) or link.scale == 0:
        return 0
    more = min(link.u[GIVE], link.u[GAIN] * spacing(packet, header))
    less = min(link.u[TAKE], link.u[TOLL] * packet.length)
    asked = header.x[CHANGE] / header.x[ROUND_TRIP]
    if asked >= more - less:
        header.x[CHANGE] = (more - less) * header.x[ROUND_TRIP]
    else:  # another router gives less: that counts as taken here, as far as that goes (ns-2.35)
        less = min(link.u[TAKE], less + (more - less - asked))
        more = asked + less
    header.x[WHOSE] = HEEDED
    link.u[GIVE] = max(0.0, link.u[GIVE] - more)
    link.u[TAKE] = max(0.0, link.u[TAKE] - less)
    if link.u[GIVE] == 0.0:
        link.u[GAIN] = 0.0
    if link.u[TAKE] == 0.0:
        link.u[TOLL] = 0.0
    return 0


@part
def control(link, now, rate):
    """Rule 2: the end of a control interval."""
    length = now - link.u[BEGAN]
    arrived, spacings = link.u[BYTES], link.u[SPACINGS]
    mean = link.u[WEIGHTED] / spacings if spacings > 0.0 else link.p[INTERVAL]
    give, take = 0.0, 0.0
    if arrived > 0.0 and length > 0.0:
        change = link.p[ALPHA] * (rate - arrived / length) - link.p[BETA] * link.u[STANDING] / mean
        shuffled = max(0.0, link.p[GAMMA] * arrived / length - abs(change))
        give, take = shuffled + max(0.0, change), shuffled + max(0.0, -change)
    link.u[GIVE], link.u[TAKE] = give, take
    link.u[GAIN] = give / spacings if spacings > 0.0 else 0.0
    link.u[TOLL] = take / arrived if arrived > 0.0 else 0.0
    link.u[BYTES], link.u[SPACINGS], link.u[WEIGHTED] = 0.0, 0.0, 0.0
    link.u[MEAN] = mean
    link.u[BEGAN] = now
    link.u[ENDS] = on_the_clock(now + max(mean, SHORTEST))


def xcp_tick(link, now):
    """The ends of control intervals and of queue intervals."""
    rate = capacity(link)
    if rate == math.inf:  # nothing waits for such a line, and there is no share of it
        return math.inf
    if link.u[MEAN] == 0.0:  # the beginning
        link.u[MEAN] = link.p[INTERVAL]
        link.u[BEGAN] = now
        link.u[ENDS] = on_the_clock(now + link.p[INTERVAL])
        link.u[LOOKS] = link.u[ENDS]
    if now >= link.u[LOOKS]:
        link.u[STANDING], link.u[LEAST] = link.u[LEAST], float(link.waiting_bytes)
        drained = link.u[MEAN] - link.waiting_bytes / rate
        link.u[LOOKS] = on_the_clock(now + max(SHORTEST_LOOK, drained / 2.0))
    if now >= link.u[ENDS]:
        control(link, now, rate)
    return min(link.u[ENDS], link.u[LOOKS])


def xcp(*, alpha: float = 0.4, beta: float = 0.226, gamma: float = 0.1, interval: float | str = 0.05) -> Discipline:
    """The router of the explicit control protocol, for flows of the scheme "xcp"; drop-tail for others.

    Rates change together by alpha (C - y) - beta Q/d in a control interval: capacity C, arrivals y [bytes/s], standing
    queue Q [bytes], mean round trip d [s].

    Parameters
    ----------
    alpha : float
        Share of the spare capacity that is given [1].
    beta : float
        Share of the standing queue that is taken [1].
    gamma : float
        Share of the arrivals that is taken and given anew where little changes [1].
    interval : float or str
        First control interval, and while no packet tells its round trip [s].

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
    Control intervals last a mean round trip d, between 1 ms and 1 s; the standing queue is the least one of an interval
    of (d - q/C)/2, 2 ms at least. A flow's linearised loop is stable for any delay where 0 < alpha < pi/(4 sqrt 2) and
    beta = alpha^2 sqrt 2. The clocks of all routers begin at 0; ns-2 begins each at random.

    Examples
    --------
    >>> xcp(gamma=0.2).parameters["gamma"]
    0.2

    References
    ----------
    Katabi, Handley & Rohrs, SIGCOMM 2002, sec. 3.5; ns-2.35 for intervals and budgets.
    """
    return Discipline(
        "xcp",
        service="departures",
        arrive=xcp_arrive,
        depart=xcp_depart,
        tick=xcp_tick,
        parameters={
            "alpha": number("alpha", alpha, "1", "(0, 2]"),
            "beta": number("beta", beta, "1", "[0, 2]"),
            "gamma": number("gamma", gamma, "1", "[0, 1]"),
            "interval": quantities.duration(interval, "interval", "[1e-3, 1]"),
        },
        needs_buffer=True,
    )

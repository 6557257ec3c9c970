"""The router of XCP: it tells every packet by how much its sender's window shall change.

Efficiency and fairness are apart. Once a control interval, about a round trip, rates together change by
alpha (C - y) - beta Q/d: capacity C, arrivals y [bytes/s], standing queue Q [bytes], mean round trip d [s]. That is
shared so that an increase adds equally to all flows' rates and a decrease takes from each in proportion; where little
has to change, some is taken and given all the same: that evens out rates. The law is that of rates, as in ns-2, and
what a packet is told is the change of rate times its round trip [bytes]. For flows of other schemes it is drop-tail.

Control intervals last d, between 1 ms and 1 s; the standing queue is the least one of an interval of (d - q/C)/2, 2 ms
at least. A flow's linearised loop is stable for any delay where 0 < alpha < pi/(4 sqrt 2) and beta = alpha^2 sqrt 2.
The clocks of all routers begin at 0; ns-2 begins each at random.

Katabi, Handley & Rohrs, SIGCOMM 2002, sec. 3.5; ns-2.35 for intervals and budgets.

>>> xcp(gamma=0.2).values["gamma"]
0.2
"""

import math

from longfat.sim.jit import part
from longfat.sim.queues.discipline import ENQUEUE, SEND, Discipline, Parameter
from longfat.sim.records import DATA, STAMPED

# What the header says: round trip [s] (0: not known yet), window [bytes], change of the window [bytes], and UNHEEDED,
# or HEEDED once a router has spoken; anything else belongs to another scheme.
ROUND_TRIP, WINDOW, CHANGE, WHOSE = range(4)
UNHEEDED, HEEDED = -1.0, -2.0

SHORTEST, LONGEST, SHORTEST_LOOK = 0.001, 1.0, 0.002  # s


@part
def on_the_clock(time):
    """Return a time as the clock will show it, in whole nanoseconds: both kinds of intervals often end together."""
    return int(time * 1e9 + 0.5) * 1e-9


@part
def heeds(packet):
    """Return whether the packet takes part, and its sender knows its round trip."""
    stamped = packet.kind == DATA and packet.marks & STAMPED != 0
    ours = packet.header[WHOSE] == UNHEEDED or packet.header[WHOSE] == HEEDED
    return stamped and ours and packet.header[ROUND_TRIP] > 0.0 and packet.header[WINDOW] > 0.0


@part
def spacing(packet):
    """Return the time between bytes, times the packet's: rtt s/cwnd, which sums up to the interval for every flow."""
    return packet.header[ROUND_TRIP] * packet.size / packet.header[WINDOW]


def enqueue(link, packet, now):
    """Add up what the control interval has to know (sec. 3.5.1 and 3.5.2)."""
    link.bytes += packet.size
    if heeds(packet):
        own = spacing(packet)
        link.spacings += own
        link.weighted += min(packet.header[ROUND_TRIP], LONGEST) * own
    return ENQUEUE


def dequeue(link, packet, now):
    """Tell the packet its share, as far as there is still something to give and to take (sec. 3.5.2)."""
    link.least = min(link.least, float(link.backlog_bytes))
    if not heeds(packet) or link.rate == math.inf:
        return SEND
    header = packet.header
    more = min(link.give, link.gain * spacing(packet))
    less = min(link.take, link.toll * packet.size)
    asked = header[CHANGE] / header[ROUND_TRIP]
    if asked >= more - less:
        header[CHANGE] = (more - less) * header[ROUND_TRIP]
    else:  # another router gives less: that counts as taken here, as far as that goes (ns-2.35)
        less = min(link.take, less + (more - less - asked))
        more = asked + less
    header[WHOSE] = HEEDED
    link.give = max(0.0, link.give - more)
    link.take = max(0.0, link.take - less)
    if link.give == 0.0:
        link.gain = 0.0
    if link.take == 0.0:
        link.toll = 0.0
    return SEND


@part
def control(link, now):
    """End a control interval: what may be given and taken in the next one (sec. 3.5.1, 3.5.2)."""
    length = now - link.began
    link.mean = link.weighted / link.spacings if link.spacings > 0.0 else link.interval
    link.give, link.take = 0.0, 0.0
    if link.bytes > 0 and length > 0.0:
        arrivals = link.bytes / length
        change = link.alpha * (link.rate - arrivals) - link.beta * link.standing / link.mean
        shuffled = max(0.0, link.gamma * link.bytes / length - abs(change))
        link.give, link.take = shuffled + max(0.0, change), shuffled + max(0.0, -change)
    link.gain = link.give / link.spacings if link.spacings > 0.0 else 0.0
    link.toll = link.take / link.bytes if link.bytes > 0 else 0.0
    link.bytes, link.spacings, link.weighted = 0, 0.0, 0.0
    link.began = now
    link.ends = on_the_clock(now + max(link.mean, SHORTEST))


def tick(link, now):
    """End control intervals and queue intervals."""
    if link.rate == math.inf:  # nothing waits for such a line, and there is no share of it
        return math.inf
    if link.mean == 0.0:  # the beginning
        link.mean = link.interval
        link.began = now
        link.ends = link.looks = on_the_clock(now + link.interval)
    if now >= link.looks:
        link.standing, link.least = link.least, float(link.backlog_bytes)
        drained = link.mean - link.backlog_bytes / link.rate
        link.looks = on_the_clock(now + max(SHORTEST_LOOK, drained / 2.0))
    if now >= link.ends:
        control(link, now)
    return min(link.ends, link.looks)


xcp = Discipline(
    "xcp",
    service="departures",
    enqueue=enqueue,
    dequeue=dequeue,
    tick=tick,
    parameters={
        "alpha": Parameter(0.4, "1", "(0, 2]", about="share of the spare capacity that is given"),
        "beta": Parameter(0.226, "1", "[0, 2]", about="share of the standing queue that is taken"),
        "gamma": Parameter(0.1, "1", "[0, 1]", about="share of the arrivals that is taken and given anew"),
        "interval": Parameter(0.05, "s", "[1e-3, 1]", about="control interval while no packet tells its round trip"),
    },
    state={
        # this control interval: bytes; sums of rtt s/cwnd [s] and of rtt (rtt s/cwnd) [s^2]; its beginning and end [s]
        "bytes": 0, "spacings": 0.0, "weighted": 0.0, "began": 0.0, "ends": 0.0,
        # what the last one left: mean round trip [s]; rates still to be given and taken [bytes/s], and how much of it
        # for each second of spacing, and for each byte
        "mean": 0.0, "give": 0.0, "take": 0.0, "gain": 0.0, "toll": 0.0,
        # queue intervals: the standing queue, the least queue so far [bytes], the end [s]
        "standing": 0.0, "least": 0.0, "looks": 0.0,
    },
    needs_buffer=True,
)  # fmt: skip

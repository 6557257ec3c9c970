"""XCP router: it writes the change of the sender's window into every packet.

Efficiency and fairness are controlled separately.

* Efficiency controller (section 3.5.1): once a control interval, about one round-trip time, the aggregate rate is to
  change by alpha (C - y) - beta Q/d, with the capacity C and the input y [bytes/s], the persistent queue Q [bytes] and
  the mean round-trip time d [s].
* Fairness controller (section 3.5.2): an increase is shared equally among the flows, a decrease in proportion to their
  rates; a share gamma of the input is redistributed in this way even if the aggregate need not change (shuffling).

As in ns-2.35, the control law is computed in rates; the feedback in a packet is the change of rate times the packet's
round-trip time [bytes]. Control intervals last d, between 1 ms and 1 s; the persistent queue is the least backlog in an
interval of (d - q/C)/2, with the backlog q at its start, but at least 2 ms. Section 4: the linearised system is stable
for any delay and any number of flows if 0 < alpha < pi/(4 sqrt 2) and beta = alpha^2 sqrt 2.

Our choice: the control intervals of all routers begin at time 0 (ns-2.35 draws the time at random); packets of other
schemes are queued by drop-tail.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA, STAMPED
from longfat.sim.plugin.discipline import ENQUEUE, SEND, Discipline, Parameter
from longfat.sim.plugin.feedback import CHANGE, HEEDED, OWNER, ROUND_TRIP, UNHEEDED, WINDOW

# ns-2.35, xcpq.cc: shortest control interval [s], longest round-trip time that enters the mean [s], and shortest
# interval over which the least queue is taken [s].
SHORTEST, LONGEST, SHORTEST_QUEUE_INTERVAL = 0.001, 1.0, 0.002


@inline
def on_the_clock(time):
    """Return a time [s] rounded to nanoseconds, so that equal ends of intervals are equal numbers."""
    return int(time * 1e9 + 0.5) * 1e-9


@inline
def heeds(packet):
    """Return whether the packet is a data packet of an XCP sender that has measured its round-trip time."""
    stamped = packet.kind == DATA and packet.flags & STAMPED != 0
    ours = packet.header[OWNER] == UNHEEDED or packet.header[OWNER] == HEEDED
    return stamped and ours and packet.header[ROUND_TRIP] > 0.0 and packet.header[WINDOW] > 0.0


# Katabi et al. (2002), section 3.5.2: rtt * size / cwnd, summed over the packets of one flow in a control interval, is
# the length of this interval.
@inline
def spacing(packet):
    """Return the mean time between two packets of the flow [s], rtt * size / cwnd."""
    return packet.header[ROUND_TRIP] * packet.size / packet.header[WINDOW]


# Katabi et al. (2002), sections 3.5.1 and 3.5.2: add the packet to the sums for the interval's input, mean round-trip
# time and rtt * size / cwnd. ns-2.35, xcpq.cc: round-trip times above 1 s count as 1 s.
@inline
def add_to_sums(link, packet):
    """Add the packet to the sums of the control interval."""
    link.bytes += packet.size
    if heeds(packet):
        own = spacing(packet)
        link.spacings += own
        link.weighted += min(packet.header[ROUND_TRIP], LONGEST) * own


def enqueue(link, packet, now):
    """Count the packet as input of the link."""
    add_to_sums(link, packet)
    return ENQUEUE


# Katabi et al. (2002), section 3.5.2: feedback = p_i - n_i, with p_i proportional to rtt^2 * size / cwnd and n_i to rtt
# * size. A packet keeps the smallest feedback of its path. ns-2.35, xcpq.cc: the feedback of each packet is subtracted
# from the budgets of the interval.
@inline
def write_feedback(link, packet):
    """Write the feedback into the packet, limited by the remaining budgets of the control interval."""
    header = packet.header
    more = min(link.give, link.gain * spacing(packet))
    less = min(link.take, link.toll * packet.size)
    asked = header[CHANGE] / header[ROUND_TRIP]
    if asked >= more - less:
        header[CHANGE] = (more - less) * header[ROUND_TRIP]
    else:  # a previous router allows less: count the difference as a decrease, within the budget (ns-2.35)
        less = min(link.take, less + (more - less - asked))
        more = asked + less
    header[OWNER] = HEEDED
    link.give = max(0.0, link.give - more)
    link.take = max(0.0, link.take - less)
    if link.give == 0.0:
        link.gain = 0.0
    if link.take == 0.0:
        link.toll = 0.0


def dequeue(link, packet, now):
    """Update the least backlog of the queue interval, and write the feedback into the packet."""
    link.least = min(link.least, float(link.backlog_bytes))
    if heeds(packet) and link.rate < math.inf:
        write_feedback(link, packet)
    return SEND


# Katabi et al. (2002), sections 3.5.1 and 3.5.2: phi = alpha (C - y) - beta Q/d and h = max(0, gamma y - |phi|), here
# in bytes/s. The budget of increases is h + max(phi, 0), the budget of decreases is h + max(-phi, 0).
@inline
def set_budgets(link, capacity, length):
    """Compute the budgets of the next control interval from the sums of the last one, which took `length` [s]."""
    link.give, link.take = 0.0, 0.0
    if link.bytes > 0 and length > 0.0:
        arrivals = link.bytes / length
        change = link.alpha * (capacity - arrivals) - link.beta * link.standing / link.mean
        shuffled = max(0.0, link.gamma * link.bytes / length - abs(change))
        link.give, link.take = shuffled + max(0.0, change), shuffled + max(0.0, -change)
    link.gain = link.give / link.spacings if link.spacings > 0.0 else 0.0
    link.toll = link.take / link.bytes if link.bytes > 0 else 0.0
    link.bytes, link.spacings, link.weighted = 0, 0.0, 0.0


def tick(link, now):
    """End control intervals and queue intervals that are over; return the end of the next interval [s]."""
    if link.rate == math.inf:  # such a link has no queue and no capacity to share
        return math.inf
    if link.mean == 0.0:  # first call
        link.mean = link.interval
        link.began = now
        link.ends = link.queue_ends = on_the_clock(now + link.interval)
    if now >= link.queue_ends:
        link.standing, link.least = link.least, float(link.backlog_bytes)
        drained = link.mean - link.backlog_bytes / link.rate
        link.queue_ends = on_the_clock(now + max(SHORTEST_QUEUE_INTERVAL, drained / 2.0))
    if now >= link.ends:
        link.mean = link.weighted / link.spacings if link.spacings > 0.0 else link.interval
        set_budgets(link, link.rate, now - link.began)
        link.began = now
        link.ends = on_the_clock(now + max(link.mean, SHORTEST))
    return min(link.ends, link.queue_ends)


xcp = Discipline(
    "xcp",
    service="departures",
    enqueue=enqueue,
    dequeue=dequeue,
    tick=tick,
    parameters={
        "alpha": Parameter(
            0.4, "1", "(0, 2]", about="Share of the spare capacity that is allotted in a control interval"
        ),
        "beta": Parameter(
            0.226, "1", "[0, 2]", about="Share of the persistent queue that is drained in a control interval"
        ),
        "gamma": Parameter(0.1, "1", "[0, 1]", about="Share of the input that is redistributed among the flows"),
        "interval": Parameter(
            0.05, "s", "[1e-3, 1]", about="Control interval while no packet carries a round-trip time"
        ),
    },
    state={
        # Sums of this control interval: `bytes`, the input [bytes]; `spacings`, the sum of rtt * size / cwnd [s];
        # `weighted`, the sum of rtt^2 * size / cwnd [s^2]. The interval lasts from `began` to `ends` [s].
        "bytes": 0, "spacings": 0.0, "weighted": 0.0, "began": 0.0, "ends": 0.0,
        # Computed at the end of the previous interval: `mean`, the mean round-trip time [s]; `give` and `take`, the
        # remaining budgets of increases and of decreases [bytes/s]; `gain`, the increase for each second of rtt * size
        # / cwnd; `toll`, the decrease for each byte.
        "mean": 0.0, "give": 0.0, "take": 0.0, "gain": 0.0, "toll": 0.0,
        # `standing` is the persistent queue [bytes]; `least` is the least queue so far in this queue interval [bytes],
        # which ends at `queue_ends` [s].
        "standing": 0.0, "least": 0.0, "queue_ends": 0.0,
    },
    needs_buffer=True,
    source='D. Katabi, M. Handley and C. Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks", '
    "SIGCOMM 2002, section 3.5, doi:10.1145/633025.633035; ns-2.35, xcpq.cc, for intervals and budgets",
)  # fmt: skip

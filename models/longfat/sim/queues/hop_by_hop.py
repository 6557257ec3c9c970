"""Hop by hop: every switch tells the one before it how fast it serves a flow and how much of it waits.

The one before sends the flow at the rate that keeps the other's queue at a set point (`longfat.sim.feedback`):
lambda = mu + g (B - max(0, n + s - mu h))/h, with the rate of service mu and the backlog n that the next switch told,
and the s packets sent in the h that news and packets take from one to the other and back. So what is too much at a
bottleneck waits upstream of it, one hop after the other, and at last in the source. Feedback costs a packet each on the
line back. What leaves the last switch of a path is not held back. Mishra & Kanakia, SIGCOMM 1992; gain and set point
are ours.

Feedback says how much of what was sent has not been served at its moment, as the backlog less the number of the next
packet to come; so who gets it adds the number of the next packet that it will send, and has what waits and what is on
its way. And it says when a packet had to leave upstream to arrive at that moment: the loop begins then.

Flows of other schemes are served fairly, at any rate. On the first line of a path the discipline makes the sender's own
node part of the scheme; without, the sender's line serves in order and the first switch tells the sender itself.
Connections that arrive one after the other (`longfat.sim.traffic.arrivals`) share one queue and its rate.

>>> hop_by_hop(every=5).values["every"]
5.0
"""

import math

from longfat.sim.feedback import SHORTEST_DELAY, limited_at_start, predicted_rate
from longfat.sim.jit import part
from longfat.sim.queues.discipline import ENQUEUE, SEND, Discipline, Integer, Parameter
from longfat.sim.queues.flow_service import SERVED, service_rate, take_departure
from longfat.sim.records import DATA, STAMPED
from longfat.sim.seam import flow_state, queue_of

# What the header of a packet says: when it left the switch before [s], 0 for its source; the rate at which a flow
# begins [bytes/s]; nothing; and whose header it is. The last holds for feedback, too, whose fields are:
LEFT, START_RATE, _, WHOSE = range(4)
OWED, RATE, MOMENT = range(3)  # see above; bytes/s; s
OURS = -4.0


@part
def takes_part(packet):
    """Return whether it is a data packet of a flow of this scheme."""
    return packet.kind == DATA and packet.marks & STAMPED != 0 and packet.header[WHOSE] == OURS


@part
def tell(link, flow, queue, backlog, now):
    """Send feedback if it is time: after `every` departures, or the round trip of the hop if that is sooner.

    What goes on is served no faster than its own rate.
    """
    if flow.departures < link.every and now < flow.told_at + 2.0 * flow.took:
        return
    flow.departures = 0
    flow.told_at = now
    link.feedback[OWED] = float(backlog - flow.expected)
    link.feedback[RATE] = min(queue.rate, service_rate(link, flow, queue))
    link.feedback[MOMENT] = now - flow.took
    link.feedback[WHOSE] = OURS
    link.send_feedback = 1


def feedback(link, packet, now):
    """Give the flow the rate at which the next switch is sent to from now on."""
    queue, flow = queue_of(link, packet), flow_state(link, packet.flow)
    size = abs(flow.served_size)
    if size == 0 or packet.header[WHOSE] != OURS:
        return 0
    loop = max(now - packet.header[MOMENT], size / link.rate, SHORTEST_DELAY)
    service, owed = packet.header[RATE] / size, packet.header[OWED]
    rate = predicted_rate(service, owed, float(flow.next), loop, link.gain, link.set_point)
    queue.rate = min(link.rate, limited_at_start(flow, rate, now, loop) * size)
    return 0


def enqueue(link, packet, now):
    """Note what comes, and when it left the switch before; where the path begins the rate does, too."""
    if not takes_part(packet):
        return ENQUEUE
    queue, flow = queue_of(link, packet), flow_state(link, packet.flow)
    left = packet.header[LEFT] if packet.header[LEFT] > 0.0 else packet.sent
    flow.took = now - left
    flow.expected = packet.transmission + 1
    if not flow.seen:
        flow.seen = True
        flow.departures = int(link.every)  # it is time for feedback
        if now == left:  # the sender's own node: this is where the rate begins and doubles
            flow.limit = packet.header[START_RATE] / packet.size
            queue.rate = packet.header[START_RATE]
    tell(link, flow, queue, queue.packets + 1, now)
    return ENQUEUE


def dequeue(link, packet, now):
    """Count it, and stamp it for the next switch."""
    if packet.kind != DATA:
        return SEND
    queue, flow = queue_of(link, packet), flow_state(link, packet.flow)
    take_departure(flow, queue, packet, now)
    if flow.seen and takes_part(packet):
        packet.header[LEFT] = now
        flow.next = packet.transmission + 1
        flow.departures += 1
        tell(link, flow, queue, queue.packets, now)
    return SEND


hop_by_hop = Discipline(
    "hop-by-hop",
    service="rated",
    enqueue=enqueue,
    dequeue=dequeue,
    feedback=feedback,
    parameters={
        "set_point": Parameter(10.0, "packets", "[0, 1e6]", about="B, what shall wait at the next switch"),
        "gain": Parameter(0.5, "1", "(0, 1]", about="g, share of what lacks there that is made good in a loop"),
        "every": Integer(10.0, "packets", "[1, 1e9]", about="feedback goes after so many departures, or a round trip"),
    },
    # Whether the flow has been seen; numbers of the next packet to come and of the next one to be sent; departures
    # since the last feedback, and when that was [s]; what the last packet took from the switch before [s].
    flow_state={
        "seen": False, "expected": 0, "next": 0, "departures": 0, "told_at": 0.0, "took": 0.0,
        "limit": math.inf, "doubles": 0.0, **SERVED,
    },
    needs_buffer=True,
    hop_by_hop=True,
)  # fmt: skip

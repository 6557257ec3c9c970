"""Hop-by-hop rate control: each switch reports service rate and backlog of every flow to the previous switch.

The upstream switch sends the flow at a rate lambda that brings the neighbour's backlog to the set point B
(`sim.plugin.feedback`): lambda = mu + g (B - max(0, n + s - mu h))/h, with the gain g, the service rate mu and the
backlog n of the feedback, and the number s of packets sent during the last round-trip time h of the hop. The excess
load of a bottleneck is therefore queued upstream of it, hop by hop, and finally at the source. Each feedback message is
a packet on the reverse link. The last switch of a path is not rate-limited.

Our choice, because the paper could not be consulted: gain, set point and feedback interval.

Feedback contains (our choice) the backlog minus the number of the next packet that will arrive. The receiver of the
feedback adds the number of the next packet that it will send, and so obtains the backlog plus the packets in flight on
the hop. Feedback also contains the time at which a packet that arrives now left the upstream switch: the hop's round
trip is measured from that time.

Flows of other schemes are served fairly, without a limit of their rates. If the first link of a path has this
discipline, the sender's own node is part of the scheme; otherwise the first switch sends its feedback to the sender.
Connections that arrive one after the other (`longfat.sim.traffic.arrivals`) share one queue and its rate.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin import feedback as fields
from longfat.sim.plugin.discipline import ENQUEUE, SEND, Discipline, Parameter
from longfat.sim.plugin.feedback import SHORTEST_DELAY, belongs, limited_at_start, predicted_rate
from longfat.sim.plugin.functions import flow_state, queue_of
from longfat.sim.switch.explicit_feedback import SERVICE_STATE, record_departure, service_rate
from longfat.sim.switch.rate_controlled import RATE_CONTROLLED


# Our choice: feedback is sent after `every` departures of the flow or one round trip of the hop, whichever is sooner.
# The reported service rate is at most the rate at which this switch itself may send the flow.
@inline
def send_feedback(link, flow, queue, backlog, now):
    """Send feedback to the upstream switch if it is due."""
    if flow.departures < link.every and now < flow.reported_at + 2.0 * flow.hop_delay:
        return
    flow.departures = 0
    flow.reported_at = now
    link.feedback[fields.BALANCE] = float(backlog - flow.expected)
    link.feedback[fields.RATE] = min(queue.rate, service_rate(link, flow, queue))
    link.feedback[fields.TIME] = now - flow.hop_delay
    link.feedback[fields.OWNER] = fields.OF_HOP_BY_HOP
    link.send_feedback = 1


# Mishra & Kanakia (1992): the rate of a hop follows from service rate and backlog at the next switch.
def feedback(link, packet, now):
    """Set the flow's rate on this link from the feedback of the next switch."""
    queue, flow = queue_of(link, packet), flow_state(link, packet.flow)
    size = abs(flow.departed_size)
    if size == 0 or packet.header[fields.OWNER] != fields.OF_HOP_BY_HOP:
        return 0
    delay = max(now - packet.header[fields.TIME], size / link.rate, SHORTEST_DELAY)
    service, balance = packet.header[fields.RATE] / size, packet.header[fields.BALANCE]
    rate = predicted_rate(service, balance, float(flow.next), delay, link.gain, link.set_point)
    queue.rate = min(link.rate, limited_at_start(flow, rate, now, delay) * size)
    return 0


def enqueue(link, packet, now):
    """Record the arrival and the hop's delay; at the node of the sender, start the flow at its initial rate."""
    if not belongs(packet, fields.OF_HOP_BY_HOP):
        return ENQUEUE
    queue, flow = queue_of(link, packet), flow_state(link, packet.flow)
    left = packet.header[fields.LEFT] if packet.header[fields.LEFT] > 0.0 else packet.sent
    flow.hop_delay = now - left
    flow.expected = packet.transmission + 1
    if not flow.seen:
        flow.seen = True
        flow.departures = int(link.every)  # makes the first feedback due at once
        if now == left:  # the sender's own node, where the flow starts at its initial rate
            flow.limit = packet.header[fields.START_RATE] / packet.size
            queue.rate = packet.header[fields.START_RATE]
    send_feedback(link, flow, queue, queue.packets + 1, now)
    return ENQUEUE


def dequeue(link, packet, now):
    """Record the departure, and write its time into the header for the next switch."""
    if packet.kind != DATA:
        return SEND
    queue, flow = queue_of(link, packet), flow_state(link, packet.flow)
    record_departure(flow, queue, packet, now)
    if flow.seen and belongs(packet, fields.OF_HOP_BY_HOP):
        packet.header[fields.LEFT] = now
        flow.next = packet.transmission + 1
        flow.departures += 1
        send_feedback(link, flow, queue, queue.packets, now)
    return SEND


hop_by_hop = Discipline(
    "hop-by-hop",
    RATE_CONTROLLED,
    enqueue=enqueue,
    dequeue=dequeue,
    feedback=feedback,
    parameters={
        "set_point": Parameter(10.0, "packets", "[0, 1e6]", about="Set point B of the backlog at the next switch"),
        "gain": Parameter(
            0.5, "1", "(0, 1]", about="Gain g: share of the difference to the set point that one round trip corrects"
        ),
        "every": Parameter(
            10.0, "packets", "[1, 1e9]", about="Departures of a flow after which feedback is sent at the latest",
            integer=True,
        ),
    },
    # `seen`: whether a packet of the flow has arrived. `expected` and `next`: numbers of the next packet to arrive and
    # of the next packet to be sent. `departures`: packets sent since the last feedback, which left at `reported_at`
    # [s]. `hop_delay`: delay of the last packet from the upstream switch [s].
    flow_state={
        "seen": False, "expected": 0, "next": 0, "departures": 0, "reported_at": 0.0, "hop_delay": 0.0,
        "limit": math.inf, "doubles": 0.0, **SERVICE_STATE,
    },
    needs_buffer=True,
    hop_by_hop=True,
    source='P. P. Mishra and H. Kanakia, "A Hop by Hop Rate-based Congestion Control Scheme", SIGCOMM 1992 '
    "(abstract; the rest not checked against the original); gain, set point and feedback interval are ours",
)  # fmt: skip

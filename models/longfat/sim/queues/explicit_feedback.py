"""Fair queueing that states in every packet how fast its flow is served and how much of it waits.

Packets bring back what the slowest switch on their way said; sources of the scheme "explicit-feedback" go by it
(Mishra & Kanakia, SIGCOMM 1992, made end to end; details are ours).

>>> explicit_feedback(service="bit-round").service
'bit-round'
"""

from longfat.sim.queues.discipline import ENQUEUE, SEND, Discipline
from longfat.sim.queues.flow_service import SERVED, service_rate, take_departure
from longfat.sim.records import DATA, STAMPED
from longfat.sim.seam import flow_state, queue_of
from longfat.sim.services.round_robin import QUANTUM

# What the header says: the flow's rate of service [bytes/s], packets of it that wait, nothing, and whose header it is.
RATE, BACKLOG, _, WHOSE = range(4)
OURS = -3.0


def enqueue(link, packet, now):
    """State rate and backlog, if this switch is slower than those before it."""
    if packet.kind == DATA and packet.marks & STAMPED and packet.header[WHOSE] == OURS:
        queue = queue_of(link, packet)
        rate = service_rate(link, flow_state(link, packet.flow), queue)
        if rate < packet.header[RATE]:
            packet.header[RATE] = rate
            packet.header[BACKLOG] = queue.packets
    return ENQUEUE


def dequeue(link, packet, now):
    """Measure the rate of service."""
    if packet.kind == DATA:
        take_departure(flow_state(link, packet.flow), queue_of(link, packet), packet, now)
    return SEND


explicit_feedback = Discipline(
    "explicit-feedback",
    service="self-clocked",
    services=("round-robin", "bit-round"),
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={"quantum": QUANTUM},  # of the service by turns
    flow_state=SERVED,
    needs_buffer=True,
)
EXPLICIT_FEEDBACK = explicit_feedback

"""Fair queueing that writes each flow's service rate and backlog into its packets.

Each switch on the path overwrites the header if it serves the flow more slowly than the switches before it; the
receiver returns the header in the acknowledgment, and sources of the scheme "explicit-feedback" set their rates from
it.

P. P. Mishra and H. Kanakia, "A Hop by Hop Rate-based Congestion Control Scheme", SIGCOMM 1992, made end to end as in
H. Kanakia, S. Keshav and P. Mishra, "A Comparison of Reactive Host-based Flow Control Schemes in Reservationless
Networks", 1992. Ours: the estimate of the service rate (`longfat.sim.queues.flow_service`).

>>> explicit_feedback(service="bit-round").service
'bit-round'
"""

from longfat.sim.kernel.records import DATA, STAMPED
from longfat.sim.plugin.functions import flow_state, queue_of
from longfat.sim.queues.discipline import ENQUEUE, SEND, Discipline
from longfat.sim.queues.flow_service import SERVICE_STATE, record_departure, service_rate
from longfat.sim.services.round_robin import QUANTUM

# Header fields: service rate of the flow [bytes/s], its backlog [packets], unused, and the identifier of the scheme.
RATE, BACKLOG, _, WHOSE = range(4)
OURS = -3.0


# Kanakia, Keshav & Mishra (1992): the feedback is that of the bottleneck, the switch with the smallest service rate.
def enqueue(link, packet, now):
    """Write service rate and backlog into the header if this switch is slower than those before it."""
    if packet.kind == DATA and packet.marks & STAMPED and packet.header[WHOSE] == OURS:
        queue = queue_of(link, packet)
        rate = service_rate(link, flow_state(link, packet.flow), queue)
        if rate < packet.header[RATE]:
            packet.header[RATE] = rate
            packet.header[BACKLOG] = queue.packets
    return ENQUEUE


def dequeue(link, packet, now):
    """Update the estimate of the flow's service rate."""
    if packet.kind == DATA:
        record_departure(flow_state(link, packet.flow), queue_of(link, packet), packet, now)
    return SEND


explicit_feedback = Discipline(
    "explicit-feedback",
    service="self-clocked",
    services=("round-robin", "bit-round"),
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={"quantum": QUANTUM},  # for service="round-robin"
    flow_state=SERVICE_STATE,
    needs_buffer=True,
    source='P. P. Mishra and H. Kanakia, "A Hop by Hop Rate-based Congestion Control Scheme", SIGCOMM 1992, '
    'made end to end as in H. Kanakia, S. Keshav and P. Mishra, "A Comparison of Reactive Host-based Flow Control '
    'Schemes in Reservationless Networks", AT&T Bell Labs, 1992',
)
EXPLICIT_FEEDBACK = explicit_feedback

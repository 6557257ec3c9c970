"""Fair queueing that writes each flow's service rate and backlog into its packets.

Each switch on the path overwrites the header if it serves the flow more slowly than the switches before it; the
receiver returns the header in the acknowledgment, and sources of the scheme "explicit-feedback" set their rates from
it.

Our addition: the estimate of the rate at which a fair queue serves a flow.

>>> explicit_feedback(service="bit-round").service
'bit-round'
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.discipline import ENQUEUE, SEND, Discipline
from longfat.sim.plugin.feedback import BACKLOG, OF_EXPLICIT_FEEDBACK, SERVICE_RATE, belongs
from longfat.sim.plugin.functions import flow_state, queue_of
from longfat.sim.switch.round_robin import QUANTUM
from longfat.sim.switch.self_clocked import SELF_CLOCKED

#: The `flow_state` for the estimate of the service rate. `rate_estimate` [bytes/s] is 0 before the first sample.
#: `departed_at` is the time at which the transmission of the flow's last packet began [s]; `departed_size` is the size
#: of this packet [bytes], with a negative sign if the flow has no further packet in the queue.
SERVICE_STATE = {"rate_estimate": 0.0, "departed_at": 0.0, "departed_size": 0}
GAIN = 0.25  # weight of a new sample; our choice, because Mishra and Kanakia (1992) could not be consulted


# Our choice: a packet gives a sample if its flow is still backlogged when it departs. The sample is the packet's size
# divided by the time until the flow's next departure.
@inline
def record_departure(state, queue, packet, now):
    """Update the estimate of the flow's service rate with a packet whose transmission begins now."""
    if state.departed_size > 0 and now > state.departed_at:
        sample = state.departed_size / (now - state.departed_at)
        state.rate_estimate += GAIN * (sample - state.rate_estimate) if state.rate_estimate > 0.0 else sample
    state.departed_at = now
    state.departed_size = packet.size if queue.packets > 0 else -packet.size


# Our choice, because a flow without backlog gives no samples: its service rate is taken as C/(1 + n), where n other
# flows are backlogged.
@inline
def service_rate(link, state, queue):
    """Return the flow's service rate [bytes/s]: the estimate if it is backlogged, else an equal share of the link."""
    if queue.packets > 0 and state.rate_estimate > 0.0:
        return state.rate_estimate
    others = link.active - (1 if queue.packets > 0 else 0)
    return link.rate / (max(0, others) + 1.0)


# Kanakia, Keshav & Mishra (1992): the feedback is from the bottleneck, the switch with the smallest service rate.
def enqueue(link, packet, now):
    """Write service rate and backlog into the header if this switch is slower than all previous switches."""
    if belongs(packet, OF_EXPLICIT_FEEDBACK):
        queue = queue_of(link, packet)
        rate = service_rate(link, flow_state(link, packet.flow), queue)
        if rate < packet.header[SERVICE_RATE]:
            packet.header[SERVICE_RATE] = rate
            packet.header[BACKLOG] = queue.packets
    return ENQUEUE


def dequeue(link, packet, now):
    """Update the estimate of the flow's service rate."""
    if packet.kind == DATA:
        record_departure(flow_state(link, packet.flow), queue_of(link, packet), packet, now)
    return SEND


explicit_feedback = Discipline(
    "explicit-feedback",
    SELF_CLOCKED,
    services=("self-clocked", "round-robin", "bit-round"),
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={"quantum": QUANTUM},  # used with service="round-robin"
    flow_state=SERVICE_STATE,
    needs_buffer=True,
    source='P. P. Mishra and H. Kanakia, "A Hop by Hop Rate-based Congestion Control Scheme", SIGCOMM 1992 (abstract), '
    'made end to end as in H. Kanakia, S. Keshav and P. Mishra, "A Comparison of Reactive Host-based Flow Control '
    'Schemes in Reservationless Networks", AT&T Bell Labs, 1992',
)

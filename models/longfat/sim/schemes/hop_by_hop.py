"""Hop-by-hop rate control: the source is the first node of a chain of controllers, each with feedback from the next.

The source follows the feedback of the first switch with the discipline of the same name, as each switch follows the
feedback of the next switch; without such a switch the source keeps its start rate. Acknowledgments only show which
packets to retransmit. The rules with their sources: docs/rules/explicit-feedback.md.
"""

from longfat.sim.plugin.feedback import SHORTEST_DELAY, limited_at_start, predicted_rate
from longfat.sim.schemes.explicit_rate import STATE, begin, parameters
from longfat.sim.schemes.scheme import Scheme, keep_rate

# Indices of the header fields of data packets and of feedback packets, as in `longfat.sim.switch.hop_by_hop`
LEFT, START_RATE, _, OWNER = range(4)
BACKLOG, RATE, TIME = range(3)
OURS = -4.0


def start(flow, event):
    """Return the start rate [bytes/s]: one packet of 500 bytes in 3 ms by default."""
    flow.header[START_RATE] = flow.start_rate
    return begin(flow, OWNER, OURS)


def ack(flow, event):
    """Return the rate [bytes/s] that follows from the service rate and backlog reported by the first switch."""
    if event.number >= 0 or event.header[OWNER] != OURS:
        return flow.rate
    # Mishra and Kanakia (1992): the control law is that of explicit feedback, with the feedback delay of one hop. The
    # field `BACKLOG` is the backlog minus the number of packets that have arrived at the switch. Added to the number of
    # packets sent, it gives the backlog plus the packets in flight on the hop.
    service = event.header[RATE] / flow.packet_size
    delay = max(event.now - event.header[TIME], 1.0 / service, SHORTEST_DELAY)
    rate = predicted_rate(service, event.header[BACKLOG], flow.transmission, delay, flow.gain, flow.set_point)
    return limited_at_start(flow, rate, event.now, delay) * flow.packet_size


HOP_BY_HOP = Scheme(
    "hop-by-hop",
    start=start,
    ack=ack,
    timeout=keep_rate,  # our choice, because the rate follows feedback alone: a timeout only causes retransmissions
    controls="rate",
    stamped=True,
    parameters=parameters(start_rate=500 / 3e-3),
    state=STATE,
    source=(
        "P. P. Mishra and H. Kanakia, A Hop by Hop Rate-based Congestion Control Scheme, Proc. ACM SIGCOMM 1992, pp. "
        "112-123 (abstract; the rest not checked against the original); gain, set point and start are ours"
    ),
)

"""Explicit-rate schemes of Mishra and Kanakia: switches report service rate and backlog, from which the rate follows.

``explicit-feedback``: with every acknowledgment the source predicts the backlog that its next packet will find at the
slowest switch, one round trip after the acknowledged packet arrived there, and keeps this backlog at a set point.

``hop-by-hop``: the source is the first node of a chain of controllers, each with feedback from the next; it follows the
feedback of the first switch, as each switch follows the feedback of the next switch. Acknowledgments only show which
packets to retransmit.

Both need the disciplines of their names. Switches with other disciplines do not limit the rate of explicit feedback;
without its switch, a hop-by-hop source keeps its start rate. Losses do not change the rates. The rules with their
sources: docs/rules/explicit-feedback.md.
"""

import math
from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin import feedback as fields
from longfat.sim.plugin.feedback import SHORTEST_DELAY, limited_at_start, predicted_rate
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme, keep_rate


@inline
def begin(flow, owner):
    """Write the scheme's identifier into the header; return the start rate [bytes/s], valid for one feedback delay."""
    # Our choice, because the papers do not print the start rate: it is fitted to times of Kanakia, Keshav and Mishra
    # (1992).
    flow.header[fields.OWNER] = owner
    flow.limit = flow.start_rate / flow.packet_size
    return flow.start_rate


def start(flow, event):
    """Return the start rate [bytes/s], which is kept for one round trip."""
    flow.header[fields.SERVICE_RATE] = math.inf
    return begin(flow, fields.OF_EXPLICIT_FEEDBACK)


def ack(flow, event):
    """Return the rate [bytes/s] that follows from the service rate and backlog in an acknowledgment's header."""
    service = event.header[fields.SERVICE_RATE] / flow.packet_size
    answered = event.number >= 0 and event.header[fields.OWNER] == fields.OF_EXPLICIT_FEEDBACK
    if not answered or service == math.inf or event.rtt <= 0.0:
        return flow.rate
    # Mishra and Kanakia (1992), in the end-to-end form that Kanakia, Keshav and Mishra (1992) compare: the rate is the
    # service rate plus a correction by the predicted backlog. Our choice, because we could not obtain the paper of
    # Mishra and Kanakia: the start rate and its doubling are fitted to table 4.3 of Kanakia, Keshav and Mishra.
    sent = flow.transmission - event.transmission  # packets sent, from the acknowledged one to the last
    rate = predicted_rate(service, event.header[fields.BACKLOG], sent, event.rtt, flow.gain, flow.set_point)
    return limited_at_start(flow, rate, event.now, event.rtt) * flow.packet_size


def start_of_chain(flow, event):
    """Return the start rate [bytes/s]: one packet of 500 bytes in 3 ms by default."""
    flow.header[fields.START_RATE] = flow.start_rate
    return begin(flow, fields.OF_HOP_BY_HOP)


def follow(flow, event):
    """Return the rate [bytes/s] that follows from the service rate and backlog reported by the first switch."""
    if event.number >= 0 or event.header[fields.OWNER] != fields.OF_HOP_BY_HOP:
        return flow.rate
    # Mishra and Kanakia (1992): the control law is that of explicit feedback, with the feedback delay of one hop. The
    # field `BALANCE` is the backlog minus the number of packets that have arrived at the switch. Added to the number of
    # packets sent, it gives the backlog plus the packets in flight on the hop.
    service = event.header[fields.RATE] / flow.packet_size
    delay = max(event.now - event.header[fields.TIME], 1.0 / service, SHORTEST_DELAY)
    rate = predicted_rate(service, event.header[fields.BALANCE], flow.transmission, delay, flow.gain, flow.set_point)
    return limited_at_start(flow, rate, event.now, delay) * flow.packet_size


_PARAMETERS = {
    "set_point": Parameter(10.0, "packets", "[0, 1e6]", about="Set point of the backlog of the flow at the switch"),
    "gain": Parameter(0.5, "1", "(0, 1]", about="Gain: share of the backlog error corrected within one feedback delay"),
    "start_rate": Parameter(500_000.0, "bytes/s", "(0, 1e15]", about="Rate during the first feedback delay"),
    **timers.PARAMETERS,
}
_PAPER = "P. P. Mishra and H. Kanakia, A Hop by Hop Rate-based Congestion Control Scheme, Proc. ACM SIGCOMM 1992, pp. "

# Our choice for both schemes, because the rate follows feedback alone: a timeout only causes retransmissions.
EXPLICIT_FEEDBACK = Scheme(
    "explicit-feedback",
    start=start,
    ack=ack,
    timeout=keep_rate,
    controls="rate",
    stamped=True,
    parameters=_PARAMETERS,
    # `limit`: limit of the rate at the start [packets/s]; `doubles`: time of its next doubling [s]
    # (`feedback.limited_at_start`).
    state={"limit": 0.0, "doubles": 0.0},
    source=(
        f"{_PAPER}112-123 (abstract), as an end-to-end scheme in H. Kanakia, S. Keshav and P. P. Mishra, A "
        "Comparison of Reactive Host-based Flow Control Schemes in Reservationless Networks, draft, AT&T Bell "
        "Laboratories, 1992; gain, set point and start are ours, because they are not printed"
    ),
)
HOPS = replace(
    EXPLICIT_FEEDBACK,
    name="hop-by-hop",
    start=start_of_chain,
    ack=follow,
    parameters={**_PARAMETERS, "start_rate": replace(_PARAMETERS["start_rate"], default=500 / 3e-3)},
    source=f"{_PAPER}112-123 (abstract; the rest not checked against the original); gain, set point and start are ours",
)

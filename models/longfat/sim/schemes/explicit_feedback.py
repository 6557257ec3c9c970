"""Explicit end-to-end feedback: switches report to the source the service rate and backlog of its flow.

With every acknowledgment the source predicts the backlog that its next packet will find at the slowest switch, one
round trip after the acknowledged packet arrived there, and keeps this backlog at a set point. The scheme needs the
discipline of the same name; switches with other disciplines do not limit the rate. The rules with their sources:
docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.plugin.feedback import limited_at_start, predicted_rate
from longfat.sim.schemes.explicit_rate import STATE, begin, parameters
from longfat.sim.schemes.scheme import Scheme, keep_rate

# Indices of the header fields, as in `longfat.sim.switch.explicit_feedback`
RATE, BACKLOG, _, OWNER = range(4)
OURS = -3.0


def start(flow, event):
    """Return the start rate [bytes/s], which is kept for one round trip."""
    flow.header[RATE] = math.inf
    return begin(flow, OWNER, OURS)


def ack(flow, event):
    """Return the rate [bytes/s] that follows from the service rate and backlog in an acknowledgment's header."""
    if event.number < 0 or event.header[OWNER] != OURS or event.header[RATE] == math.inf or event.rtt <= 0.0:
        return flow.rate
    # Mishra and Kanakia (1992), in the end-to-end form that Kanakia, Keshav and Mishra (1992) compare: the rate is the
    # service rate plus a correction by the predicted backlog. Our choice, because we could not obtain the paper of
    # Mishra and Kanakia: the start rate and its doubling are fitted to table 4.3 of Kanakia, Keshav and Mishra.
    service = event.header[RATE] / flow.packet_size
    sent = flow.transmission - event.transmission  # packets sent from the acknowledged one on, inclusive
    rate = predicted_rate(service, event.header[BACKLOG], sent, event.rtt, flow.gain, flow.set_point)
    return limited_at_start(flow, rate, event.now, event.rtt) * flow.packet_size


EXPLICIT_FEEDBACK = Scheme(
    "explicit-feedback",
    start=start,
    ack=ack,
    timeout=keep_rate,  # our choice, because the rate follows feedback alone: a timeout only causes retransmissions
    controls="rate",
    stamped=True,
    parameters=parameters(start_rate=500_000.0),
    state=STATE,
    source=(
        "P. P. Mishra and H. Kanakia, A Hop by Hop Rate-based Congestion Control Scheme, Proc. ACM SIGCOMM 1992, pp. "
        "112-123 (abstract), as an end-to-end scheme in H. Kanakia, S. Keshav and P. P. Mishra, A "
        "Comparison of Reactive Host-based Flow Control Schemes in Reservationless Networks, draft, AT&T Bell "
        "Laboratories, 1992; gain, set point and start are ours, because they are not printed"
    ),
)

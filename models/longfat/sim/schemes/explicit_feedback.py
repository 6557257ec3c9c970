"""Explicit end-to-end feedback: switches say how fast they serve a flow, and how much of it waits (schemes.md 4).

With every acknowledgment the source predicts what will wait at the slowest switch when its next packet arrives there, a
round trip after the acknowledged one did, and keeps that at a set point. It needs the discipline of the same name; by
switches that say nothing it is not slowed down.
"""

import math

from longfat.sim.feedback import held_back, predicted_rate
from longfat.sim.schemes.explicit_rate import STATE, begin, keep, parameters
from longfat.sim.schemes.scheme import Scheme

# Of the header, as switches read it (`longfat.sim.queues.explicit_feedback`).
RATE, BACKLOG, _, WHOSE = range(4)
OURS = -3.0


def start(flow, event):
    """Rule 4: a rate that is held for a round trip."""
    flow.header[RATE] = math.inf
    return begin(flow, WHOSE, OURS)


def ack(flow, event):
    """Rules 3 and 4."""
    if event.number < 0 or event.header[WHOSE] != OURS or event.header[RATE] == math.inf or event.rtt <= 0.0:
        return flow.rate
    service = event.header[RATE] / flow.packet_size
    sent = flow.transmission - event.transmission  # from the acknowledged packet on, this one included
    rate = predicted_rate(service, event.header[BACKLOG], sent, event.rtt, flow.gain, flow.set_point)
    return held_back(flow, rate, event.now, event.rtt) * flow.packet_size


EXPLICIT_FEEDBACK = Scheme(
    "explicit-feedback",
    start=start,
    ack=ack,
    timeout=keep,  # rule 5
    controls="rate",
    stamped=True,
    parameters=parameters(start_rate=500_000.0),
    state=STATE,
    source="Mishra & Kanakia, SIGCOMM 1992; schemes.md 4, whose gain and set point are a reconstruction",
)

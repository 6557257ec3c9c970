"""Explicit end-to-end feedback: switches say how fast they serve a flow, and how much of it waits (schemes.md 4).

With every acknowledgment the source predicts what will wait at the slowest switch when its next packet arrives there, a
round trip after the acknowledged one did, and keeps that at a set point. It needs the discipline of the same name; by
switches that say nothing it is not slowed down.
"""

import math

from longfat.sim.kernel.predicting import DOUBLES, LIMIT, held_back, predicted_rate
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

# Of the header, as switches read it (`longfat.sim.queues.explicit_feedback`).
RATE, BACKLOG, _, WHOSE = range(4)
OURS = -3.0
# p
SET_POINT, GAIN, START_RATE = range(3)


def start(flow, event):
    """Rule 4: a rate that is held for a round trip."""
    flow.header[RATE] = math.inf
    flow.header[WHOSE] = OURS
    flow.u[LIMIT] = flow.p[START_RATE] / flow.packet_size
    flow.u[DOUBLES] = 0.0
    return flow.p[START_RATE]


def ack(flow, event):
    """Rules 3 and 4."""
    if event.number < 0 or event.header[WHOSE] != OURS or event.header[RATE] == math.inf or event.rtt <= 0.0:
        return flow.rate
    service = event.header[RATE] / flow.packet_size
    sent = flow.transmission - event.transmission  # from the acknowledged packet on, this one included
    rate = predicted_rate(service, event.header[BACKLOG], sent, event.rtt, flow.p[GAIN], flow.p[SET_POINT])
    return held_back(flow, rate, event.now, event.rtt) * flow.packet_size


def keep(flow, event):
    """Rule 5: what is lost does not change the rate."""
    return flow.rate


EXPLICIT_FEEDBACK = Scheme(
    "explicit-feedback",
    start=start,
    ack=ack,
    timeout=keep,
    controls="rate",
    stamped=True,
    parameters={
        "set_point": Parameter(10.0, "packets", "[0, 1e6]"),
        "gain": Parameter(0.5, "1", "(0, 1]"),
        "start_rate": Parameter(500_000.0, "bytes/s", "(0, 1e15]"),
        **timers.PARAMETERS,
    },
    source="Mishra & Kanakia, SIGCOMM 1992; schemes.md 4, whose gain and set point are a reconstruction",
)

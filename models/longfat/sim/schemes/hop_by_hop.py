"""Hop by hop: the source is the first node of a chain of controllers, each with a loop of one hop (schemes.md 5).

It goes by the notes of the first switch with the discipline of the same name, as each switch does by those of the next.
Acknowledgments only say what has to be sent again. Without such a switch it stays at the rate it begins with.
"""

from longfat.sim.kernel.predicting import DOUBLES, LIMIT, SHORTEST, held_back, predicted_rate
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

# Of headers and notes, as switches have them (`longfat.sim.queues.hop_by_hop`).
LEFT, START_RATE, _, WHOSE = range(4)
OWED, RATE, MOMENT = range(3)
OURS = -4.0
# p
SET_POINT, GAIN, INITIAL = range(3)


def start(flow, event):
    """Rule 5: a packet now and then."""
    flow.header[START_RATE] = flow.p[INITIAL]
    flow.header[WHOSE] = OURS
    flow.u[LIMIT] = flow.p[INITIAL] / flow.packet_size
    flow.u[DOUBLES] = 0.0
    return flow.p[INITIAL]


def ack(flow, event):
    """Rule 3, for what the first switch says."""
    if event.number >= 0 or event.header[WHOSE] != OURS:
        return flow.rate
    service = event.header[RATE] / flow.packet_size
    loop = max(event.now - event.header[MOMENT], 1.0 / service, SHORTEST)
    rate = predicted_rate(service, event.header[OWED], flow.transmission, loop, flow.p[GAIN], flow.p[SET_POINT])
    return held_back(flow, rate, event.now, loop) * flow.packet_size


def keep(flow, event):
    """Rule 6: what is lost does not change the rate."""
    return flow.rate


HOP_BY_HOP = Scheme(
    "hop-by-hop",
    start=start,
    ack=ack,
    timeout=keep,
    controls="rate",
    stamped=True,
    parameters={
        "set_point": Parameter(10.0, "packets", "[0, 1e6]"),
        "gain": Parameter(0.5, "1", "(0, 1]"),
        "start_rate": Parameter(500 / 3e-3, "bytes/s", "(0, 1e15]"),
        **timers.PARAMETERS,
    },
    source="Mishra & Kanakia, SIGCOMM 1992; schemes.md 5, whose gain and set point are a reconstruction",
)

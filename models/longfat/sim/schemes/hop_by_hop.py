"""Hop by hop: the source is the first node of a chain of controllers, each with a loop of one hop (schemes.md 5).

It goes by the notes of the first switch with the discipline of the same name, as each switch does by those of the next.
Acknowledgments only say what has to be sent again. Without such a switch it stays at the rate it begins with.
"""

from longfat.sim.feedback import SHORTEST, held_back, predicted_rate
from longfat.sim.schemes.explicit_rate import STATE, begin, keep, parameters
from longfat.sim.schemes.scheme import Scheme

# Of headers and notes, as switches have them (`longfat.sim.queues.hop_by_hop`).
LEFT, START_RATE, _, WHOSE = range(4)
OWED, RATE, MOMENT = range(3)
OURS = -4.0


def start(flow, event):
    """Rule 5: a packet now and then."""
    flow.header[START_RATE] = flow.start_rate
    return begin(flow, WHOSE, OURS)


def ack(flow, event):
    """Rule 3, for what the first switch says."""
    if event.number >= 0 or event.header[WHOSE] != OURS:
        return flow.rate
    service = event.header[RATE] / flow.packet_size
    loop = max(event.now - event.header[MOMENT], 1.0 / service, SHORTEST)
    rate = predicted_rate(service, event.header[OWED], flow.transmission, loop, flow.gain, flow.set_point)
    return held_back(flow, rate, event.now, loop) * flow.packet_size


HOP_BY_HOP = Scheme(
    "hop-by-hop",
    start=start,
    ack=ack,
    timeout=keep,  # rule 6
    controls="rate",
    stamped=True,
    parameters=parameters(start_rate=500 / 3e-3),
    state=STATE,
    source="Mishra & Kanakia, SIGCOMM 1992; schemes.md 5, whose gain and set point are a reconstruction",
)

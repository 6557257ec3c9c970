"""Adaptive virtual queue: a packet that a slower line with the same buffer would drop is marked or dropped.

The capacity c of that virtual line follows c' = alpha (gamma C - arrivals), within 0 and the true capacity C, until
arrivals are the share `gamma` of C. On a line without a limit of its buffer, or without transmission time, nothing is
ever marked. With drops the arrivals are those that were let in.

Kunniyur & Srikant, SIGCOMM 2001; ns-2.35 for `alpha` and `start`. ns-2.35 lets packets pass that cannot be marked where
it marks; here they are dropped, as RFC 3168 (section 5) asks.

>>> avq(gamma=0.9, ecn=True).values["gamma"]
0.9
"""

import math

from longfat.sim.jit import part
from longfat.sim.queues.discipline import DROP, ENQUEUE, Discipline, Parameter, flag
from longfat.sim.records import ECT
from longfat.sim.seam import is_full, mark


@part
def virtual_buffer(link):
    """Return bytes; a limit in packets is one in mean packets here."""
    return link.buffer * min(float(link.limit_bytes), link.limit_packets * link.packet)


@part
def adapt(link, packet, now):
    """Move the virtual capacity: tokens come at gamma of the true one, arrivals use them up."""
    tokens = link.gamma * link.rate * (now - link.adapted_at) - packet.size
    link.virtual_rate = min(link.rate, max(0.0, link.virtual_rate + link.alpha * tokens))
    link.adapted_at = now


def enqueue(link, packet, now):
    """Ask the virtual queue first, then move the virtual capacity, which a drop leaves as it is."""
    if link.rate == math.inf:
        return ENQUEUE
    if not link.begun:
        link.begun = True
        link.virtual_rate = link.start * link.rate
        link.emptied_at, link.adapted_at = now, now
    link.virtual_queue = max(0.0, link.virtual_queue - link.virtual_rate * (now - link.emptied_at))
    link.emptied_at = now
    if link.virtual_queue + packet.size <= virtual_buffer(link):
        link.virtual_queue += packet.size
    elif link.ecn and packet.marks & ECT:
        if not is_full(link, packet, now):
            mark(link, packet)
    else:
        return DROP
    adapt(link, packet, now)
    return ENQUEUE


avq = Discipline(
    "avq",
    enqueue=enqueue,
    parameters={
        "gamma": Parameter(0.98, "1", "(0, 1]", about="utilisation that is aimed at"),
        "alpha": Parameter(0.15, "1/s", "(0, 1e6]", about="speed of the adaptation"),
        "start": Parameter(0.8, "1", "[0, 1]", about="virtual capacity at the first packet, in true ones"),
        "buffer": Parameter(1.0, "1", "(0, 1e6]", about="virtual buffer, in real ones"),
        "packet": Parameter(1000.0, "bytes", "[1, 1e6]", about="mean size: a packet of a buffer in packets"),
        "ecn": flag(False, "mark packets that can be marked, and drop others; without it all are dropped"),
    },
    # bytes in the virtual queue, when they were so many [s], the virtual capacity [bytes/s], when that was set [s]
    state={"begun": False, "virtual_queue": 0.0, "emptied_at": 0.0, "virtual_rate": 0.0, "adapted_at": 0.0},
    needs_buffer=True,
)

"""Random exponential marking: a price of the link grows with arrivals beyond its capacity and with the queue.

Every `interval` the price becomes max(0, price + gamma (in + weight (q - target) - c)), where q packets wait, in have
arrived and c could be sent meanwhile; the probability is 1 - phi^(-price). It settles where as much arrives as the line
carries and `target` packets wait, whatever that takes in marks: the probability follows the price and not the queue.

ns-2.35 lets packets pass that cannot be marked where it marks; here they are dropped with the same probability, as
RFC 3168 (section 5) asks. Packets are counted: where their sizes differ much from `packet` the price rests at another
load than 1.

Athuraliya, Low, Li & Yin, IEEE Network 15(3), 2001; ns-2.35 for the weight of 0.1.

>>> rem(target=50, ecn=True).values["target"]
50.0
"""

import math

from longfat.sim.jit import part
from longfat.sim.queues.discipline import DROP, ENQUEUE, SEND, Discipline, Parameter, flag
from longfat.sim.records import ECT
from longfat.sim.seam import is_full, mark, random


@part
def can_be_marked(link, packet):
    """Return whether a mark will do instead of a drop."""
    return link.ecn > 0.0 and packet.marks & ECT != 0


def enqueue(link, packet, now):
    """Count, and drop with the probability of the price; what can be marked is marked when it departs."""
    link.arrivals += 1
    if can_be_marked(link, packet) or is_full(link, packet, now):
        return ENQUEUE
    return DROP if random(link) < link.probability else ENQUEUE


def dequeue(link, packet, now):
    """Mark at departure, by the price of now and not of the time at which the packet came."""
    if can_be_marked(link, packet) and random(link) < link.probability:
        mark(link, packet)
    return SEND


def tick(link, now):
    """Move the price, and with it the probability."""
    link.input += link.smoothing * (link.arrivals - link.input)
    link.arrivals = 0
    capacity = link.interval * link.rate / link.packet
    mismatch = link.input + link.weight * (link.backlog - link.target) - capacity
    link.price = max(0.0, link.price + link.gamma * mismatch)
    link.probability = -math.expm1(-link.price * math.log(link.phi))
    return now + link.interval


rem = Discipline(
    "rem",
    enqueue=enqueue,
    dequeue=dequeue,
    tick=tick,
    parameters={
        "gamma": Parameter(0.001, "1/packet", "(0, 1e3]", about="step of the price"),
        "phi": Parameter(1.001, "1", "(1, 1e6]", about="base of the probability"),
        "target": Parameter(20.0, "packets", "[0, 1e15]", about="queue at which the price rests"),
        "weight": Parameter(0.1, "1", "[0, 1e3]", about="of the queue beside the mismatch of the rates"),
        "smoothing": Parameter(1.0, "1", "(0, 1]", about="weight of an interval's arrivals in their moving average"),
        "interval": Parameter(0.002, "s", "[1e-6, 1e6]", about="between two prices"),
        "packet": Parameter(1000.0, "bytes", "[1, 1e6]", about="mean size, which turns the line's rate into packets"),
        "ecn": flag(False, "mark packets that can be marked, at their departure; others are dropped, at their arrival"),
    },
    # packets that arrived in this interval, and their moving average
    state={"arrivals": 0, "input": 0.0, "price": 0.0, "probability": 0.0},
    needs_buffer=True,
    late_if="ecn",
)

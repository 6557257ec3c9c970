"""Random exponential marking (REM): packets are marked by a price that grows with excess arrivals and backlog.

Every `interval` the price becomes max(0, price + gamma (in + weight (q - target) - c)) with the backlog q [packets],
the moving average `in` of the packets that arrive and the packets c that the link can send in an interval. The marking
probability is 1 - phi^(-price). In equilibrium the input equals the capacity and the backlog equals `target`, whatever
the load: the probability depends on the price and not on the backlog.

Our choice: packets that are not ECN-capable are dropped with the same probability, because RFC 3168, "The Addition of
Explicit Congestion Notification (ECN) to IP", section 5, lets marks stand for drops of ECN-capable packets only;
ns-2.35 lets them pass when it marks. The capacity is counted in packets of the mean size `packet`: if the sizes differ
much from it, the equilibrium is at a load other than 1.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import ECT
from longfat.sim.plugin.discipline import DROP, ENQUEUE, SEND, Discipline, Parameter, flag
from longfat.sim.plugin.functions import is_full, mark, random


@inline
def can_be_marked(link, packet):
    """Return whether the packet may be marked instead of dropped: `ecn` is set and the packet is ECN-capable."""
    return link.ecn > 0.0 and packet.flags & ECT != 0


# ns-2.35, rem.cc: drops are decided at arrival, marks at departure.
def enqueue(link, packet, now):
    """Count the arrival, and drop the packet with the marking probability unless it can be marked."""
    link.arrivals += 1
    if can_be_marked(link, packet) or is_full(link, packet, now):
        return ENQUEUE
    return DROP if random(link) < link.probability else ENQUEUE


def dequeue(link, packet, now):
    """Mark the packet with the present marking probability if it can be marked."""
    if can_be_marked(link, packet) and random(link) < link.probability:
        mark(link, packet)
    return SEND


# Athuraliya et al. (2001): price <- max(0, price + gamma (weight (q - target) + input - capacity)), probability = 1 -
# phi^(-price). Defaults of ns-2.35, rem.cc: intervals of 2 ms, weight 0.1, gamma 0.001, phi 1.001, target 20 packets.
def tick(link, now):
    """Update price and marking probability at the end of an interval; return the time of the next update [s]."""
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
        "gamma": Parameter(0.001, "1/packet", "(0, 1e3]", about="Step size of the price"),
        "phi": Parameter(1.001, "1", "(1, 1e6]", about="Base phi of the marking probability 1 - phi^(-price)"),
        "target": Parameter(20.0, "packets", "[0, 1e15]", about="Target backlog b*"),
        "weight": Parameter(0.1, "1", "[0, 1e3]", about="Weight of the backlog's deviation from the target"),
        "smoothing": Parameter(1.0, "1", "(0, 1]", about="Weight of an interval's arrivals in their moving average"),
        "interval": Parameter(0.002, "s", "[1e-6, 1e6]", about="Time between two updates of the price"),
        "packet": Parameter(
            1000.0, "bytes", "[1, 1e6]", about="Mean packet size, which converts the link's rate into packets/s"
        ),
        "ecn": flag(False, "Mark ECN-capable packets at departure; other packets are dropped at arrival"),
    },
    # `arrivals` is the number of packets that arrived in this interval, `input` the moving average of this number.
    # `price` determines the marking `probability`.
    state={"arrivals": 0, "input": 0.0, "price": 0.0, "probability": 0.0},
    needs_buffer=True,
    source='S. Athuraliya, S. H. Low, V. H. Li and Q. Yin, "REM: Active Queue Management", IEEE Network 15(3), 2001, '
    "doi:10.1109/65.923940; ns-2.35, rem.cc, for the defaults",
    late_if="ecn",
)

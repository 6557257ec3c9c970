"""Adaptive virtual queue (AVQ): packets that would overflow a slower, virtual link are marked or dropped.

The virtual link has the buffer of the real one; its capacity c follows dc/dt = alpha (gamma C - arrival rate), between
0 and the true capacity C, so that the utilisation tends to `gamma`. c is updated as in the authors' code (ns-2.35,
vq.cc): if packets are dropped and not marked, only admitted packets count as arrivals, while the paper counts all.

Our choice: packets that are not ECN-capable are dropped where ECN-capable packets would be marked, because RFC 3168,
"The Addition of Explicit Congestion Notification (ECN) to IP", section 5, lets marks stand for drops of ECN-capable
packets only; ns-2.35 lets them pass. A link with an unbounded buffer or without transmission time never marks or drops.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import ECT
from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline, Parameter, flag
from longfat.sim.plugin.functions import is_full, mark


# Kunniyur & Srikant (2001): when b bytes arrive at time t, c <- max(min(c + alpha gamma C (t - s), C) - alpha b, 0),
# where s is the time of the previous arrival. ns-2.35, vq.cc, enque(): c is clipped to [0, C] only once, after both
# terms.
@inline
def adapt(link, packet, now):
    """Update the virtual capacity [bytes/s] at the arrival of a packet."""
    tokens = link.gamma * link.rate * (now - link.adapted_at)
    link.virtual_rate = min(link.rate, max(0.0, link.virtual_rate + link.alpha * (tokens - packet.size)))
    link.adapted_at = now


# Kunniyur & Srikant (2001): first VQ <- max(VQ - c (t - s), 0). If VQ + b exceeds the virtual buffer, mark or drop the
# packet; otherwise VQ <- VQ + b. Then update the capacity. ns-2.35, vq.cc, dropPacketForECN(): a drop does not update
# the capacity, so the next update covers the time since the previous update.
def enqueue(link, packet, now):
    """Mark or drop the packet if it overflows the virtual queue, then update the virtual capacity."""
    if link.rate == math.inf:
        return ENQUEUE
    if not link.begun:
        link.begun = True
        link.virtual_rate = link.start * link.rate
        link.emptied_at, link.adapted_at = now, now
    link.virtual_queue = max(0.0, link.virtual_queue - link.virtual_rate * (now - link.emptied_at))
    link.emptied_at = now
    # The mean packet size converts a buffer limit in packets to bytes.
    virtual_buffer = link.buffer * min(float(link.limit_bytes), link.limit_packets * link.packet)
    if link.virtual_queue + packet.size <= virtual_buffer:
        link.virtual_queue += packet.size
    elif link.ecn and packet.flags & ECT:
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
        "gamma": Parameter(0.98, "1", "(0, 1]", about="Desired utilisation"),
        "alpha": Parameter(0.15, "1/s", "(0, 1e6]", about="Damping factor: speed of the adaptation"),
        "start": Parameter(0.8, "1", "[0, 1]", about="Initial virtual capacity, as a share of the link's capacity"),
        "buffer": Parameter(1.0, "1", "(0, 1e6]", about="Virtual buffer, as a multiple of the real one"),
        "packet": Parameter(
            1000.0, "bytes", "[1, 1e6]", about="Mean packet size, which converts a buffer in packets into bytes"
        ),
        "ecn": flag(False, "Mark ECN-capable packets instead of dropping them"),
    },
    # `virtual_queue` [bytes] was last updated at `emptied_at` [s], `virtual_rate` (the virtual capacity) [bytes/s] at
    # `adapted_at` [s].
    state={"begun": False, "virtual_queue": 0.0, "emptied_at": 0.0, "virtual_rate": 0.0, "adapted_at": 0.0},
    needs_buffer=True,
    source='S. Kunniyur and R. Srikant, "Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active '
    'Queue Management", SIGCOMM 2001, doi:10.1145/383059.383069; ns-2.35, vq.cc, for alpha and start',
)

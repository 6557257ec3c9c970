"""VirtualClock: packets depart in the order of stamps from a clock of their flow, which ticks at the flow's rate.

Each flow has an average rate. Its clock is set to the time of the first packet, ticks by size/rate with every packet,
and is never behind real time, so that an idle flow collects no credit. The clock of a flow that sends more than its
rate runs ahead of real time, so that its packets wait for those of other flows; the flow still gets the capacity that
other flows leave.

Our choice, because the paper could not be read: a dropped packet still advances its flow's clock, and stamps are in
whole nanoseconds. The paper's flow monitoring, a second clock that shows how far a flow exceeds its rate, is left out.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NOTHING
from longfat.sim.plugin.discipline import PER_FLOW, Discipline, Service
from longfat.sim.plugin.functions import now_ns, queue_of, tag_of
from longfat.sim.plugin.parameters import Table
from longfat.sim.switch import tags
from longfat.sim.switch.tags import append_tagged, in_table, queue_in, take_smallest, take_tail

LONGEST = 4e15  # ns, 46 days: longest tick, so that the sum of a thousand ticks fits into an integer


# Zhang (1991), the data forwarding algorithm: the packet is stamped with auxVC = max(real time, auxVC) + Vtick.
@inline
def stamp_of(link, queue, packet):
    """Return the stamp of a packet that arrives now [ns]."""
    if queue.rate == 0.0:
        # Our choice, because the paper takes every flow's rate from its reservation: a flow without a row in `rates`
        # has an equal share of the link.
        queue.rate = in_table(link.rates, packet.flow, link.rate / link.queue_count)
    return max(queue.clock, now_ns(link)) + int(min(packet.size * 1e9 / queue.rate, LONGEST))


def enqueue(link, packet, now):
    """Give the packet the stamp of its flow's clock, and append it to its flow's queue."""
    queue = queue_of(link, packet)
    queue.clock = stamp_of(link, queue, packet)
    append_tagged(link, queue, packet, queue.clock)
    return 0


# Zhang (1991): packets are queued and served in the order of increasing stamps.
def dequeue(link, now):
    """Take the packet with the smallest stamp."""
    return take_smallest(link)


# Zhang (1991): an arrival at a full queue drops the last packet of the queue, which has the greatest stamp. Our choice:
# the clock of the dropped packet's flow is not set back, because the stamps of later packets may not decrease. If the
# greatest stamps are equal, the arriving packet is dropped.
def evict(link, packet, now):
    """Take the waiting packet with the greatest stamp; if the arriving packet has a greater or equal stamp, take none.

    The clock of the arriving packet's flow then advances, although the packet is dropped.
    """
    queue = queue_of(link, packet)
    stamp = greatest = stamp_of(link, queue, packet)
    found = NOTHING
    for place in range(link.active):
        last = tag_of(link, queue_in(link, place).tail)
        if last > greatest:
            greatest, found = last, place
    if found == NOTHING:
        queue.clock = stamp
        return NOTHING
    return take_tail(link, found)


VIRTUAL_CLOCK = Service(
    "virtual-clock",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues=PER_FLOW,
    parameters={
        "rates": Table(
            columns=(("flow", "1", "[0, 1e9]"), ("rate", "bytes/s", "[1e-3, 1e15]")),
            about="Average rates of flows (0 is the first); the others have the link's rate over the number of queues",
        )
    },
    state=tags.STATE,
    # `clock` is the stamp of the flow's last packet [ns]; `rate` is its average rate [bytes/s], 0 before the rate is
    # known.
    queue_state={"clock": 0, "rate": 0.0},
    workspace=tags.room,
    source='L. Zhang, "VirtualClock: A New Traffic Control Algorithm for Packet-Switched Networks", ACM Transactions '
    "on Computer Systems 9(2), 1991, pages 101-124, doi:10.1145/103720.103721 (not checked against the original)",
)
virtual_clock = Discipline("virtual-clock", VIRTUAL_CLOCK, needs_buffer=True)

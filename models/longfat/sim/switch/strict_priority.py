"""Strict priority: a level is served only while all better levels are empty; a transmission is not interrupted.

The level of a packet is its priority, 0 being the best; priorities beyond the last level belong to the last level.

Our choice: a full buffer drops the last packet of the worst level, if that level is worse than the arriving packet's,
so that better levels have precedence for the buffer, too. H. Kim and D. J. Farber, MS-CIS-94-55, 1994, section 3.3.2,
do the same with one queue.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NOTHING
from longfat.sim.plugin.discipline import Discipline, Service
from longfat.sim.plugin.functions import append, queue, take_first, take_last
from longfat.sim.plugin.parameters import Parameter


@inline
def level_of(link, packet):
    """Return the level of a packet: its priority, at most the last level."""
    return min(max(int(packet.priority), 0), int(link.levels) - 1)


def enqueue(link, packet, now):
    """Append the packet to the queue of its level."""
    append(link, queue(link, level_of(link, packet)), packet)
    return 0


def dequeue(link, now):
    """Take the first packet of the best level that has packets."""
    for level in range(int(link.levels)):
        if queue(link, level).packets > 0:
            return take_first(link, queue(link, level))
    return NOTHING


def evict(link, packet, now):
    """Take the last packet of the worst level that has packets, if that level is worse than the arriving packet's."""
    for level in range(int(link.levels) - 1, level_of(link, packet), -1):
        if queue(link, level).packets > 0:
            return take_last(link, queue(link, level))
    return NOTHING


SERVICE = Service(
    "strict-priority",
    enqueue=enqueue,
    dequeue=dequeue,
    evict=evict,
    queues="levels",
    parameters={
        "levels": Parameter(2.0, "levels", "[2, 256]", about="Levels of priority, 0 being the best", integer=True)
    },
    source="Ours, because strict priority needs no source",
)
STRICT_PRIORITY = Discipline("strict-priority", SERVICE, needs_buffer=True)

"""Drop-tail with congestion marks on all packets that find `threshold` packets or more waiting.

>>> mark_above(20).values["threshold"]
20.0
"""

from longfat.sim.queues.discipline import ENQUEUE, Discipline, Parameter
from longfat.sim.seam import is_full, mark


def enqueue(link, packet, now):
    """Mark what finds so many waiting, unless it finds no room."""
    if link.backlog >= link.threshold and not is_full(link, packet, now):
        mark(link, packet)
    return ENQUEUE


mark_above = Discipline(
    "mark-above",
    enqueue=enqueue,
    parameters={"threshold": Parameter(None, "packets", "[0, 1e15]", about="backlog from which on packets are marked")},
    needs_buffer=True,
)

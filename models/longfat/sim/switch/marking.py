"""Drop-tail queue that marks every packet that arrives while at least `threshold` packets are queued.

>>> mark_above(20).values["threshold"]
20.0
"""

from longfat.sim.plugin.discipline import ENQUEUE, Discipline, Parameter
from longfat.sim.plugin.functions import is_full, mark


# RFC 8257 (DCTCP), section 3.1: mark arriving packets while the instantaneous queue exceeds a threshold. Our choice:
# the threshold counts packets without the packet in transmission, and packets that the buffer drops are not marked.
def enqueue(link, packet, now):
    """Mark the packet if the backlog is at least `threshold` packets and the buffer is not full."""
    if link.backlog >= link.threshold and not is_full(link, packet, now):
        mark(link, packet)
    return ENQUEUE


mark_above = Discipline(
    "mark-above",
    enqueue=enqueue,
    parameters={
        "threshold": Parameter(None, "packets", "[0, 1e15]", about="Backlog from which on arriving packets are marked")
    },
    needs_buffer=True,
    source='Ours, after RFC 8257, "Data Center TCP (DCTCP): TCP Congestion Control for Data Centers", section 3.1',
)

"""Drop-tail queue that marks every packet that arrives while at least `threshold` packets are queued.

This is DCTCP's marking by RED, with both thresholds at K and the instantaneous queue (M. Alizadeh and others, "Data
Center TCP (DCTCP)", SIGCOMM 2010, section 3.1), as Linux has it: red_cmp_thresh() in include/net/red.h marks from the
threshold on. `longfat.sim.switch.step_marking` has the rule that the paper and RFC 8257, section 3.1, print: a packet
is marked if the queue is longer than K.

>>> mark_above(20).values["threshold"]
20.0
"""

from longfat.sim.plugin.discipline import ENQUEUE, Discipline, Parameter
from longfat.sim.plugin.functions import is_full, mark


# Our choice: the threshold counts packets without the packet in transmission, and packets that the buffer drops are not
# marked.
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
    source='M. Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, doi:10.1145/1851182.1851192: '
    "RED with both thresholds at K; Linux, include/net/red.h, red_cmp_thresh()",
)

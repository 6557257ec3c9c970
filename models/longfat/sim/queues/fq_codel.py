"""FQ-CoDel: fair queueing with hashed queues, and CoDel in each of them.

T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys and E. Dumazet, "The Flow Queue CoDel Packet Scheduler and
Active Queue Management Algorithm", RFC 8290. The service (`longfat.sim.services.fq_codel`) has the queues and their
order.

The packet and memory limits of section 5.2.3 are the buffer of the link: ``buffer=10240`` is the default of Linux.

>>> fq_codel(quantum=300).values["queues"]
1024.0
"""

from longfat.sim.plugin.controlled_delay import control
from longfat.sim.plugin.functions import queue_numbered
from longfat.sim.queues.codel import TIMES, Controlled, enqueue
from longfat.sim.queues.discipline import DROP, flag


# RFC 8290, section 4.2: CoDel is invoked on the queue; only a packet that is sent uses credits.
def dequeue(link, packet, now):
    """Drop or send the packet that the service has taken from a queue; return the credits of a dropped one."""
    queue = queue_numbered(link, link.turn)
    verdict = control(queue, link, packet, now)
    if verdict == DROP:
        queue.credits += packet.size
    return verdict


fq_codel = Controlled(
    "fq-codel",
    service="fq-codel",
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={**TIMES, "ecn": flag(True, "Mark ECN-capable packets instead of dropping them")},
    state={"largest_packet": 0},
    needs_buffer=True,
    source='T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys and E. Dumazet, "The Flow Queue CoDel Packet '
    'Scheduler and Active Queue Management Algorithm", RFC 8290, 2018, sections 4 and 5.2, doi:10.17487/RFC8290',
)

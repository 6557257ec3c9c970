"""CoDel (controlled delay): packets are dropped at departure while the sojourn time stays above a target.

K. Nichols, V. Jacobson, A. McGregor and J. Iyengar, "Controlled Delay Active Queue Management", RFC 8289, section 5. If
the sojourn times of an interval have all reached `target`, a packet is dropped, and further ones at intervals of
interval/sqrt(count), until a sojourn time is below the target.

Ours: MAXPACKET (RFC 8289, section 5.3: "SHOULD use interface MTU") is the largest packet that has arrived, because
links have no MTU. Marks instead of drops, which the RFC allows without a rule, are those of Linux.

>>> codel(target="10 ms").values["target"]
0.01
"""

from longfat.base.domains import conflict
from longfat.sim.plugin.controlled_delay import STATE, control
from longfat.sim.queues.discipline import ENQUEUE, Discipline, Parameter, flag


def enqueue(link, packet, now):
    """Record the largest packet; the link records the time of arrival (RFC 8289, section 5.4)."""
    link.largest_packet = max(link.largest_packet, packet.size)
    return ENQUEUE


def dequeue(link, packet, now):
    """Drop or send the first packet of the queue."""
    return control(link, link, packet, now)


class Controlled(Discipline):
    """Discipline that refuses a target above the interval."""

    def __post_init__(self) -> None:
        super().__post_init__()
        target, interval = self.values["target"], self.values["interval"]
        if target > interval:
            raise conflict(f"target = {target:g} s", f"must not exceed interval = {interval:g} s")


#: RFC 8289, section 5.3.
TIMES = {
    "target": Parameter(0.005, "s", "(0, 10]", about="Acceptable standing queue delay (TARGET)"),
    "interval": Parameter(
        0.1, "s", "(0, 100]", about="Time for which the delay must exceed the target; about the largest round-trip time"
    ),
}

codel = Controlled(
    "codel",
    service="departures",
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={**TIMES, "ecn": flag(False, "Mark ECN-capable packets instead of dropping them")},
    state={**STATE, "largest_packet": 0},
    needs_buffer=True,
    source='K. Nichols, V. Jacobson, A. McGregor and J. Iyengar, "Controlled Delay Active Queue Management", RFC 8289, '
    "2018, sections 4.4 and 5, doi:10.17487/RFC8289; Linux, codel_impl.h, for marks",
)

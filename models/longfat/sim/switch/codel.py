"""CoDel (controlled delay): packets are dropped at departure while the sojourn time stays above a target.

If the sojourn times of an interval have all reached `target`, a packet is dropped, and further packets at intervals of
interval/sqrt(count), until a sojourn time is below the target. A link calls its discipline again after each dropped
packet, so that one call corresponds to one `dodequeue` of the RFC's pseudo-code. The functions control the only queue
of a link, or each queue of `longfat.sim.switch.fq_codel`.

Our choice: MAXPACKET (RFC 8289, section 5.3: "SHOULD use interface MTU") is the largest packet that has arrived,
because links have no MTU. Marking instead of dropping, which the RFC allows without giving a rule, follows Linux.
"""

import math

from longfat.base.domains import conflict
from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.discipline import DROP, ENQUEUE, SEND, Discipline, Parameter, flag
from longfat.sim.plugin.functions import mark

#: State of one controlled queue: RFC 8289, section 5.2. `just_dropped` is true if the last packet was dropped and was
#: not the first drop in dropping state; the next call then computes the time of the next drop.
STATE = {"first_above": 0.0, "drop_next": 0.0, "count": 0, "last_count": 0, "dropping": False, "just_dropped": False}
RECENT = 16  # intervals after `drop_next` for which the drop rate is remembered; RFC 8289, section 5.5


# RFC 8289, section 5.6, `control_law`: the time between drops is the interval over the square root of their number.
@inline
def control_law(time, interval, count):
    """Return the time of the next drop [s], after a drop at `time` and `count` drops in the dropping state."""
    return time + interval / math.sqrt(count)


# This is the test of RFC 8289, section 5.6, `dodequeue`, for one queue. Section 4.4: with several queues, their total
# backlog is compared with MAXPACKET.
@inline
def over_target(one, link, packet, now):
    """Return whether all sojourn times of an interval have reached the target ("OK to drop")."""
    if now - packet.enqueued_at < link.target or link.backlog_bytes <= link.largest_packet:
        one.first_above = 0.0
    elif one.first_above == 0.0:
        one.first_above = now + link.interval
    else:
        return now >= one.first_above
    return False


# RFC 8289, section 5.5: if the queue left the dropping state a short time ago, begin at about the drop rate that it
# had then.
@inline
def enter_dropping(one, link, now):
    """Enter dropping state, and schedule the second drop."""
    delta = one.count - one.last_count
    one.count = delta if delta > 1 and now - one.drop_next < RECENT * link.interval else 1
    one.last_count = one.count
    one.dropping = True
    one.drop_next = control_law(now, link.interval, one.count)


# RFC 8289, section 5.5, `dequeue`. Linux, codel_impl.h, `codel_dequeue`: a marked packet counts as a dropped packet,
# but it is sent.
@inline
def control(one, link, packet, now):
    """Return DROP or SEND for the first packet of a queue; `one` has the queue's state, `link` the parameters."""
    over = over_target(one, link, packet, now)
    if one.just_dropped and over:
        one.drop_next = control_law(one.drop_next, link.interval, one.count)
    one.just_dropped = False
    if not over:
        one.dropping = False
        return SEND
    if not one.dropping:
        enter_dropping(one, link, now)
        return SEND if link.ecn and mark(link, packet) else DROP
    if now < one.drop_next:
        return SEND
    one.count += 1
    if link.ecn and mark(link, packet):
        one.drop_next = control_law(one.drop_next, link.interval, one.count)
        return SEND
    one.just_dropped = True
    return DROP


# RFC 8289, section 5.6, `dodequeue`: an empty queue is below the target, so that `dequeue` (section 5.5) leaves
# dropping state.
@inline
def found_empty(one):
    """Leave the dropping state of a queue, because the queue is empty."""
    one.first_above = 0.0
    one.dropping = False
    one.just_dropped = False


def enqueue(link, packet, now):
    """Record the size of the largest packet; the link itself records arrival times (RFC 8289, section 5.4)."""
    link.largest_packet = max(link.largest_packet, packet.size)
    return ENQUEUE


def dequeue(link, packet, now):
    """Drop or send the first packet of the queue."""
    return control(link, link, packet, now)


class Controlled(Discipline):
    """Discipline that requires target <= interval."""

    def __post_init__(self) -> None:
        super().__post_init__()
        target, interval = self.values["target"], self.values["interval"]
        if target > interval:
            raise conflict(
                f"target = {target:g} s of discipline {self.name!r}", f"must not exceed interval = {interval:g} s"
            )


#: Parameters TARGET and INTERVAL of RFC 8289, section 5.3
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

"""CoDel's control law, for one queue (`queues.codel`) or each of many (`queues.fq_codel`).

K. Nichols, V. Jacobson, A. McGregor and J. Iyengar, "Controlled Delay Active Queue Management", RFC 8289, section 5. A
link calls its discipline again after each dropped packet, so that one call stands for one `dodequeue` of the RFC's
pseudo-code.
"""

import math

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.records import DROP, SEND
from longfat.sim.plugin.functions import mark

#: State of one controlled queue: RFC 8289, section 5.2. `just_dropped`: the last packet was dropped, not the first of a
#: dropping state, so that the next drop is still to be scheduled.
STATE = {"first_above": 0.0, "drop_next": 0.0, "count": 0, "last_count": 0, "dropping": False, "just_dropped": False}
RECENT = 16  # intervals


# RFC 8289, section 5.6, `control_law`.
@part
def control_law(time, interval, count):
    """Return the time of the next drop."""
    return time + interval / math.sqrt(count)


# RFC 8289, section 5.6, `dodequeue`. Section 4.4: of several queues, the occupancy of all is tested.
@part
def over_target(one, link, packet, now):
    """Return whether the sojourn times of a queue have reached the target for an interval ("OK to drop")."""
    if now - packet.enqueued_at < link.target or link.backlog_bytes <= link.largest_packet:
        one.first_above = 0.0
    elif one.first_above == 0.0:
        one.first_above = now + link.interval
    else:
        return now >= one.first_above
    return False


# RFC 8289, section 5.5: if the queue was in dropping state a short time ago, begin at about the rate that controlled it
# then.
@part
def enter_dropping(one, link, now):
    """Enter dropping state, and schedule the drop after the first."""
    delta = one.count - one.last_count
    one.count = delta if delta > 1 and now - one.drop_next < RECENT * link.interval else 1
    one.last_count = one.count
    one.dropping = True
    one.drop_next = control_law(now, link.interval, one.count)


# RFC 8289, section 5.5, `dequeue`. Linux, codel_impl.h, `codel_dequeue`: a mark counts as a drop, but sends the packet.
@part
def control(one, link, packet, now):
    """Return DROP or SEND for the first packet of a queue; `one` has the state of the queue, `link` the parameters."""
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


# RFC 8289, section 5.6, `dodequeue`: an empty queue is below the target, so that `dequeue` (section 5.5) leaves the
# dropping state.
@part
def found_empty(one):
    """Reset the state of a queue that has no packet when its turn comes."""
    one.first_above = 0.0
    one.dropping = False
    one.just_dropped = False

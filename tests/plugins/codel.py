"""CoDel as a plug-in: RFC 8289, section 5, packet by packet. The link calls again after each dropped packet."""

import math

from longfat.sim import DROP, ENQUEUE, SEND, Discipline, Parameter, mark, part


@part
def over_target(link, packet, now):
    """Return whether sojourn times have exceeded the target for an interval (RFC 8289, section 5.6, dodequeue)."""
    if now - packet.enqueued_at < link.target or link.backlog_bytes <= link.largest_packet:
        link.first_above = 0.0
    elif link.first_above == 0.0:
        link.first_above = now + link.interval
    return 0.0 < link.first_above <= now


def enqueue(link, packet, now):
    link.largest_packet = max(link.largest_packet, packet.size)
    return ENQUEUE


def dequeue(link, packet, now):
    """Drop at drop_next, and from then on at intervals of interval/sqrt(count) (RFC 8289, section 5.5)."""
    over = over_target(link, packet, now)
    if link.just_dropped and over:
        link.drop_next += link.interval / math.sqrt(link.count)
    link.just_dropped, link.dropping, entering = False, link.dropping and over, over and not link.dropping
    if entering:
        recently = now - link.drop_next < 16 * link.interval
        link.count = max(1, link.count - link.last_count) if recently else 1
        link.dropping, link.last_count, link.drop_next = True, link.count, now + link.interval / math.sqrt(link.count)
    elif link.dropping and now >= link.drop_next:
        link.count += 1
        link.just_dropped = True
    return DROP if (entering or link.just_dropped) and not (link.ecn == 1.0 and mark(link, packet)) else SEND


TIMES = {"target": Parameter(0.005, "s", "(0, 10]"), "interval": Parameter(0.1, "s", "(0, 100]")}
STATE = {"first_above": 0.0, "drop_next": 0.0, "count": 0, "last_count": 0, "dropping": False, "just_dropped": False}
CODEL = Discipline("codel", enqueue=enqueue, dequeue=dequeue, parameters=TIMES | {"ecn": Parameter(0.0, "1", "{0, 1}")},
                   state=STATE | {"largest_packet": 0})  # fmt: skip

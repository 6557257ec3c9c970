"""DECbit's switch: a packet is marked if the queue, averaged since the beginning of the last busy period, is 1 or more.

With the queue q(t) and the beginnings t1 < t2 of the last busy periods the average is (integral of q from t1 to
now)/(now - t1), t1 < t2 <= now: over the last complete regeneration cycle, a busy period and the idle time behind it,
and the cycle that is not over yet (Ramakrishnan & Jain, ACM TOCS 8, 1990, sec. 3). A packet that arrives the moment the
one before it has been sent finds no idle time, and begins no cycle (ours: otherwise each packet of a train that
acknowledgments clock out would be a cycle with an average of exactly 1).

The mark is the CE bit of packets that can be marked; others count in the queue only. The receiver of the scheme
"decbit" echoes it packet by packet. Acknowledgments clock out trains of packets, in which one that is sent early keeps
two at the line, one of them in transmission, until the train ends. With the packet in transmission a single source of
the scheme "decbit" therefore stays below two thirds of what its path holds; without, it oscillates around all of it.

>>> decbit(threshold=2).values["threshold"]
2.0
"""

from longfat.sim.jit import part
from longfat.sim.queues.discipline import ENQUEUE, SEND, Discipline, Parameter, flag
from longfat.sim.records import ACK
from longfat.sim.seam import is_full, mark


@part
def nanoseconds(time):
    """Return whole nanoseconds, also of packets x s, so that an average of exactly 1 is one.

    That holds up to 2^50 of them: one packet for 13 days.
    """
    return int(time * 1e9 + 0.5)


@part
def area(link, time):
    """Return the queue, integrated from the start of the run to `time` [packets x ns]."""
    waited = nanoseconds(link.backlog_area) + link.backlog * (time - nanoseconds(link.changed_at))
    if not link.with_answers:
        waited -= link.answers_area + link.answers * (time - link.answers_changed)
    if link.with_transmission:  # `busy_time` has the whole packet in transmission
        waited += nanoseconds(link.busy_time) - max(0, nanoseconds(link.free_at) - time)
    return waited


@part
def answers_changed(link, time, change):
    """Count acknowledgments that wait, and integrate their number."""
    link.answers_area += link.answers * (time - link.answers_changed)
    link.answers_changed = time
    link.answers += change


@part
def begin_cycle(link, time):
    """Begin a regeneration cycle: the packet in hand finds the line idle."""
    so_far = area(link, time)
    if link.begun:
        link.last_area = so_far - link.area_before
        link.last_length = time - link.began
    link.area_before, link.began, link.begun = so_far, time, True


@part
def is_congested(link, time):
    """Return whether the average is the threshold or more; an average over no time says nothing."""
    length = link.last_length + (time - link.began)
    if length <= 0:
        return False
    link.average = (link.last_area + (area(link, time) - link.area_before)) / length
    return link.average >= link.threshold


def enqueue(link, packet, now):
    """Mark a packet that arrives, unless it finds no room; it is not yet in the average."""
    time = nanoseconds(now)
    if not link.begun or link.free_at < now:
        begin_cycle(link, time)
    finds_room = not is_full(link, packet, now)
    if not link.on_departure and is_congested(link, time) and finds_room:
        mark(link, packet)
    if packet.kind == ACK and link.free_at > now and finds_room:
        answers_changed(link, time, 1)
    return ENQUEUE


def dequeue(link, packet, now):
    """Mark a packet whose transmission begins: the variant."""
    time = nanoseconds(now)
    if packet.kind == ACK and link.answers > 0:  # else it has not waited
        answers_changed(link, time, -1)
    if link.on_departure and is_congested(link, time):
        mark(link, packet)
    return SEND


decbit = Discipline(
    "decbit",
    service="departures",
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={
        "threshold": Parameter(1.0, "packets", "(0, 1e15]", about="average from which on packets are marked"),
        "on_departure": flag(False, "judge a packet when its transmission begins, not when it arrives"),
        "with_transmission": flag(True, "count the packet in transmission"),
        "with_answers": flag(True, "count acknowledgments that wait, not data alone"),
    },
    # Area [packets x ns] and length [ns] of the last complete cycle; whether there is a cycle, when it began [ns] and
    # the area until then; acknowledgments that wait, their area, and until when that was counted.
    state={
        "last_area": 0, "last_length": 0, "begun": False, "began": 0, "area_before": 0,
        "answers": 0, "answers_area": 0, "answers_changed": 0, "average": 0.0,
    },
    needs_buffer=True,
)  # fmt: skip

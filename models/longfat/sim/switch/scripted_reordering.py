"""Scripted reordering: listed data packets wait while later packets pass them; other packets leave in order of arrival.

Our addition, because published test cases ask for a path that reorders packets (draft-ietf-ccwg-bbr-06, appendices A.18
and A.19), and none defines the reordering. A row of the script delays each of its packets once, so that a
retransmission is not delayed.

Queue 0 holds the packets that leave in order, queue 1 the packets on hold. The tag of a packet on hold is the number of
packets that queue 0 must have sent before that packet may leave.

>>> scripted_reordering(packets=[[0, 20, 2, 5]]).values["packets"]
((0.0, 20.0, 2.0, 5.0),)
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA, NONE, NOTHING
from longfat.sim.plugin.discipline import Discipline, Service
from longfat.sim.plugin.functions import (
    append,
    behind,
    now_ns,
    number_of,
    queue,
    schedule_wake,
    set_tag,
    tag_of,
    take,
    take_first,
    waiting,
)
from longfat.sim.plugin.parameters import Parameter, Table

ROWS = Table.MOST
COUNT = "[0, 9e15]"


@inline
def places_behind(link, packet):
    """Return the number of later packets that must leave before this packet, 0 if no row of the script delays it."""
    for k in range(ROWS):
        if packet.kind != DATA or link.packets[4 * k] < 0.0:
            break
        place = packet.number - int(link.packets[4 * k + 1])
        if link.packets[4 * k] == packet.flow and link.done[k] <= place < link.packets[4 * k + 2]:
            link.done[k] = place + 1
            return int(link.packets[4 * k + 3])
    return 0


@inline
def latest(link, number):
    """Return the time [ns] at which a packet on hold may leave even if too few packets have passed it."""
    return round(waiting(link, number).enqueued_at * 1e9) + round(link.longest * 1e9)


@inline
def wait_for_time(link):
    """Schedule a call at the time when the first packet on hold has waited for the maximum time."""
    on_hold = queue(link, 1)
    if on_hold.head != NONE:
        schedule_wake(link, on_hold, latest(link, on_hold.head))


def enqueue(link, packet, now):
    """Append the packet to the queue of packets in order, or to that of packets on hold."""
    places = places_behind(link, packet)
    if places == 0:
        append(link, queue(link, 0), packet)
        return 0
    set_tag(link, number_of(link, packet), link.passed + queue(link, 0).packets + places)
    append(link, queue(link, 1), packet)
    wait_for_time(link)
    return 0


def dequeue(link, now):
    """Take the first packet on hold that may leave, else the first packet of the queue; NOTHING if both are absent."""
    number = int(queue(link, 1).head)
    while number != NONE:
        if tag_of(link, number) <= link.passed or latest(link, number) <= now_ns(link):
            take(link, queue(link, 1), number)
            wait_for_time(link)
            return number
        number = behind(link, number)
    if queue(link, 0).packets == 0:
        return NOTHING
    link.passed += 1
    return take_first(link, queue(link, 0))


def wake(link, queue, now):
    """Schedule the next call of this function; after each call the link calls `dequeue`."""
    wait_for_time(link)
    return 0


SCRIPTED_REORDERING = Service(
    "scripted-reordering",
    enqueue=enqueue,
    dequeue=dequeue,
    wake=wake,
    queues=2,
    parameters={
        "packets": Table(
            columns=(
                ("flow", "1", COUNT),
                ("number", "packets", COUNT),
                ("count", "packets", "[1, 1e9]"),
                ("behind", "packets", "[1, 1e9]"),
            ),
            about="Data packets: flow (0 is the first), first number, count; and how many later packets pass each",
        ),
        "longest": Parameter(1.0, "s", "(0, 1e6]", about="Longest time for which a packet is on hold"),
    },
    state={"done": [0] * ROWS, "passed": 0},  # packets held so far, by row of `packets`; packets that left in order
    work_conserving=False,
    source="Ours, because test cases in drafts ask for reordering, and no publication defines it",
)
scripted_reordering = Discipline("scripted-reordering", SCRIPTED_REORDERING, needs_buffer=True)

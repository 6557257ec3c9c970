"""DECbit's switch: a packet is marked if the queue, averaged since the beginning of the last busy period, is 1 or more.

The average goes over the last complete regeneration cycle (a busy period and the idle time behind it) and the cycle
that is not over yet (schemes.md 2.1; Ramakrishnan & Jain 1990). A packet that arrives the moment the one before it has
been sent finds no idle time, and begins no cycle: otherwise each packet of a train that acknowledgments clock out
would be a cycle with an average of exactly 1.
"""

from __future__ import annotations

from longfat.domains import number
from longfat.sim.jit import part
from longfat.sim.queues.discipline import ADMIT, Discipline, flag
from longfat.sim.queues.line import finds_no_room
from longfat.sim.records import ACK, CE, ECT, NONE

THRESHOLD, ON_DEPARTURE, WITH_TRANSMISSION, WITH_ANSWERS = range(4)  # p
# u: area [packets x ns] and length [ns] of the last complete cycle; the area up to the beginning of this one, and when
# that was [ns]; whether there is one; acknowledgments that wait, their area, and until when that was counted. They are
# whole numbers, exact up to 2^53: one packet for 104 days.
LAST_AREA, LAST_LENGTH, AREA_BEFORE, BEGAN, BEGUN, ANSWERS, ANSWERS_AREA, ANSWERS_CHANGED = range(8)


@part
def area(link, time):
    """The queue, integrated from the start of the run to `time` [packets x ns]."""
    waited = link.area + link.waiting * (time - link.changed)
    if link.p[WITH_ANSWERS] == 0.0:
        waited -= int(link.u[ANSWERS_AREA] + link.u[ANSWERS] * (time - link.u[ANSWERS_CHANGED]))
    if link.p[WITH_TRANSMISSION] == 0.0:
        return waited
    return waited + link.busy - max(0, link.free - time)  # busy has the whole packet in transmission


@part
def answers_changed(link, time, change):
    """Acknowledgments that wait, and their time."""
    link.u[ANSWERS_AREA] += link.u[ANSWERS] * (time - link.u[ANSWERS_CHANGED])
    link.u[ANSWERS_CHANGED] = time
    link.u[ANSWERS] += change


@part
def begin_cycle(link, time):
    """Rule 3: the packet in hand finds the line idle."""
    so_far = float(area(link, time))
    if link.u[BEGUN] > 0.0:
        link.u[LAST_AREA] = so_far - link.u[AREA_BEFORE]
        link.u[LAST_LENGTH] = time - link.u[BEGAN]
    link.u[AREA_BEFORE] = so_far
    link.u[BEGAN] = time
    link.u[BEGUN] = 1.0


@part
def is_congested(link, time):
    """Rule 2; an average over no time says nothing."""
    length = link.u[LAST_LENGTH] + (time - link.u[BEGAN])
    if length <= 0.0:
        return False
    link.average = (link.u[LAST_AREA] + (area(link, time) - link.u[AREA_BEFORE])) / length
    return link.average >= link.p[THRESHOLD]


@part
def mark(link, packet):
    """Only packets that can be marked; a mark of another switch stays."""
    if packet.marks & ECT:
        packet.marks |= CE
        link.marked += 1


def decbit_arrive(link, packet, header, now, rng):
    """The packet that arrives is not yet in the average, and is marked unless it finds no room."""
    time = int(now * 1e9 + 0.5)
    if link.u[BEGUN] == 0.0 or (link.sending == NONE and link.free < time):
        begin_cycle(link, time)
    if link.p[ON_DEPARTURE] == 0.0 and is_congested(link, time) and not finds_no_room(link, packet, now):
        mark(link, packet)
    if packet.kind == ACK and link.sending != NONE and not finds_no_room(link, packet, now):
        answers_changed(link, time, 1.0)
    return ADMIT


def decbit_depart(link, packet, header, now, rng):
    """The variant: the same question when its transmission begins."""
    if packet.kind == ACK and link.u[ANSWERS] > 0.0:  # else it has not waited
        answers_changed(link, int(now * 1e9 + 0.5), -1.0)
    if link.p[ON_DEPARTURE] > 0.0 and is_congested(link, int(now * 1e9 + 0.5)):
        mark(link, packet)
    return 0


def decbit(
    *, threshold: float = 1.0, on_departure: bool = False, with_transmission: bool = True, with_answers: bool = True
) -> Discipline:
    """Marks by the average queue over the last two regeneration cycles, in order of arrival, drop-tail.

    With the queue q(t) and the beginnings t1 < t2 of the last busy periods:
    average = (integral of q from t1 to now)/(now - t1), t1 < t2 <= now.

    Parameters
    ----------
    threshold : float
        Average from which on packets are marked [packets].
    on_departure : bool
        Judge a packet when its transmission begins, not when it arrives.
    with_transmission : bool
        Count the packet in transmission.
    with_answers : bool
        Count acknowledgments that wait, not data alone.

    Returns
    -------
    Discipline
        For ``link(..., discipline=)``.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Notes
    -----
    The mark is the CE bit of packets that can be marked; others count in the queue only. The receiver of the scheme
    "decbit" echoes it packet by packet.

    Acknowledgments clock out trains of packets, in which one that is sent early keeps two at the line, one of them in
    transmission, until the train ends. With the packet in transmission a single source of the scheme "decbit" therefore
    stays below two thirds of what its path holds; without, it oscillates around all of it.

    Examples
    --------
    >>> decbit(threshold=2).parameters["threshold"]
    2.0

    References
    ----------
    Ramakrishnan & Jain, ACM TOCS 8 (1990).
    """
    return Discipline(
        "decbit",
        service="departures",
        arrive=decbit_arrive,
        depart=decbit_depart,
        parameters={
            "threshold": number("threshold", threshold, "packets", "(0, 1e15]"),
            "on_departure": flag("on_departure", on_departure),
            "with_transmission": flag("with_transmission", with_transmission),
            "with_answers": flag("with_answers", with_answers),
        },
        needs_buffer=True,
    )

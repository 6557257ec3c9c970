"""Hop by hop: every switch tells the one before it how fast it serves a flow and how much of it waits (schemes.md 5).

The one before sends the flow at the rate that keeps the other's queue at a set point (`longfat.sim.kernel.predicting`);
so what is too much at a bottleneck waits upstream of it, one hop after the other, and at last in the source. Notes cost
a packet each on the line back. What leaves the last switch of a path is not held back.

A note says how much of what was sent has not been served at its moment, as the backlog less the number of the next
packet to come; so who gets the note adds the number of the next packet that it will send, and has what waits and what
is on its way. And it says when a packet had to leave upstream to arrive at that moment: the loop begins then.
"""

from __future__ import annotations

import math

from longfat.domains import number, whole_number
from longfat.sim.jit import part
from longfat.sim.kernel.predicting import LIMIT, SHORTEST, held_back, predicted_rate
from longfat.sim.memory import note_at
from longfat.sim.queues.discipline import ADMIT, Discipline
from longfat.sim.queues.line import capacity
from longfat.sim.queues.served import LENGTH, queue_of, service_rate, take_departure
from longfat.sim.records import DATA, STAMPED, TOLD

# What the header of a packet says: when it left the switch before [s], 0 for its source; the rate at which a flow
# begins [bytes/s]; nothing; and whose header it is. The last holds for notes, too, whose fields are:
LEFT, START_RATE, _, WHOSE = range(4)
OWED, RATE, MOMENT = range(3)  # see above; bytes/s; s
OURS = -4.0
# p
SET_POINT, GAIN, EVERY = range(3)
# u of a note, behind those of `predicting` and `served`: number of the next packet to be sent, time that the last one
# took from the switch before [s], time of the last note [s]. `key`: number of the next packet to come; `next`:
# departures since the last note; `previous`: 1 once the flow has been seen.
SENT, TOOK, SAID = 5, 6, 7


@part
def tell(link, note, queue, waiting, now):
    """Rules 2 and 4: a note, if it is time for one. What goes on is served no faster than its own rate."""
    if note.next < link.p[EVERY] and now < note.u[SAID] + 2.0 * note.u[TOOK]:
        return
    note.next = 0
    note.u[SAID] = now
    link.note[OWED] = float(waiting - note.key)
    link.note[RATE] = min(queue.rate, service_rate(link, note, queue))
    link.note[MOMENT] = now - note.u[TOOK]
    link.note[WHOSE] = OURS
    link.notify = 1


@part
def listen(link, note, queue, header, now):
    """Rule 3: the rate at which the next switch is sent to from now on."""
    size = abs(note.u[LENGTH])
    if size == 0.0 or header.x[WHOSE] != OURS:
        return
    loop = max(now - header.x[MOMENT], size / capacity(link), SHORTEST)
    rate = predicted_rate(header.x[RATE] / size, header.x[OWED], note.u[SENT], loop, link.p[GAIN], link.p[SET_POINT])
    queue.rate = min(capacity(link), held_back(note, rate, now, loop) * size)


def hop_by_hop_arrive(link, packet, header, now, rng):
    """A packet of a flow that takes part, or a note about it."""
    queue, note = queue_of(link, packet), note_at(link, packet.flow)
    if packet.kind == TOLD:
        listen(link, note, queue, header, now)
        return ADMIT
    if packet.kind != DATA or packet.marks & STAMPED == 0 or header.x[WHOSE] != OURS:
        return ADMIT
    left = header.x[LEFT] if header.x[LEFT] > 0.0 else packet.sent * 1e-9
    note.u[TOOK] = now - left
    note.key = packet.transmission + 1
    if note.previous == 0:
        note.previous = 1
        note.next = int(link.p[EVERY])  # it is time for a note
        note.u[LIMIT] = math.inf
        if now == left:  # the sender's own node: this is where the rate begins and doubles
            note.u[LIMIT] = header.x[START_RATE] / packet.length
            queue.rate = header.x[START_RATE]
    tell(link, note, queue, queue.packets + 1, now)
    return ADMIT


def hop_by_hop_depart(link, packet, header, now, rng):
    """It is stamped for the next switch, and counts."""
    if packet.kind != DATA:
        return 0
    queue, note = queue_of(link, packet), note_at(link, packet.flow)
    take_departure(note, queue, packet, now)
    if note.previous == 1 and packet.marks & STAMPED and header.x[WHOSE] == OURS:
        header.x[LEFT] = now
        note.u[SENT] = packet.transmission + 1
        note.next += 1
        tell(link, note, queue, queue.packets, now)
    return 0


def hop_by_hop(*, set_point: float = 10.0, gain: float = 0.5, every: int = 10) -> Discipline:
    """The switch of the hop-by-hop scheme: fair queueing over flows at rates that the next switches allow.

    lambda = mu + g (B - max(0, n + s - mu h))/h, with the rate of service mu and the backlog n that the next switch
    told, and the s packets sent in the h that news and packets take from one to the other and back.

    Parameters
    ----------
    set_point : float
        B, what shall wait at the next switch [packets].
    gain : float
        g, share of what lacks there that is made good in a loop [1].
    every : int
        A note goes after so many departures, or after the round trip of the hop if that is sooner [packets].

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
    Flows of other schemes are served fairly, at any rate. On the first line of a path it makes the sender's own node
    part of the scheme; without, the sender's line serves in order and the first switch tells the sender itself.
    Connections that arrive one after the other (`longfat.sim.traffic.arrivals`) share one queue and its rate.

    Examples
    --------
    >>> hop_by_hop(every=5).parameters["every"]
    5.0

    References
    ----------
    Mishra & Kanakia, SIGCOMM 1992; schemes.md 5, whose gain and set point are a reconstruction.
    """
    return Discipline(
        "hop-by-hop",
        service="rated",
        arrive=hop_by_hop_arrive,
        depart=hop_by_hop_depart,
        parameters={
            "set_point": number("set_point", set_point, "packets", "[0, 1e6]"),
            "gain": number("gain", gain, "1", "(0, 1]"),
            "every": float(whole_number("every", every, "packets", "[1, 1e9]")),
        },
        needs_buffer=True,
        notes=True,
        hop_by_hop=True,
    )

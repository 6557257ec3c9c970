"""The loss-load switch: it tells every source its loss as a function of its rate, and sheds what is too much.

For each flow it keeps the rate that the packets declare, or that is measured. From them come the excess and the
spread of the load of the others, for which the source asks (schemes.md 14.1 and 14.3). With a virtual factor below
1 what sources are told is computed from less than the true capacity; what is dropped, from the true one.
"""

from __future__ import annotations

from longfat import quantities
from longfat.domains import number, whole_number
from longfat.sim.jit import part
from longfat.sim.memory import behind, first_waiting, note_at
from longfat.sim.queues.discipline import ADMIT, DROP, Discipline, flag
from longfat.sim.queues.line import capacity
from longfat.sim.records import DATA, LAST, NONE, RED, STAMPED

# p: what the source of the parameters below calls them.
K, FACTOR, OVERFLOW, THRESHOLD, SILENCE, WINDOW, DIRECT, COLOURS, FAREWELL = range(9)
# u of the link: changes of any rate so far, the first flow of the list.
CHANGES, HEAD = range(2)
# u of a note: the flow's rate and its power k + 1, in capacities; when it was last heard of [s]; bytes in this
# window, negative for a flow that declares its rate; the others' load and sum of powers, and the number of changes
# for which the sender was told them last. `key`: the number of changes for which they hold. `next`: 0 in no list.
RATE, POWER, HEARD, BYTES, LOAD, POWERS, TOLD = range(7)
END = 1  # of the list; flow f stands in it as f + 2


@part
def loss(rate, load, powers, k):
    """The loss of a source of this rate beside others of this load and sum of powers."""
    if rate <= 0.0 or rate + load <= 1.0:
        return 0.0
    own = rate**k
    if own * rate + powers == 0.0:  # too small for floats, and nobody else
        return min(1.0, (rate + load - 1.0) / rate)
    return min(1.0, own * (rate + load - 1.0) / (own * rate + powers))


@part
def set_rate(link, note, rate):
    """A rate has changed, perhaps: what is known of the others' sums is out of date then."""
    if rate != note.u[RATE]:
        note.u[RATE] = rate
        note.u[POWER] = rate ** (link.p[K] + 1.0)
        link.u[CHANGES] += 1.0


@part
def look_at_others(link, flow, note):
    """Load and sum of powers of all others, added up anew: subtracting would leave nothing of small powers."""
    if note.key == int(link.u[CHANGES]):
        return
    load, powers = 0.0, 0.0
    place = int(link.u[HEAD])
    while place > END:
        other = note_at(link, place - 2)
        if place - 2 != flow:
            load += other.u[RATE]
            powers += other.u[POWER]
        place = other.next
    note.u[LOAD] = load
    note.u[POWERS] = powers
    note.key = int(link.u[CHANGES])


@part
def remove(link, flow):
    """A flow has gone."""
    before, place = END, int(link.u[HEAD])
    while place != flow + 2:
        before, place = place, note_at(link, place - 2).next
    note = note_at(link, flow)
    if before == END:
        link.u[HEAD] = note.next
    else:
        note_at(link, before - 2).next = note.next
    note.next = 0
    set_rate(link, note, 0.0)


@part
def declares(packet, header):
    """Whether the header says how fast the source sends: other schemes write a negative number into the last place."""
    return packet.marks & STAMPED and header.x[3] >= 0.0


@part
def hear_of(link, packet, header, now):
    """The note of a packet's flow, with what the packet says."""
    note = note_at(link, packet.flow)
    if note.next == 0:
        note.next = max(END, int(link.u[HEAD]))
        link.u[HEAD] = packet.flow + 2.0
        note.u[BYTES] = 0.0
        note.u[TOLD] = -1.0
        link.u[CHANGES] += 1.0
    note.u[HEARD] = now
    if declares(packet, header) and link.p[WINDOW] <= 0.0:
        note.u[BYTES] = -1.0
        set_rate(link, note, header.x[0] / capacity(link))
    else:
        note.u[BYTES] += packet.length
    look_at_others(link, packet.flow, note)
    return note


@part
def tell(link, note, header):
    """Excess, spread and virtual capacity into the packet, if this link restricts its source more than others do."""
    k, factor = link.p[K], link.p[FACTOR]
    virtual = factor * capacity(link)
    load, powers = note.u[LOAD] / factor, note.u[POWERS] / factor ** (k + 1.0)
    if header.x[3] > 0.0:
        here = loss(header.x[0] / virtual, load, powers, k)
        there = loss(header.x[0] / header.x[3], header.x[1] + 1.0, header.x[2], k)
        # Equal where nothing is lost: then the link with less room counts.
        if here < there or (here == there and (1.0 - load) * virtual >= -header.x[1] * header.x[3]):
            return
    header.x[1], header.x[2], header.x[3] = load - 1.0, powers, virtual


@part
def full(link, packet, now):
    """Whether the buffer has no room for it."""
    busy = link.sending != NONE if link.p[COLOURS] > 0.0 else link.free * 1e-9 > now
    return busy and (link.waiting >= link.limit_packets or link.waiting_bytes + packet.length > link.limit_bytes)


@part
def victim(link, packet):
    """Which packet goes: a red one itself; instead of a green one the last red one of its flow that waits, if any."""
    if link.p[COLOURS] <= 0.0 or packet.colour == RED or link.waiting == 0:
        return DROP
    found, place = DROP, link.queue_head
    waiting = first_waiting(link)
    while True:
        if waiting.colour == RED and waiting.flow == packet.flow and waiting.kind == DATA:
            found = place + 1
        if waiting.next == NONE:
            return found
        place = waiting.next
        waiting = behind(link, waiting)


def loss_load_arrive(link, packet, header, now, rng):
    """Note the rate, tell the source, and drop with the chance that the law gives, or where the buffer is full."""
    if packet.kind != DATA:
        return ADMIT
    note = hear_of(link, packet, header, now)
    rate, load = note.u[RATE], note.u[LOAD]
    too_much = link.p[OVERFLOW] <= 0.0 and rate + load > 1.0 and link.waiting >= link.p[THRESHOLD]
    verdict = ADMIT
    if (too_much and rng.random() < loss(rate, load, note.u[POWERS], link.p[K])) or full(link, packet, now):
        verdict = victim(link, packet)
    if declares(packet, header):
        if link.p[DIRECT] <= 0.0:
            tell(link, note, header)
        elif note.u[TOLD] != link.u[CHANGES]:
            note.u[TOLD] = link.u[CHANGES]
            factor = link.p[FACTOR]
            link.note[0] = header.x[0]
            link.note[1] = load / factor - 1.0
            link.note[2] = note.u[POWERS] / factor ** (link.p[K] + 1.0)
            link.note[3] = factor * capacity(link)
            link.notify = 1
    if packet.marks & LAST and link.p[FAREWELL] > 0.0:
        remove(link, packet.flow)
    return verdict


def loss_load_tick(link, now):
    """Rates of the flows that declare none, and an end to those that have been silent for long."""
    window = link.p[WINDOW] if link.p[WINDOW] > 0.0 else MEASURED
    place = int(link.u[HEAD])
    while place > END:
        note = note_at(link, place - 2)
        flow, place = place - 2, note.next
        if note.u[BYTES] >= 0.0:
            set_rate(link, note, note.u[BYTES] / window / capacity(link))
            note.u[BYTES] = 0.0
        if now - note.u[HEARD] > link.p[SILENCE]:
            remove(link, flow)
    return now + window


MEASURED = 0.01  # s, over which the rates of flows that declare none are measured


def loss_load(
    k: float = 10,
    v: float = 1.0,
    *,
    overflow: bool = False,
    threshold: int = 0,
    colours: bool = True,
    direct: bool = False,
    silence: float | str = 0.1,
    window: float | str = 0.0,
    farewell: bool = True,
) -> Discipline:
    """The switch of the loss-load model, with ``v < 1`` of the virtual loss-load model.

    Parameters
    ----------
    k : float
        How hard the curve is on sources that send more than others [1]; the sources have to know it, too.
    v : float
        Virtual factor: the share of the capacity that sources are told of [1].
    overflow : bool
        Drop only what finds the buffer full; else, while there is too much load on the true capacity, drop each packet
        with the chance that its flow's rate has by the law.
    threshold : int
        Dropping by chance begins when as many wait [packets]: so much of a short overload is stored and not dropped.
    colours : bool
        Drop a waiting red packet of the same flow instead of a green one that arrives.
    direct : bool
        Tell senders straight from the switch; else by way of the receiver, in acknowledgments.
    silence : float or str
        After which a flow counts no more [s]; about two round trips.
    window : float or str
        Over which rates are measured [s]; 0: they are what packets declare, and measured over 10 ms for flows that
        declare none.
    farewell : bool
        A flow counts no more from its last packet on; else only silence ends it.

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
    A packet costs as much as there are flows whenever a rate has changed since the flow's last one.

    Examples
    --------
    >>> loss_load(5, 0.8).parameters["v"]
    0.8

    References
    ----------
    Prithviraj & Williamson, sec. 2.2 and 2.3; Williamson & Cheriton, SIGCOMM 1991.
    """
    return Discipline(
        "loss-load",
        service="departures" if colours else "fifo",
        arrive=loss_load_arrive,
        tick=loss_load_tick,
        parameters={
            "k": number("k", k, "1", "(0, 50]"),
            "v": number("v", v, "1", "(0, 1]"),
            "overflow": flag("overflow", overflow),
            "threshold": whole_number("threshold", threshold, "packets", "[0, 1e9]"),
            "silence": quantities.duration(silence, "silence", "(0, 1e6]"),
            "window": quantities.duration(window, "window", "[0, 1e6]"),
            "direct": flag("direct", direct),
            "colours": flag("colours", colours),
            "farewell": flag("farewell", farewell),
        },
        needs_buffer=True,
        notes=True,
    )

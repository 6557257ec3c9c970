"""Performance transparency protocol: links note their counters on requests, and receivers answer, for CADPC.

M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", PFLDnet workshop
2005, section II. A scheme sends a request (``flow.request = 1``). Each link appends a note of 16 bytes: how many bytes
it has sent, and when. The receiver compares the notes on two requests, and its answer tells of the link with the least
capacity to spare. This works at links with any discipline, so it is none, but the responder of a run
(`kernel.queueing.call_responder`). The notes of a request are a list, the last one first.
"""

import functools
import math

from longfat.sim.kernel.jit import part
from longfat.sim.kernel.memory import hop_at, link_at, note_at, queued_at, tally_at
from longfat.sim.kernel.records import NONE, REQUEST
from longfat.sim.kernel.recovery import allocate_node, release_nodes
from longfat.sim.plugin.own import flag
from longfat.sim.plugin.seam import number_of
from longfat.sim.queues.discipline import ENQUEUE, SEND, Discipline, Parameter

RESERVED = -1  # time of a note that is not yet written
NOTE, MOST, ANSWER = 16, 576, 32  # bytes: a note, the longest request, an answer
#: Values of `notes`: by nobody; by the router in front of the link; by the one at its end, for its incoming interface.
BY_NOBODY, BY_OUTGOING, BY_INCOMING = range(3)


def reserve(link, packet, now):
    """Lengthen a request by the link's note, if the link makes notes and the request has room.

    A note for the incoming interface is there from now on, but the request is longer by it only behind the link. Its
    hop is below zero until then.
    """
    state, row = link._state, packet._packet
    about = queued_at(state, number_of(link, packet))
    if about.notes != NONE and note_at(state, about.notes).hop < 0:
        settle(state, about.notes)
        lengthen(link, packet)
    if link.notes != BY_NOBODY and row.length + NOTE <= MOST:
        n = allocate_node(state)
        note = note_at(state, n)
        note.time = RESERVED
        note.next = about.notes
        about.notes = n
        if link.notes == BY_INCOMING:
            note.hop = -1 - row.hop
        else:
            note.hop = row.hop
            lengthen(link, packet)
    return ENQUEUE


@part
def lengthen(link, packet):
    """Lengthen a request by a note."""
    packet._packet.length += NOTE
    link._link.lengthened_bytes += NOTE


@part
def settle(state, n):
    """Write the hop of a note that has lengthened its request."""
    note = note_at(state, n)
    note.hop = -1 - note.hop


def write(link, packet, begin):
    """Write byte counter and time into the note reserved for a link; the request leaves at time `begin`."""
    state = link._state
    if link.refresh > 0.0:
        refresh_counter(link, state.now)
    if not packet._packet.flag_bits & REQUEST:
        return SEND
    n = queued_at(state, number_of(link, packet)).notes
    if n == NONE or note_at(state, n).time != RESERVED:
        return SEND
    note, time = note_at(state, n), int(begin * 1e9 + 0.5)
    note.bytes = link._link.served_bytes
    note.time = time
    if link.refresh > 0.0:
        refresh_counter(link, time)
        note.bytes = link.seen_bytes
        if link.coarse_clock:
            note.time = link.refreshed_at
    return SEND


@part
def refresh_counter(link, now):
    """Bring the published byte counter of a link up to date [ns], at integer multiples of its refresh interval."""
    row, interval = link._link, int(link.refresh * 1e9 + 0.5)
    if now - link.refreshed_at < interval:
        return
    link.refreshed_at = now - now % interval
    unsent = max(0, row.free - link.refreshed_at) if row.service == NONE else 0  # ns; counted at admission
    unsent_bytes = unsent * (row.rate / (8e9 * row.scale)) if row.scale > 0 else 0.0
    link.seen_bytes = max(link.seen_bytes, row.served_bytes - int(unsent_bytes))


def answer(link, packet, now):
    """Compare the notes on two requests, and answer with those of the link with the least spare capacity.

    The header fields of the answer are capacity and traffic of that link [bytes/s], the time between its notes [s],
    and how many links answered, which is 0 where a counter was not refreshed between the requests.
    """
    state = link._state
    about, flow = queued_at(state, number_of(link, packet)), tally_at(state, packet._packet.flow)
    if about.notes != NONE and note_at(state, about.notes).hop < 0:
        settle(state, about.notes)
    least, links, stale = math.inf, 0, False
    before, n = flow.notes, about.notes
    while n != NONE and before != NONE:
        new, old = note_at(state, n), note_at(state, before)
        if new.hop == old.hop:
            if new.time > old.time:
                noted = link_at(state, hop_at(state, new.hop).link)
                capacity = noted.rate / (8.0 * noted.scale)
                span = (new.time - old.time) * 1e-9
                traffic = (new.bytes - old.bytes) / span
                links += 1
                if capacity - traffic <= least:  # of equal links the first of the path; the list goes backwards
                    least = capacity - traffic
                    packet.header[0] = capacity
                    packet.header[1] = traffic
                    packet.header[2] = span
            stale = stale or new.time == old.time
        if new.hop >= old.hop:
            n = new.next
        if new.hop <= old.hop:
            before = old.next
    # A counter that was not refreshed since the last request hides its link, which may be the bottleneck.
    packet.header[3] = 0 if stale else links
    release_nodes(state, flow.notes)
    flow.notes = about.notes
    about.notes = NONE
    packet._packet.length = ANSWER
    return SEND


@functools.cache
def responder() -> Discipline:
    """Return the responder, whose parameters are options of a link."""
    return Discipline(
        "ptp", enqueue=reserve, dequeue=write, feedback=answer,
        parameters={
            "refresh": Parameter(0.0, "s", "[0, 1e6]", about="Interval between updates of the byte counter"),
            "coarse_clock": flag(False, "Whether a note has the time of the last update, not the present time"),
            "notes": Parameter(float(BY_OUTGOING), "1", "{0, 1, 2}", about="Who makes notes: see `BY_NOBODY`"),
        },
        state={"refreshed_at": 0, "seen_bytes": 0},
    )  # fmt: skip

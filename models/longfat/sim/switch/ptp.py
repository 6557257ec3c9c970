"""Performance transparency protocol (PTP) for CADPC: links add counters to requests; receivers answer the requests.

M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", PFLDnet workshop
2005, section II. A scheme sends a request (``flow.request = 1``). Each link appends a stamp of 16 bytes: the number of
bytes that it has sent, and the time. The receiver compares the stamps of two requests, and its answer describes the
link with the least spare capacity. The protocol works at links with any discipline: it is therefore not the discipline
of a link but the responder of a run (`kernel.callbacks.call_responder`). The stamps of a request form a list, the
newest first.
"""

import functools
import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import NONE, REQUEST
from longfat.sim.kernel.recovery import allocate_node, release_nodes
from longfat.sim.plugin.discipline import ENQUEUE, SEND, Discipline, Parameter
from longfat.sim.plugin.functions import link_row, number_of, packet_row, state_of
from longfat.sim.plugin.parameters import flag

RESERVED = -1  # time in a stamp that has been reserved but not written
STAMP, MOST, ANSWER = 16, 576, 32  # bytes: a stamp, the longest request, an answer
#: The router that adds the stamp of a link: no router, the router before the link (at its outgoing interface), or the
#: router after the link (at its incoming interface).
BY_NOBODY, BY_OUTGOING, BY_INCOMING = range(3)


def reserve(link, packet, now):
    """Reserve the link's stamp in a request, if the link adds stamps and the request has room for another one.

    A stamp that is added by the router after the link lengthens the request only beyond the link; until then the hop
    number of the stamp is negative.
    """
    state, row = state_of(link), packet_row(packet)
    about = state.extras[number_of(link, packet)]
    if about.stamps != NONE and state.stamps[about.stamps].hop < 0:
        settle(state, about.stamps)
        lengthen(link, packet)
    if link.stamps != BY_NOBODY and row.length + STAMP <= MOST:
        n = allocate_node(state)
        stamp = state.stamps[n]
        stamp.time = RESERVED
        stamp.next = about.stamps
        about.stamps = n
        if link.stamps == BY_INCOMING:
            stamp.hop = -1 - row.hop
        else:
            stamp.hop = row.hop
            lengthen(link, packet)
    return ENQUEUE


@inline
def lengthen(link, packet):
    """Lengthen a request by 16 bytes, the size of a stamp."""
    packet_row(packet).length += STAMP
    link_row(link).lengthened_bytes += STAMP


@inline
def settle(state, n):
    """Restore the hop number of stamp `n`, which is negative until its request has passed the link."""
    stamp = state.stamps[n]
    stamp.hop = -1 - stamp.hop


def write(link, packet, begin):
    """Write the byte counter and the departure time `begin` [s] into the stamp that the link has reserved."""
    state = state_of(link)
    if link.refresh > 0.0:
        refresh_counter(link, state.now)
    if not packet_row(packet).flag_bits & REQUEST:
        return SEND
    n = state.extras[number_of(link, packet)].stamps
    if n == NONE or state.stamps[n].time != RESERVED:
        return SEND
    stamp, time = state.stamps[n], int(begin * 1e9 + 0.5)
    stamp.bytes = link_row(link).served_bytes
    stamp.time = time
    if link.refresh > 0.0:
        refresh_counter(link, time)
        stamp.bytes = link.seen_bytes
        if link.coarse_clock:
            stamp.time = link.refreshed_at
    return SEND


@inline
def refresh_counter(link, now):
    """Set a link's published byte counter to its value at the last multiple of the refresh interval before `now`."""
    row, interval = link_row(link), int(link.refresh * 1e9 + 0.5)
    if now - link.refreshed_at < interval:
        return
    link.refreshed_at = now - now % interval
    # A link without a service counts the bytes of a packet when it admits the packet.
    unsent = max(0, row.free - link.refreshed_at) if row.service == NONE else 0  # ns
    unsent_bytes = unsent * (row.rate / (8e9 * row.scale)) if row.scale > 0 else 0.0
    link.seen_bytes = max(link.seen_bytes, row.served_bytes - int(unsent_bytes))


def answer(link, packet, now):
    """Compare the stamps of two requests; write the data of the link with the least spare capacity into the answer.

    The header fields of the answer are capacity and traffic of that link [bytes/s], the time between its stamps [s],
    and the number of links compared, which is 0 if a counter was not refreshed between the requests.
    """
    state = state_of(link)
    about, flow = state.extras[number_of(link, packet)], state.tallies[packet_row(packet).flow]
    if about.stamps != NONE and state.stamps[about.stamps].hop < 0:
        settle(state, about.stamps)
    least, links, stale = math.inf, 0, False
    before, n = flow.last_stamps, about.stamps
    while n != NONE and before != NONE:
        new, old = state.stamps[n], state.stamps[before]
        if new.hop == old.hop:
            if new.time > old.time:
                stamped = state.links[state.hops[new.hop].link]
                capacity = stamped.rate / (8.0 * stamped.scale)
                span = (new.time - old.time) * 1e-9
                traffic = (new.bytes - old.bytes) / span
                links += 1
                if capacity - traffic <= least:  # the list is reversed: <= chooses the first equal link of the path
                    least = capacity - traffic
                    packet.header[0] = capacity
                    packet.header[1] = traffic
                    packet.header[2] = span
            stale = stale or new.time == old.time
        if new.hop >= old.hop:
            n = new.next
        if new.hop <= old.hop:
            before = old.next
    # If the counter of any link was not refreshed since the last request, report 0 links. That link may be the
    # bottleneck, so no bottleneck can be chosen.
    packet.header[3] = 0 if stale else links
    release_nodes(state, flow.last_stamps)
    flow.last_stamps = about.stamps
    about.stamps = NONE
    packet_row(packet).length = ANSWER
    return SEND


@functools.cache
def responder() -> Discipline:
    """Return the responder of a run; each link sets the responder's parameters as options."""
    return Discipline(
        "ptp", enqueue=reserve, dequeue=write, feedback=answer,
        parameters={
            "refresh": Parameter(0.0, "s", "[0, 1e6]", about="Interval between updates of the byte counter"),
            "coarse_clock": flag(False, "Whether a stamp has the time of the last update, not the present time"),
            "stamps": Parameter(float(BY_OUTGOING), "1", "{0, 1, 2}", about="Who adds stamps: see `BY_NOBODY`"),
        },
        state={"refreshed_at": 0, "seen_bytes": 0},
    )  # fmt: skip

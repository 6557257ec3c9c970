"""Requests to the links of a path for their counters, and what a receiver computes from them.

This is the performance transparency protocol of Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data
Transfer", section II. The stamps of a request are a list, the last one first, of nodes of the pool of transmissions
(`records.STAMP`). The flow keeps those of the request that arrived last.
"""

import math

from longfat.sim.kernel.jit import routine
from longfat.sim.kernel.memory import header_at, hop_at, link_at, packet_at, queued_at, stamp_at, tally_at
from longfat.sim.kernel.records import ANSWERED, IGNORES, INCOMING, NONE
from longfat.sim.kernel.recovery import allocate_node, release_nodes

RESERVED = -1  # time of a stamp that is not yet written


@routine
def refresh_counter(link, now):
    """Bring the published byte counter of a link up to date, at integer multiples of its refresh interval."""
    if now - link.refreshed_at < link.refresh:
        return
    link.refreshed_at = now - now % link.refresh
    unsent = max(0, link.free - link.refreshed_at) if link.service == NONE else 0  # ns; counted at admission
    unsent_bytes = unsent * (link.rate / (8e9 * link.scale)) if link.scale > 0 else 0.0
    link.seen_bytes = max(link.seen_bytes, link.served_bytes - int(unsent_bytes))


@routine
def reserve_stamp(state, link, i):
    """Lengthen a request by 16 bytes for the link's stamp, if the link answers requests and the packet has room.

    The stamp of a link whose incoming interface answers is there from now on, but the request is longer by it only
    behind the link.
    """
    packet, about = packet_at(state, i), queued_at(state, i)
    if about.stamps != NONE and stamp_at(state, about.stamps).hop == packet.hop - 1:
        before = link_at(state, hop_at(state, packet.hop - 1).link)
        if before.ignores_requests == INCOMING:
            packet.length += 16
            link.stamped_bytes += 16
    if link.ignores_requests != IGNORES and packet.length + 16 <= 576:
        if link.ignores_requests != INCOMING:
            packet.length += 16
            link.stamped_bytes += 16
        n = allocate_node(state)
        stamp_at(state, n).time = RESERVED
        stamp_at(state, n).hop = packet.hop
        stamp_at(state, n).next = about.stamps
        about.stamps = n


@routine
def write_stamp(state, link, i, begin):
    """Write byte counter and time into the stamp reserved for a link; the request leaves at time `begin`."""
    n = queued_at(state, i).stamps
    if n == NONE or stamp_at(state, n).time != RESERVED:
        return
    written = stamp_at(state, n)
    written.bytes = link.served_bytes
    written.time = begin
    if link.refresh > 0:
        refresh_counter(link, begin)
        written.bytes = link.seen_bytes
        if link.coarse_clock:
            written.time = link.refreshed_at


@routine
def answer_request(state, i):
    """Compare the stamps of two requests, and answer with those of the link with the least spare capacity.

    The header fields of the answer are capacity and traffic of that link [bytes/s], the time between its stamps [s],
    and how many links answered, which is 0 where a counter was not refreshed between the requests.
    """
    packet = packet_at(state, i)
    flow = tally_at(state, packet.flow)
    header = header_at(state, i)
    least, links, stale = math.inf, 0, False
    for k in range(4):
        header.x[k] = 0.0
    before, n = flow.last_stamps, queued_at(state, i).stamps
    while n != NONE and before != NONE:
        new, old = stamp_at(state, n), stamp_at(state, before)
        if new.hop == old.hop:
            if new.time > old.time:
                link = link_at(state, hop_at(state, new.hop).link)
                capacity = link.rate / (8.0 * link.scale)
                span = (new.time - old.time) * 1e-9
                traffic = (new.bytes - old.bytes) / span
                links += 1
                if capacity - traffic <= least:  # of equal links the first of the path; the list goes backwards
                    least = capacity - traffic
                    header.x[0] = capacity
                    header.x[1] = traffic
                    header.x[2] = span
            stale = stale or new.time == old.time
        if new.hop >= old.hop:
            n = new.next
        if new.hop <= old.hop:
            before = old.next
    # A counter that was not refreshed since the last request hides its link, which may be the bottleneck.
    header.x[3] = 0 if stale else links
    release_nodes(state, flow.last_stamps)
    flow.last_stamps = queued_at(state, i).stamps
    queued_at(state, i).stamps = NONE
    packet.flag_bits = ANSWERED  # distinguishes it from feedback of a switch
    packet.length = 32
    packet.hop += 1

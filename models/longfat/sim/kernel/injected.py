"""Packets of hosts outside the simulator: they enter it at any time, and a row says when and how each has left it.

The flow of such packets has no events of its own. Its data and its acknowledgments take the links that those of a
transfer take, and compete there with all other packets.
"""

import numba

from longfat.sim.kernel.events import request_admission
from longfat.sim.kernel.jit import COMPILED, entry, part, routine
from longfat.sim.kernel.memory import left_at, packet_at, receiver_at, sender_at, state_at, tally_at
from longfat.sim.kernel.packets import allocate_packet, release_packet
from longfat.sim.kernel.records import AT_HOST, CE, DATA, DONE, ROOM_LEFT


@entry(".")
def inject(address, f, hop, kind, length, number, transmission, marks):
    """Let a packet of a flow enter the link of a hop now; the event loop admits it before its next event."""
    state = state_at(address)
    i = allocate_packet(state)
    packet = packet_at(state, i)
    packet.flow = f
    packet.hop = hop
    packet.kind = kind
    packet.length = length
    packet.number = number
    packet.transmission = transmission
    packet.marks = marks
    packet.sent = state.now
    packet.triggered_by = 0
    packet.colour = 0
    packet.priority = 0
    if kind == DATA:
        sender_at(state, f).transmission += 1
    else:
        tally_at(state, f).acks_injected += 1
    request_admission(state, i)


@part
def record_end(state, i, dropped):
    """Write the row of a packet that has left the network, and let the event loop return if a host waits for it."""
    packet = packet_at(state, i)
    if state.left_rows >= ROOM_LEFT:  # a single event has dropped thousands
        return
    row = left_at(state, state.left_rows)
    row.time = state.now
    row.transmission = packet.transmission
    row.flow = packet.flow
    row.marks = packet.marks
    row.kind = packet.kind
    row.dropped = dropped
    state.left_rows += 1
    if not dropped or state.left_rows > ROOM_LEFT // 2:
        state.attention = 1
        if state.shortage == DONE:
            state.shortage = AT_HOST


@routine
def reach_host(state, i):
    """Deliver a packet to its host: the event loop returns before the next event."""
    packet = packet_at(state, i)
    f = packet.flow
    record_end(state, i, 0)
    if packet.kind == DATA:
        receiver = receiver_at(state, f)
        receiver.received += 1
        receiver.received_bytes += packet.length
        receiver.delay += state.now - packet.sent
        receiver.last_arrival = state.now
        if packet.marks & CE:
            tally_at(state, f).marks += 1
    else:
        sender_at(state, f).acks_received += 1
    release_packet(state, i)


def compile_injection() -> None:
    """Compile `inject`, or load it where it was compiled before."""
    if COMPILED:
        inject.compile((numba.int64,) * 8)

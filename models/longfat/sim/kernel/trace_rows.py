"""Trace of a run: rows about packets at both hosts and about senders, for `longfat.sim.runs.captures`.

Without a trace, a run only checks `state.tracing` where a packet is sent, received or acknowledged. The simulation
reads and clears the rows after each call of the kernel, which returns when they are full.
"""

import math

from longfat.sim.kernel import records
from longfat.sim.kernel.jit import inline, routine
from longfat.sim.kernel.memory import float_at, flow_own
from longfat.sim.kernel.records import NONE


@routine
def begin_row(state, what, f):
    """Append a trace row about flow f and return it; if few rows are left, the kernel returns before the next event.

    Fields of the row that describe a packet are set to 0.
    """
    row = state.trace[state.trace_rows]
    row.time = state.now
    row.connection = state.traced[f].connection
    row.what = what
    row.flow = f
    row.transmission = 0
    row.sent = 0
    row.echo = 0
    row.length = 0
    row.flag_bits = 0
    for k in range(6):
        row.blocks[k] = 0
    state.trace_rows += 1
    if state.trace_rows + records.TRACE_ROWS_PER_EVENT > state.trace_room:
        state.attention = 1
        if state.shortage == records.DONE:
            state.shortage = records.FULL_TRACE
    return row


@routine
def trace_packet(state, what, i):
    """Write a trace row about packet i and its event `what`.

    `echo` of a packet is set when the packet departs: for an acknowledgment to its own departure time, for data to the
    departure time of the acknowledgment that the sender has received last.
    """
    packet, extra = state.packets[i], state.extras[i]
    f = packet.flow
    traced = state.traced[f]
    if what == records.SENT:
        extra.echo = traced.echo
    elif what == records.ACK_SENT:
        extra.echo = state.now
    elif what == records.ACK_RECEIVED:
        traced.echo = extra.echo
    row = begin_row(state, what, f)
    row.number = packet.number
    row.transmission = packet.transmission
    row.sent = packet.sent
    row.echo = extra.echo
    row.length = packet.length
    row.flag_bits = packet.flag_bits
    if what != records.SENT and packet.flag_bits & records.SACK:
        for k in range(6):
            row.blocks[k] = extra.blocks[k]
    if what == records.SENT or what == records.ACK_RECEIVED:
        complete_row(state, f)


@routine
def complete_row(state, f):
    """Write the state of the sender of flow f to the last trace row."""
    row, sender, own = state.trace[state.trace_rows - 1], state.senders[f], state.recoveries[f]
    row.window = sender.window + sender.inflation
    row.rate = sender.rate
    row.srtt = state.timers[f].srtt
    row.rttvar = state.timers[f].rttvar
    row.in_flight = own.in_flight if sender.repair == records.SELECTIVE else sender.next - sender.una
    word = state.traced[f].ssthresh
    row.ssthresh = float_at(flow_own(state, f), word).x if word != NONE else math.nan


@routine
def trace_sender(state, what, f):
    """Write a trace row about the sender of flow f; a connection that starts gets the next connection number."""
    if what == records.STARTED and state.tallies[f].template != NONE:
        state.traced[f].connection = state.traced_connections
        state.traced_connections += 1
    row = begin_row(state, what, f)
    row.number = state.senders[f].una
    complete_row(state, f)


@inline
def record_end(state, i, dropped):
    """Record that an injected packet has left the network; if it reached its host, let the event loop return."""
    packet = state.packets[i]
    if state.left_rows >= records.ROOM_LEFT:  # no row is left: an event has dropped thousands of packets
        return
    row = state.left[state.left_rows]
    row.time = state.now
    row.transmission = packet.transmission
    row.flow = packet.flow
    row.flag_bits = packet.flag_bits
    row.kind = packet.kind
    row.dropped = dropped
    state.left_rows += 1
    if not dropped or state.left_rows > records.ROOM_LEFT // 2:
        state.attention = 1
        if state.shortage == records.DONE:
            state.shortage = records.AT_HOST

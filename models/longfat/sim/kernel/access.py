"""The line between a source and its first node, where a flow has one of its own (`access_rate`).

The source gives it one packet at a time and keeps back what it cannot send yet, so that a scheme which changes its mind
finds nothing of the old one queued. Each connection of a flow of arrivals has a line of its own.
"""

from longfat.sim.jit import part, routine
from longfat.sim.kernel.events import IN_USE, request_admission, set_timer
from longfat.sim.kernel.links import admit_inline
from longfat.sim.memory import access_link_at, packet_at, sender_at
from longfat.sim.records import NONE, PACE


@part
def leave_source(state, f, i):
    """Let a packet leave its source: it is at its first node at once, or when the flow's own line has sent it."""
    if sender_at(state, f).access_link:
        enter_access_link(state, f, i)
    else:
        admit_inline(state, i)


@routine
def enter_access_link(state, f, i):
    """Put a packet on the flow's own line, which is free."""
    line = access_link_at(state, f)
    if line.free < state.now:
        line.free = state.now
        line.carried_remainder = line.rate >> 1
    # As `transmitter.transmission_time`: k packets in a row take round(8 k size / rate).
    units = int(packet_at(state, i).length) * 8_000_000_000 * line.scale + line.carried_remainder
    time = units // line.rate
    line.carried_remainder = units - time * line.rate
    line.free += time
    line.packet = i
    sender_at(state, f).access_link = IN_USE
    set_timer(state, f, PACE, line.free)


@routine
def reach_first_node(state, f):
    """Let the packet that the line has sent enter the network."""
    line = access_link_at(state, f)
    i = line.packet
    line.packet = NONE
    sender_at(state, f).access_link = 1
    request_admission(state, i)

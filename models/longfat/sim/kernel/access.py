"""Access link: the link between a source and its first node, for flows with `access_rate`.

The source gives it one packet at a time and keeps the others, so that no packet made under an old window or rate is
queued there. Each connection of a flow of arrivals has an access link of its own.
"""

from longfat.sim.kernel.events import IN_USE, request_admission, set_timer
from longfat.sim.kernel.jit import part, routine
from longfat.sim.kernel.links import admit_inline
from longfat.sim.kernel.memory import access_link_at, packet_at, sender_at
from longfat.sim.kernel.records import NONE, PACE


@part
def leave_source(state, f, i):
    """Send a packet from its source: to the access link, or directly to the first link."""
    if sender_at(state, f).access_link:
        enter_access_link(state, f, i)
    else:
        admit_inline(state, i)


@routine
def enter_access_link(state, f, i):
    """Begin the transmission of a packet on the flow's access link, which is idle."""
    link = access_link_at(state, f)
    if link.free < state.now:
        link.free = state.now
        link.carried_remainder = link.rate >> 1
    # As in `transmitter.transmission_time`: k packets in a row take round(8 k size / rate).
    units = int(packet_at(state, i).length) * 8_000_000_000 * link.scale + link.carried_remainder
    time = units // link.rate
    link.carried_remainder = units - time * link.rate
    link.free += time
    link.packet = i
    sender_at(state, f).access_link = IN_USE
    set_timer(state, f, PACE, link.free)


@routine
def reach_first_node(state, f):
    """Let the packet that the access link has transmitted enter the first link."""
    link = access_link_at(state, f)
    i = link.packet
    link.packet = NONE
    sender_at(state, f).access_link = 1
    request_admission(state, i)

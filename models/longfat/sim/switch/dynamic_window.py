"""Dynamic windows: the switch reserves buffer space for end-to-end windows, and grants requests while space is free.

Every flow has a base window for which all switches have buffer space. A source with more data requests a larger window
in a packet; each switch on the path grants as much as it can reserve, and the window is the smallest grant. The next
packet releases the reservations beyond this window, or beyond the base window if the source needs no more. As no window
exceeds its reservation, nothing is lost.

Our choice, because the paper could not be read: a grant is at most a fraction `share` of the free space, so that some
is left for later flows; requests and releases are in data packets. Flows take turns, packet by packet.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import LAST
from longfat.sim.plugin.discipline import ENQUEUE, SEND, Discipline, Parameter
from longfat.sim.plugin.feedback import KEPT, OF_DYNAMIC_WINDOW, WANTED, belongs
from longfat.sim.plugin.functions import flow_state
from longfat.sim.switch.round_robin import QUANTUM, ROUND_ROBIN

LARGEST = 1e9  # packets: buffer of a link without a limit


@inline
def change(link, flow, window):
    """Reserve a window [packets] for the flow in place of its previous window."""
    link.reserved += window - flow.window
    flow.window = window


def enqueue(link, packet, now):
    """Release the part of the reservation that the packet's flow returns; grant its request in full or in part."""
    if not belongs(packet, OF_DYNAMIC_WINDOW):
        return ENQUEUE
    # Hahne, Kalmanek and Morgan (1993): the sum of the windows at a switch is at most its buffer. Our choice: the base
    # windows of all flows of the link are reserved from the start.
    if not link.begun:
        link.begun = True
        link.reserved = link.base * link.queue_count
    flow, wanted, kept = flow_state(link, packet.flow), packet.header[WANTED], packet.header[KEPT]
    free = min(float(link.limit_packets), LARGEST) - link.reserved  # packets
    if flow.window == 0.0:
        flow.window = link.base
    if kept > 0.0 and max(link.base, kept) < flow.window:
        change(link, flow, max(link.base, kept))
    if wanted > flow.window:
        change(link, flow, min(wanted, flow.window + math.floor(link.share * max(0.0, free))))
    if wanted > 0.0:
        packet.header[WANTED] = min(wanted, flow.window)
    return ENQUEUE


# Our choice: the last packet of a flow releases its window, because no later packet can.
def dequeue(link, packet, now):
    """Release the window of a flow, except the base window, when its last packet leaves."""
    if packet.flags & LAST and belongs(packet, OF_DYNAMIC_WINDOW):
        change(link, flow_state(link, packet.flow), link.base)
    return SEND


dynamic_window = Discipline(
    "dynamic-window",
    ROUND_ROBIN,
    enqueue=enqueue,
    dequeue=dequeue,
    parameters={
        "base": Parameter(
            2.0,
            "packets",
            "[1, 1e6]",
            about="Window that every flow has without a request: the sources' `base`",
            integer=True,
        ),
        "share": Parameter(0.5, "1", "(0, 1]", about="Share of the free buffer that one request may get at most"),
        "quantum": QUANTUM,
    },
    state={"begun": False, "reserved": 0.0},  # packets
    flow_state={"window": 0.0},  # window reserved for the flow [packets], 0 before its first packet
    needs_buffer=True,
    source='E. L. Hahne, C. R. Kalmanek and S. P. Morgan, "Dynamic Window Flow Control on a High-Speed Wide-Area Data '
    'Network", Computer Networks and ISDN Systems 26(1), 1993, as described by H. Kim and D. J. Farber, MS-CIS-94-55, '
    "1994, section 2.3; not checked against the original; grants and their share are ours",
)

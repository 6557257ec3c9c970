"""Dynamic windows (Hahne and others): the window is the buffer space that every switch of the path has reserved.

Once in a round trip, the source requests the window that it needs, or releases a part of it. The switches are
`longfat.sim.queues.dynamic_window`; without such a switch every request is granted. The rules with their sources:
docs/rules/explicit-feedback.md.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.feedback import KEPT, OF_DYNAMIC_WINDOW, OWNER, WANTED
from longfat.sim.plugin.parameters import Parameter
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Scheme


@inline
def needs_more(flow):
    """Return whether the flow has more unacknowledged and unsent data than its window."""
    return not flow.app_limited and flow.packets - flow.una > flow.granted


def start(flow, event):
    """Return the base window [packets]; the second packet requests a larger window."""
    flow.header[OWNER] = OF_DYNAMIC_WINDOW
    flow.granted = flow.base
    return flow.granted


def send(flow, packet):
    """Write a release into the first packet of a round trip and a request into the second packet; return 0."""
    # Hahne, Kalmanek and Morgan (1993), as Kim and Farber (1994), section 2.3, describe it: the window changes at most
    # once per round trip. Our choice: the first packet of a round trip releases space that switches have reserved
    # beyond the window, and the second packet requests more, so that no switch ever reserves less than the window.
    place = packet.transmission - flow.asked_at
    if place == 0:
        packet.header[KEPT] = flow.granted
    if place == 1 and needs_more(flow):
        packet.header[WANTED] = flow.largest
    return 0


def ack(flow, event):
    """Return the window [packets] that the acknowledged packet was granted; begin a new request once per round trip."""
    if event.number < 0:
        return flow.granted
    # Our choice: a source without data returns to the base window, and its next packet informs the switches.
    if not needs_more(flow) and flow.in_flight <= flow.base:
        flow.granted = flow.base
    if event.transmission > flow.asked_at:
        if event.header[OWNER] == OF_DYNAMIC_WINDOW and event.header[WANTED] > flow.granted:
            flow.granted = event.header[WANTED]
        flow.asked_at = flow.transmission
    return flow.granted


def loss(flow, event):
    """Return the window unchanged: its buffers are reserved; therefore a loss is an error of a link, not congestion."""
    return flow.granted


DYNAMIC_WINDOW = Scheme(
    "dynamic-window",
    start=start,
    ack=ack,
    loss=loss,
    timeout=loss,
    send=send,
    stamped=True,
    parameters={
        "base": Parameter(
            2.0, "packets", "[1, 1e6]", about="Window without a grant: the switches' `base`", integer=True
        ),
        "largest": Parameter(
            1000.0, "packets", "[1, 1e6]", about="Window that a source with much data asks for", integer=True
        ),
        **timers.parameters("rfc"),
    },
    # `granted`: window that all switches of the path have reserved [packets]. `asked_at`: first transmission of the
    # present round trip.
    state={"granted": 0.0, "asked_at": 0},
    source=(
        "E. L. Hahne, C. R. Kalmanek and S. P. Morgan, Dynamic Window Flow Control on a High-Speed Wide-Area Data "
        "Network, Computer Networks and ISDN Systems 26(1), 1993, as described by H. Kim and D. J. Farber, "
        "MS-CIS-94-55, 1994, section 2.3; not checked against the original; when a source asks for less is ours"
    ),
)

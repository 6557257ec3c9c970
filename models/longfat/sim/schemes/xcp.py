"""XCP: routers write the change of the sender's window into the packets.

A packet carries round-trip time and window to the routers, and its acknowledgment brings back the smallest change that
a router on the path allows. On a path without an XCP router, and only there, the window grows as that of TCP, by one
packet per round trip. The rules with their sources: docs/rules/explicit-feedback.md.
"""

from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.feedback import CHANGE, HEEDED, OWNER, ROUND_TRIP, UNHEEDED, WINDOW
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import INITIAL_WINDOW

UNLIMITED = 1e18  # bytes


@inline
def declare(flow, window):
    """Write window and round-trip time into the header of the next packets; return the window [packets]."""
    # Katabi et al. (2002), sections 3.2 and 3.3: the header holds the window, the round-trip time (0 if unknown) and
    # the feedback, whose initial value is the increase that the sender desires.
    window = max(1.0, min(window, flow.largest_window))
    flow.header[ROUND_TRIP] = flow.srtt
    flow.header[WINDOW] = window * flow.packet_size
    flow.header[CHANGE] = UNLIMITED if flow.srtt > 0.0 else 0.0
    flow.header[OWNER] = UNHEEDED
    return window


def start(flow, event):
    """Return the initial window [packets], and declare that no round-trip time is known."""
    return declare(flow, flow.window)


def ack(flow, event):
    """Return the window [packets], changed by the feedback of the routers."""
    # Katabi et al. (2002), section 3.3: cwnd <- max(cwnd + feedback, one packet). Our choice, because the paper assumes
    # XCP routers: on a path without an XCP router, the window grows as in congestion avoidance (RFC 5681, section 3.1).
    change = 0.0
    if event.header[OWNER] == HEEDED:
        change = event.header[CHANGE] / flow.packet_size
    elif event.header[OWNER] != UNHEEDED or event.header[ROUND_TRIP] > 0.0:
        change = event.acked / flow.window
    return declare(flow, flow.window + change)


def loss(flow, event):
    """Retransmit the first lost packet; return half the window [packets], once for all losses of one window."""
    # Katabi et al. (2002), section 3.3: XCP reacts to losses as TCP does (RFC 5681, section 3.2).
    flow.resend = event.number
    event.restart_timer = 1
    return declare(flow, flow.window / 2.0)


def timeout(flow, event):
    """Return a window of one packet."""
    return declare(flow, 1.0)


XCP = Scheme(
    "xcp",
    start=start,
    ack=ack,
    loss=loss,
    timeout=timeout,
    reorder=3,
    stamped=True,
    parameters={
        "largest_window": Parameter(float("inf"), "packets", "[1, inf]", about="Upper bound of the window"),
        "initial_window": INITIAL_WINDOW,
        **timers.PARAMETERS,
        "timestamps": replace(timers.PARAMETERS["timestamps"], default=1.0),
    },
    source=(
        "D. Katabi, M. Handley and C. Rohrs, Congestion Control for High Bandwidth-Delay Product Networks, Proc. ACM "
        "SIGCOMM 2002, pp. 89-102, sections 3.2 and 3.3, doi:10.1145/633025.633035"
    ),
)

"""XCP: the routers say by how much the window shall change (schemes.md 10.2).

A packet carries round trip and window to the routers, and brings back the change that the most sparing of them
allows. On a path without a router that speaks, and only there, the window grows as TCP's, by one packet a round trip.
"""

from dataclasses import replace

from longfat.sim.jit import part
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import INITIAL_WINDOW

# Of the header, as routers read it (`longfat.sim.queues.xcp`).
ROUND_TRIP, WINDOW, CHANGE, WHOSE = range(4)
UNHEEDED, HEEDED = -1.0, -2.0
AS_MUCH_AS_THERE_IS = 1e18  # bytes


@part
def declare(flow, window):
    """Rule 1: what the packets from now on say; the new window."""
    window = max(1.0, min(window, flow.largest_window))
    flow.header[ROUND_TRIP] = flow.srtt
    flow.header[WINDOW] = window * flow.packet_size
    flow.header[CHANGE] = AS_MUCH_AS_THERE_IS if flow.srtt > 0.0 else 0.0
    flow.header[WHOSE] = UNHEEDED
    return window


def start(flow, event):
    """No round trip is known."""
    return declare(flow, flow.window)


def ack(flow, event):
    """Rule 2: the window changes by what the routers allow."""
    change = 0.0
    if event.header[WHOSE] == HEEDED:
        change = event.header[CHANGE] / flow.packet_size
    elif event.header[WHOSE] != UNHEEDED or event.header[ROUND_TRIP] > 0.0:
        change = event.acked / flow.window
    return declare(flow, flow.window + change)


def loss(flow, event):
    """Rule 3: half the window, once for the losses of one; the first of them goes again at once, as in SACK."""
    flow.resend = event.number
    event.restart_timer = 1
    return declare(flow, flow.window / 2.0)


def timeout(flow, event):
    """Rule 3: one packet."""
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
        "largest_window": Parameter(float("inf"), "packets", "[1, inf]", about="that it declares and uses"),
        "initial_window": INITIAL_WINDOW,
        **timers.PARAMETERS,
        "timestamps": replace(timers.PARAMETERS["timestamps"], default=1.0),
    },
    source="Katabi, Handley & Rohrs, SIGCOMM 2002, sec. 3.2 and 3.3; schemes.md 10.2",
)

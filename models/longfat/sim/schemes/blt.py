"""BLT, the bandwidth-latency tradeoff: the whole file at once, labelled so that switches can choose how much of it they
take; and the bully-tyrant, which is the same without labels (schemes.md 8.2 and 8.6; Kim & Farber 1994).

Windows of 1, g + a, g (g + a) + a, ... packets have priorities 0 (the best), 1, 2, ... with g the `growth` and a the
`step`: powers of two by default, the paper's additive increase with growth 1. On a loss a new burst begins with the
packet that is missing, and so do priorities. Give the flow an `access_rate`: what waits there is given up with a burst.
"""

import math

from longfat.sim.jit import part
from longfat.sim.kernel.labels import begin_burst
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

RESET, RESTART = 0, 1  # of p
FIRST = 0  # of u: first transmission of the burst


@part
def new_burst(flow):
    """8.2 rules 4 and 6: from the first packet that is missing to the end of the file."""
    flow.next = flow.una
    flow.u[FIRST] = flow.transmission
    begin_burst(flow, flow.una)


def start(flow, event):
    """8.2 rule 2: nothing limits what is sent but the source's own line."""
    return math.inf


@part
def is_lost(flow, event):
    """Whether what the duplicate is for was sent after the last transmission of the missing packet (0.2, rule LI).

    Within a burst transmissions are in the order of their numbers: a later packet of this burst says so, and where the
    burst has yet to come to the missing packet, all of this burst and a later packet of the one before. What was sent
    again although the receiver had it says nothing.
    """
    of_this_burst, later = event.transmission >= flow.u[FIRST], event.number > flow.una
    if flow.una < flow.next:
        return of_this_burst and later
    return of_this_burst or later


def ack(flow, event):
    """8.2 rules 3 and 4."""
    if event.acked > 0:
        if flow.p[RESET] > 0.0:  # of what is not sent yet
            begin_burst(flow, flow.una)
    elif event.duplicate and is_lost(flow, event):
        new_burst(flow)
        if flow.p[RESTART] > 0.0:
            event.restart_timer = 1
    return math.inf


def timeout(flow, event):
    """8.2 rule 6."""
    new_burst(flow)
    return math.inf


_COMMON = {
    "restart_timer": Parameter(0.0, "1", "[0, 1]", f"p[{RESTART}]"),  # by a loss, too; 0: by new acks only (RFC 6298)
    "skip_known": Parameter(0.0, "1", "[0, 1]", "skips"),  # 8.2 rule 5: not again what has been acknowledged by itself
    **timers.parameters("fine"),
}

BLT = Scheme(
    "blt",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        "growth": Parameter(2.0, "1", "[1, 1e9]", "growth"),
        "step": Parameter(0.0, "packets", "[0, 1e9]", "step"),
        "reset": Parameter(0.0, "1", "[0, 1]", f"p[{RESET}]"),  # priorities begin again on: 0: a loss, 1: any new ack
        **_COMMON,
    },
    source="Kim & Farber, MS-CIS-94-55 (1994), sec. 3.3; schemes.md 8.2",
)

BULLY_TYRANT = Scheme(
    "bully-tyrant",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters=_COMMON,
    source="Kim & Farber, MS-CIS-94-55 (1994), sec. 4.2.6; schemes.md 8.6",
)

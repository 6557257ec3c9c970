"""BLT, the bandwidth-latency tradeoff: the whole file at once, labelled so that switches can choose how much of it they
take; and the bully-tyrant, which is the same without labels (schemes.md 8.2 and 8.6; Kim & Farber 1994).

Windows of 1, g + a, g (g + a) + a, ... packets have priorities 0 (the best), 1, 2, ... with g the `growth` and a the
`step`: powers of two by default, the paper's additive increase with growth 1. On a loss a new burst begins with the
packet that is missing, and so do priorities. Give the flow an `access_rate`: what waits there is given up with a burst.
"""

import math

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme


@part
def new_burst(flow):
    """8.2 rules 4 and 6: from the first packet that is missing to the end of the file."""
    flow.next = flow.una
    flow.first = flow.transmission


@part
def label_anew(flow):
    """Begin priorities anew at the first packet that is missing, for what is sent from now on (sec. 3.3)."""
    flow.burst = flow.una
    flow.level = 0
    flow.level_size = 1.0
    flow.level_end = 1.0


def send(flow, packet):
    """Write the number of the window into the packet (sec. 3.3); packets ascend until the next burst."""
    while packet.number - flow.burst >= flow.level_end:
        flow.level_size = flow.growth * flow.level_size + flow.step
        flow.level_end += flow.level_size
        flow.level += 1
    packet.priority = flow.level
    return 0


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
    of_this_burst, later = event.transmission >= flow.first, event.number > flow.una
    if flow.una < flow.next:
        return of_this_burst and later
    return of_this_burst or later


@part
def lost_one(flow, event):
    """Return whether the acknowledgment tells of a loss, so that a new burst has begun (sec. 3.3)."""
    if not event.duplicate or not is_lost(flow, event):
        return False
    new_burst(flow)
    if flow.restart_timer > 0.0:
        event.restart_timer = 1
    return True


def ack(flow, event):
    """8.2 rules 3 and 4."""
    if lost_one(flow, event) or (event.acked > 0 and flow.reset > 0.0):  # the latter: of what is not sent yet
        label_anew(flow)
    return math.inf


def timeout(flow, event):
    """8.2 rule 6."""
    new_burst(flow)
    label_anew(flow)
    return math.inf


def ack_without_labels(flow, event):
    """Send all again from a loss on (sec. 4.2.6)."""
    lost_one(flow, event)
    return math.inf


def timeout_without_labels(flow, event):
    """Send all again from what is missing on (sec. 4.2.6)."""
    new_burst(flow)
    return math.inf


_COMMON = {
    "restart_timer": flag(False, "1: a loss restarts the timer, too; 0: new acks only (RFC 6298)"),
    "skip_known": flag(False, "1: what has been acknowledged by itself is not sent again", "skips"),
    **timers.parameters("fine"),
}

BLT = Scheme(
    "blt",
    start=start,
    ack=ack,
    timeout=timeout,
    send=send,
    recovery="own",
    parameters={
        "growth": Parameter(2.0, "1", "[1, 1e9]", about="ratio of one window to the one before"),
        "step": Parameter(0.0, "packets", "[0, 1e9]", about="what it is larger by besides"),
        "reset": flag(False, "priorities begin again on 0: a loss, 1: any new ack"),
        **_COMMON,
    },
    state={
        "first": 0,  # first transmission of the burst
        "burst": 0,  # packet at which priorities began
        "level": 0,  # the window of the last packet sent: its number, its end and size in packets from there on
        "level_end": 1.0,
        "level_size": 1.0,
    },
    source="Kim & Farber, MS-CIS-94-55 (1994), sec. 3.3; schemes.md 8.2",
)

BULLY_TYRANT = Scheme(
    "bully-tyrant",
    start=start,
    ack=ack_without_labels,
    timeout=timeout_without_labels,
    recovery="own",
    parameters=_COMMON,
    state={"first": 0},
    source="Kim & Farber, MS-CIS-94-55 (1994), sec. 4.2.6; schemes.md 8.6",
)

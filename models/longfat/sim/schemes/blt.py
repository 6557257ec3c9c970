"""BLT, the bandwidth-latency tradeoff: a source sends at the rate of its access link; switches drop by priority.

A file is divided into windows of 1, g + a, g (g + a) + a, ... packets, whose priorities are 0 (the highest), 1, 2, ...;
g is `growth`, and a is `step`. By default the windows are powers of two; with a growth of 1 they are the paper's
additive increase. After a loss a new burst begins with the missing packet, and its priorities begin with 0. Give the
flow an `access_rate`, so that a new burst replaces the packets that the old one has not yet sent. Bully-tyrant is BLT
without priorities; rate-based BLT interleaves packets of all priorities. The rules with their sources:
docs/rules/explicit-feedback.md.
"""

import math
from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

KIM_FARBER = (
    "H. Kim and D. J. Farber, Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case "
    "of Window-Based Control, technical report MS-CIS-94-55, University of Pennsylvania, 1994"
)


@inline
def new_burst(flow):
    """Begin a new burst: from the first missing packet to the end of the file."""
    # Kim and Farber (1994), section 3.3.3: after a loss, the burst restarts at the first missing packet.
    flow.next = flow.una
    flow.first = flow.transmission


@inline
def restart_priorities(flow, number):
    """Restart the numbering of priorities: from now on, packet `number` has priority 0."""
    flow.burst = number
    flow.level = 0
    flow.level_size = 1.0
    flow.level_end = 1.0


@inline
def new_data(flow, packet):
    """Restart the numbering of priorities at the first packet of the data that the application has written last."""
    # Kim and Farber (1994), section 3.3.3: data newly written by the application begin with priority 0; older data keep
    # their priorities.
    if flow.packets > flow.written:
        if packet.number >= flow.written:
            restart_priorities(flow, packet.number)
        flow.written = flow.packets


def send(flow, packet):
    """Set the priority of a packet to the number of its window; a burst sends packets in ascending order."""
    new_data(flow, packet)
    # Kim and Farber (1994), section 3.3.1: windows grow by the factor gamma = 2, and a packet carries the number of its
    # window.
    while packet.number - flow.burst >= flow.level_end:
        flow.level_size = flow.growth * flow.level_size + flow.step
        flow.level_end += flow.level_size
        flow.level += 1
    # Kim and Farber (1994), section 3.3.1: a header with pi bits has 2^pi priorities. Our choice, because no file of
    # the paper has more than 2^pi windows: all packets beyond these windows have the lowest priority.
    packet.priority = min(flow.level, (1 << int(flow.bits)) - 1)
    return 0


def send_by_rate(flow, packet):
    """Set the priority of a packet to the number of its substream; the rate doubles from substream to substream."""
    # Our choice, because Kim and Farber (1994), section 5.2.1, do not say how one stream is sent at several rates: of
    # every 2^K packets, half have priority K, a quarter have priority K - 1, ..., one packet has priority 1, and one
    # has priority 0. Packets of priorities 0 to k together then have 2^k/2^K of the rate.
    place = packet.transmission - flow.first
    level = int(flow.levels)
    while place > 0 and place % 2 == 0 and level > 0:
        place //= 2
        level -= 1
    packet.priority = level if place > 0 else 0
    return 0


def start(flow, event):
    """Return an infinite window: only the access link limits the sender."""
    return math.inf


@inline
def is_lost(flow, event):
    """Return whether a duplicate acknowledgment shows that the first missing packet is lost.

    The packet that triggered the duplicate must have been sent after the last transmission of the missing packet. A
    burst sends packets in the order of their numbers. If the present burst has sent the missing packet, a packet of the
    present burst with a higher number reveals the loss. Otherwise any packet of the present burst reveals it, and so
    does a packet of the previous burst with a higher number. Packets that were resent although the receiver had them
    reveal nothing.
    """
    # Our choice: only packets sent after the missing packet reveal its loss. Otherwise duplicates caused by
    # unnecessarily resent packets would restart the burst again.
    of_this_burst, later = event.transmission >= flow.first, event.number > flow.una
    if flow.una < flow.next:
        return of_this_burst and later
    return of_this_burst or later


@inline
def lost_one(flow, event):
    """Begin a new burst if the acknowledgment reveals a loss; return whether a burst has begun."""
    if not event.duplicate or not is_lost(flow, event):
        return False
    new_burst(flow)
    if flow.restart_timer > 0.0:
        event.restart_timer = 1
    return True


def ack(flow, event):
    """Return an infinite window, after handling losses and new data.

    A loss begins a new burst and restarts priorities; with `reset`, an acknowledgment of new data restarts them, too.
    """
    # Kim and Farber (1994), section 3.3.3 names two occasions to restart the numbering of priorities: a loss (`reset` =
    # 0), or each new acknowledgment, for the packets not yet sent (`reset` = 1).
    if lost_one(flow, event) or (event.acked > 0 and flow.reset > 0.0):
        restart_priorities(flow, flow.una)
    return math.inf


def timeout(flow, event):
    """Begin a new burst with new priorities after a timeout; return an infinite window."""
    new_burst(flow)
    restart_priorities(flow, flow.una)
    return math.inf


def ack_without_labels(flow, event):
    """Begin a new burst after a loss, without restarting priorities; return an infinite window."""
    lost_one(flow, event)
    return math.inf


def timeout_without_labels(flow, event):
    """Begin a new burst after a timeout, without restarting priorities; return an infinite window."""
    new_burst(flow)
    return math.inf


_COMMON = {
    "restart_timer": flag(
        False, "1: a loss restarts the retransmission timer; 0: only new acknowledgments do (RFC 6298)"
    ),
    "skip_known": flag(False, "1: packets acknowledged out of order are not resent; 0: they are", "skips"),
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
        "growth": Parameter(2.0, "1", "[1, 1e9]", about="Ratio of a window to the one before"),
        "step": Parameter(0.0, "packets", "[0, 1e9]", about="Additive increase of a window over the one before"),
        "bits": Parameter(62.0, "bits", "[0, 62]", about="Bits of the header that encode the priority"),
        "reset": flag(False, "Priorities restart after a loss (0) or after any new acknowledgment (1)"),
        **_COMMON,
    },
    state={
        "first": 0,  # first transmission of the burst
        "burst": 0,  # packet at which the priorities began
        "level": 0,  # window of the last packet sent: its number, its end and its size [packets from `burst` on]
        "level_end": 1.0,
        "level_size": 1.0,
        "written": 0,  # packets that the application had written when the last packet left
    },
    source=f"{KIM_FARBER}, section 3.3",
)

RATE_BASED = Scheme(
    "blt-rate",
    start=start,
    ack=ack_without_labels,
    timeout=timeout_without_labels,
    send=send_by_rate,
    recovery="own",
    parameters={
        "levels": Parameter(4.0, "1", "[0, 62]", about="Lowest priority K; priorities 0..k have 2^(k - K) of the rate"),
        **_COMMON,
    },
    state={"first": 0},
    source=f"Ours, after {KIM_FARBER}, section 5.2.1, which leaves the rates open",
)

BULLY_TYRANT = replace(
    RATE_BASED, name="bully-tyrant", send=None, parameters=_COMMON, source=f"{KIM_FARBER}, section 4.2.6"
)

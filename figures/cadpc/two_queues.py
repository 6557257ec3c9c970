"""A router with two queues, for TCP or short calls and for another class, which share a link by weights.

`CLASSES` has fixed weights. `XCP_BESIDE_TCP` is the method to which Welzl (2005), section V, refers: D. Katabi, M.
Handley and C. Rohrs, SIGCOMM 2002, in its section on TCP-friendliness. An XCP router serves XCP's queue, and moves the
weights by the difference of the mean windows of both: XCP's are in its packets, TCP's follow from the losses in its
queue by TFRC's equation. Ours, from memory of that section: gain, smoothing of the loss rate, and bounds of the weight.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from longfat.sim import DROP, ENQUEUE, NOTHING, SEND, Discipline, Parameter, Service, append, inline, queue, take_first
from longfat.sim import waiting as packet_of
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.feedback import WINDOW
from longfat.sim.schemes.tfrc import equation_rate
from longfat.sim.switch.xcp import SHORTEST, add_to_sums, heeds, set_budgets, spacing, write_feedback, xcp

EPISODES = 8  # of losses, as TFRC averages (RFC 5348, section 5.4)
FIRST, SECOND = 0, 1  # the queue of TCP or short calls, and that of the other class


@inline
def class_of(link, packet):  # type: ignore[no-untyped-def]
    """Return the queue of a packet: the flows of the network that were added first are the second class."""
    return SECOND if packet.flow < link.flows else FIRST


def join(link: Any, packet: Any, now: Any) -> Any:
    """Append the packet to the queue of its class."""
    append(link, queue(link, class_of(link, packet)), packet)
    return 0


@inline
def share_of(link):  # type: ignore[no-untyped-def]
    """Return the weight of the second class, which equals the parameter until a discipline has moved it."""
    moved = queue(link, SECOND).share
    return moved if moved > 0.0 else link.weight


def serve(link: Any, now: Any) -> Any:
    """Take the first packet of the queue that has got less than its weight while both had packets."""
    first, second = queue(link, FIRST), queue(link, SECOND)
    if first.packets == 0 or second.packets == 0:
        link.credit = 0.0
        if first.packets == 0:
            return take_first(link, second) if second.packets > 0 else NOTHING
        return take_first(link, first)
    share = share_of(link)
    if link.credit <= 0.0:
        link.credit += (1.0 - share) * packet_of(link, second.head).size
        return take_first(link, second)
    link.credit -= share * packet_of(link, first.head).size
    return take_first(link, first)


TWO = Service(
    "two-classes", enqueue=join, dequeue=serve, queues=2,
    parameters={
        "flows": Parameter(1.0, "flows", "[0, 1e6]", about="First flows of the network, the second class",
                           integer=True),
        "weight": Parameter(0.5, "1", "(0, 1)", about="Weight of the second class; with XCP its first value"),
    },
    state={"credit": 0.0}, queue_state={"share": 0.0}, settable=("share",),
    source="Ours, after the weighted round robin of longfat.sim.switch.dualpi2",
)  # fmt: skip


def drop_tail(link: Any, packet: Any, now: Any) -> Any:
    """Drop the packet if its class has half of the buffer."""
    return DROP if queue(link, class_of(link, packet)).packets >= link.room else ENQUEUE


ROOM = Parameter(50.0, "packets", "[1, 1e9]", about="Buffer of each class", integer=True)
CLASSES = Discipline("two-classes", TWO, enqueue=drop_tail, parameters={"room": ROOM}, needs_buffer=True)


@inline
def count(link, packet, now, full):  # type: ignore[no-untyped-def]
    """Count TCP's arrivals and losses, in episodes that begin with a loss a round trip or more after the last one."""
    link.size = float(packet.size)
    if full and now > link.last_loss + link.mean:
        for k in range(EPISODES - 1, 0, -1):
            link.came[k] = link.came[k - 1]
            link.lost[k] = link.lost[k - 1]
        link.came[0], link.lost[0] = 0.0, 0.0
    if full:
        link.last_loss = now
        link.lost[0] += 1.0
    link.came[0] += 1.0


@inline
def loss_rate(link):  # type: ignore[no-untyped-def]
    """Return TCP's loss rate over the last episodes."""
    came, lost = 0.0, 0.0
    for k in range(EPISODES):
        came += link.came[k]
        lost += link.lost[k]
    return lost / came if came > 0.0 else 0.0


def enqueue(link: Any, packet: Any, now: Any) -> Any:
    """Count arrivals and losses of TCP's data, and add XCP's packets to the sums of the control interval."""
    own = class_of(link, packet)
    full = queue(link, own).packets >= link.room
    if own == FIRST and packet.kind == DATA:
        count(link, packet, now, full)
    if full:
        return DROP
    if own == SECOND:
        add_to_sums(link, packet)
        if heeds(packet):
            link.windows += packet.header[WINDOW] * spacing(packet)
    return ENQUEUE


def dequeue(link: Any, packet: Any, now: Any) -> Any:
    """Write the feedback into a packet of XCP, by the budgets of the control interval (`longfat.sim.switch.xcp`)."""
    link.least = min(link.least, float(queue(link, SECOND).bytes))
    if heeds(packet):
        write_feedback(link, packet)
    return SEND


@inline
def weigh(link):  # type: ignore[no-untyped-def]
    """Move the weight of XCP's queue by the difference of the mean windows of TCP and XCP [bytes]."""
    loss = loss_rate(link)
    if link.fixed > 0.0 or link.spacings <= 0.0 or loss <= 0.0:
        return
    theirs = equation_rate(link.size, link.mean, loss) * link.mean
    ours = link.windows / link.spacings
    share = share_of(link) + link.kappa * (theirs - ours) / (theirs + ours)
    queue(link, SECOND).share = min(0.95, max(0.05, share))


@inline
def control(link, now):  # type: ignore[no-untyped-def]
    """End a control interval: new weights, and the budgets of XCP for its share of the link."""
    link.mean = link.weighted / link.spacings if link.spacings > 0.0 else link.interval
    weigh(link)
    set_budgets(link, share_of(link) * link.rate, now - link.began)
    link.windows = 0.0
    link.standing, link.least = link.least, float(queue(link, SECOND).bytes)
    link.began = now
    link.ends = now + max(link.mean, SHORTEST)


def tick(link: Any, now: Any) -> Any:
    """End control intervals, and return when the next one ends [s]; ours: they are the queue intervals, too."""
    if link.rate == math.inf:
        return math.inf
    if link.mean == 0.0:
        link.mean, link.began, link.ends = link.interval, now, now + link.interval
    if now >= link.ends:
        control(link, now)
    return link.ends


XCP_BESIDE_TCP = Discipline(
    "xcp-beside-tcp", TWO, enqueue=enqueue, dequeue=dequeue, tick=tick,
    parameters={
        **{name: one for name, one in xcp.parameters.items() if name != "interval"},
        "interval": replace(xcp.parameters["interval"]),
        "room": ROOM,
        "kappa": Parameter(0.02, "1", "[0, 1]", about="Gain of the weights"),
        "fixed": Parameter(0.0, "1", "{0, 1}", about="1: the weights stay as they are"),
    },
    state={
        "bytes": 0, "spacings": 0.0, "weighted": 0.0, "windows": 0.0, "began": 0.0, "ends": 0.0, "mean": 0.0,
        "give": 0.0, "take": 0.0, "gain": 0.0, "toll": 0.0, "standing": 0.0, "least": 0.0,
        "came": [0.0] * EPISODES, "lost": [0.0] * EPISODES, "last_loss": -1e9, "size": 0.0,
    },
    needs_buffer=True,
    source='D. Katabi, M. Handley and C. Rohrs, "Congestion Control for High Bandwidth-Delay Product Networks", '
    "SIGCOMM 2002, section on TCP-friendliness, from memory; intervals as in longfat.sim.switch.xcp",
)  # fmt: skip

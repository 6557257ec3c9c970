"""CAPC with packets: a switch that sends all sources one rate, and CADPC with a target that follows the traffic.

CAPC: A. W. Barnhart, Explicit rate performance evaluations, ATM Forum 94-0983, 1994, which could not be read: the rule
is that of later descriptions. `longfat.fluid.systems.capc` has the same rule without packets. Each interval the switch
compares its traffic with a target and changes the rate by the distance, within bounds. Ours: packets of data carry the
rate in place of cells for resource management, and the queue threshold that stops increases is left out.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from longfat.sim import ENQUEUE, SEND, Discipline, Parameter, Scheme, inline
from longfat.sim.kernel.records import DATA, STAMPED
from longfat.sim.schemes import timers
from longfat.sim.schemes.cadpc import CADPC, measure, next_rate

RATE, OWNER, OURS = 0, 3, -21.0


def enqueue(link: Any, packet: Any, now: Any) -> Any:
    """Count the bytes that arrive in an interval."""
    link.bytes += packet.size
    return ENQUEUE


def dequeue(link: Any, packet: Any, now: Any) -> Any:
    """Write the switch's rate into a packet that carries a larger one."""
    if packet.kind == DATA and packet.flags & STAMPED and packet.header[OWNER] == OURS:
        packet.header[RATE] = min(packet.header[RATE], link.share * link.rate)
    return SEND


def tick(link: Any, now: Any) -> Any:
    """Change the rate by the distance of the load from the target, and return when the next interval ends."""
    if link.rate == math.inf:
        return math.inf
    if not link.begun:
        link.begun = True
        return now + link.interval
    load = link.bytes / (link.interval * link.target * link.rate)
    link.bytes = 0
    if load < 1.0:
        link.share *= min(link.largest_growth, 1.0 + (1.0 - load) * link.up)
    else:
        link.share *= max(link.smallest_fall, 1.0 - (load - 1.0) * link.down)
    link.share = min(link.share, 1.0)
    return now + link.interval


CAPC_SWITCH = Discipline(
    "capc", "departures", enqueue=enqueue, dequeue=dequeue, tick=tick,
    parameters={
        "target": Parameter(0.9, "1", "(0, 1]", about="Target of the load"),
        "up": Parameter(0.1, "1", "(0, 1]", about="Gain below the target"),
        "down": Parameter(0.5, "1", "(0, 1]", about="Gain above the target"),
        "largest_growth": Parameter(1.5, "1", "(1, 2]", about="Largest factor"),
        "smallest_fall": Parameter(0.5, "1", "(0, 1)", about="Smallest factor"),
        "interval": Parameter(0.05, "s", "[1e-3, 1e3]", about="Interval over which traffic is measured"),
        "first_share": Parameter(0.01, "1", "(0, 1]", about="Rate over the capacity at the beginning"),
    },
    state={"bytes": 0, "share": "first_share", "begun": False}, needs_buffer=True,
    source="A. W. Barnhart, Explicit rate performance evaluations, ATM Forum 94-0983, 1994, as later authors describe "
    "it: it was not read",
)  # fmt: skip


@inline
def declare(flow, rate):  # type: ignore[no-untyped-def]
    """Ask for any rate, and return the present one."""
    flow.header[RATE] = math.inf
    flow.header[OWNER] = OURS
    return rate


def start(flow: Any, event: Any) -> Any:
    """Return the first rate."""
    return declare(flow, flow.first_rate)


def ack(flow: Any, event: Any) -> Any:
    """Return the least rate of the switches on the path, which an acknowledgment brings."""
    known = event.number >= 0 and event.header[OWNER] == OURS and event.header[RATE] < math.inf
    return declare(flow, max(event.header[RATE], flow.least_rate) if known else flow.rate)


def hold(flow: Any, event: Any) -> Any:
    """Return the rate unchanged after a loss or timeout."""
    return flow.rate


CAPC = Scheme(
    "capc", start=start, ack=ack, loss=hold, timeout=hold, controls="rate", stamped=True,
    parameters={
        "first_rate": Parameter(12_500.0, "bytes/s", "(0, 1e15]", about="Rate until the first feedback"),
        "least_rate": Parameter(1_000.0, "bytes/s", "(0, 1e15]", about="Least rate, so that feedback continues"),
        **timers.PARAMETERS,
    },
    source=CAPC_SWITCH.source,
)  # fmt: skip


# Welzl (2005), section III: "a smaller target rate ... depending on ... the level of statistical multiplexing, which
# could be estimated by monitoring traffic changes". Ours, because no rule is printed: the standard deviation of the
# traffic that the last responses reported, over the capacity, is kept free.
def ack_changes(flow: Any, event: Any) -> Any:
    """Return CADPC's rate, with a target that is lower the more the reported traffic changes."""
    if event.number >= 0 or not measure(flow, event):
        return flow.rate
    load = flow.traffic / flow.capacity
    if flow.mean_load == 0.0:
        flow.mean_load = load
    change = load - flow.mean_load
    flow.mean_load += flow.memory * change
    flow.variance += flow.memory * (change * change - flow.variance)
    return next_rate(flow, max(0.1, 1.0 - flow.spared * math.sqrt(flow.variance)))


CHANGING = replace(
    CADPC, name="cadpc-changing-target", ack=ack_changes,
    parameters={
        **CADPC.parameters,
        "memory": Parameter(0.1, "1", "(0, 1]", about="Weight of a response in mean and variance of the load"),
        "spared": Parameter(2.0, "1", "[0, 100]", about="Standard deviations of the load that are kept free"),
    },
    state={**CADPC.state, "mean_load": 0.0, "variance": 0.0},
)  # fmt: skip

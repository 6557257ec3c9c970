"""DUAL: Tahoe that also gives way when the round trip is nearer to its maximum than to its minimum (schemes.md 7).

Every acknowledgment of new data counts for minimum and maximum. What is compared with their middle, every second
round trip, is the round trip of one packet: the first one sent after the last comparison, or the round between.
"""

from longfat.sim.jit import part
from longfat.sim.schemes import tahoe
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import PARAMETERS, go_back

DECREASE, POINT = 3, 4  # in p
LEAST, MOST, ROUND_END, ROUNDS = range(4)  # u: round trips [s]; the packet that ends the round; rounds since a test
as_tahoe = part(tahoe.ack)


@part
def learn_anew(flow):
    """Nothing is known of the round trip."""
    flow.u[LEAST] = 1e300
    flow.u[MOST] = 0.0
    flow.u[ROUNDS] = 0.0
    flow.u[ROUND_END] = float(flow.una)


@part
def is_late(flow, rtt):
    """Rule 2, asked once in a round trip: whether this is the second one and the queue more than half full."""
    flow.u[ROUND_END] = float(flow.next)
    flow.u[ROUNDS] += 1.0
    if flow.u[ROUNDS] < 2.0:
        return False
    flow.u[ROUNDS] = 0.0
    return rtt > flow.u[LEAST] + flow.p[POINT] * (flow.u[MOST] - flow.u[LEAST])


def ack(flow, event):
    """Tahoe's rules, and then DUAL's own."""
    window = as_tahoe(flow, event)
    if event.acked > 0:
        flow.u[LEAST] = min(flow.u[LEAST], event.rtt)
        flow.u[MOST] = max(flow.u[MOST], event.rtt)
        if flow.una > flow.u[ROUND_END] and is_late(flow, event.rtt):
            window = max(1.0, flow.p[DECREASE] * window)
            flow.ssthresh = window
    return window


def start(flow, event):
    """Nothing is known."""
    learn_anew(flow)
    return flow.window


def timeout(flow, event):
    """Rule 4: the path may be another one now."""
    go_back(flow)
    learn_anew(flow)
    return 1.0


DUAL = Scheme(
    "dual",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        **PARAMETERS,
        "decrease": Parameter(0.875, "1", "(0, 1]", f"p[{DECREASE}]"),
        "point": Parameter(0.5, "1", "[0, 1]", f"p[{POINT}]"),
    },
    source="schemes.md 7; Z. Wang and J. Crowcroft, ACM CCR 22 (1992)",
)

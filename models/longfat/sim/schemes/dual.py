"""DUAL: Tahoe that also gives way when the round trip is nearer to its maximum than to its minimum (schemes.md 7).

Every acknowledgment of new data counts for minimum and maximum. What is compared with their middle, every second
round trip, is the round trip of one packet: the first one sent after the last comparison, or the round between.
"""

from longfat.sim.jit import part
from longfat.sim.schemes import tahoe
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import PARAMETERS, STATE, go_back

as_tahoe = part(tahoe.ack)


@part
def learn_anew(flow):
    """Nothing is known of the round trip."""
    flow.least = 1e300
    flow.most = 0.0
    flow.rounds = 0
    flow.round_end = flow.una


@part
def is_late(flow, rtt):
    """Rule 2, asked once in a round trip: whether this is the second one and the queue more than half full."""
    flow.round_end = flow.next
    flow.rounds += 1
    if flow.rounds < 2:
        return False
    flow.rounds = 0
    return rtt > flow.least + flow.point * (flow.most - flow.least)


def ack(flow, event):
    """Tahoe's rules, and then DUAL's own."""
    window = as_tahoe(flow, event)
    if event.acked > 0:
        flow.least = min(flow.least, event.rtt)
        flow.most = max(flow.most, event.rtt)
        if flow.una > flow.round_end and is_late(flow, event.rtt):
            window = max(1.0, flow.decrease * window)
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
        "decrease": Parameter(0.875, "1", "(0, 1]", about="what a late round trip leaves of the window"),
        "point": Parameter(0.5, "1", "[0, 1]", about="what is late: 0 the least round trip, 1 the greatest"),
    },
    # least and greatest round trip [s]; the packet that ends the round; rounds since the last comparison
    state={**STATE, "least": 1e300, "most": 0.0, "round_end": 0, "rounds": 0},
    source="schemes.md 7; Z. Wang and J. Crowcroft, ACM CCR 22 (1992)",
)

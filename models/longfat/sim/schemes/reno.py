"""Reno: half the window on a loss, one packet more a round trip (schemes.md 1.4; RFC 5681)."""

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme


@part
def counts(flow, event):
    """1.8 (b), rule LI of 0.2: since a timeout packets were sent in the order of their numbers, but the one sent again.

    With a threshold of one, what go-back-N sends again although the receiver has it would tell of losses.
    """
    if flow.ordered_duplicates == 0.0:
        return True
    if event.number < flow.una or event.transmission < flow.first:
        return False
    return flow.una != flow.resent or event.transmission > flow.resent_as


def ack(flow, event):
    """New data ends recovery; the third duplicate starts it."""
    if event.marked:
        tcp.take_mark(flow)
    if event.acked > 0:
        # 1.4 rule 3: any new acknowledgment, even a partial one, ends recovery.
        flow.inflation = 0.0
        flow.duplicates = 0
        return flow.window if event.marked else tcp.grow(flow)
    if event.duplicate and counts(flow, event):
        flow.duplicates += 1
        if flow.duplicates == flow.duplicate_threshold and tcp.may_retransmit(flow):
            tcp.retransmit(flow, event, flow.high - flow.una)
            flow.resent, flow.resent_as = flow.una, flow.transmission
        elif flow.duplicates > flow.duplicate_threshold and flow.inflation > 0.0:
            flow.inflation += 1.0  # 1.4 rule 2
    return flow.window


def timeout(flow, event):
    """1.4 rule 4."""
    flow.first = flow.transmission
    tcp.go_back(flow)
    return 1.0


ORDERED = flag(False, "1: count only duplicates for what was sent after the missing packet")
RENO = Scheme(
    "reno",
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={**tcp.PARAMETERS, "ordered_duplicates": ORDERED},
    # the first transmission since the last timeout; the packet sent again last, and which transmission that was
    state={**tcp.STATE, "first": 0, "resent": 0, "resent_as": 0},
    scale_free=True,
    source="schemes.md 1.4; RFC 5681; ns-2.35 tcp-reno.cc",
)

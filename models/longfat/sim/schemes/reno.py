"""Reno: half the window on a loss, one packet more a round trip (schemes.md 1.4; RFC 5681)."""

from longfat.sim.schemes.scheme import Scheme
from longfat.sim.schemes.tcp import (
    LOSS,
    PARAMETERS,
    already_reduced,
    duplicate_threshold,
    grow,
    halved,
    may_retransmit,
    note_reduction,
    start_over,
    take_mark,
)


def ack(flow, event):
    """New data ends recovery; the third duplicate starts it."""
    if event.marked:
        take_mark(flow)
    if event.acked > 0:
        # 1.4 rule 3: any new acknowledgment, even a partial one, ends recovery.
        flow.inflation = 0.0
        flow.duplicates = 0
        return flow.window if event.marked else grow(flow)
    if event.duplicate:
        flow.duplicates += 1
        if flow.duplicates == duplicate_threshold(flow) and may_retransmit(flow):
            # 1.4 rule 1 (RFC 5681, 3.2): resend what is missing, halve, and count what left the network.
            if not already_reduced(flow):
                flow.ssthresh = halved(flow, flow.high - flow.una)
                flow.window = flow.ssthresh
            note_reduction(flow, LOSS)
            flow.inflation = duplicate_threshold(flow)
            flow.resend = flow.una
            event.restart_timer = 1
        elif flow.duplicates > duplicate_threshold(flow) and flow.inflation > 0.0:
            flow.inflation += 1.0  # 1.4 rule 2
    return flow.window


RENO = Scheme(
    "reno",
    ack=ack,
    timeout=start_over,
    recovery="own",
    parameters=PARAMETERS,
    source="schemes.md 1.4; RFC 5681; ns-2.35 tcp-reno.cc",
)

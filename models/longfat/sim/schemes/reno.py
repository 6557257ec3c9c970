"""Reno: half the window on a loss, one packet more a round trip (schemes.md 1.4; RFC 5681)."""

from longfat.sim.schemes.scheme import Scheme
from longfat.sim.schemes.tcp import PARAMETERS, duplicate_threshold, grow, halved, reduce_on_mark, start_over


def ack(flow, event):
    """New data ends recovery; the third duplicate starts it."""
    if event.acked > 0:
        # 1.4 rule 3: any new acknowledgment, even a partial one, ends recovery.
        flow.inflation = 0.0
        flow.duplicates = 0
        return reduce_on_mark(flow, event) if event.marked else grow(flow)
    if event.duplicate:
        flow.duplicates += 1
        if flow.duplicates == duplicate_threshold(flow) and (flow.p[2] == 0.0 or flow.una - 1 > flow.recover):
            # 1.4 rule 1 (RFC 5681, 3.2): resend what is missing, halve, and count what left the network.
            flow.ssthresh = halved(flow.high - flow.una)
            flow.inflation = duplicate_threshold(flow)
            flow.resend = flow.una
            flow.recover = flow.high - 1
            event.restart_timer = 1
            return flow.ssthresh
        if flow.duplicates > duplicate_threshold(flow) and flow.inflation > 0.0:
            flow.inflation += 1.0  # 1.4 rule 2
    return flow.window


RENO = Scheme(
    "reno", ack=ack, timeout=start_over, recovery="own", parameters=PARAMETERS, source="schemes.md 1.4; RFC 5681"
)

"""Tahoe: after any loss slow start from one packet, go-back-N (schemes.md 1.3; Jacobson 1988)."""

from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme


def ack(flow, event):
    """New data opens the window; the third duplicate closes it."""
    if event.marked:
        tcp.take_mark(flow)
    if event.acked > 0:
        # 1.3 rule 2; what follows the new `una` is sent on by the engine's rule S.
        flow.duplicates = 0
        return flow.window if event.marked else tcp.grow(flow)
    if event.duplicate:
        flow.duplicates += 1
        # 1.3 rule 3; the fourth and later duplicates do nothing.
        if flow.duplicates == flow.duplicate_threshold and tcp.may_retransmit(flow):
            if not tcp.already_reduced(flow):
                flow.ssthresh = tcp.halved(flow, min(flow.window, float(flow.high - flow.una)))
            tcp.note_reduction(flow, tcp.LOSS)
            flow.next = flow.una
            event.restart_timer = 1  # without backing off
            return 1.0
    return flow.window


TAHOE = Scheme(
    "tahoe",
    ack=ack,
    timeout=tcp.start_over,
    recovery="own",
    parameters=tcp.PARAMETERS,
    state=tcp.STATE,
    source="schemes.md 1.3; V. Jacobson, SIGCOMM 1988; ns-2.35 tcp.cc",
)

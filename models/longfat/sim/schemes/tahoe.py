"""Tahoe: slow start from one packet after any loss, and go-back-N (Jacobson 1988; rules in docs/rules/tcp.md)."""

from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme


def ack(flow, event):
    """Return the window [packets]: grown by new data, and set to one packet by the third duplicate acknowledgment."""
    if event.marked:
        tcp.react_to_mark(flow)
    if event.acked > 0:
        # Jacobson (1988), section 1 and appendix B: slow start, then congestion avoidance.
        flow.duplicates = 0
        return flow.window if event.marked else tcp.grow(flow)
    if event.duplicate:
        flow.duplicates += 1
        # ns-2.35, tcp.cc, dupack_action(): the third duplicate acts like a timeout, but does not back off the timer;
        # later duplicates do nothing. RFC 5681, section 3.2, has the threshold of three.
        if flow.duplicates == flow.duplicate_threshold and tcp.may_retransmit(flow):
            if not tcp.already_reduced(flow):
                flow.ssthresh = tcp.halved(flow, min(flow.window, float(flow.high - flow.una)))
            tcp.record_reduction(flow, tcp.LOSS)
            flow.next = flow.una
            event.restart_timer = 1
            return 1.0
    return flow.window


TAHOE = Scheme(
    "tahoe",
    ack=ack,
    timeout=tcp.start_over,
    recovery="own",
    parameters=tcp.PARAMETERS,
    state=tcp.STATE,
    source=(
        "V. Jacobson, Congestion Avoidance and Control, Proc. ACM SIGCOMM 1988, doi:10.1145/52324.52356; "
        "RFC 5681 (2009), TCP Congestion Control, sections 3.1 and 3.2; ns-2.35, tcp.cc, class TcpAgent"
    ),
)

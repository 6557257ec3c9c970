"""NewReno: fast recovery retransmits one packet per round trip, without a timeout (RFC 6582; docs/rules/tcp.md)."""

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme

BURST = 2.0  # new packets per duplicate in recovery: ns-2.35, tcp-newreno.cc, recv(), send_much(0, 0, 2)


def ack(flow, event):
    """Return the window [packets], as in Reno, but recovery ends only when all data sent before it is acknowledged."""
    if event.marked:
        tcp.react_to_mark(flow)
    if event.acked > 0:
        if flow.recovering:
            if flow.una - 1 < flow.reduced_at:
                repair_next(flow, event)
            else:
                leave(flow)
            return flow.window
        flow.inflation = 0.0
        flow.duplicates = 0
        return flow.window if event.marked else tcp.grow(flow)
    if event.duplicate:
        count_duplicate(flow, event)
    return flow.window


@inline
def count_duplicate(flow, event):
    """Count a duplicate acknowledgment; allow limited transmit below the threshold, and retransmit at the threshold."""
    flow.duplicates += 1
    if flow.recovering:
        flow.inflation += 1.0
        flow.allowance = BURST
        return
    if flow.duplicates == 1:
        flow.sent_before = flow.high
    if flow.duplicates == flow.duplicate_threshold:
        if tcp.may_retransmit(flow):
            # RFC 6582, section 3.2, step 2. RFC 5681, section 3.2, step 2: packets sent by limited transmit do not
            # count as in flight.
            tcp.retransmit(flow, event, flow.sent_before - flow.una)
            flow.recovering = True
            flow.partial = 0
            flow.allowance = BURST + 1.0  # ns-2.35 does not count the retransmission
    elif flow.duplicates < flow.duplicate_threshold and flow.limited_transmit > 0.0 and flow.next == flow.high:
        flow.inflation = float(flow.duplicates)  # RFC 3042, section 2: a new packet for each duplicate


@inline
def repair_next(flow, event):
    """Retransmit the packet that a partial acknowledgment shows to be missing, and deflate the window."""
    # RFC 6582, section 3.2, step 3, partial acknowledgments: retransmit the first unacknowledged segment; deflate by
    # the data acknowledged, and add back one segment.
    flow.resend = flow.una
    if flow.inflation > event.acked:
        flow.inflation -= event.acked - 1.0
    else:
        flow.window = max(1.0, flow.window - (event.acked - flow.inflation))
        flow.inflation = 1.0
    flow.partial += 1
    if flow.partial > 1 and flow.impatient > 0.0:
        event.restart_timer = 0  # RFC 6582, section 3.2, step 3: only the first partial acknowledgment restarts it
    flow.allowance = BURST + 1.0


@inline
def leave(flow):
    """Leave recovery after a full acknowledgment; the window is ssthresh and does not grow."""
    flow.recovering = False
    flow.inflation = 0.0
    flow.duplicates = 0
    # RFC 6582, section 3.2, step 3, full acknowledgments: option (2) sets cwnd to ssthresh.
    flow.window = flow.ssthresh


def timeout(flow, event):
    """End fast recovery and begin go-back-N after a timeout; return a window of one packet."""
    flow.recovering = False
    tcp.go_back(flow)
    return 1.0


NEWRENO = Scheme(
    "newreno",
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        **tcp.PARAMETERS,
        "limited_transmit": flag(True, "1: a new packet for each of the first two duplicates (RFC 3042); 0: none"),
        "impatient": flag(
            True, "1: only the first partial acknowledgment restarts the timer (RFC 6582); 0: each of them"
        ),
    },
    # `sent_before`: number of the next new packet when the first duplicate arrived. `partial`: number of partial
    # acknowledgments in this recovery.
    state={**tcp.STATE, "recovering": False, "sent_before": 0, "partial": 0},
    scale_free=True,
    source=(
        "T. Henderson, S. Floyd, A. Gurtov and Y. Nishida, RFC 6582 (2012), The NewReno Modification to TCP's Fast "
        "Recovery Algorithm, section 3.2; ns-2.35, tcp-newreno.cc, class NewRenoTcpAgent"
    ),
)

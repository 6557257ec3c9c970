"""NewReno: Reno that repairs one loss a round trip without a timeout (schemes.md 1.5; RFC 6582)."""

from longfat.sim.jit import part
from longfat.sim.own import flag
from longfat.sim.schemes import tcp
from longfat.sim.schemes.scheme import Scheme

BURST = 2.0  # 1.5 rule 4: new packets per acknowledgment in recovery


def ack(flow, event):
    """As Reno, but recovery ends when everything sent before it is acknowledged."""
    if event.marked:
        tcp.take_mark(flow)
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


@part
def count_duplicate(flow, event):
    """1.4 rules 1 and 2, with the careful variant of RFC 6582, and limited transmit (RFC 3042)."""
    flow.duplicates += 1
    if flow.recovering:
        flow.inflation += 1.0
        flow.limited = BURST
        return
    if flow.duplicates == 1:
        flow.sent_before = flow.high
    if flow.duplicates == flow.duplicate_threshold:
        if tcp.may_retransmit(flow):
            # RFC 5681, 3.2: without what limited transmit has sent meanwhile.
            tcp.retransmit(flow, event, flow.sent_before - flow.una)
            flow.recovering = True
            flow.partial = 0
            flow.limited = BURST + 1.0  # the retransmission does not count, in ns
    elif flow.duplicates < flow.duplicate_threshold and flow.limited_transmit > 0.0 and flow.next == flow.high:
        flow.inflation = float(flow.duplicates)  # each duplicate says that a packet has left


@part
def repair_next(flow, event):
    """1.5 rule 2 (RFC 6582, 3.2 step 3): a partial acknowledgment names the next packet that is missing."""
    flow.resend = flow.una
    if flow.inflation > event.acked:
        flow.inflation -= event.acked - 1.0
    else:
        flow.window = max(1.0, flow.window - (event.acked - flow.inflation))
        flow.inflation = 1.0
    flow.partial += 1
    if flow.partial > 1 and flow.impatient > 0.0:
        event.restart_timer = 0  # impatient: only the first one restarts it
    flow.limited = BURST + 1.0


@part
def leave(flow):
    """1.5 rule 3: everything that was under way at the loss has arrived; this acknowledgment does not grow."""
    flow.recovering = False
    flow.inflation = 0.0
    flow.duplicates = 0
    flow.window = flow.ssthresh
    if flow.careful_exit > 0.0:  # RFC 6582, 3.2 step 3: against a burst
        flow.window = min(flow.ssthresh, max(float(flow.high - flow.una), 1.0) + 1.0)


def timeout(flow, event):
    """1.4 rule 4."""
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
        "limited_transmit": flag(True, "1: a new packet for each of the first duplicates (RFC 3042)"),
        "careful_exit": flag(False, "1: no burst at the end of recovery (RFC 6582, 3.2)"),
        "impatient": flag(True, "1: only the first partial ack restarts the timer (RFC 6582, 4)"),
    },
    # packets sent when the first duplicate came; partial acknowledgments of this recovery
    state={**tcp.STATE, "recovering": False, "sent_before": 0, "partial": 0},
    scale_free=True,
    source="schemes.md 1.5; RFC 6582; ns-2.35 tcp-newreno.cc",
)

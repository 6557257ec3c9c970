"""GAIMD: additive increase by alpha per round trip, multiplication by beta after a loss.

Two forms: ``gaimd`` is RAP with alpha = 0.31 and beta = 7/8, as Welzl (2005), section III, compares it.
``gaimd-window`` is TCP with selective acknowledgments and these two parameters; slow start and the reaction to a
timeout are those of TCP. The rules with their sources: docs/rules/rate-based.md.
"""

from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import deployed, rap, sack
from longfat.sim.schemes.scheme import Parameter
from longfat.sim.schemes.tcp import LOSS, MARK, mark_counts, record_reduction

YANG_LAM = "Y. R. Yang and S. S. Lam, General AIMD Congestion Control, Proc. IEEE ICNP 2000 (abstract)"
ALPHA = Parameter(0.31, "packets", "(0, 1e6]", about="Additive increase per round trip")
BETA = Parameter(0.875, "1", "(0, 1)", about="Multiplicative decrease factor of the rate or window after a loss")


def ack(flow, event):
    """Return the window [packets]: it grows by 1 per acknowledgment in slow start, later by alpha per round trip."""
    if event.marked and mark_counts(flow):
        flow.ssthresh = reduced(flow, flow.window)
        flow.window = max(1.0, flow.beta * flow.window)
        record_reduction(flow, MARK)
    if event.acked == 0:
        return flow.window
    if flow.recovering:
        if flow.una > flow.reduced_at:
            flow.recovering = False
        return flow.window
    if event.marked:
        return flow.window
    return flow.window + (1.0 if flow.window < flow.ssthresh else flow.alpha / flow.window)


def loss(flow, event):
    """Return the window [packets]: beta times the packets in flight, or unchanged if a mark has already reduced it."""
    before_mark = flow.reduced_for == MARK and event.number <= flow.reduced_at
    if not before_mark:
        flow.ssthresh = reduced(flow, min(flow.window, float(flow.high - flow.una)))
    record_reduction(flow, LOSS)
    flow.recovering = True
    flow.resend = event.number
    event.restart_timer = 1
    return flow.window if before_mark else flow.ssthresh


@inline
def reduced(flow, packets):
    """Return beta times a number of packets, but at least the lower bound of ssthresh [packets]."""
    # Yang and Lam (2000): W <- W + alpha per round trip, W <- beta W after a loss. With alpha = 0.31 and beta = 7/8 the
    # scheme is friendly to TCP.
    return max(flow.ssthresh_floor, flow.beta * packets)


GAIMD = replace(
    rap.RAP,
    name="gaimd",
    parameters={**rap.PARAMETERS, "alpha": ALPHA, "beta": BETA},
    source=f"{YANG_LAM}, with all other rules of RAP (`rap`), as in M. Welzl (2005), section III",
)
GAIMD_WINDOW = replace(
    sack.SACK,
    name="gaimd-window",
    ack=ack,
    loss=loss,
    timeout=sack.timeout,
    alarm=None,
    parameters={**deployed.PLAIN, "alpha": ALPHA, "beta": BETA},
    state=deployed.PLAIN_STATE,
    source=f"{YANG_LAM}; loss recovery of RFC 6675 (2012)",
)

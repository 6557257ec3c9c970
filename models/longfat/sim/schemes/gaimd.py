"""GAIMD: additive increase by alpha, multiplicative decrease to beta of what it was (schemes.md 11.2).

Two forms. ``gaimd`` is RAP with 0.31 and 7/8, as comparisons of 2005 ran it (b). ``gaimd-window`` is TCP with selective
acknowledgments and these two numbers (a); slow start and what follows a timeout are TCP's."""

from dataclasses import replace

from longfat.sim.jit import part
from longfat.sim.schemes import rap, sack
from longfat.sim.schemes.scheme import Parameter
from longfat.sim.schemes.tcp import LOSS, MARK, heed_mark, note_reduction

ALPHA = Parameter(0.31, "packets", "(0, 1e6]", about="more per round trip")
BETA = Parameter(0.875, "1", "(0, 1)", about="what a loss leaves of the rate or window")


def ack(flow, event):
    """The increase: one packet per acknowledgment in slow start, alpha per window after it, none in recovery."""
    if event.marked and heed_mark(flow):
        flow.ssthresh = reduced(flow, flow.window)
        flow.window = max(1.0, flow.beta * flow.window)
        note_reduction(flow, MARK)
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
    """The decrease: beta of what is under way, once per window; not again for what was sent before a mark."""
    before_mark = flow.reduced_for == MARK and event.number <= flow.reduced_at
    if not before_mark:
        flow.ssthresh = reduced(flow, min(flow.window, float(flow.high - flow.una)))
    note_reduction(flow, LOSS)
    flow.recovering = True
    flow.resend = event.number
    event.restart_timer = 1
    return flow.window if before_mark else flow.ssthresh


@part
def reduced(flow, packets):
    """Beta of it; the floor holds."""
    return max(flow.ssthresh_floor, flow.beta * packets)


GAIMD = replace(
    rap.RAP,
    name="gaimd",
    parameters={**rap.PARAMETERS, "alpha": ALPHA, "beta": BETA},
    source="schemes.md 11.2 (b); Y. Yang and S. Lam, ICNP (2000)",
)
GAIMD_WINDOW = replace(
    sack.SACK,
    name="gaimd-window",
    ack=ack,
    loss=loss,
    parameters={**sack.SACK.parameters, "alpha": ALPHA, "beta": BETA},
    source="schemes.md 11.2 (a); Y. Yang and S. Lam, ICNP (2000)",
)

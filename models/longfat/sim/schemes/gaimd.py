"""GAIMD: additive increase by alpha, multiplicative decrease to beta of what it was (schemes.md 11.2).

Two forms. ``gaimd`` is RAP with 0.31 and 7/8, as comparisons of 2005 ran it (b). ``gaimd-window`` is TCP with selective
acknowledgments and these two numbers (a); slow start and what follows a timeout are TCP's.

u, of the window form: as in sack.py.
"""

from longfat.sim.jit import part
from longfat.sim.schemes import rap, sack
from longfat.sim.schemes.sack import RECOVER, RECOVERING
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import LOSS, MARK, heed_mark

FLOOR, ALPHA, BETA = 1, 3, 4  # p; the floor of ssthresh stands where tcp.py has it


def ack(flow, event):
    """The increase: one packet per acknowledgment in slow start, alpha per window after it, none in recovery."""
    if event.marked and heed_mark(flow, flow.u[RECOVER]):
        flow.ssthresh = reduced(flow, flow.window)
        flow.window = max(1.0, flow.p[BETA] * flow.window)
        sack.note_reduction(flow, MARK)
    if event.acked == 0:
        return flow.window
    if flow.u[RECOVERING] > 0.0:
        if flow.una > flow.u[RECOVER]:
            flow.u[RECOVERING] = 0.0
        return flow.window
    if event.marked:
        return flow.window
    return flow.window + (1.0 if flow.window < flow.ssthresh else flow.p[ALPHA] / flow.window)


def loss(flow, event):
    """The decrease: beta of what is under way, once per window; not again for what was sent before a mark."""
    before_mark = flow.phase == MARK and event.number <= flow.u[RECOVER]
    if not before_mark:
        flow.ssthresh = reduced(flow, min(flow.window, float(flow.high - flow.una)))
    sack.note_reduction(flow, LOSS)
    flow.u[RECOVERING] = 1.0
    flow.resend = event.number
    event.restart_timer = 1
    return flow.window if before_mark else flow.ssthresh


@part
def reduced(flow, packets):
    """Beta of it; the floor holds."""
    return max(flow.p[FLOOR], flow.p[BETA] * packets)


GAIMD = Scheme(
    "gaimd",
    start=rap.start,
    ack=rap.ack,
    loss=rap.loss,
    timeout=rap.timeout,
    alarm=rap.alarm,
    controls="rate",
    reorder=3,
    parameters={
        **rap.PARAMETERS,
        "alpha": Parameter(0.31, "packets", "(0, 1e6]", f"p[{rap.ALPHA}]"),
        "beta": Parameter(0.875, "1", "(0, 1)", f"p[{rap.BETA}]"),
    },
    source="schemes.md 11.2 (b); Y. Yang and S. Lam, ICNP (2000)",
)

GAIMD_WINDOW = Scheme(
    "gaimd-window",
    start=sack.start,
    ack=ack,
    loss=loss,
    timeout=sack.timeout,
    reorder=3,
    parameters={
        **sack.SACK.parameters,
        "alpha": Parameter(0.31, "packets", "(0, 1e6]", f"p[{ALPHA}]"),
        "beta": Parameter(0.875, "1", "(0, 1)", f"p[{BETA}]"),
    },
    scale_free=True,
    source="schemes.md 11.2 (a); Y. Yang and S. Lam, ICNP (2000)",
)

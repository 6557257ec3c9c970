"""DCTCP: the window is reduced in proportion to the fraction of marked packets (RFC 8257; docs/rules/l4s.md).

The sender is that of a current host, as in `longfat.sim.schemes.cubic`. The receiver echoes whether the last packet was
marked. The estimate ignores selective acknowledgments (section 3.3, step 1).
"""

from typing import Any

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import deployed, sack, tcp
from longfat.sim.schemes.scheme import Parameter, Scheme


# RFC 8257, section 3.3, steps 1 to 8, in packets; `window_end` is DCTCP.WindowEnd. Step 4 compares it with SEG.ACK, the
# next packet expected: a window ends when a packet beyond its end is acknowledged.
@inline
def estimate(flow, event):
    """Count an acknowledgment, and update `alpha`, the estimated fraction of marked packets, once per window."""
    flow.packets_acked += event.acked
    flow.packets_marked += min(event.marks, event.acked)
    if flow.una <= flow.window_end:
        return
    share = flow.packets_marked / flow.packets_acked
    flow.alpha = flow.alpha * (1.0 - flow.gain) + flow.gain * share
    flow.window_end = flow.next
    flow.packets_acked = 0
    flow.packets_marked = 0


# RFC 8257, section 3.3, step 9, and RFC 3168, section 6.1.2: at most one reduction per window of data, for marks and
# losses together (section 3.5). RFC 8257 reduces the window at the end of each window of data, which would apply even
# to a window without marks and would contradict "DCTCP does not react to congestion indications more than once for
# every window". Here the first acknowledgment with ECN-Echo reduces the window, as in Alizadeh and others (2010),
# section 3.1, with the `alpha` of the preceding windows.
@inline
def react(flow):
    """Reduce the window in proportion to `alpha`, at most once per window of data."""
    if not tcp.mark_counts(flow):
        return
    window = flow.ssthresh if flow.recovering else flow.window  # recovery aims at ssthresh
    if window <= 1.0:
        flow.backoff = min(2.0 * flow.backoff, flow.max_backoff)  # as in the other schemes, see `tcp.halve_on_mark`
    flow.window = max(1.0, window * (1.0 - flow.alpha / 2.0))
    flow.ssthresh = max(flow.ssthresh_floor, flow.window)
    tcp.record_reduction(flow, tcp.MARK)


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, and set the pacing rate."""
    window = deployed.capped(flow, event, deployed.window_before(flow), respond(flow, event), 1.0)
    deployed.pace(flow, window)
    return window


@inline
def respond(flow, event):
    """Return the window [packets] after an acknowledgment: reduced by a mark, set by recovery, or grown by new data."""
    if event.acked > 0:
        estimate(flow, event)
    if event.marked:
        react(flow)
    if flow.recovering:
        window = deployed.recover(flow, event, flow.ssthresh)
        return window if flow.recovering else deployed.leave_recovery(flow, event, window)
    if event.acked == 0 or event.marked or not deployed.uses_window(flow, event):
        return flow.window
    return deployed.grow(flow, event)  # RFC 8257, section 3.4


# RFC 8257, section 3.5: a loss sets ssthresh to half of the packets in flight, at most half of the window (RFC 5681,
# section 3.1, equation 4); a further loss in recovery halves ssthresh. RFC 3168, section 6.1.2: if a mark has
# reduced the window, the loss of an earlier packet does not do so again.
def loss(flow, event):
    """Begin a recovery that halves the window, once per window of data; return the window [packets]."""
    if flow.reduced_for != tcp.MARK or event.number > flow.reduced_at:
        window = flow.ssthresh if flow.recovering else min(flow.window, float(flow.high - flow.una))
        flow.ssthresh = max(flow.ssthresh_floor, window / 2.0)
    return deployed.begin_recovery(flow, event, flow.ssthresh)


CODEPOINT = Parameter(
    1.0, "1", "{0, 1, 2}", "ect", about="Codepoint of the packets: 0 Not-ECT, 1 ECT(0), 2 ECT(1) (RFC 9331)"
)
#: `alpha`: estimated fraction of marked packets. `window_end`: last packet of the window in which packets are counted;
#: `packets_acked` and `packets_marked`: packets acknowledged and packets marked in this window.
ESTIMATE: dict[str, Any] = {"alpha": "initial_alpha", "window_end": 0, "packets_acked": 0, "packets_marked": 0}

DCTCP = Scheme(
    "dctcp",
    ack=ack,
    loss=loss,
    timeout=sack.timeout,
    reorder=3,
    echo="state",
    parameters={
        **{name: one for name, one in deployed.parameters(hystart=1.0).items() if name != "ecn"},
        "ect": CODEPOINT,
        "gain": Parameter(0.0625, "1", "(0, 1)", about="Weight g of a new window in the estimate alpha"),
        "initial_alpha": Parameter(1.0, "1", "[0, 1]", about="Estimated share of marked packets at the start"),
    },
    state={**deployed.STATE, **ESTIMATE},
    source=(
        "S. Bensley, D. Thaler, P. Balasubramanian, L. Eggert and G. Judd, RFC 8257 (2017), Data Center TCP (DCTCP): "
        "TCP Congestion Control for Data Centers, section 3; M. Alizadeh and others, Data Center TCP (DCTCP), SIGCOMM "
        "2010, section 3, doi:10.1145/1851182.1851192; RFC 6928, RFC 3465, RFC 9406, RFC 9937, RFC 6675 and RFC 8985 "
        "for the sender"
    ),
)

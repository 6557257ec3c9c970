"""Prague: DCTCP for the Internet, with ECT(1), exact counts of marks, pacing, and less dependence on round-trip times.

The rules are those of the reference implementation for Linux, whose authors are those of the draft; the draft itself
(draft-briscoe-iccrg-prague-congestion-control) could not be read in full. Left out, because the simulator does not need
them: fractions of packets in fixed-point numbers, bursts of segments, the detection of Classic AQMs, which is off by
default, and Linux's change of the window by at most one packet for each acknowledgment. See docs/rules/l4s.md.
"""

from dataclasses import replace

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import dctcp, deployed, sack, tcp
from longfat.sim.schemes.scheme import Parameter, Scheme


# tcp_prague.c, prague_is_rtt_indep(): `transition` round trips after slow start, the flow becomes independent of its
# round-trip time.
@inline
def is_independent(flow):
    """Return whether the flow behaves as if its round-trip time were at least `target_round_trip`."""
    return flow.window >= flow.ssthresh and flow.rounds >= flow.transition


# tcp_prague.c, prague_should_update_ewma(), prague_update_alpha() and prague_new_round(): `alpha` is updated once per
# round-trip time or target round-trip time, whichever is longer, and stays at 1 until the first mark.
@inline
def estimate(flow, event):
    """Count an acknowledgment, and update `alpha`, the estimated fraction of marked packets, once per round trip."""
    flow.packets_acked += event.newly_delivered
    flow.packets_marked += event.marks
    flow.saw_mark = flow.saw_mark or event.marks > 0
    if flow.una < flow.window_end:
        return
    if is_independent(flow) and event.now - flow.estimated_at < flow.target_round_trip:
        return
    if flow.saw_mark:
        share = min(1.0, flow.packets_marked / max(1, flow.packets_acked))
        flow.alpha = flow.alpha * (1.0 - flow.gain) + flow.gain * share
        flow.estimated_at = event.now
    if flow.window >= flow.ssthresh:
        flow.rounds += 1
    flow.window_end = flow.next
    flow.packets_acked = 0
    flow.packets_marked = 0


# tcp_prague.c, prague_enter_cwr(): marks reduce the window at most once per window of data, and at most once per target
# round-trip time if the flow is independent of its round-trip time.
@inline
def react(flow, event):
    """Reduce the window in proportion to `alpha`, at most once per window of data."""
    if not tcp.mark_counts(flow):
        return
    independent = is_independent(flow)
    tcp.record_reduction(flow, tcp.MARK)
    if not independent or event.now - flow.reduced_time >= flow.target_round_trip:
        flow.reduced_time = event.now
        flow.window = max(flow.ssthresh_floor, flow.window * (1.0 - flow.alpha / 2.0))
    flow.ssthresh = flow.window


# tcp_prague.c, prague_update_cwnd(): packets that were not marked increase the window in all states except loss
# recovery, if the window limits the flow; prague_rate_scaled_ai_ack_increase(): (rtt/target)^2 packets per round
# trip, with which the rate grows as fast as with the target round-trip time.
@inline
def grow(flow, unmarked):
    """Grow the window for `unmarked` packets, which were acknowledged and not marked."""
    if flow.window < flow.ssthresh:
        flow.window += unmarked
        return
    increase = 1.0
    if flow.rounds >= flow.transition and flow.srtt < flow.target_round_trip:
        increase = (flow.srtt / flow.target_round_trip) * (flow.srtt / flow.target_round_trip)
    flow.window += unmarked * increase / flow.window


# tcp_prague.c, prague_update_pacing_rate(): the rate is a window per round-trip time, or two while the window is below
# half of ssthresh.
@inline
def pace(flow):
    """Set the pacing rate [bytes/s] from the window and the smoothed round-trip time."""
    if flow.srtt > 0.0:
        pace = flow.window * flow.packet_size / flow.srtt
        flow.rate = 2.0 * pace if flow.window < flow.ssthresh / 2.0 else pace


def ack(flow, event):
    """Return the window [packets]: reduced by marks once per window of data, and grown by unmarked packets."""
    if event.marks > 0:
        react(flow, event)
    if flow.recovering and flow.una > flow.reduced_at:
        flow.recovering = False
    unmarked = event.newly_delivered - event.marks
    unused = flow.app_limited and flow.in_flight + event.newly_delivered < flow.window
    if unmarked > 0 and not flow.recovering and not unused:
        grow(flow, unmarked)
    estimate(flow, event)
    pace(flow)
    return flow.window


# tcp_prague.c, prague_enter_loss(): a loss halves the window even if a mark has reduced it before.
def loss(flow, event):
    """Retransmit the first lost packet; return half of the window [packets], once for all losses of one window."""
    flow.ssthresh = max(flow.ssthresh_floor, flow.window / 2.0)
    tcp.record_reduction(flow, tcp.LOSS)
    flow.recovering = True
    flow.resend = event.number
    event.restart_timer = 1
    return flow.ssthresh


PRAGUE = Scheme(
    "prague",
    ack=ack,
    loss=loss,
    timeout=sack.timeout,
    reorder=3,
    echo="accurate",
    parameters={
        **{name: one for name, one in deployed.PLAIN.items() if name != "ecn"},
        **{name: dctcp.DCTCP.parameters[name] for name in ("initial_window", "gain", "initial_alpha")},
        "ect": replace(dctcp.CODEPOINT, default=2.0),
        "target_round_trip": Parameter(
            0.025, "s", "[0, 10]", about="Target round-trip time, which the rules use in place of a lower one; 0: none"
        ),
        "transition": Parameter(
            500.0, "1", "[0, 1e9]", about="Round trips between slow start and the use of that target", integer=True
        ),
    },
    # Besides the state of "dctcp": whether a packet was ever marked; round trips since slow start; the times of the
    # last update of alpha and of the last reduction for a mark [s].
    state={
        **deployed.PLAIN_STATE,
        **dctcp.ESTIMATE,
        "saw_mark": False,
        "rounds": 0,
        "estimated_at": -1e9,
        "reduced_time": -1e9,
    },
    source=(
        "L4S team, reference implementation of TCP Prague for Linux, version 0.6 (2024), net/ipv4/tcp_prague.c, "
        "https://github.com/L4STeam/linux; K. De Schepper, O. Tilmans, B. Briscoe and V. Goel, Prague Congestion "
        "Control, draft-briscoe-iccrg-prague-congestion-control-04 (2024; in part not checked against the original)"
    ),
)

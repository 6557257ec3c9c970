"""Copa: a target rate inversely proportional to the queueing delay; a competitive mode beside flows that fill buffers.

Sections are those of Arun and Balakrishnan (NSDI 2018), of which only excerpts were read. genericCC is the authors'
program (github.com/venkatarun95/genericCC), mvfst is Meta's (github.com/facebook/mvfst). Interpretations, equilibrium
and competitive mode: docs/rules/delay-based.md.
"""

import math

from longfat.sim import Parameter, Scheme, inline
from longfat.sim.schemes import timers
from longfat.sim.schemes.bbr_common import windowed_max

LEAST = 2.0  # packets; genericCC, markoviancc.cc, update_intersend_time()
MINIMUM_SPAN = 10.0  # s; section 2.1, RTTmin
NONE = -math.inf


@inline
def measure(flow, event):
    """Update the least, standing and greatest round-trip times [s] with a sample."""
    # Copa (2018), section 2.1: RTTmin is the least round-trip time of the last 10 s, and RTTstanding the least one of
    # the last srtt/2. Section 2.2: RTTmax is the greatest round-trip time of the last four round trips.
    now, rtt = event.now, event.rtt
    flow.minimum = -windowed_max(flow.minima, flow.minima_at, now, MINIMUM_SPAN, -rtt)
    flow.standing = -windowed_max(flow.recent, flow.recent_at, now, flow.srtt / 2.0, -rtt)
    flow.greatest = windowed_max(flow.maxima, flow.maxima_at, now, 4.0 * flow.srtt, rtt)


@inline
def choose_mode(flow, now):
    """Choose the mode; reset 1/delta [packets], or in competitive mode increase it by 1 per round trip."""
    # Copa (2018), section 2.2: the queue is nearly empty if the queueing delay d_q < 0.1 (RTTmax - RTTmin); if it was
    # not nearly empty in the last 5 RTT, the mode is competitive. Our choice: "at most" in place of "less than",
    # because both sides are 0 if no packet is ever queued.
    if flow.standing - flow.minimum <= 0.1 * (flow.greatest - flow.minimum):
        flow.emptied = now
    if now - flow.emptied <= 5.0 * flow.srtt:
        # Copa (2018), section 2.2: in the default mode delta has its default, 0.5.
        flow.competitive, flow.inverse, flow.increased = False, 1.0 / flow.delta, now
    elif now - flow.increased >= flow.srtt:
        # Copa (2018), section 2.2: in competitive mode 1/delta grows like NewReno's window, by one per round trip;
        # `halve` reduces it.
        flow.competitive, flow.inverse, flow.increased = True, flow.inverse + 1.0, now


@inline
def choose_velocity(flow):
    """Set the velocity once per window, by the direction in which the window has changed."""
    # Copa (2018), section 2.1: once per window, compare cwnd with its value when the packet just acknowledged was sent.
    # After three RTTs of change in the same direction, v doubles once per window; after a change of direction v = 1.
    up = flow.window > flow.window_before
    flow.repeats = flow.repeats + 1 if up == flow.up else 0
    flow.velocity = 1.0 if flow.repeats == 0 else flow.velocity * (2.0 if flow.repeats >= 3 else 1.0)
    flow.up, flow.window_before, flow.round_end = up, flow.window, flow.next


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, and set the pacing rate."""
    if event.rtt == 0.0 or event.newly_delivered == 0:
        return flow.window
    measure(flow, event)
    choose_mode(flow, event.now)
    # Copa (2018), section 2.1: the target rate is 1/(delta d_q), d_q = RTTstanding - RTTmin; the present rate is
    # cwnd/RTTstanding.
    increase = flow.window * (flow.standing - flow.minimum) <= flow.inverse * flow.standing
    window = flow.window
    if flow.slow_start and increase:
        # Copa (2018), section 2.1: cwnd doubles once per RTT until the rate exceeds the target.
        window += 0.0 if flow.app_limited else float(event.newly_delivered)
    else:
        if flow.slow_start or flow.una >= flow.round_end:
            choose_velocity(flow)
        flow.slow_start = False
        # mvfst, Copa.cpp, onPacketAcked(): when the direction changes, a velocity above 1 is reset to 1. In the paper v
        # is constant for a whole window of packets; cwnd then overshoots the target by some hundred packets. genericCC,
        # markoviancc.cc, update_intersend_time(): v/delta is at most cwnd; thus cwnd at most doubles per RTT.
        if flow.up != increase and flow.velocity > 1.0:
            flow.up, flow.repeats, flow.velocity = increase, 0, 1.0
        flow.velocity = max(1.0, min(flow.velocity, window / flow.inverse))
        # Copa (2018), section 2.1: cwnd changes by v/(delta cwnd) for each packet acknowledged. Our choice, because the
        # paper has no rule for it: cwnd does not grow while the application limits the flow.
        change = flow.velocity * flow.inverse * event.newly_delivered / window
        window += -change if not increase else 0.0 if flow.app_limited else change
    window = max(LEAST, window)
    # Copa (2018), section 2.1: packets are paced at 2 cwnd/RTTstanding.
    flow.rate = 2.0 * window * flow.packet_size / flow.standing
    return window


@inline
def halve(flow):
    """Halve 1/delta [packets] after a loss in competitive mode."""
    # Copa (2018), section 2.2: a loss halves 1/delta. Our choice, because the paper gives no lower bound: 1/delta does
    # not fall below its default.
    if flow.competitive:
        flow.inverse = max(1.0 / flow.delta, flow.inverse / 2.0)


def loss(flow, event):
    """Retransmit the first packet found lost, halve 1/delta in competitive mode, and return the window unchanged."""
    flow.resend, event.restart_timer = event.number, 1
    halve(flow)
    return flow.window


def timeout(flow, event):
    """Begin slow start again after a timeout; return the least window, two packets."""
    # Our choice, because the paper has no rule for timeouts: after a timeout slow start begins again, as in RFC 5681,
    # section 3.1.
    flow.slow_start, flow.velocity, flow.repeats = True, 1.0, 0
    halve(flow)
    return LEAST


COPA = Scheme(
    "copa",
    ack=ack, loss=loss, timeout=timeout, reorder=3,
    parameters={
        "initial_window": Parameter(10.0, "packets", "[2, 1e9]", "window", about="Initial window (RFC 6928)"),
        **timers.parameters("linux"),
        "delta": Parameter(0.5, "1/packets", "(0, 1e3]", about="Weight of the delay in the default mode (section 2.2)"),
    },
    state={
        "minima": [NONE] * 3, "minima_at": [NONE] * 3, "recent": [NONE] * 3, "recent_at": [NONE] * 3,
        "maxima": [NONE] * 3, "maxima_at": [NONE] * 3, "minimum": 0.0, "standing": 0.0, "greatest": 0.0,
        "emptied": 0.0, "competitive": False, "inverse": 0.0, "increased": 0.0,
        "slow_start": True, "velocity": 1.0, "up": True, "repeats": 0, "window_before": 0.0, "round_end": 0,
    },
    source="V. Arun and H. Balakrishnan, Copa: Practical Delay-Based Congestion Control for the Internet, USENIX NSDI "
    "2018, pp. 329-342, section 2 (excerpts); the authors' program genericCC, markoviancc.cc and rtt-window.cc",
)  # fmt: skip

"""DECbit: additive increase if less than half of the congestion bits are set, multiplicative decrease otherwise.

After a change of the window the bits of the packets in flight are ignored. The bits of the next window of packets
decide on the next change; thus the window changes once in two round trips. There is no slow start, and after a loss
the window is 1. The switches are `longfat.sim.queues.decbit`. The rules with their sources:
docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import INITIAL_WINDOW


@inline
def begin_period(flow, before):
    """Begin a decision period that ignores the bits of `before` packets sent under the previous window."""
    flow.ignored = math.floor(before)
    flow.counted = 0
    flow.set_bits = 0


@inline
def count(flow, marked):
    """Count one congestion bit; return the window [packets], which changes at the end of the decision period."""
    # Ramakrishnan and Jain (1990): count the bits of one window of packets, all sent after the last change of the
    # window. Kim and Farber (1994), section 2.1: if at least half of these bits are set, the window is multiplied by
    # 0.875, otherwise increased by 1.
    if flow.ignored > 0:
        flow.ignored -= 1
        return flow.window
    flow.counted += 1
    flow.set_bits += marked
    if flow.counted < math.floor(flow.window):
        return flow.window
    down = flow.set_bits >= flow.threshold * flow.counted
    begin_period(flow, flow.window)
    return max(1.0, flow.decrease * flow.window) if down else flow.window + flow.increase


@inline
def go_back(flow):
    """Continue to send from the first unacknowledged packet on, with a window of one packet; return this window."""
    # Our choice, because the papers assume buffers without loss: after a loss the sender resends by go-back-N, as TCP
    # does after a timeout.
    flow.reduced_at = flow.high - 1
    flow.duplicates = 0
    flow.next = flow.una
    begin_period(flow, 1.0)
    return 1.0


def start(flow, event):
    """Begin the first decision period, which takes two round trips like all others; return the initial window."""
    # Our choice: there is no slow start, because with a slow start transfers would not take the times of Kanakia,
    # Keshav and Mishra (1992), table 4.3.
    begin_period(flow, flow.window)
    return flow.window


def ack(flow, event):
    """Return the window [packets] after an acknowledgment, which carries the congestion bit of a data packet."""
    if event.number < 0:  # feedback of a switch, no acknowledgment
        return flow.window
    if event.acked > 0:
        flow.duplicates = 0
    elif event.duplicate:
        flow.duplicates += 1
        wanted = flow.fast_retransmit > 0.0 and flow.duplicates == flow.duplicate_threshold
        if wanted and flow.una - 1 > flow.reduced_at:  # once for the losses of one window
            event.restart_timer = 1
            return go_back(flow)
    return count(flow, event.marked)


def timeout(flow, event):
    """Return a window of one packet after the retransmission timer has expired."""
    return go_back(flow)


DECBIT = Scheme(
    "decbit",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    echo="once",
    parameters={
        "initial_window": INITIAL_WINDOW,
        "increase": Parameter(
            1.0, "packets", "[0, 1e9]", about="Additive increase of the window, once in two round trips"
        ),
        "decrease": Parameter(0.875, "1", "(0, 1]", about="Multiplicative decrease factor of the window"),
        "threshold": Parameter(
            0.5, "1", "(0, 1]", about="Share of set congestion bits at or above which the window decreases"
        ),
        "fast_retransmit": flag(False, "1: duplicate acknowledgments signal losses as well; 0: only the timer does"),
        "duplicate_threshold": Parameter(
            3.0, "packets", "[1, 1e6]", about="Duplicate acknowledgments that signal a loss"
        ),
        "ecn": flag(True, "1: switches may set the congestion bit; 0: they may not", "ect"),
        **timers.PARAMETERS,
    },
    # `ignored`: number of acknowledgments still to be ignored. `counted`: number of bits counted; `set_bits`: number of
    # set bits among them. `reduced_at`: highest packet sent when go-back-N last began. `duplicates`: consecutive
    # duplicate acknowledgments.
    state={"ignored": 0, "counted": 0, "set_bits": 0, "reduced_at": -2, "duplicates": 0},
    source=(
        "K. K. Ramakrishnan and R. Jain, A Binary Feedback Scheme for Congestion Avoidance in Computer Networks, ACM "
        "Trans. Comput. Syst. 8 (1990), pp. 158-181, doi:10.1145/78952.78955 (not checked against the original)"
    ),
)

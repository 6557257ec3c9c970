"""DECbit: one packet more if less than half of the marks that count are set, an eighth less otherwise (schemes.md 2.2).

Every change is judged by one whole window: the bits of packets sent before it do not count, those of one window
behind them do, so that there is one change in two round trips. There is no slow start, and after a loss the window is
1. The switches are `longfat.sim.queues.decbit`.
"""

import math

from longfat.sim.jit import part
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import INITIAL_WINDOW


@part
def judge_next(flow, before):
    """The bits of so many packets sent under the old window come first."""
    flow.ignored = math.floor(before)
    flow.counted = 0
    flow.set_bits = 0


@part
def count(flow, marked):
    """Rules 3 and 4; the window."""
    if flow.ignored > 0:
        flow.ignored -= 1
        return flow.window
    flow.counted += 1
    flow.set_bits += marked
    if flow.counted < math.floor(flow.window):
        return flow.window
    down = flow.set_bits >= flow.threshold * flow.counted
    judge_next(flow, flow.window)
    return max(1.0, flow.decrease * flow.window) if down else flow.window + flow.increase


@part
def go_back(flow):
    """Rule 6: from the first packet missing on, with a window of one."""
    flow.reduced_at = flow.high - 1
    flow.duplicates = 0
    flow.next = flow.una
    judge_next(flow, 1.0)
    return 1.0


def start(flow, event):
    """Rule 1: the first window lasts two round trips as well."""
    judge_next(flow, flow.window)
    return flow.window


def ack(flow, event):
    """Every acknowledgment brings the bit of its packet."""
    if event.number < 0:  # a note of a switch
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
    """Rule 6."""
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
        "increase": Parameter(1.0, "packets", "[0, 1e9]", about="more after a window with few marks"),
        "decrease": Parameter(0.875, "1", "(0, 1]", about="what a window with many marks leaves of it"),
        "threshold": Parameter(0.5, "1", "(0, 1]", about="share of marks that is many"),
        "fast_retransmit": Parameter(0.0, "1", "{0, 1}", about="1: duplicates tell of losses, not the timer alone"),
        "duplicate_threshold": Parameter(3.0, "packets", "[1, 1e6]", about="how many of them"),
        "ecn": Parameter(1.0, "1", "{0, 1}", "ect", about="1: packets say that they can be marked"),
        **timers.PARAMETERS,
    },
    # acknowledgments still to be ignored; counted so far, and those of them with a mark; the highest packet sent when
    # a loss was last repaired; duplicates in a row
    state={"ignored": 0, "counted": 0, "set_bits": 0, "reduced_at": -2, "duplicates": 0},
    source="schemes.md 2.2; K. K. Ramakrishnan and R. Jain, ACM TOCS 8 (1990)",
)

"""DECbit: one packet more if less than half of the marks that count are set, an eighth less otherwise (schemes.md 2.2).

Every change is judged by one whole window: the bits of packets sent before it do not count, those of one window
behind them do, so that there is one change in two round trips. There is no slow start, and after a loss the window is
1. The switches are `longfat.sim.queues.decbit`.
"""

import math

from longfat.sim.jit import part
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme

INCREASE, DECREASE, THRESHOLD, FAST_RETRANSMIT, DUPLICATES = range(5)  # p
IGNORED, COUNTED, SET = range(3)  # u: acknowledgments still to be ignored; counted so far; of them with a mark


@part
def judge_next(flow, before):
    """The bits of so many packets sent under the old window come first."""
    flow.u[IGNORED] = math.floor(before)
    flow.u[COUNTED] = 0.0
    flow.u[SET] = 0.0


@part
def count(flow, marked):
    """Rules 3 and 4; the window."""
    if flow.u[IGNORED] > 0.0:
        flow.u[IGNORED] -= 1.0
        return flow.window
    flow.u[COUNTED] += 1.0
    flow.u[SET] += marked
    if flow.u[COUNTED] < math.floor(flow.window):
        return flow.window
    down = flow.u[SET] >= flow.p[THRESHOLD] * flow.u[COUNTED]
    judge_next(flow, flow.window)
    return max(1.0, flow.p[DECREASE] * flow.window) if down else flow.window + flow.p[INCREASE]


@part
def go_back(flow):
    """Rule 6: from the first packet missing on, with a window of one."""
    flow.recover = flow.high - 1
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
        wanted = flow.p[FAST_RETRANSMIT] > 0.0 and flow.duplicates == flow.p[DUPLICATES]
        if wanted and flow.una - 1 > flow.recover:  # once for the losses of one window
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
        "initial_window": Parameter(1.0, "packets", "[1, 1e9]", "window"),
        "increase": Parameter(1.0, "packets", "[0, 1e9]"),
        "decrease": Parameter(0.875, "1", "(0, 1]"),
        "threshold": Parameter(0.5, "1", "(0, 1]"),
        "fast_retransmit": Parameter(0.0, "1", "[0, 1]"),
        "duplicate_threshold": Parameter(3.0, "packets", "[1, 1e6]"),
        "ecn": Parameter(1.0, "1", "[0, 1]", "ect"),
        **timers.PARAMETERS,
    },
    source="schemes.md 2.2; K. K. Ramakrishnan and R. Jain, ACM TOCS 8 (1990)",
)

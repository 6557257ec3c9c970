"""Tri-S, slow start and search: the window grows as long as throughput grows with it (schemes.md 6).

One packet in a round trip is the judge: the first one sent with the whole window outstanding. Window over round trip
is its throughput; what that gains per packet of the window, over what the first packet of the connection gained, is
the normalised gradient: 1 on an idle path, 0 on a full one.

* Where the window grows two packets leave at once, and on an idle path the second one waits for the first. Against a
  window that has just shrunk, and sends no such pair, growth then gains nothing although the path is not full: above
  half of its capacity the window falls more often than it rises. With ``settle = 1`` every window is judged by its
  second round trip, which has no pairs, and is changed half as often.
* After a start the first window is not compared with anything, and grows.
* A window that stayed at one packet is not compared either: it tries two.
* Losses are repaired as in Tahoe.
"""

import math

from longfat.sim.jit import part
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import LOSS, PARAMETERS, REDUCTION, TIMEOUT, may_retransmit, note_reduction


@part
def appoint(flow, window):
    """The next packet that leaves with `window` packets outstanding, itself included."""
    flow.judged_window = math.floor(window)
    flow.judge = max(float(flow.next), flow.una + flow.judged_window - 1.0)


@part
def gained(flow, rtt):
    """Rules 1 to 3: whether the gradient is steep enough."""
    throughput = flow.judged_window / rtt
    difference = flow.judged_window - flow.last_window
    if flow.alone == 0.0:
        flow.alone = 1.0 / rtt
    steep = True
    if flow.last_window > 0.0 and difference != 0.0:
        steep = (throughput - flow.last_throughput) / difference >= flow.threshold * flow.alone
    flow.last_window = flow.judged_window
    flow.last_throughput = throughput
    return steep


@part
def search_again(flow, window):
    """Rules 1 and 4: as at the start."""
    flow.searching = flow.search
    flow.last_window = 0.0
    flow.settling = 0.0
    appoint(flow, window)
    return window


@part
def new_data(flow, event):
    """Rule 1 with every acknowledgment, rules 2 and 3 with that of the judge; the window."""
    window = flow.window
    if flow.una <= flow.judge:
        return window + flow.searching
    if flow.searching == 0.0 and flow.settling > 0.0:
        flow.settling -= 1.0
    else:
        if gained(flow, event.rtt):
            window += 1.0
        else:
            flow.searching = 0.0
            window = max(1.0, window - 1.0)
        flow.settling = flow.settle
    appoint(flow, window)
    return window


def start(flow, event):
    """One packet."""
    return search_again(flow, flow.window)


def ack(flow, event):
    """New data may open or close the window, the third duplicate begins again."""
    if event.acked > 0:
        flow.duplicates = 0
        return new_data(flow, event)
    if event.duplicate:
        flow.duplicates += 1
        if flow.duplicates == flow.duplicate_threshold and may_retransmit(flow):
            note_reduction(flow, LOSS)
            flow.next = flow.una
            event.restart_timer = 1
            return search_again(flow, 1.0)
    return flow.window


def timeout(flow, event):
    """Rule 4."""
    flow.duplicates = 0
    note_reduction(flow, TIMEOUT)
    flow.next = flow.una
    return search_again(flow, 1.0)


TRI_S = Scheme(
    "tri-s",
    start=start,
    ack=ack,
    timeout=timeout,
    recovery="own",
    parameters={
        **{name: one for name, one in PARAMETERS.items() if "ssthresh" not in name and name != "ecn"},
        "search": Parameter(1.0, "packets", "[0, 1]", about="growth per acknowledgment at first; 0: linear start"),
        "threshold": Parameter(0.5, "1", "[0, 1]", about="gradient at which the window still grows"),
        "settle": Parameter(0.0, "1", "[0, 1e6]", about="round trips to let pass before a window is judged"),
    },
    state={
        **REDUCTION,
        "duplicates": 0,
        "judge": 0.0,  # the packet that judges, and the window it was sent with
        "judged_window": 0.0,
        "last_window": 0.0,  # of the one before it; 0: there is none
        "last_throughput": 0.0,  # packets/s
        "alone": 0.0,  # throughput of one packet alone [packets/s]
        "searching": 0.0,  # 1: the window grows with every acknowledgment
        "settling": 0.0,  # round trips to let pass
    },
    source="schemes.md 6; Z. Wang and J. Crowcroft, ACM CCR 21 (1991)",
)

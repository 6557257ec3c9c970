"""Tri-S, slow start and search: the window grows as long as throughput grows with it.

Once per round trip one packet is the probe: the first one sent with the whole window outstanding. The throughput is the
window divided by the probe's round-trip time. The normalised throughput gradient is the change of throughput per packet
of the window, divided by the throughput of the first packet of the connection. It is 1 on an idle path and 0 on a full
path. The rules with their sources: docs/rules/tcp.md. Interpretations:

* When the window grows, two packets leave back to back, and on an idle path the second one waits for the first. A
  window that has just shrunk sends no such pair; compared with it, a larger window seems to gain no throughput although
  the path is not full. Above half of the path's capacity the window therefore shrinks more often than it grows.
* After a start the first window is not compared with another one, and grows.
* A window that stayed at one packet is not compared either, and grows to two.
* Lost packets are retransmitted as in Tahoe.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.tcp import LOSS, PARAMETERS, REDUCTION, TIMEOUT, may_retransmit, record_reduction


@inline
def choose_probe(flow, window):
    """Choose the next packet that leaves with `window` packets outstanding, itself included, as the probe."""
    flow.probe_window = math.floor(window)
    flow.probe = max(float(flow.next), flow.una + flow.probe_window - 1.0)


@inline
def gained(flow, rtt):
    """Return whether the normalised throughput gradient reaches the threshold, so that the window may grow."""
    # Wang and Crowcroft (1991); Peterson and Davie, section 6.4: increase the window by a packet in each round trip,
    # and compare the throughput with the throughput of a window one packet smaller. If the gain is less than half of
    # the throughput that a window of one packet has, decrease the window by a packet.
    throughput = flow.probe_window / rtt
    difference = flow.probe_window - flow.last_window
    if flow.first_throughput == 0.0:
        flow.first_throughput = 1.0 / rtt
    steep = True
    if flow.last_window > 0.0 and difference != 0.0:
        steep = (throughput - flow.last_throughput) / difference >= flow.threshold * flow.first_throughput
    flow.last_window = flow.probe_window
    flow.last_throughput = throughput
    return steep


@inline
def search_again(flow, window):
    """Begin a new search with `window` [packets], as at the start of the flow; return this window."""
    flow.searching = flow.search
    flow.last_window = 0.0
    choose_probe(flow, window)
    return window


@inline
def new_data(flow, event):
    """Return the window [packets] after new data: it grows in the search, and is adjusted once per probe."""
    window = flow.window
    if flow.una <= flow.probe:
        return window + flow.searching  # slow start: a packet per acknowledgment until the first failed test
    if gained(flow, event.rtt):
        window += 1.0
    else:
        flow.searching = 0.0
        window = max(1.0, window - 1.0)
    choose_probe(flow, window)
    return window


def start(flow, event):
    """Begin the search; return the initial window [packets]."""
    return search_again(flow, flow.window)


def ack(flow, event):
    """Return the window [packets]: adjusted by new data; the third duplicate acknowledgment begins a new search."""
    if event.acked > 0:
        flow.duplicates = 0
        return new_data(flow, event)
    if event.duplicate:
        flow.duplicates += 1
        if flow.duplicates == flow.duplicate_threshold and may_retransmit(flow):
            record_reduction(flow, LOSS)
            flow.next = flow.una
            event.restart_timer = 1
            return search_again(flow, 1.0)
    return flow.window


def timeout(flow, event):
    """Begin a new search after a timeout; return a window of one packet."""
    flow.duplicates = 0
    record_reduction(flow, TIMEOUT)
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
        "search": Parameter(
            1.0, "packets", "[0, 1]", about="Growth per acknowledgment while searching; 0: one packet per round trip"
        ),
        "threshold": Parameter(
            0.5, "1", "[0, 1]", about="Normalised throughput gradient below which the window shrinks"
        ),
    },
    state={
        **REDUCTION,
        "duplicates": 0,
        "probe": 0.0,  # number of the probe, and the window that it was sent with
        "probe_window": 0.0,
        "last_window": 0.0,  # window of the probe before it; 0: there is none
        "last_throughput": 0.0,  # packets/s
        "first_throughput": 0.0,  # throughput of the first packet, alone on the path [packets/s]
        "searching": 0.0,  # growth per acknowledgment in the search [packets]
    },
    source=(
        "Z. Wang and J. Crowcroft, A New Congestion Control Scheme: Slow Start and Search (Tri-S), ACM Comput. "
        "Commun. Rev. 21 (1991), no. 1, pp. 32-43; after L. Peterson and B. Davie, Computer Networks: A Systems "
        "Approach, 6th ed. (2021), section 6.4"
    ),
)

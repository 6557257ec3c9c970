"""Credit windows: throughput under a window and its updates, window for a rate, and growth of adaptive credit.

The receiver grants credit for an amount of data, and more credit each time that it has read a batch: WINDOW_UPDATE of
HTTP/2 (RFC 9113, section 5.2), MAX_DATA of QUIC (RFC 9000, section 4.1), the window of an SSH channel (RFC 4254,
section 5.2), and credit cells of ATM (N23: N_2 is the batch, N_2 + N_3 the window). Proofs: derivations/credits.py.
"""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.blt.windows import geometric_sum
from longfat.laws.references import KUNG_CHAPMAN, KUNG_CREDIT

__all__ = [
    "adaptive_allocation",
    "throughput",
    "window_for_rate",
]


WINDOW = Symbol("W", "bytes", "[1, inf)", (16384, 16777216), "Credit window", integer=True)
UPDATE = Symbol("u", "bytes", "[1, inf)", (1, 16384), "Bytes read before an update", integer=True)
WINDOWS = Symbol("m", "1", "[1, inf)", (1, 4), "Number of equal windows that limit the sender together", integer=True)
CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1.25e9), "Capacity")
ROUND_TRIP_TIME = Symbol("R", "s", "[0, inf)", (1e-3, 0.5), "Round-trip time")
RATE = Symbol("X", "bytes/s", "[0, inf)", (1e5, 1.25e9), "Rate")
INTERVALS = Symbol("k", "1", "[0, inf)", (0, 20), "Allocations since the start", integer=True)
POOL_GROWTH = Symbol(
    "G", "1", "(1, inf)", (1.1, 10.0), "Part of the pool that is given out, over the cells of a round trip"
)  # fmt: skip


@law(
    source=f"{KUNG_CREDIT} (from a summary), for u that divide the window; the rest is ours",
    result="X [bytes/s], of a receiver that reads immediately",
    simulated=SimulatedBy(
        "credit_throughput",
        {
            "window": [2000, 12000, 17000, 40000, 72000], "update": [1000, 2000], "capacity": 1e7, "windows": 1,
            "round_trip_time": [0.0, 3e-4, 1.1e-3, 2.05e-3, 4.1e-3],
        },
        accuracy=2e4,
    ),
)  # fmt: skip
def throughput(
    window: WINDOW, update: UPDATE, capacity: CAPACITY, round_trip_time: ROUND_TRIP_TIME, windows: WINDOWS = 1, *, xp
):
    r"""Return the throughput [bytes/s] under a credit window, or under several equal credit windows.

    .. math:: X = \min\left(C, \frac{(q - 1 + 1/m) u}{R + (u/m - r)/C}\right), \qquad
        q = \left\lfloor \frac{W}{u} \right\rfloor, \quad r = W - q u \text{ if } m = 1, \text{ else } 0

    Exact if window and update are multiples of the size that all packets have. An update after each packet gives W/R,
    an update after half of the window W/(R + W/(2 C)); the path is full if W is at least u + C R. An update that is one
    byte larger than half of the window halves the throughput of a fast path, and one larger than the window stops the
    transfer.

    A stream and its connection (HTTP/2, QUIC) have m = 2 windows if their updates follow different bytes: each window
    waits for the other's update, however close the two updates are. This is exact if u divides W, else a lower bound.

    Examples
    --------
    The initial window of HTTP/2 with updates at half of it, at 1 Gbit/s and 100 ms, in Mbit/s:

    >>> [round(8e-6 * throughput(65535, update, 125e6, 0.1), 2) for update in (32767, 32768)]
    [5.23, 2.62]
    """
    batches, share = xp.floor(window / update), 1 / (windows + 0 * capacity)
    left = xp.where(windows > 1, 0 * window, window - batches * update)
    sent = xp.maximum(batches - 1 + share, 0 * capacity) * update
    return xp.minimum(sent / (round_trip_time + (update * share - left) / capacity), capacity + 0 * window)


@law(
    source=f"{KUNG_CHAPMAN}: N_3 = rate x round trip (from its abstract)",
    result="W [bytes]",
    not_simulated="the inverse of a law that is simulated",
)
def window_for_rate(update: UPDATE, rate: RATE, round_trip_time: ROUND_TRIP_TIME, *, xp):
    r"""Return a credit window [bytes] with which the throughput reaches a given rate.

    .. math:: W = u + X R

    The result has to be rounded up to an integer number of packets. X = C gives the smallest window that fills the
    path. With updates at a fraction s of the window it is X R/(1 - s).

    >>> window_for_rate(1000, 125e6, 0.1)
    12501000.0
    """
    return update + rate * round_trip_time


@law(
    source=f"Ours: a recursion for the rule of {KUNG_CREDIT} (not checked against the original)",
    result="A_k [packets]",
    not_simulated="a switch gives out whole cells: tests/sim/test_credit.py",
)
def adaptive_allocation(intervals: INTERVALS, pool_growth: POOL_GROWTH, *, xp):
    r"""Return the credit [packets] of a flow k intervals after its start with one packet, on a link that others fill.

    .. math:: A_k = \frac{G^{k + 1} - 1}{G - 1}

    Packets are the cells of ATM. In each interval the flow gets one cell, and a share of the pool that equals its share
    of the link. While credit limits the flow, this share is A/P, where P is the round trip of the link in cells. With a
    pool of M cells, half of them given out, N flows and a backlog of Q cells, G = (M/2 - Q - N)/P. The allocation grows
    until the flow has its share of the link: by the factor G = 2 in each interval if the pool is four round trips of
    the link. A switch rounds down to whole cells in each interval: the simulated one has 1, 3, 6, 12 and 24 for G = 2.

    >>> [adaptive_allocation(k, 2.0) for k in range(4)]
    [1.0, 3.0, 7.0, 15.0]
    """
    return geometric_sum(intervals + 1, pool_growth, xp)

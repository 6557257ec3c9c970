"""Credit windows: throughput by the window and by the updates that renew it, and growth of adaptive credit.

The receiver says how much may be sent, and more each time that it has read a batch: WINDOW_UPDATE of HTTP/2 (RFC 9113,
section 5.2), MAX_DATA of QUIC (RFC 9000, section 4.1), the window of an SSH channel (RFC 4254, section 5.2), and credit
cells of ATM (N23: N_2 is the batch, N_2 + N_3 the window). Proofs: derivations/credits.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.blt.windows import geometric_sum
from longfat.laws.references import KUNG_CHAPMAN, KUNG_CREDIT

__all__ = [
    "adaptive_allocation",
    "throughput",
    "throughput_of_windows",
    "window_for_rate",
]


WINDOW = Symbol(
    "W", "bytes", "[1, inf)", (16384, 16777216), "Credit window: what may be sent and not yet renewed", integer=True
)
UPDATE = Symbol(
    "u", "bytes", "[1, inf)", (1, 16384), "Bytes that the receiver reads before it sends an update", integer=True
)
BATCHES = Symbol("q", "1", "[1, inf)", (1, 16), "Updates that a window is: W/u", integer=True)
WINDOWS = Symbol("m", "1", "[1, inf)", (1, 4), "Windows that have to allow each byte", integer=True)
CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1.25e9), "Capacity of the path")
ROUND_TRIP_TIME = Symbol("R", "s", "[0, inf)", (1e-3, 0.5), "Round-trip time, from the end of a packet to its update")
RATE = Symbol("X", "bytes/s", "[0, inf)", (1e5, 1.25e9), "Rate that the window is to allow")
INTERVALS = Symbol("k", "1", "[0, inf)", (0, 20), "Allocations since the flow began with one cell", integer=True)
POOL_GROWTH = Symbol(
    "G", "1", "(1, inf)", (1.1, 10.0), "Share of the pool that is given out, over the round trip of the link in cells"
)  # fmt: skip


@law(
    source=f"{KUNG_CREDIT}, for u that divide the window (from a summary: it was not read); the rest is ours",
    unit="bytes/s",
    result="X, of a transfer whose receiver reads at once and that nothing else limits",
    derivation="credits.throughput",
    simulated=SimulatedBy(
        "credit_throughput",
        {
            "window": [2000, 12000, 17000, 40000, 72000], "update": [1000, 2000], "capacity": 1e7,
            "round_trip_time": [0.0, 3e-4, 1.1e-3, 2.05e-3, 4.1e-3],
        },
        accuracy=2e4,
    ),
)  # fmt: skip
def throughput(window: WINDOW, update: UPDATE, capacity: CAPACITY, round_trip_time: ROUND_TRIP_TIME, *, xp: Any) -> Any:
    r"""Return the throughput of a transfer under a credit window.

    .. math:: X = \min\left(C, \frac{q u}{R + (u - r)/C}\right), \qquad
        q = \left\lfloor \frac{W}{u} \right\rfloor, \quad r = W - q u

    Notes
    -----
    Exact for packets of one size of which window and update are multiples. If u divides W it is W/(R + u/C): the window
    in the time of a round trip and of the bytes that an update waits for. So an update after each packet gives W/R, and
    one after half of the window W/(R + W/(2 C)). The path is full from W = u + C R on. What is left, r, waits for the
    next update: one byte above half of the window halves the throughput of a fast path. If u exceeds W the transfer
    stops: X = 0.

    Examples
    --------
    The initial window of HTTP/2 with updates at half of it, at 1 Gbit/s and 100 ms, in Mbit/s:

    >>> round(8e-6 * throughput(65535, 32767, 125e6, 0.1), 2), round(8e-6 * throughput(65535, 32768, 125e6, 0.1), 2)
    (5.23, 2.62)
    """
    batches = xp.floor(window / update)
    left = window - batches * update
    return xp.minimum(batches * update / (round_trip_time + (update - left) / capacity), capacity + 0 * window)


@law(
    source="Ours: the recursion of `throughput`, for several windows at once",
    unit="bytes/s",
    result="X",
    derivation="credits.throughput_of_windows",
    not_simulated="the simulator has one credit window on a link: tests/test_derivations_credits.py has the recursion",
)
def throughput_of_windows(
    batches: BATCHES,
    update: UPDATE,
    capacity: CAPACITY,
    round_trip_time: ROUND_TRIP_TIME,
    windows: WINDOWS = 2,
    *,
    xp: Any,
) -> Any:
    r"""Return the throughput under several equal windows whose updates are sent after different bytes.

    .. math:: X = \min\left(C, \frac{(q - 1 + 1/m) u}{R + u/(m C)}\right)

    Notes
    -----
    A stream and its connection have a window each (HTTP/2, QUIC). If both windows are q u, but their updates are not
    sent after the same bytes, each waits for the other's in turn: over m round trips m - 1 batches are lost, whatever
    the distance. With updates at half of the window two such windows carry 3/4 of one. Where one window fills the path,
    several do, too: W = u + C R. The window of a connection that is twice that of its stream has no effect.

    Examples
    --------
    1 MiB for stream and connection, updates at half of it, 100 ms, in MB/s:

    >>> [round(1e-6 * throughput_of_windows(2, 524288, 1.25e9, 0.1, windows), 2) for windows in (1, 2)]
    [10.44, 7.85]
    """
    share = 1 / (windows + 0 * capacity)
    rate = (batches - 1 + share) * update / (round_trip_time + update * share / capacity)
    return xp.minimum(rate, capacity + 0 * batches)


@law(
    source=f"{KUNG_CHAPMAN}: N_3 = rate x round trip (from its abstract and summaries: it could not be read)",
    unit="bytes",
    result="W",
    derivation="credits.window_for_rate",
    not_simulated="the inverse of a law that is simulated",
)
def window_for_rate(update: UPDATE, rate: RATE, round_trip_time: ROUND_TRIP_TIME, *, xp: Any) -> Any:
    r"""Return the credit window that allows a rate.

    .. math:: W = u + X R

    Notes
    -----
    A bound, to be rounded up to whole packets. It is the least one for the capacity, X = C. With updates at a share s
    of the window it is X R/(1 - s): two bandwidth-delay products for s = 1/2.

    Examples
    --------
    >>> window_for_rate(1000, 125e6, 0.1)
    12501000.0
    """
    return update + rate * round_trip_time


@law(
    source=f"Ours: the rule of {KUNG_CREDIT} (from memory: it could not be read), as a recursion",
    unit="packets",
    result="A_k",
    derivation="credits.adaptive_allocation",
    not_simulated="a switch gives out whole cells and grows more slowly: tests/sim/test_credit.py has its steps",
)
def adaptive_allocation(intervals: INTERVALS, pool_growth: POOL_GROWTH, *, xp: Any) -> Any:
    r"""Return the allocation of a flow that began with one cell beside flows that use all of the link.

    .. math:: A_k = \frac{G^{k + 1} - 1}{G - 1}

    Notes
    -----
    Each interval gives the flow one cell and a share of the pool that is its share of the link, which is A/P of it
    while credit limits the flow. With a pool M of which half is given out and N flows, G = (M/2 - N)/P, less the
    backlog. The allocation grows until the flow has its share of the link: by G = 2 in each interval if the pool is
    four round trips of the link. At G of 1 or less it would not get there. A switch that gives out whole cells rounds
    down in each interval: the simulated one has 1, 3, 6, 12 and 24 cells for G = 2.

    Examples
    --------
    >>> [adaptive_allocation(k, 2.0) for k in range(4)]
    [1.0, 3.0, 7.0, 15.0]
    """
    return geometric_sum(intervals + 1, pool_growth, xp)

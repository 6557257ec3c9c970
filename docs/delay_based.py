"""Table of LEDBAT++ over round-trip times: ``python -m docs.delay_based`` runs it and writes it as CSV."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from longfat.sim import Network, run

TABLE = Path(__file__).resolve().parent / "data" / "ledbat_plus_plus.csv"
SCHEME = "ledbat-plus-plus"
ROUND_TRIPS = (1, 3, 10, 30, 60, 100, 137, 200, 300, 600)  # ms
RATE, PACKET, BUFFER, DURATION = 10e6, 1000, 250, 30.0  # bit/s, bytes, packets (0.2 s), s
HEAD = (
    "round_trip_time [ms],slowdowns in 30 s,share of time in slowdowns,utilisation in 30 s,"
    "utilisation from 30 s to 300 s,share beside one CUBIC flow from 30 s to 300 s\n"
)


def network(round_trip: float, *schemes: str) -> Network:
    """Return flows of some schemes on a link of 10 Mbit/s with a buffer of 0.2 s and a round-trip time [s]."""
    net = Network().link("a", "b", rate=RATE / 8, delay=round_trip / 2, buffer=BUFFER)
    net.link("b", "a", rate="10 Gbit/s", delay=round_trip / 2)
    for scheme in schemes:
        net.flow(scheme, path=["a", "b"], packet=PACKET)
    return net


def slowdowns(window: np.ndarray) -> tuple[int, float]:
    """Return how often a sampled window falls to 2 packets, and the share of samples until it has its size again.

    >>> slowdowns(np.array([2.0, 4.0, 8.0, 2.0, 2.0, 4.0, 8.0, 9.0]))
    (1, 0.375)
    """
    count = slow = 0
    top = 0.0  # window before the slowdown; 0 outside
    for before, now in itertools.pairwise(window):
        if top == 0 and now == 2 < before:
            count, top = count + 1, before
        if top > 0 and now >= 0.999 * top:
            top = 0.0
        slow += top > 0
    return count, float(slow / len(window))


def row(milliseconds: int) -> str:
    """Return a row of the table, from three runs."""
    first = run(network(milliseconds / 1e3, SCHEME), duration=DURATION, rng=1, progress=False, sample_every=1e-3)
    later = run(network(milliseconds / 1e3, SCHEME), duration=300.0, warm_up=DURATION, rng=1, progress=False)
    beside = run(network(milliseconds / 1e3, SCHEME, "cubic"), duration=300.0, warm_up=DURATION, rng=1, progress=False)
    count, share = slowdowns(first.window_trace.values[:, 0])
    part = float(beside.goodput[0] / beside.goodput.sum())
    alone = [float(one.utilisation.sel(link="a-b")) for one in (first, later)]
    return f"{milliseconds},{count},{share:.3f},{alone[0]:.3f},{alone[1]:.3f},{part:.3f}\n"


def main() -> None:
    """Write the table."""
    TABLE.write_text(HEAD + "".join(row(one) for one in ROUND_TRIPS), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Formulas that ERRATA.md says are wrong, as claims of `longfat.testing`, each with a simulator that does not use them.

``python -m tests.testing.tables printed_formulas`` finds the error of each, and writes docs/data/printed_formulas.csv.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import longfat as lf
from longfat.laws import blt, cadpc, cubic, loss_load, selective_repeat, tcp
from longfat.segments import simulate
from longfat.testing.comparing import Comparison, compare
from longfat.testing.holding import Allowance, shrink
from longfat.verify.simulators import simulator_of
from tests.testing.simulators import claim

#: Replications until the error is found, and until its point is shrunk.
BUDGET = 2000


@dataclass(frozen=True)
class Printed:
    """A formula as printed, the corrected one, and a simulator.

    Parameters
    ----------
    erratum, what : str
        Identifier in ERRATA.md, and the printed formula in a few words.
    formula, corrected : callable
        The printed formula, and ours.
    simulator : callable
        As `longfat.testing.compare` takes it.
    over, options : mapping
        The domain, and ``within`` and others as `longfat.testing.holds` takes them.
    """

    erratum: str
    what: str
    formula: Callable[..., Any]
    corrected: Callable[..., Any]
    simulator: Callable[..., Any]
    over: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    def found(self, points: int = 40) -> tuple[list[Comparison], Comparison]:
        """Return the comparisons up to the one that differs, and that of the simplest point that does.

        Raises
        ------
        AssertionError
            If no comparison differs.
        """
        made = claim(self.formula, self.simulator, over=self.over, **self.options)
        seen, _ = made.examine(points, Allowance(budget=BUDGET))
        assert seen[-1].verdict == "differs", seen[-1]
        return seen, shrink(made, seen[-1], budget=BUDGET)[0]

    def repaired(self, point: Mapping[str, Any]) -> Comparison:
        """Return the comparison of the corrected formula at a point."""
        options = {name: value for name, value in self.options.items() if name != "where"}
        return compare(self.corrected, self.simulator, point, budget=BUDGET, rng=1, **options)


# BLT, section 3.3.1: windows W'_0, W'_1, ... of 1, 2, 4, ... packets begin at packet p, here 0; W_(k+1) is the one of
# the same size that BLT would offer at once.


def left_out_as_printed(window):
    return 2 ** (window + 2) - 2


def left_out(window):
    return float(blt.packets_in_windows(window + 1))


def enumerated(rng, window):
    """Return the first packet of W_(k+1), counted one by one, that is in none of W'_0 ... W'_k."""
    following, covered = 0, set()
    for k in range(window + 1):
        for _ in range(2**k):
            covered.add(following)
            following += 1
    return next(packet for packet in range(2 ** (window + 1)) if packet not in covered), len(covered)


def rounds_as_printed(window):
    return window - 1


def rounds(window):
    return float(tcp.slow_start_rounds(blt.packets_in_windows(window)))


def slow_start(rng, window):
    """Return the round trips before Reno, on a link without transmission times, sends the first packet of W'_k."""
    packets = 2**window  # those of the windows before, and this one
    net = lf.sim.Network().link("a", "b", rate=math.inf, delay=0.05)
    net.flow("reno", path=["a", "b"], packet=1000, file=1000 * packets, ack_path="ideal")
    run = lf.sim.Simulation(net, rng=1)
    run.advance(0.1 * (window + 3))
    return int(run.state.flows[0]["finish"]) / 1e8 - 1, packets  # the last packet takes a round trip of 0.1 s itself


def tenfold(bottleneck):
    return 10.0


def growth(bottleneck):
    first, second = (transfer_law(packets, bottleneck) for packets in (200, 2000))
    return second / first


def transfer_law(packets, bottleneck):
    return float(blt.unloaded_transfer_time(packets, **path(bottleneck)))


def path(bottleneck):
    """Return the reference network: 600 Mbit/s beside the bottleneck, a round trip of 30 ms, packets of 500 bytes."""
    return {"round_trip_time": 0.03, "access_time": 4000 / 600e6, "bottleneck_time": 4000 / bottleneck / 1e6}


def simulated_growth(rng, bottleneck):
    """Return the ratio of the transfer times of files of 1 MB and 100 kB, by BLT's own packets."""
    simulator = simulator_of(blt.unloaded_transfer_time)
    (first, some), (second, more) = (
        simulator(rng, packets=packets, last_time=0.0, **path(bottleneck)) for packets in (200, 2000)
    )
    return second / first, some + more


# CADPC, section I.


def max_min(first, second):
    """Return the max-min fair rate of the flow over two links, one of which has so many other flows, one so many."""
    return 1 / (1 + max(first, second))


# Gong and Parulkar, section 4.2.


def segments(rng, **point):
    """Return the throughput efficiency of two runs of 2000 segments."""
    run = simulate(**point, segments=2000, replications=2, rng=rng, progress=False)
    return float(run.throughput_efficiency), 4000 * point["segment_packets"]


def many_retransmissions_as_printed(loss, segment_packets):
    return 1 - (1 - loss**2) ** segment_packets


def many_retransmissions(loss, segment_packets):
    return loss**2


def lost_twice(rng, loss, segment_packets):
    """Return the share of 1000 segments' packets whose transmission and first retransmission are lost."""
    lost = np.random.default_rng(rng).random((2, 1000, segment_packets)) < loss
    return lost.all(axis=0).mean(), 1000 * segment_packets


def reduced_as_printed(window, share):
    return share


def reduced(window, share):
    after, before = (efficiency_law(size) for size in (round(share * window), window))
    return after / before


def efficiency_law(window):
    return float(selective_repeat.throughput_efficiency(window, 1e-3, 16, 23.0))


def slower_window(rng, window, share):
    """Return the share of the throughput that remains with the share of the window, in runs of 2000 segments."""
    after, before = (
        segments(rng, window=size, loss=1e-3, segment_packets=16, ack_segments=23.0)
        for size in (round(share * window), window)
    )
    return after[0] / before[0], after[1] + before[1]


# Loss-load, section 2.2. A source of one rate is beside others of another.


def loss_as_printed(rate, other, others, k):
    return loss_load.loss_probability.as_printed(rate, others * other - 1, others * other ** (k + 1), k)


def loss(rate, other, others, k):
    return loss_load.loss_probability(rate, others * other - 1, others * other ** (k + 1), k)


def loss_load_link(rate, other, others, k):
    """Return a loss-load switch that measures the rates of constant sources, fractions of 4 MB/s."""
    net = lf.sim.Network().link(
        "a", "b", rate=4e6, delay=0.001, buffer=10**5, discipline=lf.sim.queues.loss_load(k, 1.0, window=0.05)
    )
    for one, count in ((rate, 1), (other, others)):
        net.flow(lf.sim.traffic.constant(one * 4e6), path=["a", "b"], packet=500, count=count, stagger=1e-5)
    return net, {"duration": 0.5, "warm_up": 0.15}


def lost(data):
    """Return the share of the first source's packets that the switch drops."""
    return float(data.dropped[0] / data.sent[0])


def overloaded(rate, other, others, k):
    return rate + others * other > 1


LOSS_LOAD = lf.testing.Scenario(loss_load_link, lost)
RATES = {"rate": (0.1, 1.0), "other": (0.02, 0.2), "others": (1, 10), "k": (1, 10)}
SEGMENTS = {"window": (10, 200), "loss": (1e-5, 0.01), "segment_packets": (4, 64), "ack_segments": (10, 90)}
WINDOWS = {"loss": (1e-5, 1e-2), "round_trip_time": (0.01, 0.1), "c": 0.4, "beta": 0.7}

FORMULAS = (
    Printed(
        "000-1", "packet p + 2^(k+2) - 2 of W_(k+1)", left_out_as_printed, left_out, enumerated, {"window": (1, 12)},
        {"within": 0.5, "deterministic": True},
    ),
    Printed(
        "000-10", "ten times the response time for ten times the file", tenfold, growth, simulated_growth,
        {"bottleneck": (30.0, 150.0)}, {"within": "5 %", "deterministic": True},
    ),
    Printed(
        "000-11", "W_k after k - 1 round trips", rounds_as_printed, rounds, slow_start, {"window": (1, 12)},
        {"within": 0.5, "deterministic": True},
    ),
    Printed(
        "002-2", "max-min fair rate over two links", max_min, cadpc.parking_lot_long_rate,
        simulator_of(cadpc.parking_lot_long_rate), {"first": (1, 8), "second": (1, 8)}, {"within": "3 %"},
    ),
    Printed(
        "003-1", "`throughput_efficiency.as_printed`", selective_repeat.throughput_efficiency.as_printed,
        selective_repeat.throughput_efficiency, segments, SEGMENTS,
        {"within": 0.05, "where": selective_repeat.throughput_efficiency.validity},
    ),
    Printed(
        "003-3", "1 - (1 - p^2)^s for a packet", many_retransmissions_as_printed, many_retransmissions, lost_twice,
        {"loss": (0.01, 0.3), "segment_packets": (1, 64)}, {"within": 0.005},
    ),
    Printed(
        "003-6", "throughput as W_1/W_0", reduced_as_printed, reduced, slower_window,
        {"window": (30, 120), "share": (0.3, 0.9)}, {"within": 0.05},
    ),
    Printed(
        "004-1", "`loss_probability.as_printed`", loss_as_printed, loss, LOSS_LOAD, RATES,
        {"within": 0.03, "bounds": (0.0, 1.0)},
    ),
    Printed(
        "004-1", "the same, above the capacity", loss_as_printed, loss, LOSS_LOAD, RATES,
        {"within": 0.03, "bounds": (0.0, 1.0), "where": overloaded},
    ),
    Printed(
        "9438-1", "`average_window.as_printed`", cubic.average_window.as_printed, cubic.average_window,
        simulator_of(cubic.average_window), WINDOWS, {"within": "1 %"},
    ),
)  # fmt: skip

#: The other errata, by the reason why no simulator can tell; the proof of each is named in ERRATA.md.
OTHERS = {
    "numbers in a table or a sentence, which arithmetic corrects": (
        "000-7", "000-9", "001-1", "001-2", "001-3", "001-4", "001-5", "001-6", "003-12", "9438-2", "6349-1",
        "6349-2",
    ),
    "statements without a formula, which simulations or proofs refute": (
        "000-3", "000-4", "000-5", "002-1", "003-5", "003-9", "003-11", "004-4", "004-7",
    ),
    "rules of an algorithm, which a trace by hand refutes": ("8033-1", "8290-1", "8290-2"),
    "statements about a document, which its text refutes": ("001-7", "003-13", "004-9", "004-10"),
}  # fmt: skip

"""Parallel runs of networks, each measured between two times; Ctrl-C stops them immediately."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.replication import interval, replicate
from longfat.replication.stopping import is_decided
from longfat.sim import Network, Simulation
from longfat.sim.runs import results


@dataclass(frozen=True)
class Effort:
    """Replications of each point, with the same random numbers at every point so that points can be compared."""

    seed: int
    replications: int
    confidence: float
    tell: Callable[[int], Any]  # called with the number of runs that have finished
    goal: float = math.nan  # share that a point has to reach; NaN: no point is decided early
    say: Callable[[str], Any] = str  # called with what is being decided

    def streams(self) -> list[np.random.SeedSequence]:
        """Return one random stream for each replication."""
        return np.random.SeedSequence(self.seed).spawn(self.replications)

    def summed(self, runs: Sequence[dict[str, float]], within: dict[str, tuple[float, float]]) -> dict[str, float]:
        """Return means over the replications with their confidence limits, clipped to the possible range."""
        made: dict[str, float] = {}
        for name in runs[0]:
            mean, lower, upper = interval([run[name] for run in runs], self.confidence)
            values = np.clip([mean, lower, upper], *within.get(name, (0.0, np.inf))).tolist()
            made |= dict(zip((name, f"{name}_lower", f"{name}_upper"), values, strict=True))
        return made

    def is_decided(self, samples: Sequence[float], looks: int) -> bool:
        """Return whether the interval of the samples, at one of several looks at a point, excludes the goal."""
        return is_decided(samples, self.goal, self.confidence, looks)

    def deciding(self, point: str, found: dict[str, Any], name: str) -> None:
        """Tell what is being decided."""
        half = (found[f"{name}_upper"] - found[f"{name}_lower"]) / 2
        self.say(f"{point}: {found[name]:.3f} +- {half:.3f}, goal {self.goal:g}")


def measured(
    nets: Sequence[Network], streams: Sequence[Any], begin: float, until: float, tell: Callable[[int], Any]
) -> list[dict[str, np.ndarray]]:
    """Run the networks in threads; return `sim.runs.results.measure` between two times [s] for each, in order."""
    runs = [Simulation(net, rng=stream) for net, stream in zip(nets, streams, strict=True)]

    def one(run: Simulation) -> dict[str, np.ndarray]:
        run.advance(begin)
        before = results.snapshot(run)
        run.advance(until)
        run.packet_counts()
        return results.measure(run, before, results.snapshot(run))

    return replicate(one, runs, progress=tell)


#: Samples of a run at which it is looked at, over the replications asked for. Ours: with 3 the first interval has 6
#: samples, and the last 24.
LOOKS = (2, 4, 8)


def observed(
    net: Network,
    stream: Any,
    begin: float,
    cycle: float,
    replications: int,
    is_enough: Callable[[list[Any], int], bool],
) -> None:
    """Run a network, and measure it from ``begin`` [s] on in each cycle [s], until the measurements are enough.

    ``is_enough`` is called with `sim.runs.results.measure` of all cycles so far and the number of looks in all. The
    means of the cycles are batch means: Law, Simulation Modeling and Analysis, 5th ed., section 9.5.3.
    """
    run = Simulation(net, rng=stream)
    run.advance(begin)
    cycles: list[dict[str, np.ndarray]] = []
    before = results.snapshot(run)
    for count in LOOKS:
        while len(cycles) < count * replications:
            run.advance(begin + (len(cycles) + 1) * cycle)
            after = results.snapshot(run)
            cycles.append(results.measure(run, before, after))
            before = after
        if is_enough(cycles, len(LOOKS)):
            break
    run.packet_counts()

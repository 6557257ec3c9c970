"""Parallel runs of networks, measured between given times; Ctrl-C stops the runs immediately."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base.labelled import ENDS
from longfat.replication import interval, replicate
from longfat.sim import Network, Simulation
from longfat.sim.runs import results


@dataclass(frozen=True)
class Effort:
    """Seed and number of the replications of each point; all points use the same seed, so that they can be compared."""

    seed: int
    replications: int
    confidence: float
    tell: Callable[[int], Any]  # called with the number of runs that have just finished
    goal: float = math.nan  # share that a point has to reach; NaN: all samples are taken
    say: Callable[[str], Any] = str  # called with a text on the point that is simulated

    def streams(self) -> list[np.random.SeedSequence]:
        """Return one random stream for each replication."""
        return np.random.SeedSequence(self.seed).spawn(self.replications)

    def summed(self, runs: Sequence[dict[str, float]], within: dict[str, tuple[float, float]]) -> dict[str, float]:
        """Return each quantity's mean over the replications and its confidence limits, clipped to its range.

        ``within`` has the ranges by name; other quantities have the range [0, inf).
        """
        made: dict[str, float] = {}
        for name in runs[0]:
            mean, lower, upper = interval([run[name] for run in runs], self.confidence)
            values = np.clip([mean, lower, upper], *within.get(name, (0.0, np.inf))).tolist()
            made |= {f"{name}{end}": value for end, value in zip(ENDS, values, strict=True)}
        return made

    def deciding(self, point: str, found: dict[str, Any], name: str) -> None:
        """Report the mean of the quantity ``name`` at a point, the half width of its interval, and the goal."""
        half = (found[f"{name}_upper"] - found[f"{name}_lower"]) / 2
        self.say(f"{point}: {found[name]:.3f} +- {half:.3f}, goal {self.goal:g}")


#: Ratios of the number of samples to ``replications`` at which the interval of a point is tested. Our choice: with 3
#: replications the first test is made with 3 samples, and the last test with 24 samples.
LOOKS = (1, 2, 4, 8)


#: Largest numbers of samples of the backlog in a run, which are kept in memory, and in a round trip; our choice.
SAMPLES, ROUND_TRIP_SAMPLES = 20_000, 20


def sampling_interval(round_trip_time: float, until: float) -> float:
    """Return the time between two samples of the backlog in a run of length ``until`` [s]."""
    return max(round_trip_time / ROUND_TRIP_SAMPLES, until / SAMPLES)


def advance(runs: Sequence[Simulation], until: float) -> None:
    """Continue runs in threads to a time [s]."""
    replicate(lambda run: run.advance(until), runs)


def observed(
    runs: Sequence[Simulation], begin: float, advance: Callable[[Simulation], Any], tell: Callable[[int], Any] = str,
    count: int = 1,
) -> list[list[dict[str, np.ndarray]]]:  # fmt: skip
    """Continue runs in threads to a time [s], then call ``advance`` ``count`` times on each run; measure each call.

    The return value has ``count`` results of `sim.runs.results.measure` for each run. The results of one run are batch
    means: Law, Simulation Modeling and Analysis, 5th ed., section 9.5.3.
    """

    def one(run: Simulation) -> list[dict[str, np.ndarray]]:
        run.advance(max(begin, run.now))
        shots = [results.snapshot(run)]
        for _ in range(count):
            advance(run)
            shots.append(results.snapshot(run))
        run.packet_counts()
        return [results.measure(run, *pair) for pair in itertools.pairwise(shots)]

    return replicate(one, runs, progress=tell)


def measured(
    nets: Sequence[Network], streams: Sequence[Any], begin: float, until: float, tell: Callable[[int], Any]
) -> list[dict[str, np.ndarray]]:
    """Run networks in threads; return the results of each between two times [s], in the order of the networks."""
    runs = [Simulation(net, rng=stream) for net, stream in zip(nets, streams, strict=True)]
    return [found for (found,) in observed(runs, begin, lambda run: run.advance(until), tell)]


def advance_to_losses(run: Simulation, count: int, cycle: float, step: float) -> None:
    """Continue a run in steps [s] until its first link has lost packets at ``count`` instants.

    The instants are at least a quarter of a cycle [s] and at most two cycles apart. From loss to loss the sawtooth of
    one flow is a regenerative cycle (Law, Simulation Modeling and Analysis, 5th ed., section 9.5.3), whose utilisation
    hardly varies. The utilisation in periods of equal length depends on where in the sawtooth they end.
    """
    dropped = run.state.links["dropped"]
    for _ in range(count):
        latest = run.now + 2 * cycle
        run.advance(run.now + cycle / 4)
        before = int(dropped[0])
        while run.now < latest and int(dropped[0]) == before:
            run.advance(run.now + step)

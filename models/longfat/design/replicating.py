"""Parallel runs of networks, each measured between two times; Ctrl-C stops them immediately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.replication import interval, replicate
from longfat.sim import Network, Simulation
from longfat.sim.runs import results


@dataclass(frozen=True)
class Effort:
    """Replications of each point, with the same random numbers at every point so that points can be compared."""

    seed: int
    replications: int
    confidence: float
    tell: Callable[[int], Any]  # called with the number of runs that have finished

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

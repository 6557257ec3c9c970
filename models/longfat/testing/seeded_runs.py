"""Replications of simulators with reproducible integer seeds; simulators made of networks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network


#: Number of replications at the first look, and the factor by which this number grows from look to look. Our choice:
#: fewer than eight replications give no useful estimate of skewness. Looks cost little compared with simulations, so
#: that the factor can be small: with 1.25 a comparison makes on average an eighth more replications than its verdict
#: needs.
FIRST, GROWTH = 8, 1.25

Simulator = Callable[..., Any]
Point = Mapping[str, Any]


def arguments(name: str, point: Any) -> dict[str, Any]:
    """Return a point's arguments as a dictionary, empty for None; raise a TypeError if the point is no mapping.

    >>> arguments("point", {"load": 0.5}), arguments("point", None)
    ({'load': 0.5}, {})
    """
    if not isinstance(point, Mapping | None):
        raise domains.wrong_type(name, point, "a mapping of names to values")
    return dict(point or {})


def seed_of(seed: int, replication: int) -> int:
    """Return the seed of one replication, independent of the number and order of replications.

    >>> seed_of(1, 0) == seed_of(1, 0), seed_of(1, 0) == seed_of(1, 1), seed_of(1, 0) < 2**63
    (True, False, True)
    """
    state = np.random.SeedSequence(seed, spawn_key=(replication,)).generate_state(1, np.uint64)
    return int(state[0] >> np.uint64(1))


def looks(budget: int) -> Iterator[int]:
    """Yield the numbers of replications after which a comparison examines its evidence; the last one is the budget.

    >>> list(looks(20))
    [8, 10, 13, 17, 20]
    """
    size = FIRST
    while size < budget:
        yield size
        size = math.ceil(size * GROWTH)
    yield budget


def samples(
    simulator: Simulator, points: Sequence[Point], seed: int, budget: int
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield, after each batch of replications, the values of all replications so far and their total cost.

    The values have a row for each replication, in their order, and a column for each point; a replication has the same
    seed at all points. The cost is in a unit that the simulator chooses, such as packets; NaN if it returns none.

    >>> [(len(values), cost) for values, cost in samples(lambda rng, load: (load, 10), [{"load": 0.5}], 1, 11)]
    [(8, 80.0), (10, 100.0), (11, 110.0)]
    """
    values, cost = np.empty((0, len(points))), 0.0
    for size in looks(budget):
        runs = range(len(values), size)
        drawn = np.array([[run_once(simulator, point, seed_of(seed, k)) for point in points] for k in runs])
        values, cost = np.concatenate((values, drawn[..., 0])), cost + float(drawn[..., 1].sum())
        yield values, cost


def run_once(simulator: Simulator, point: Point, seed: int) -> tuple[float, float]:
    """Run one replication; return its value and its cost, which is NaN if the simulator returns no cost.

    >>> run_once(lambda rng, load: (load, 10), {"load": 0.5}, 1)
    (0.5, 10.0)
    """
    try:
        found = simulator(seed, **point)
    except Exception as error:
        error.add_note(f"in the replication of the point {shown(point)} with the seed {seed}")
        raise
    value, spent = found if isinstance(found, tuple) and len(found) == 2 else (found, math.nan)
    return _finite(value, point, seed), float(spent)


def shown(point: Point) -> str:
    """Format the arguments of a point as text.

    >>> shown({"load": 0.5, "flows": 3})
    'load = 0.5, flows = 3'
    """
    return ", ".join(f"{name} = {value!r}" for name, value in point.items())


def _finite(value: Any, point: Point, seed: int) -> float:
    """Return the value of a replication as a float; raise an error with its seed if it is not a finite number."""
    what = f"the result of simulator({', '.join([str(seed), *filter(None, [shown(point)])])})"
    try:
        result = domains.real(value)
    except (TypeError, ValueError):
        raise domains.wrong_type(what, value, "a number, or a number and its cost") from None
    if not math.isfinite(result):
        raise domains.out_of_range(what, result, "1", "a finite number")
    return result


@dataclass(frozen=True)
class Scenario:
    """Simulator for `longfat.testing.compare` that builds a network, runs it once and measures the result.

    Its cost is the number of packets that arrived at all links. `longfat.testing.holds` prints its networks as TOML.

    Parameters
    ----------
    build : callable
        Called as ``build(**point)``; returns a `longfat.sim.Network` and the options of its run, such as ``duration``.
    measure : callable
        Takes the dataset of `longfat.sim.run`, returns a number.

    Examples
    --------
    >>> import longfat as lf
    >>> def build(load):
    ...     net = lf.sim.Network().link("a", "b", rate="8 Mbit/s")
    ...     return net.flow(lf.sim.traffic.poisson(load * 1e6), path=["a", "b"], packet=1000), {"duration": 0.5}
    >>> waits = lf.testing.Scenario(build, lambda data: float(data.mean_wait[0]))
    >>> wait, packets = waits(1, load=0.5)
    >>> wait > 0, 150 < packets < 350
    (True, True)
    >>> print(waits.toml(1, load=0.5).splitlines()[1])
    from = "a"
    """

    build: Callable[..., tuple[Network, dict[str, Any]]]
    measure: Callable[[xr.Dataset], float]

    def __call__(self, rng: int, **point: Any) -> tuple[float, float]:
        """Run one replication; return the measured number, and the number of packets that arrived at all links."""
        from longfat.sim import run

        net, options = self.build(**point)
        data = run(net, **options, rng=rng, progress=False)
        return float(self.measure(data)), float(data["arrived"].sum())

    def toml(self, rng: int, **point: Any) -> str:
        """Return the network and the options of one replication as the text of a scenario file."""
        net, options = self.build(**point)
        return net.to_toml(**options, rng=rng)

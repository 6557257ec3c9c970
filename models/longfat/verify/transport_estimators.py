"""DCTCP, BBR and queue management on one link as estimators for `check`."""

from __future__ import annotations

from collections.abc import Callable

from longfat.sim import Network, Simulation, queues, traffic

PACKET = 1000  # bytes
RATE = 1e7  # bytes/s; a packet takes 0.1 ms

Estimate = tuple[float, float, float]


def exactly(value: float) -> Estimate:
    """Return an estimate without randomness: value, lower and upper limit are equal."""
    return value, value, value


def codel_drop_time() -> Callable[..., Estimate]:
    """Return an estimator of the time from CoDel's first drop to a later one [s], under traffic of twice the capacity.

    It takes ``drops`` and ``interval``. The number of drops is read in every hundredth of the interval.

    >>> value, _, _ = codel_drop_time()(drops=2, interval=0.1, confidence=0.9)
    >>> 0.170 < value < 0.172
    True
    """

    def estimate(*, drops: float, interval: float, confidence: float) -> Estimate:
        net = Network().link("a", "b", rate=RATE, delay=0.001, discipline=queues.codel(interval=interval))
        net.flow(traffic.constant(2 * RATE), path=["a", "b"], packet=PACKET)
        simulation, now, first = Simulation(net, rng=1), 0.0, 0.0
        while (seen := int(simulation.state.links[0].dropped)) <= drops:
            first = first if seen else now
            now += interval / 100
            simulation.advance(now)
        return exactly(now - first)

    return estimate

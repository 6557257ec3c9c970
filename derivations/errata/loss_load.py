"""Numbers of the errata and refinements of N. Prithviraj and C. Williamson's virtual loss-load paper.

Rates are fractions of the capacity, 40 Mbit/s or 10,000 packets of 500 bytes a second, as in sections 4.1 and 4.2; the
round-trip time of section 4.2 is 44 ms. Best replies are found here by a search over the printed formulas, without the
laws of the package, unless a function says otherwise.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from figures.claims import read
from figures.loss_load.claims import settled_loads
from figures.loss_load.networks import KS, NEAREST
from longfat.benchmark.entries import ENTRIES
from longfat.benchmark.tables import cells
from longfat.sim import Simulation, queues
from longfat.verify.link_estimators import CAPACITY, loss_load_network

PER_SECOND = 40e6 / 8 / 500  # packets/s
ROUND_TRIP = 0.044  # s


def _loss(f, a: float, b: float, k: float):
    """Return P(f) as printed where it is not negative."""
    return np.maximum(f**k * (f + a) / (f ** (k + 1) + b), 0.0)


def loss_as_printed(fast: float, slow: float, count: int, k: float) -> float:
    """Return P of a source beside ``count`` sources of rate ``slow``."""
    return float(_loss(fast, count * slow - 1, count * slow ** (k + 1), k))


def carried(fast: float, slow: float, count: int, k: float) -> float:
    """Return the load that gets through from one fast and some slow sources if P is clipped to 1."""
    load, powers = fast + count * slow, fast ** (k + 1) + count * slow ** (k + 1)
    rates = np.array([fast, *(count * [slow])])
    lost = np.minimum(_loss(rates, load - rates - 1, powers - rates ** (k + 1), k), 1.0)
    return float((rates * (1 - lost)).sum())


def throughput_alone(f: float) -> float:
    """Return (1 - P) f of a source alone, a = -1 and b = 0."""
    return float((1 - _loss(f, -1.0, 0.0, 2.0)) * f)


def loss_alone(f: float) -> float:
    """Return P of a source alone."""
    return float(_loss(f, -1.0, 0.0, 2.0))


def _response(f, a: float, b: float, k: float, packets: float, weight: float):
    """Return Response(f) [s], with a cost of ``weight`` round trips for a round of retransmissions."""
    lost = _loss(f, a, b, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        rounds = np.where(lost > 0, 1 - math.log(packets) / np.log(lost), 1.0)
        time = packets / ((1 - lost) * f * PER_SECOND) + rounds * weight * ROUND_TRIP
    return np.where((lost < 1) & (f > 0), time, math.inf)


def _reply(a: float, b: float, k: float, packets: float, weight: float = 1.0) -> float:
    """Return the rate of the least Response(f), by grids around the least value; f = -a is on each of them."""
    low, high = 1e-6, 3.0
    for _ in range(6):
        grid = np.linspace(low, high, 2001)
        grid = np.sort(np.append(grid, -a)) if low < -a < high else grid
        times = _response(grid, a, b, k, packets, weight)
        best = int(np.argmin(times))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    return float(grid[best])


def peak_load(k: float, weight: float) -> float:
    """Return the load of connection 1 at rate 1 and of two others of 1000 packets that reply to it alone."""
    return 1 + 2 * _reply(0.0, 1.0, k, 1000, weight)


def capacity_of_the_sources() -> float:
    """Return the capacity of a source's line over that of the bottleneck in section 4.1."""
    return 200 / 40


def response_without_loss(a: float, b: float, k: float, packets: float) -> float:
    """Return Response at f = -a [s]."""
    return float(_response(np.array(-a), a, b, k, packets, 1.0))


def response_at_zero_slope(a: float, b: float, k: float, packets: float) -> float:
    """Return the least Response [s] at a rate above -a where its derivative is 0."""
    grid = np.linspace(-a + 1e-6, 2.0, 400_001)
    times = _response(grid, a, b, k, packets, 1.0)
    inner = (times[1:-1] < times[:-2]) & (times[1:-1] <= times[2:])
    return float(times[1:-1][inner].min())


def load_of_two(updates: int) -> float:
    """Return the load of two sources of 1000 packets, k = 5, after simultaneous updates from 0.45 and 0.50."""
    x, y = 0.45, 0.5
    for _ in range(updates):
        x, y = (_reply(other - 1, other**6, 5, 1000) for other in (y, x))
    return x + y


@cache
def _settled() -> dict[int, float]:
    return dict(zip(KS, settled_loads(NEAREST), strict=True))


def settled_load(k: int) -> float:
    """Return the load at which scenario 1's sources settle by the laws, with a weight of 5 (004-6)."""
    return _settled()[k]


def stuck_load() -> float:
    """Return the load of five sources, k = 20, with end-to-end feedback and no restart, simulated for 6 s."""
    run = Simulation(loss_load_network(20, 1.0, 5, apart=0.013, direct=False, restart=0.0), rng=1)
    run.advance(6.0)
    return float((run.state.flows["rate"] / CAPACITY).sum())


def numbers_of_kanakia_in_table_1() -> float:
    """Return how many of table 1's numbers stand in table 4.1 of Kanakia, Keshav and Mishra."""
    metrics = {
        "transfer time": "transfer_time",
        "mean queueing delay": "packet_delay_mean",
        "standard deviation of the queueing delay": "packet_delay_std",
    }
    theirs = {(one.scheme, one.metric): one.value for one in cells() if one.experiment == 1 and one.value}
    theirs = {(scheme.partition(" ")[0], metric): value for (scheme, metric), value in theirs.items()}
    found = 0
    for row in read("004"):
        if row.claim.startswith("table 1, ") and row.value != "na":
            scheme, _, quantity = row.claim.removeprefix("table 1, ").partition(": ")
            found += float(row.value) == float(theirs.get((scheme, metrics[quantity]), "nan"))
    return found


def fair_queueing_schemes() -> float:
    """Return how many of the five schemes our benchmark runs with fair queueing, as Kanakia et al. say they did.

    A DECbit switch transmits in order of arrival, like a FIFO, and also detects when the link falls idle.
    """
    names = ("tahoe", "decbit", "packet-pair", "hop-by-hop", "explicit-feedback")
    services = [queues.discipline(ENTRIES[name].bottleneck).service for name in names]
    return sum(service not in ("fifo", "departures") for service in services)

"""What arriving packets see, and how long accepted ones wait: one link against theory, at the loads between."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import longfat as lf
from longfat.sim import Discipline, Network, Simulation, results, statistics, traffic
from longfat.sim.queues import ENQUEUE
from tests.sim.own import of_link
from tests.sim.test_queueing_theory import PACKET, RATE, SERVICE, stationary

REPLICATIONS = 20
LAWS = lf.laws.queues
#: load: service times in all replications together, those left out first in each, half width allowed
LENGTH = {0.3: (3e6, 1e3, 0.03), 0.7: (4e6, 1e3, 0.03), 0.95: (1.6e7, 2e4, 0.06)}
UNLIMITED = [(exponential, load) for exponential in (True, False) for load in LENGTH]
FINITE = [(exponential, load, k) for exponential in (True, False) for load in (0.5, 1.0, 1.5) for k in (2, 5, 20)]
# Joint confidence 99 % (Bonferroni), six intervals without limit and two with.
CONFIDENCE = 1 - 0.01 / (6 * len(UNLIMITED) + 2 * len(FINITE))


def look(link, packet, now):
    """Count arrivals, packets they found in the system, and how many found none."""
    there = link.backlog + (1 if link.free_at > now else 0)
    link.count += 1
    link.packets += there
    link.empty += 1 if there == 0 else 0
    return ENQUEUE


LOOK = Discipline("look", enqueue=look, state={"count": 0, "packets": 0, "empty": 0})


def simulate(source, capacity, length, warm_up):
    """Of each replication: quantities, and what its arrivals saw on average: packets, and whether there was none."""
    buffer = None if capacity == math.inf else capacity - 1
    net = Network().link("a", "b", rate=RATE, buffer=buffer, discipline=LOOK)
    net.flow(source, path=["a", "b"], packet=PACKET)

    def one(stream):
        run = Simulation(net, rng=stream)
        run.advance(warm_up * SERVICE)
        before, seen = results.snapshot(run), of_link(run).copy()
        run.advance((warm_up + length / REPLICATIONS) * SERVICE)
        run.packet_counts()
        found = results.measure(run, before, results.snapshot(run))
        now = of_link(run)
        count, packets, empty = (float(now[name] - seen[name]) for name in ("count", "packets", "empty"))
        return {name: float(found[name][0]) for name in ("mean_queue", "utilisation", "mean_wait")} | {
            "seen": packets / count,
            "empty": empty / count,
        }

    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(one, np.random.default_rng(11).spawn(REPLICATIONS)))
    return {name: np.array([one[name] for one in runs]) for name in runs[0]}


def check(values, expected, width):
    """The interval holds the expected value, and is no wider to either side than `width`."""
    found = statistics.replications(values, CONFIDENCE)
    assert found.lower < expected < found.upper, (found, expected)
    assert (found.upper - found.lower) / 2 < width


@pytest.mark.parametrize(("exponential", "load"), UNLIMITED)
def test_poisson_arrivals_see_time_averages(exponential, load):
    """M/M/1 and M/D/1: number, wait, busy share by Pollaczek and Khinchine; arrivals see the same, in the same runs."""
    length, warm_up, narrow = LENGTH[load]
    wait = load / (1 - load) * (1.0 if exponential else 0.5)
    assert wait == pytest.approx(float((LAWS.mm1_wait if exponential else LAWS.md1_wait)(load)), rel=1e-12)
    number = load + load * wait  # Little
    runs = simulate(traffic.poisson(load * RATE, exponential_sizes=exponential), math.inf, length, warm_up)
    time_average = runs["mean_queue"] + runs["utilisation"]
    check(time_average, number, narrow * number)
    check(runs["mean_wait"] / SERVICE, wait, narrow * wait)
    check(runs["utilisation"], load, 0.01 * load)
    check(runs["seen"], number, narrow * number)
    check(runs["seen"] - time_average, 0.0, narrow * number / 2)  # Wolff (1982): no bias, whatever the run was like
    check(runs["empty"], 1 - load, 0.1 * (1 - load))


def test_others_do_not():
    """D/D/1 at load 0.7: every arrival finds the link free, which is busy 0.7 of the time."""
    runs = simulate(traffic.constant(0.7 * RATE), math.inf, 2e5, 1e2)
    assert (runs["seen"] == 0).all()
    assert runs["utilisation"] == pytest.approx(0.7, rel=1e-3)


@pytest.mark.parametrize(("exponential", "load", "capacity"), FINITE)
def test_the_wait_of_accepted_packets(exponential, load, capacity):
    """M/M/1/K: accepted ones find n with p_n/(1 - p_K), and wait n service times. M/D/1/K: by Little's law.

    Both from the balance equations, and as `laws.queues` has it.
    """
    levels = stationary(exponential, load, capacity)
    waiting = levels @ np.maximum(np.arange(capacity + 1) - 1, 0)
    wait = waiting / (load * (1 - levels[-1]))
    if exponential:
        assert wait == pytest.approx(levels[:-1] @ np.arange(capacity) / (1 - levels[-1]), rel=1e-9)
    assert wait == pytest.approx(float((LAWS.mm1k_wait if exponential else LAWS.md1k_wait)(load, capacity)), rel=1e-9)
    runs = simulate(traffic.poisson(load * RATE, exponential_sizes=exponential), capacity, 2e6, 1e3)
    check(runs["mean_wait"] / SERVICE, wait, 0.03 * wait)
    check(runs["seen"], levels @ np.arange(capacity + 1), 0.03 * (waiting + load))

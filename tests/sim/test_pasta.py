"""What arriving packets see, and how long accepted ones wait: one link against theory, at the loads between."""

import functools
import math

import numpy as np
import pytest

import longfat as lf
from longfat.sim import Discipline, Network, Simulation
from longfat.sim.network import traffic
from longfat.sim.queues import ENQUEUE
from longfat.sim.runs import results
from tests.sim.own import of_link
from tests.sim.test_queueing_theory import PACKET, RATE, SERVICE, stationary

REPLICATIONS = 20
LAWS = lf.laws.queues
#: load: service times in twenty replications together, those left out first in each, accuracy
LENGTH = {0.3: (3e6, 1e3, 0.03), 0.7: (4e6, 1e3, 0.03), 0.95: (1.6e7, 2e4, 0.06)}
UNLIMITED = [(exponential, load) for exponential in (True, False) for load in LENGTH]
FINITE = [(exponential, load, k) for exponential in (True, False) for load in (0.5, 1.0, 1.5) for k in (2, 5, 20)]
# All verdicts "agrees" together are right with 99 % (Bonferroni), six without limit and two with.
ERRORS = {"power": 1 - 0.01 / (6 * len(UNLIMITED) + 2 * len(FINITE)), "power_at": 1, "rng": 11}


def look(link, packet, now):
    """Count arrivals, packets they found in the system, and how many found none."""
    there = link.backlog + (1 if link.free_at > now else 0)
    link.count += 1
    link.packets += there
    link.empty += 1 if there == 0 else 0
    return ENQUEUE


LOOK = Discipline("look", enqueue=look, state={"count": 0, "packets": 0, "empty": 0})


def simulate(source, capacity, length, warm_up):
    """Return a function of a seed: the means of that replication in time, and as its arrivals saw them."""
    buffer = None if capacity == math.inf else capacity - 1
    net = Network().link("a", "b", rate=RATE, buffer=buffer, discipline=LOOK)
    net.flow(source, path=["a", "b"], packet=PACKET)

    @functools.cache
    def one(seed):
        run = Simulation(net, rng=seed)
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

    return one


def check(expected, quantity, within):
    """The mean of a quantity, a function of the seed, is the expected value."""
    found = lf.testing.compare(lambda: expected, quantity, within=within, **ERRORS)
    assert found.verdict == "agrees", found


@pytest.mark.parametrize(("exponential", "load"), UNLIMITED)
def test_poisson_arrivals_see_time_averages(exponential, load):
    """M/M/1 and M/D/1: number, wait, busy share by Pollaczek and Khinchine; arrivals see the same, in the same runs."""
    length, warm_up, narrow = LENGTH[load]
    wait = load / (1 - load) * (1.0 if exponential else 0.5)
    assert wait == pytest.approx(float((LAWS.mm1_wait if exponential else LAWS.md1_wait)(load)), rel=1e-12)
    number = load + load * wait  # Little
    one = simulate(traffic.poisson(load * RATE, exponential_sizes=exponential), math.inf, length, warm_up)

    def time_average(seed):
        return one(seed)["mean_queue"] + one(seed)["utilisation"]

    check(number, time_average, narrow * number)
    check(wait, lambda seed: one(seed)["mean_wait"] / SERVICE, narrow * wait)
    check(load, lambda seed: one(seed)["utilisation"], 0.01 * load)
    check(number, lambda seed: one(seed)["seen"], narrow * number)
    # Wolff (1982): no bias, whatever the run was like
    check(0.0, lambda seed: one(seed)["seen"] - time_average(seed), narrow * number / 2)
    check(1 - load, lambda seed: one(seed)["empty"], 0.1 * (1 - load))


def test_others_do_not():
    """D/D/1 at load 0.7: every arrival finds the link free, which is busy 0.7 of the time."""
    one = simulate(traffic.constant(0.7 * RATE), math.inf, 2e5, 1e2)(1)
    assert one["seen"] == 0
    assert one["utilisation"] == pytest.approx(0.7, rel=1e-3)


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
    one = simulate(traffic.poisson(load * RATE, exponential_sizes=exponential), capacity, 2e6, 1e3)
    check(wait, lambda seed: one(seed)["mean_wait"] / SERVICE, 0.03 * wait)
    check(levels @ np.arange(capacity + 1), lambda seed: one(seed)["seen"], 0.03 * (waiting + load))

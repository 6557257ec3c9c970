"""One link under Poisson arrivals against queueing theory: means over time, means seen by arrivals, losses.

`longfat verify` compares the same laws with a link of its own; here the counters of the kernel and a discipline that
looks at each arrival are compared with arithmetic by hand, and with the laws of finite buffers.
"""

import functools
import math

import pytest

import longfat as lf
from longfat.sim import Discipline, Network
from longfat.sim.network import traffic
from longfat.sim.queues import ENQUEUE
from longfat.sim.runs import results
from tests.sim.lab import simulated
from tests.sim.own import of_link

# Sizes are whole bytes of exponential variates, at least 1 and at most 10^6. With a mean of 20 000 bytes rounding
# moves the mean by 20000/12 (1/20000)^2 < 10^-5 bytes and the floor by P(X < 0.5)/2 < 2e-5 bytes; beyond the cut,
# 50 means, lies e^-50 = 2e-22 of the distribution. A byte takes 1 ns: times are exact.
PACKET = 20_000
SERVICE = 20e-6  # s
RATE = PACKET / SERVICE
REPLICATIONS = 20
LAWS = lf.laws.queues
#: By load: service times in twenty replications together, those left out first in each, accuracy. At load r the
#: relative variance of the mean number in M/M/1 is about 2 (1 + r)/(r (1 - r)^2) over the time.
LENGTH = {0.3: (3e6, 1e3, 0.03), 0.7: (4e6, 1e3, 0.03), 0.95: (1.6e7, 2e4, 0.06), 0.99: (5e7, 2e5, 0.1)}
UNLIMITED = [
    # At 0.99 minutes; at 0.95 as long as all other loads together.
    pytest.param(exponential, load, marks=[pytest.mark.long] if load > 0.9 else [])
    for exponential in (True, False)
    for load in LENGTH
]
FINITE = [
    # Half a second each; a load of 1 has losses and waits with little and with much room.
    pytest.param(exponential, load, k, marks=[pytest.mark.long] if load != 1.0 else [])
    for exponential in (True, False)
    for load in (0.5, 1.0, 1.5)
    for k in (2, 20)
]
# All verdicts "agrees" together are right with 99 % (Bonferroni), six without limit and three with.
ERRORS = {"power": 1 - 0.01 / (6 * len(UNLIMITED) + 3 * len(FINITE)), "power_at": 1, "rng": 11}


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
        run = simulated(net, warm_up * SERVICE, seed)
        before, seen = results.snapshot(run), of_link(run).copy()
        run.advance((warm_up + length / REPLICATIONS) * SERVICE)
        run.packet_counts()
        found = results.measure(run, before, results.snapshot(run))
        now = of_link(run)
        count, packets, empty = (float(now[name] - seen[name]) for name in ("count", "packets", "empty"))
        mean = {name: float(found[name][0]) for name in ("mean_queue", "utilisation", "mean_wait", "link_dropped")}
        return mean | {
            "number": mean["mean_queue"] + mean["utilisation"],
            "wait": mean["mean_wait"] / SERVICE,
            "loss": mean["link_dropped"] / float(found["arrived"][0]),
            "seen": packets / count,
            "empty": empty / count,
        }

    return one


def check(expected, quantity, within):
    """The mean of a quantity, a function of the seed, is the expected value."""
    found = lf.testing.compare(lambda: expected, quantity, within=within, **ERRORS)
    assert found.verdict == "agrees", found


@pytest.mark.parametrize(("exponential", "load"), UNLIMITED)
def test_without_limit(exponential, load):
    """M/M/1 and M/D/1: number, wait, busy share by Pollaczek and Khinchine; arrivals see the same, in the same runs."""
    length, warm_up, narrow = LENGTH[load]
    wait = load / (1 - load) * (1.0 if exponential else 0.5)
    assert wait == pytest.approx(float((LAWS.mm1_wait if exponential else LAWS.md1_wait)(load)), rel=1e-12)
    number = load + load * wait  # Little
    one = simulate(traffic.poisson(load * RATE, exponential_sizes=exponential), math.inf, length, warm_up)
    check(number, lambda seed: one(seed)["number"], narrow * number)
    check(wait, lambda seed: one(seed)["wait"], narrow * wait)
    check(load, lambda seed: one(seed)["utilisation"], 0.01 * load)
    check(number, lambda seed: one(seed)["seen"], narrow * number)
    # Wolff (1982): no bias, whatever the run was like
    check(0.0, lambda seed: one(seed)["seen"] - one(seed)["number"], narrow * number / 2)
    check(1 - load, lambda seed: one(seed)["empty"], 0.1 * (1 - load))


def test_other_arrivals_do_not_see_time_averages():
    """D/D/1 at load 0.7: every arrival finds the link free, which is busy 0.7 of the time."""
    one = simulate(traffic.constant(0.7 * RATE), math.inf, 2e5, 1e2)(1)
    assert one["seen"] == one["link_dropped"] == 0
    assert one["utilisation"] == pytest.approx(0.7, rel=1e-3)


@pytest.mark.parametrize(("exponential", "load", "capacity"), FINITE)
def test_finite(exponential, load, capacity):
    """M/M/1/K and M/D/1/K: number, wait of accepted packets and loss, by the laws; the buffer is K - 1.

    tests/laws/test_queues.py solves the balance equations of the same chains.
    """
    kind = "mm1k" if exponential else "md1k"
    wait, number, loss = (
        float(getattr(LAWS, f"{kind}_{quantity}")(load, capacity)) for quantity in ("wait", "mean_number", "loss")
    )
    one = simulate(traffic.poisson(load * RATE, exponential_sizes=exponential), capacity, 2e6, 1e3)
    check(wait, lambda seed: one(seed)["wait"], 0.03 * wait)
    check(number, lambda seed: one(seed)["seen"], 0.03 * number)
    if loss > 1e-3:  # about one loss in two million packets otherwise
        check(loss, lambda seed: one(seed)["loss"], 0.08 * loss)

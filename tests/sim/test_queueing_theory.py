"""One link under Poisson arrivals against queueing theory, by the sequential test of `longfat.testing`."""

import functools
import math

import numpy as np
import pytest

import longfat as lf
from longfat.sim import Network, Simulation
from longfat.sim.network import traffic
from longfat.sim.runs import results
from longfat.testing.seeded_runs import seed_of

# Sizes are whole bytes of exponential variates, at least 1 and at most 10^6. With a mean of 20 000 bytes rounding
# moves the mean by 20000/12 (1/20000)^2 < 10^-5 bytes and the floor by P(X < 0.5)/2 < 2e-5 bytes; beyond the cut,
# 50 means, lies e^-50 = 2e-22 of the distribution. A byte takes 1 ns: times are exact.
PACKET = 20_000
SERVICE = 20e-6  # s
RATE = PACKET / SERVICE
REPLICATIONS = 20  # about so many decide, and just so many are counted where losses are rare
LAWS = lf.laws.queues

#: By load: measured service times in twenty replications together, and those left out first in each. At load
#: r the relative variance of the mean number in M/M/1 is about 2 (1 + r)/(r (1 - r)^2) over the time.
LENGTH = {0.1: 1.2e7, 0.5: 5e6, 0.9: 2e7, 0.99: 5e7}
FINITE_LENGTH = {0.1: 1.2e7, 0.5: 5e6, 0.9: 5e6, 0.99: 2e6, 1.5: 1e6}
WARM_UP = {0.1: 1e3, 0.5: 1e3, 0.9: 2e4, 0.99: 2e5, 1.5: 1e3}
UNLIMITED = [
    pytest.param(exponential, load, marks=[pytest.mark.long] if load == 0.99 else [])
    for exponential in (True, False)
    for load in LENGTH
]
FINITE = [(exponential, load) for exponential in (True, False) for load in (0.1, 0.5, 0.9, 0.99, 1.5)]
CAPACITIES = (1, 2, 5, 20)

# All verdicts "agrees" together are right with 99 %, Bonferroni: half of the 1 % to the four quantities at load 0.99
# without limit, where long runs are dear, the other half to the 12 others without limit and the at most 80 of finite
# queues.
HARD, EASY = ({"power": 1 - 0.005 / count, "power_at": 1, "rng": 1} for count in (4, 92))


def replications(exponential, load, capacities, length):
    """Return a function of a seed: what that replication measures, a value per link; each seed is simulated once."""
    net = Network()
    for k, capacity in enumerate(capacities):
        buffer = None if capacity == math.inf else capacity - 1
        net.link(f"a{k}", f"b{k}", rate=RATE, buffer=buffer)
        source = traffic.poisson(load * RATE, exponential_sizes=exponential)
        net.flow(source, path=[f"a{k}", f"b{k}"], packet=PACKET)
    warm_up = WARM_UP[load] * SERVICE

    @functools.cache
    def one(seed):
        run = Simulation(net, rng=seed)
        run.advance(warm_up)
        before = results.snapshot(run)
        run.advance(warm_up + length / REPLICATIONS * SERVICE)
        return results.measure(run, before, results.snapshot(run))

    return one


def check(expected, quantity, within, errors):
    """The mean of a quantity, a function of the seed, is the expected value within a share of it."""
    found = lf.testing.compare(lambda: expected, quantity, within=within * expected, **errors)
    assert found.verdict == "agrees", found


@pytest.mark.parametrize(("exponential", "load"), UNLIMITED)
def test_without_limit(exponential, load):
    """M/M/1 and M/D/1: mean number and mean wait."""
    one = replications(exponential, load, [math.inf], LENGTH[load])
    wait = float(LAWS.mm1_wait(load) if exponential else LAWS.md1_wait(load))
    number = float(LAWS.mm1_mean_number(load)) if exponential else load + load * float(LAWS.md1_wait(load))
    # Pollaczek and Khinchin, by hand: rho c/(1 - rho), c = E[S^2]/(2 E[S]^2)
    assert wait == pytest.approx((1.0 if exponential else 0.5) * load / (1 - load), rel=1e-12)
    errors, within = (HARD, 0.1) if load == 0.99 else (EASY, 0.03)
    check(number, lambda seed: float((one(seed)["mean_queue"] + one(seed)["utilisation"])[0]), within, errors)
    check(wait, lambda seed: float(one(seed)["mean_wait"][0]) / SERVICE, within, errors)
    assert one(seed_of(1, 0))["link_dropped"][0] == 0


def stationary(exponential, load, capacity):
    """Probabilities of 0 ... K in the system at any time, by balance equations solved as linear ones."""
    size = capacity + 1
    if exponential:
        flows = np.zeros((size, size))
        for n in range(capacity):
            flows[n, n + 1], flows[n + 1, n] = load, 1.0
        flows -= np.diag(flows.sum(1))
        return np.linalg.lstsq(np.vstack([flows.T, np.ones(size)]), np.append(np.zeros(size), 1.0), rcond=None)[0]
    # What departures leave behind: 0 ... K - 1, from one to the next by the arrivals of one service time.
    arrivals = [math.exp(-load) * load**k / math.factorial(k) for k in range(size)]
    steps = np.zeros((capacity, capacity))
    for n in range(capacity):
        left = max(n - 1, 0)
        for k in range(capacity - 1 - left):
            steps[n, left + k] = arrivals[k]
        steps[n, capacity - 1] = 1 - steps[n, : capacity - 1].sum()
    balance = np.vstack([steps.T - np.eye(capacity), np.ones(capacity)])
    left = np.linalg.lstsq(balance, np.append(np.zeros(capacity), 1.0), rcond=None)[0]
    # A cycle between departures lasts a service time, and an idle time 1/load behind an empty one; arrivals that enter
    # see what departures leave (level crossing), all arrivals the time average.
    cycle = 1 + left[0] / load
    inside = left / (load * cycle)
    return np.append(inside, 1 - inside.sum())


@pytest.mark.parametrize(("exponential", "load"), FINITE)
def test_finite(exponential, load):
    """M/M/1/K and M/D/1/K: mean number and loss, the buffer being K - 1."""
    one = replications(exponential, load, CAPACITIES, FINITE_LENGTH[load])
    counted = [one(seed_of(1, k)) for k in range(REPLICATIONS)]
    within = 0.1 if load == 0.99 else 0.03
    for k, capacity in enumerate(CAPACITIES):
        law, mean_law = (
            (LAWS.mm1k_loss, LAWS.mm1k_mean_number) if exponential else (LAWS.md1k_loss, LAWS.md1k_mean_number)
        )
        loss, number = float(law(load, capacity)), float(mean_law(load, capacity))
        levels = stationary(exponential, load, capacity)
        assert loss == pytest.approx(levels[-1], rel=1e-9, abs=1e-13)
        assert number == pytest.approx(levels @ np.arange(capacity + 1), rel=1e-9)
        check(number, lambda seed, k=k: float((one(seed)["mean_queue"] + one(seed)["utilisation"])[k]), within, EASY)
        dropped = sum(int(each["link_dropped"][k]) for each in counted)
        expected = loss * sum(int(each["arrived"][k]) for each in counted)
        if expected < 1e-3:
            assert dropped == 0
        elif expected < 1e4:  # too rare for a mean of replications: Poisson's deviation, widened for bursts
            assert abs(dropped - expected) < 8 * math.sqrt(expected * (1 + load) / abs(1 - load)) + 8
        else:
            near = 0.1 if loss < 0.02 else within  # events get rare
            check(loss, lambda seed, k=k: one(seed)["link_dropped"][k] / one(seed)["arrived"][k], near, EASY)

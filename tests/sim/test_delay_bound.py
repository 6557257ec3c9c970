"""Delays of packets behind leaky buckets against the bound of Parekh and Gallager: random and greedy networks."""

import math

import numpy as np
import pytest

from longfat import laws
from longfat.sim import Network, queues
from longfat.sim.network import traffic
from longfat.sim.switch.log import Log
from tests.examples import is_long
from tests.sim.lab import simulated

C, DELAY = 1e6, 0.001  # bytes/s and s of every link
TICKS = 1e-7  # s; stamps, weights and times of leaky buckets are rounded to a nanosecond or 1/1024 of a byte


def fair(shares, order):
    return queues.BIT_ROUND(weights=[[f, share] for f, share in zip(order, shares, strict=True)])


def clocks(shares, order):
    total = sum(shares)
    return queues.virtual_clock(rates=[[f, C * share / total] for f, share in zip(order, shares, strict=True)])


def fifo(shares, order):
    return queues.FIFO


def hosted(net, name, flow, first, last, log=None):
    """Add a flow behind a leaky bucket of its own; its log is where it enters and leaves the links under test."""
    source, tokens, rate, packet = flow
    net.link(name, f"{name}-gate", rate=math.inf, discipline=queues.leaky_bucket(rate, tokens=tokens, queue=1e9))
    nodes = [f"n{k}" for k in range(first, last + 1)]
    enters, leaves = (queues.FIFO, queues.FIFO) if log is None else (log[0].discipline, log[1].discipline)
    net.link(f"{name}-gate", nodes[0], rate=math.inf, discipline=enters)
    net.link(nodes[-1], f"{name}-sink", rate=math.inf, discipline=leaves)
    net.flow(source, path=[name, f"{name}-gate", *nodes, f"{name}-sink"], packet=packet, name=name)


def delays(scheduler, tagged, cross, shares, until, seed=0):
    """Return the delays of the tagged flow, flow 0; `cross` has the other flows of each link, `shares` all weights."""
    net, logs, order = Network(), (Log(20_000), Log(20_000)), 1
    for h, (flows, weights) in enumerate(zip(cross, shares, strict=True)):
        numbers = [0, *range(order, order + len(flows))]
        order += len(flows)
        net.link(f"n{h}", f"n{h + 1}", rate=C, delay=DELAY, discipline=scheduler(weights, numbers))
    hosted(net, "tagged", tagged, 0, len(cross), logs)
    for h, flows in enumerate(cross):
        for k, flow in enumerate(flows):
            hosted(net, f"cross-{h}-{k}", flow, h, h + 1)
    simulated(net, until, seed)
    enter, leave = logs[0].lines, logs[1].lines
    assert len(leave) > 0
    assert enter[: len(leave), 4].tolist() == leave[:, 4].tolist()  # no packet is lost or overtakes another
    return (leave[:, 0] - enter[: len(leave), 0]) * 1e-9 - len(cross) * DELAY


def bound(tagged, cross, shares):
    """Return the law's bound, with the least rate that a link guarantees."""
    _, tokens, rate, packet = tagged
    guaranteed = min(C * weights[0] / sum(weights) for weights in shares)
    assert rate <= guaranteed * (1 + 1e-12)
    largest = max([packet, *(flow[3] for flows in cross for flow in flows)])
    return laws.guarantees.delay_bound(tokens * packet, guaranteed, packet, largest, C, len(cross))


def drawn(seed):
    """Return a random scenario; the rates of the leaky buckets are up to those that are guaranteed."""
    rng = np.random.default_rng(seed)

    def flow(share):
        rate, packet = C * share * rng.uniform(0.6, 1.0), int(rng.choice([64, 300, 1000, 1500]))
        sources = [
            traffic.poisson(1.3 * rate),
            traffic.constant(C),
            traffic.on_off(C, 0.01, 0.02, shape_on=1, shape_off=1),
        ]
        return sources[rng.integers(3)], int(rng.integers(1, 30)), rate, packet

    shares = [[1.0, *(float(rng.integers(1, 6)) for _ in range(rng.integers(1, 4)))] for _ in range(rng.integers(1, 4))]
    cross = [[flow(one / sum(weights)) for one in weights[1:]] for weights in shares]
    least = min(1 / sum(weights) for weights in shares)
    return flow(least), cross, shares


@pytest.mark.parametrize("scheduler", [fair, clocks], ids=["fair queueing", "VirtualClock"])
def test_random_networks(scheduler):
    for seed in range(400 if is_long() else 4):
        scenario = drawn(seed)
        found = delays(scheduler, *scenario, until=0.5, seed=seed)
        assert found.max() <= bound(*scenario) + TICKS, seed


def greedy(hops):
    """Bursts of all flows within a millisecond, at every link, and then all that their leaky buckets let pass."""
    burst, most = traffic.constant(1e7), 10**6
    tagged = burst, 40, C / 4, 250
    cross = [[(burst, most, C / 2, 1500), (burst, most, C / 4, 250)] for _ in range(hops)]
    return tagged, cross, [[1.0, 2.0, 1.0] for _ in range(hops)]


def test_planted_errors_are_found():
    """A link that gives the flow a fifth less than it guarantees, and one without a scheduler, exceed the bound."""
    tagged, cross, shares = greedy(1)
    limit = bound(tagged, cross, shares)
    assert delays(fair, tagged, cross, [[0.8, 2.0, 1.0]], until=0.08).max() > limit
    assert delays(fifo, tagged, cross, shares, until=0.08).max() > limit

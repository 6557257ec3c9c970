"""Fluid systems of PIE, DCTCP and BBR against the packet simulator: means of replications."""

import pytest

from longfat import testing
from longfat.fluid import bbr, dctcp, equilibrium, integrate, tcp_pie
from longfat.sim import Network, queues, run

pytestmark = pytest.mark.long


def network(scheme, flows, capacity, round_trip_time, **link):
    """Return flows over one link of `capacity` [packets/s], with packets of 1000 bytes."""
    net = Network().link("a", "b", rate=capacity * 1000, delay=round_trip_time / 2, **link)
    net.link("b", "a", rate=capacity * 1e5, delay=round_trip_time / 2)
    return net.flow(scheme, path=["a", "b"], packet=1000, count=flows, stagger=0.11)


def check(expected, within, net, name, deterministic=False, **options):
    """The mean of a variable of the first link is the expected value, within a share of it."""

    def one(seed):
        return float(run(net, rng=seed, progress=False, **options)[name][0])

    found = testing.compare(
        lambda: expected, one, within=within * expected, power_at=1, deterministic=deterministic, rng=0
    )
    assert found.verdict == "agrees", found


def test_pie_keeps_its_target():
    """60 flows at 3750 packets/s: the fluid model rests at 15 ms; packets and bursts may add a tenth."""
    net = network("sack", 60, 3750, 0.1, buffer=10**5, discipline=queues.pie)
    found = equilibrium(tcp_pie(), {"window": 8, "queue": 50, "base": 0.1})
    rest = found["queue"].item() / 3750
    check(1.025 * rest, 0.125 / 1.025, net, "mean_wait", duration=120, warm_up=40)  # 0.9 to 1.15 of it


def test_pie_oscillates_beyond_its_critical_delay():
    """The boundary is at 118 ms: in relation to the mean the queue varies at least twice as much at 300 ms."""

    def variation(round_trip_time):
        net = network("sack", 60, 3750, round_trip_time, buffer=10**5, discipline=queues.pie)
        data = run(net, duration=160, warm_up=60, rng=1, sample_every=0.01, progress=False)
        queue = data.queue_trace.sel(link="a-b", time=slice(60, 160))
        return float(queue.std() / queue.mean())

    assert variation(0.3) > 2 * variation(0.05)


@pytest.mark.parametrize("flows", [2, 10])
def test_the_mean_queue_of_dctcp(flows):
    """20 000 packets/s, 20 ms, K = 80: the fluid model's limit cycle and the simulated queue, within a fifth."""
    net = network("dctcp", flows, 20_000, 0.02, buffer=10**5, discipline=queues.step_marking(packets=80))
    start = {"window": 480 / flows, "estimate": 0.1, "queue": 78}
    path = integrate(
        dctcp(), 12, start, step=5e-4, every=1, flows=flows, capacity=20_000, propagation=0.02, threshold=80
    )
    fluid = float(path["queue"][-12_000:].mean())
    check(fluid, 0.2, net, "mean_queue", deterministic=True, duration=30, warm_up=15)


def test_the_queue_of_bbr():
    """Three flows of BBR of 2016 in a deep buffer: one bandwidth-delay product, less the time of ProbeRTT."""
    net = network("bbr1", 3, 10_000, 0.04, buffer=3200)
    path = integrate(bbr(3), 60, {"bandwidth": [0.4, 0.3, 0.2]}, step=0.01, every=100, round_trip_time=0.04)
    fluid = float(path["queue"][-1]) * 10_000
    assert fluid == pytest.approx(400, rel=1e-3)
    check(0.95 * fluid, 0.1 / 0.95, net, "mean_queue", duration=140, warm_up=40)  # 0.85 to 1.05 of it

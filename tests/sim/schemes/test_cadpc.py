"""CADPC, packet by packet: its rule by hand, n/(n + 1), weights, update periods, lost requests, two bottlenecks."""

from types import SimpleNamespace

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Simulation, run
from longfat.sim.kernel.records import FEEDBACK, REQUEST
from longfat.sim.plugin.functions import random
from longfat.sim.queues import DROP, ENQUEUE
from longfat.sim.schemes import cadpc, tfrc
from tests.sim.lab import as_python, one_link

CAPACITY = 1.25e6  # bytes/s: 10 Mbit/s


def dumbbell(*flows, capacity=CAPACITY, buffer=50, apart=0, **link):
    """Return a dumbbell with `flows` of (count, parameters) and a round trip of 300 ms, as in Table I of the paper.

    Each element begins `apart` [s] after the one before it.
    """
    net = Network().link("a", "b", rate=capacity, delay=0.15, buffer=buffer, **link)
    net.link("b", "a", rate=1.25e8, delay=0.15)
    for k, (count, parameters) in enumerate(flows):
        options = {"count": count, "start": apart * k, "send_jitter": 0.0008, "parameters": parameters}
        net.flow("cadpc", path=["a", "b"], packet=1000, **options)
    return net


def test_the_rule_by_hand():
    """The logistic rule.

    One flow, a = 1/2, no faster start. Answers at 0.3 s, 0.6 s (the second request leaves with the first answer), and
    from then on every 1.2 s, at 1.8 s, 3.0 s, ...; the second reports only the first request, 48 bytes in 0.3 s. Of
    the 1.2 s between two requests the flow has sent for 0.3 s at its rate before the last, for 0.9 s at the last.
    """
    net = one_link("cadpc", rate=CAPACITY, delay=0.15, back=float("inf"), packet=1000, parameters={"eagerness": 1.0})
    simulation = Simulation(net, rng=1)
    rates = []
    for until in (0.45, 0.75, *(1.95 + 1.2 * k for k in range(12))):
        simulation.advance(until)
        rates.append(float(simulation.state.flows[0].rate) / CAPACITY)
    assert rates[0] == pytest.approx(1000 / 4 / 0.3 / CAPACITY, rel=1e-3)  # a packet in four round trips
    assert rates[1] == pytest.approx(rates[0] * (1 + 0.5 * (1 - rates[0] - 48 / 0.3 / CAPACITY)), rel=1e-4)
    for before, x, after in zip(rates, rates[1:], rates[2:], strict=False):
        own = 0.25 * before + 0.75 * x
        assert after == pytest.approx(x * (1 + 0.5 * (1 - x - own)), rel=2e-3)


def test_the_least_rate_by_hand(monkeypatch):
    """Ours: however full the link is, a packet every four round trips: 1000 B / (4 x 0.1 s)."""
    flow = SimpleNamespace(packet_size=1000, srtt=0.1, rate=100.0, capacity=CAPACITY, traffic=CAPACITY, steady=True)
    flow.smoothing, flow.weight = 0.5, 1.0
    as_python(monkeypatch, cadpc, "next_rate")
    assert cadpc.next_rate(flow, 1.0) == pytest.approx(2500.0, rel=1e-12)
    flow.rate = 10_000.0  # above it the rule: x (1 - x/2)
    assert cadpc.next_rate(flow, 1.0) == pytest.approx(10_000 * (1 - 0.5 * 10_000 / CAPACITY), rel=1e-12)


def test_weight_two_gets_twice():
    """Welzl 2005, section III. Of 2 + 3 flows: total weight 7, so that the total is 7/8 and each gets w/8."""
    data = run(dumbbell((2, {"weight": 2.0}), (3, {})), duration=400, warm_up=200, rng=1, progress=False)
    shares = data.goodput.values / CAPACITY
    assert shares[:2] == pytest.approx(np.full(2, 2 / 8), rel=0.03)
    assert shares[2:] == pytest.approx(np.full(3, 1 / 8), rel=0.03)


def test_a_target_below_the_capacity():
    """With a target of 0.8, ten flows use 0.8 x 10/11 = 0.727 of the link, and their queue is a third or less.

    An M/D/1 queue, with Poisson arrivals, would have 0.91^2/(2 x 0.09) = 4.5 packets waiting instead of 0.97.
    """
    whole, part = (
        run(dumbbell((10, {"target": target})), duration=160, warm_up=80, rng=1, progress=False)
        for target in (1.0, 0.8)
    )
    assert float(part.throughput[0]) / CAPACITY == pytest.approx(0.8 * 10 / 11, rel=0.03)
    assert float(part.mean_queue[0]) < float(whole.mean_queue[0]) / 3


def one_in_three(link, packet, now):
    return DROP if packet.kind == FEEDBACK and packet.flags & REQUEST and random(link) < 1 / 3 else ENQUEUE


def test_lost_requests_do_not_move_the_fixed_point():
    """Three requests in ten are lost: the same total within 3 %."""
    net = dumbbell((10, {}), discipline=Discipline("lossy", enqueue=one_in_three))
    data = run(net, duration=300, warm_up=150, rng=1, progress=False)
    assert float(data.throughput[0]) / CAPACITY == pytest.approx(10 / 11, rel=0.03)
    assert data.goodput.values / CAPACITY == pytest.approx(np.full(10, 1 / 11), rel=0.05)


@pytest.mark.parametrize(("eagerness", "seconds"), [(1.0, 1.2 * 139), (5.0, 1.2 * 49)])
def test_a_newcomer_among_nine(eagerness, seconds):
    """A newcomer beside nine reaches 90 % of 1/11 in the updates of the fluid recursion.

    Within half, because its first rate is not 0.001 and packets come in whole numbers.
    """
    net = dumbbell((9, {}), buffer=500)
    net.flow("cadpc", path=["a", "b"], packet=1000, start=60, parameters={"eagerness": eagerness, "cap": 1.5})
    simulation = Simulation(net, rng=1)
    now = 60.0
    while simulation.state.flows[9].rate < 0.9 * CAPACITY / 11 and now < 600:
        now += 1.2
        simulation.advance(now)
    assert 0.5 * seconds < now - 60 < 1.2 * seconds


def test_tcp_friendly_by_hand(monkeypatch):
    """The bound by losses, by hand, for packets of 1000 bytes and a round trip of 0.1 s.

    One interval of 100 packets, 40 packets later: p = 1/100, so that X = 1000 / (0.1 x (sqrt(0.02/3) + 12 x
    sqrt(0.03/8) x 0.01 x 1.0032)) = 1000 / (0.1 x (0.0816497 + 0.0073720)) = 112 332 bytes/s; after 400 packets the
    open interval counts: p = 1/400, X = 1000 / (0.1 x (0.0408248 + 12 x 0.0306186 x 0.0025 x 1.0002)) = 239 558.

    Intervals of 300 and 100, 40 packets later: (300 + 100)/2 = 200 > (40 + 300)/2. Eight of 100, 640 packets later:
    weights of 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2 sum up to 6, and (640 + 5 x 100)/6 = 190 > 100.
    """
    as_python(monkeypatch, tfrc, "mean_of")
    as_python(monkeypatch, cadpc, "larger_mean", "bounded", "equation_rate")
    bounded = cadpc.bounded
    flow = SimpleNamespace(packet_size=1000, srtt=0.1, rate=1e6, friendly=1.0, first=-1, intervals=[0.0] * 8)
    flow.transmission = 100
    assert bounded(flow, 1e6) == 1e6  # no loss yet
    assert cadpc.loss(flow, SimpleNamespace(transmission=102, lost=2)) == pytest.approx(112_332, rel=1e-5)
    assert (flow.first, flow.intervals[0]) == (100, 100.0)
    flow.transmission = 140
    assert bounded(flow, 1e6) == pytest.approx(112_332, rel=1e-5)
    assert bounded(flow, 1e5) == 1e5
    flow.transmission = 500
    assert bounded(flow, 1e6) == pytest.approx(239_558, rel=1e-5)
    flow.friendly = 0.0
    assert bounded(flow, 1e6) == 1e6
    flow.intervals[1], flow.intervals[0] = flow.intervals[0], 300.0
    assert cadpc.larger_mean(40.0, flow.intervals, tfrc.EQUAL, 1.0, False) == 200.0
    for k in range(8):
        cadpc.loss(flow, SimpleNamespace(transmission=201 + 100 * k, lost=1))
    for open_interval, mean in ((0.0, 100.0), (640.0, 190.0)):
        assert cadpc.larger_mean(open_interval, flow.intervals, tfrc.EQUAL, 1.0, False) == pytest.approx(mean)


def test_files():
    """The variant with acknowledgments transfers files, through losses."""
    link = {"rate": CAPACITY, "delay": 0.01, "buffer": 50, "loss": 0.01}
    data = run(one_link("cadpc-files", **link, back=CAPACITY, packet=1000, file="1 MB"), rng=1)
    assert float(data.delivered[0]) == 1000
    assert float(data.retransmitted[0]) > 3
    assert 1.6 < float(data.transfer_time[0]) < 3.5  # 1 MB at half of 1.25 MB/s, and the start

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


@pytest.mark.parametrize(("n", "mbit"), [(1, 10), (2, 10), (10, 10), (100, 10), (50, 1), (50, 10), (50, 100)])
def test_n_over_n_plus_1(n, mbit):
    """The total rate is n/(n + 1) of any capacity (Welzl 2005, section II.B, equation 3), with a short queue.

    In the second half of 160 s; within 3 %, and 2 % for 50 flows, where n/(n + 1) is 0.98.
    """
    capacity = mbit * 125_000.0
    data = run(dumbbell((n, {}), capacity=capacity), duration=160, warm_up=80, rng=n, progress=False)
    assert float(data.throughput[0]) / capacity == pytest.approx(n / (n + 1), rel=0.02 if n == 50 else 0.03)
    if mbit == 10:
        assert float(data.dropped.sum()) == 0
        assert float(data.mean_queue[0]) < 15


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


def test_equal_shares_under_unequal_update_periods():
    """Four flows send a request every 4, 8, 12, 16 round trips, from unequal starts, and get equal shares.

    After at least 5 (n + 1)/a = 50 of the slowest one's updates, of 4.8 s: 240 s.
    """
    net = dumbbell(*((1, {"period": 4.0 * (k + 1)}) for k in range(4)), apart=10)
    data = run(net, duration=500, warm_up=300, rng=1, progress=False)
    assert data.goodput.values / CAPACITY == pytest.approx(np.full(4, 1 / 5), rel=0.03)
    early = run(net, duration=60, warm_up=40, rng=1, progress=False)
    assert float(early.goodput.max() / early.goodput.min()) > 1.2  # and before that they are not


def one_in_three(link, packet, now):
    return DROP if packet.kind == FEEDBACK and packet.flags & REQUEST and random(link) < 1 / 3 else ENQUEUE


def test_lost_requests_do_not_move_the_fixed_point():
    """Three requests in ten are lost: the same total within 3 %."""
    net = dumbbell((10, {}), discipline=Discipline("lossy", enqueue=one_in_three))
    data = run(net, duration=300, warm_up=150, rng=1, progress=False)
    assert float(data.throughput[0]) / CAPACITY == pytest.approx(10 / 11, rel=0.03)
    assert data.goodput.values / CAPACITY == pytest.approx(np.full(10, 1 / 11), rel=0.05)


def test_parking_lot():
    """Rates are max-min fair on two bottlenecks.

    A long flow, m1 = 3 and m2 = 1 short ones: 1/(m1 + 2) = 1/5 on the first link for the long one and
    its three, (1 - 1/5)/(m2 + 1) = 2/5 for the one on the second.
    """
    net = Network()
    for tail, head in (("a", "b"), ("b", "c")):
        net.link(tail, head, rate=CAPACITY, delay=0.05, buffer=50)
        net.link(head, tail, rate=1.25e8, delay=0.05)
    common = {"packet": 1000, "send_jitter": 0.0008}
    net.flow("cadpc", path=["a", "b", "c"], **common)
    net.flow("cadpc", path=["a", "b"], count=3, **common)
    net.flow("cadpc", path=["b", "c"], **common)
    data = run(net, duration=300, warm_up=150, rng=1, progress=False)
    assert data.goodput.values / CAPACITY == pytest.approx([0.2, 0.2, 0.2, 0.2, 0.4], rel=0.03)


def test_a_first_rate_that_fills_the_link():
    """With one packet a round trip, fifty flows offer 50 x 1000 B/0.3 s = 1.33 times 1 Mbit/s.

    A full link reads L = 1, so that each x falls by x^2/2 an update only: in 8 updates of 1.2 s from 1.33 to not less
    than 1.33 (1 - 1.33/100)^8 = 1.2. The first update sees no packets yet and doubles the rate at most, to 2.67. So
    between 1 - 1/1.2 = 0.17 and 1 - 1/2.67 = 0.63 is lost. With a packet in four round trips, a third of the capacity,
    a flow loses one packet at most: the fifty first ones and as many requests arrive together at a buffer of fifty.
    """
    net = dumbbell((50, {"first_rate": 1.0}), capacity=125_000.0)
    data = run(net, duration=9.6, warm_up=2.4, rng=1, progress=False)
    assert 0.17 < float(data.dropped.sum() / data.sent.sum()) < 0.63
    few = run(dumbbell((50, {}), capacity=125_000.0), duration=60, rng=1, progress=False)
    assert float(few.sent.sum()) > 4000
    assert float(few.dropped.max()) <= 1


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
    as_python(monkeypatch, tfrc, "weight")
    as_python(monkeypatch, cadpc, "mean_interval", "mean_of", "mean_with", "bounded", "equation_rate")
    mean, bounded = cadpc.mean_interval, cadpc.bounded
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
    assert mean(flow, 40) == 200.0
    for k in range(8):
        cadpc.loss(flow, SimpleNamespace(transmission=201 + 100 * k, lost=1))
    assert mean(flow, 0) == pytest.approx(100.0)
    assert mean(flow, 640) == pytest.approx(190.0)


def test_at_most_the_rate_of_tcp():
    """With losses at random both get what the equation says: 0.001 of the packets, 100 ms, packets of 1000 bytes.

    1000 / (0.1 x (0.025820 + 12 x 0.019365 x 0.001)) = 383 850 bytes/s, within 10 %: of the events of a round trip of
    38 packets 4 % are merged, which adds 2 %. Without the bound a flow alone fills half of the link of 12.5 MB/s.
    """
    net = Network().link("a", "b", rate=1.25e7, delay=0.05, loss=0.001).link("b", "a", rate=1.25e7, delay=0.05)
    for friendly in (0.0, 1.0):
        net.flow("cadpc-files", path=["a", "b"], packet=1000, parameters={"friendly": friendly})
    data = run(net, duration=200, warm_up=50, rng=1, progress=False)
    assert float(data.goodput[1]) == pytest.approx(383_850, rel=0.1)
    assert float(data.goodput[0]) > 0.45 * 1.25e7


def test_files():
    """The variant with acknowledgments transfers files, through losses."""
    link = {"rate": CAPACITY, "delay": 0.01, "buffer": 50, "loss": 0.01}
    data = run(one_link("cadpc-files", **link, back=CAPACITY, packet=1000, file="1 MB"), rng=1)
    assert float(data.delivered[0]) == 1000
    assert float(data.retransmitted[0]) > 3
    assert 1.6 < float(data.transfer_time[0]) < 3.5  # 1 MB at half of 1.25 MB/s, and the start

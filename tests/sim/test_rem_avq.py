"""REM and AVQ against plain implementations fed with the same packets, and their equilibria."""

import math

import numpy as np
import pytest

from longfat.sim import Network, queues, run
from longfat.sim.kernel.records import CE, ECT
from longfat.sim.network import traffic
from longfat.sim.queues import DROP, ENQUEUE, avq, red_auto, rem
from tests.sim.lab import Line, one_link, simulated
from tests.sim.logbook import Logbook
from tests.sim.networks import FIXED
from tests.sim.own import arrived, of_link

RATE = 1e6  # bytes/s; 1000 packets of 1000 B a second


def logged(discipline, flows, buffer=40, duration=3.0, seed=1):
    """Return log, link and run of sources with constant rates: (rate [capacities], size [bytes], ecn)."""
    log = Logbook(discipline)
    net = Network().link("a", "b", rate=RATE, delay=0.01, buffer=buffer, discipline=log.discipline)
    for k, (rate, size, ecn) in enumerate(flows):
        net.flow(
            FIXED, path=["a", "b"], ack_path="ideal", packet=size, start=0.0012345 * (k + 1),
            parameters={"rate": rate * RATE, "ecn": ecn},
        )  # fmt: skip
    one = simulated(net, duration, seed)
    return log.calls, one.state.links[0], one


class Price:
    """The price of REM with the parameters of ns-2.35 (rem.cc)."""

    def __init__(self, smoothing=1.0, weight=0.1, target=20.0, gamma=0.001, phi=1.001):
        self.price, self.arrived, self.average, self.k = 0.0, 0, 0.0, 0
        self.smoothing, self.weight, self.target, self.gamma, self.phi = smoothing, weight, target, gamma, phi

    @property
    def probability(self):
        return 1.0 - self.phi**-self.price

    def until(self, now, line):
        """Make all updates before now: one every 2 ms, in which the link sends 2 packets."""
        while self.k * 0.002 < now:
            self.average = (1 - self.smoothing) * self.average + self.smoothing * self.arrived
            queue = line.backlog(2_000_000 * self.k)
            self.price = max(0.0, self.price + self.gamma * (self.average + self.weight * (queue - self.target) - 2.0))
            self.arrived = 0
            self.k += 1


@pytest.mark.parametrize(
    ("options", "loads"),
    [
        ({"phi": 1.02}, (0.71, 0.6131, 0.8)),
        ({"smoothing": 0.02, "weight": 0.5, "target": 5.0, "gamma": 0.1, "phi": 1.01}, (0.71, 0.6131, 0.8)),
        ({"ecn": True, "gamma": 0.1, "phi": 1.02}, (0.71, 0.6131)),
    ],
)
def test_rem_as_the_plain_one(options, loads):
    """At loads of 1.3 to 2.1 every verdict and mark agrees for the same random numbers, and so does the final price.

    With `ecn` ECN-capable packets are marked at departure, by the price then; others are dropped at arrival.
    """
    calls, link, one = logged(rem(**options), [(load, 1000, k == 1) for k, load in enumerate(loads)])
    known = {name: value for name, value in options.items() if name != "ecn"}
    line, price, draws = Line(8 * RATE, 40), Price(**known), np.random.default_rng(1).spawn(2)[0]
    dropped = overflow = marks = 0
    for call in calls:
        price.until(call.now, line)
        markable = "ecn" in options and bool(call.marks & ECT)
        if not call.arrives:
            marked = markable and draws.random() < price.probability
            assert bool(call.marks_after & CE) == marked
            marks += marked
            continue
        price.arrived += 1
        full = line.is_full(call.time)
        verdict = DROP if not full and not markable and draws.random() < price.probability else ENQUEUE
        assert call.verdict == verdict, call
        if verdict == ENQUEUE and not full:
            assert line.takes(call.time, call.length)
        dropped += verdict == DROP
        overflow += full
    price.until(3.0 + 1e-9, line)
    assert of_link(one).price == pytest.approx(price.price, rel=1e-9)
    assert dropped == link.dropped - overflow > 10
    assert overflow > 0 or marks > 0  # the buffer was full, too, or marks have kept it from that
    assert link.marked == marks
    assert (marks > 100) == ("ecn" in options)


class Virtual:
    """The virtual queue of AVQ, with packets of s bytes at t, on a virtual link of c bytes/s."""

    def __init__(self, limit, gamma=0.98, alpha=0.15, start=0.8):
        self.limit, self.gamma, self.alpha = limit, gamma, alpha
        self.vq, self.c, self.last, self.adapted = 0.0, start * RATE, None, None

    def takes(self, t, s, marks):
        """Return whether the virtual buffer has room for the packet."""
        if self.last is None:
            self.last = self.adapted = t
        self.vq = max(0.0, self.vq - self.c * (t - self.last)) + s
        self.last = t
        over = self.vq > self.limit
        if over:
            self.vq -= s
        if not over or marks:
            change = self.alpha * self.gamma * RATE * (t - self.adapted) - self.alpha * s
            self.c = min(max(self.c + change, 0.0), RATE)
            self.adapted = t
        return not over


@pytest.mark.parametrize(("ecn", "buffer", "limit", "options"), [
    (False, 40, 40_000, {}), (True, 40, 40_000, {}), (True, 40, 20_000, {"packet": 500}), (True, "30 kB", 30_000, {}),
    (False, 40, 10_000, {"buffer": 0.25, "alpha": 2}),
    (False, 1000, 1_000_000, {"alpha": 5.0, "gamma": 0.5, "start": 0.0}),
    (False, 40, 40_000, {"alpha": 5.0, "start": 1.0}),
])  # fmt: skip
def test_avq_as_the_plain_one(ecn, buffer, limit, options):
    """Packets of two sizes, one of them ECN-capable, at a load of 1.2: every verdict and mark agrees."""
    calls, link, one = logged(avq(ecn=ecn, **options), [(0.71, 1000, 0), (0.5131, 600, 1)], buffer=buffer, duration=3.0)
    known = {name: value for name, value in options.items() if name not in ("packet", "buffer")}
    virtual, drops, marks = Virtual(limit, **known), 0, 0
    for call in calls:
        markable = ecn and bool(call.marks & ECT)
        taken = virtual.takes(call.now, call.length, markable)
        assert call.verdict == (ENQUEUE if taken or markable else DROP)
        if call.marks_after & CE:
            assert markable
            assert not taken
            marks += 1
        drops += call.verdict == DROP
    assert of_link(one).virtual_rate == pytest.approx(virtual.c, rel=1e-9, abs=1e-3)
    assert link.dropped >= drops > 10
    assert link.marked == marks
    assert (marks > 10) == ecn


def test_virtual_capacity_by_hand():
    """The virtual capacity of ns-2.35, by hand: alpha = 50/s, gamma = 1, packets of 1000 B.

    From c = C = 10^6 bytes/s. A packet after 100 ms: c + 50 x 10^6 x 0.1 - 50 x 1000 is above C: C.
    """
    discipline = avq(alpha=50, gamma=1, start=1)
    one = simulated(one_link(traffic.constant(1e4), rate=RATE, buffer=40, discipline=discipline, packet=1000), 0.25)
    assert arrived(one)[0] >= 2
    assert of_link(one).virtual_rate == pytest.approx(RATE, rel=1e-12)


def test_packets_dropped_by_the_buffer_are_not_marked():
    """With a virtual buffer of half the real one and an overload, no packet is both marked and dropped."""
    calls, link, one = logged(avq(ecn=True, buffer=0.5), [(1.5, 1000, 1)])
    assert link.dropped > 100
    assert not any(call.verdict == DROP for call in calls)
    assert link.marked == sum(call.marks_after & CE > 0 for call in calls)
    assert one.state.flows[0].received <= link.served
    for call in calls:
        if call.marks_after & CE:
            assert call.waiting < 40


def long_transfers(discipline, flows, ecn=1, buffer=200, duration=100.0, warm_up=40.0):
    """Return mean queue [packets], utilisation, marks and losses of SACK flows over 10 Mbit/s and 60 ms."""
    net = Network().link("a", "b", rate="10 Mbit/s", delay="30 ms", buffer=buffer, discipline=discipline, name="line")
    net.link("b", "a", rate="10 Mbit/s", delay="30 ms")
    net.flow("sack", path=["a", "b"], packet=1000, count=flows, stagger=0.113, parameters={"ecn": ecn})
    data = run(net, duration=duration, warm_up=warm_up, rng=1, progress=False)
    sent = float(data.sent.sum())
    line = data.sel(link="line")
    return float(line.mean_queue), float(line.utilisation), float(data.marks.sum()) / sent, float(data.loss.mean())


@pytest.mark.parametrize("ecn", [0, 1])
def test_the_queue_settles_at_its_target(ecn):
    """The mean queue is b* = 20 within 20 % whatever the load, on a busy link; only marks or losses differ."""
    queue, signals = [], []
    for flows in (5, 10, 20):
        waiting, used, marks, losses = long_transfers(rem(ecn=bool(ecn)), flows, ecn)
        assert used > 0.97
        queue.append(waiting)
        signals.append(marks + losses)
        assert (losses == 0) == bool(ecn)
    np.testing.assert_allclose(queue, 20, rtol=0.2)
    # by the law of the square root four times as many for twice the flows, less what the longest windows keep idle
    assert 5 > signals[2] / signals[1] > 2.5
    assert 5 > signals[1] / signals[0] > 2.5


@pytest.mark.parametrize("gamma", [0.98, 0.9])
def test_the_utilisation_settles_at_gamma(gamma):
    """The utilisation is gamma within 2 %; with marks nothing is lost."""
    for flows in (10, 20):
        for ecn in (1, 0):
            _, used, marks, losses = long_transfers(avq(gamma=gamma, ecn=bool(ecn)), flows, ecn)
            assert used == pytest.approx(gamma, rel=0.02)
            assert (marks > 0, losses > 0) == (ecn == 1, ecn == 0)


def test_idle_links_neither_mark_nor_drop():
    """An idle link, or one without transmission time, has no price and neither marks nor drops."""
    for rate, load in ((RATE, 0.3), (math.inf, 3.0)):
        for discipline in (rem(), rem(ecn=True), avq(), avq(ecn=True)):
            net = Network().link("a", "b", rate=rate, buffer=40, discipline=discipline)
            net.flow(FIXED, path=["a", "b"], ack_path="ideal", parameters={"rate": load * RATE, "ecn": 1})
            one = simulated(net, 1.0)
            assert arrived(one)[0] > 250
            assert one.state.links[0].dropped == one.state.links[0].marked == 0


def test_red_as_ns_sets_it_up():
    """The parameters that ns-2 derives from the link, by hand.

    40 Mbit/s and 500 B are 10,000 packets/s: min_th 25, weight 1 - exp(-1/10^4); with a delay of 100 ms r = 0.3003 s. 1
    Mbit/s are 250 packets/s, 0.6 in 2.5 ms: min_th 5.
    """
    fast = red_auto("40 Mbit/s")
    assert fast.values == pytest.approx(
        {
            "min_th": 25,
            "max_th": 75,
            "max_p": 0.1,
            "gentle": 1,
            "packet": 500,
            "ecn": 0,
            "wait": 1,
            "weight": 9.9995e-5,
        },
        rel=1e-7,
    )  # 1 - exp(-x) = x - x^2/2 + ..., x = 1e-4
    far = red_auto("40 Mbit/s", delay="100 ms", ecn=True).values
    assert far["weight"] == pytest.approx(1 / 30030 - 0.5 / 30030**2, rel=1e-9)
    assert far["ecn"] == 1
    assert red_auto("1 Mbit/s").values["min_th"] == 5
    assert queues.discipline("red", **fast.values) == fast

"""DECbit's switch against a plain one that integrates the queue packet by packet, and by hand.

Ramakrishnan and Jain, ACM Transactions on Computer Systems 8(2), 1990, section 3.
"""

import math
from fractions import Fraction

import pytest

from longfat.sim import Network, queues
from longfat.sim.kernel.records import CE, ECT
from longfat.sim.network import traffic
from longfat.sim.queues import decbit
from tests.sim.lab import Line, one_link, simulated
from tests.sim.logbook import Logbook
from tests.sim.networks import FIXED

RATE = 1e6  # bytes/s: 1000 ns a byte


class Plain(Line):
    """Drop-tail link that keeps every packet since the beginning of the last but one busy period."""

    def __init__(self, buffer, with_transmission):
        super().__init__(8 * RATE, buffer)
        self.with_transmission, self.begins = with_transmission, []

    def takes(self, now, size):
        """Let a packet arrive: a busy period may begin, and packets before the last one are forgotten."""
        if not self.log or self.transmitter.free < now:
            self.begins = [*self.begins[-1:], now]
            self.log = [packet for packet in self.log if packet[2] > self.begins[0]]
        return super().takes(now, size)

    def average(self, now):
        """Return the average queue length over both cycles, None over no time."""
        if now == self.begins[0]:
            return None
        area = 0
        for arrival, begin, end in self.log:
            if arrival >= self.begins[0]:
                area += min(end if self.with_transmission else begin, now) - arrival
        return Fraction(area, now - self.begins[0])


@pytest.mark.parametrize(
    ("load", "options"),
    [
        (0.5, {}), (1.1, {}), (0.8, {"with_transmission": False}), (0.8, {"on_departure": True}),
        (1.1, {"threshold": 2.5}), (1.1, {"on_departure": True, "with_transmission": False, "threshold": 0.3}),
    ],
)  # fmt: skip
def test_marks_as_the_plain_one(options, load):
    """Packets of two sizes at fixed intervals, one of them ECN-capable, and Poisson packets: every mark agrees."""
    log = Logbook(decbit(**options))
    net = Network().link("a", "b", rate=RATE, delay=0.01, buffer=6, discipline=log.discipline)
    for share, size, ecn in ((0.3, 1000, 1), (0.2, 617, 0)):
        net.flow(
            FIXED, path=["a", "b"], ack_path="ideal", packet=size, start=size * 1e-6,
            parameters={"rate": share * load * RATE, "ecn": ecn},
        )  # fmt: skip
    net.flow(traffic.poisson(0.5 * load * RATE), path=["a", "b"], packet=800)
    one = simulated(net, 0.8, 3)
    threshold, marked, judged = Fraction(options.get("threshold", 1.0)), 0, 0
    plain = Plain(6, options.get("with_transmission", True))
    for call in log.calls:
        full = call.arrives and not plain.takes(call.time, call.length)
        average = plain.average(call.time)
        asked = call.arrives != options.get("on_departure", False)
        expected = asked and call.marks & ECT and not full and average is not None and average >= threshold
        assert bool(call.marks_after & CE) == bool(expected or call.marks & CE), (call, average)
        marked += bool(expected)
        judged += asked and bool(call.marks & ECT)
    link = one.state.links[0]
    assert link.marked == marked
    assert 0 < marked < judged or load == 1.1 or threshold > 2
    assert link.dropped > 20 or load < 1.1


def marks(times, discipline, takes=1e-3, **options):
    """Return which of the packets that arrive at these times [`takes`] are marked; each is sent in `takes` [s]."""
    net = Network().link("a", "b", rate=1000 / takes, buffer=100, discipline=discipline)
    for time in times:
        net.flow("decbit", path=["a", "b"], ack_path="ideal", packet=1000, file=1000, start=time * takes, **options)
    one = simulated(net, 1000 * takes)
    return [int(flow.marks) for flow in one.state.flows]


TIMES = [0, 0.5, 3, 3.2, 3.4, 3.6, 10, 20]


def test_by_hand():
    """Averages at the arrivals, by hand.

    Averages at the arrivals; the cycles begin at 0, 3, 10 and 20 ms. 0: none. 0.5: 0.5/0.5 = 1. 3: the packets stayed 1
    and 1.5 ms, 2.5/3. 3.2: (2.5 + 0.2)/3.2. 3.4: (2.5 + 0.2 + 2 x 0.2)/3.4 = 3.1/3.4. 3.6: (3.1 + 3 x 0.2)/3.6 =
    3.7/3.6 > 1. 10: without the first cycle; 1 + 1.8 + 2.6 + 3.4 = 8.8 over 7. 20: 1/10.
    """
    assert marks(TIMES, decbit()) == [0, 1, 0, 0, 0, 1, 1, 0]
    assert marks(TIMES, decbit(threshold=1.25)) == [0, 0, 0, 0, 0, 0, 1, 0]  # 8.8/7 = 1.257
    assert marks(TIMES, decbit(threshold=1.26)) == [0] * 8
    assert marks(TIMES, decbit(), parameters={"ecn": 0}) == [0] * 8


def test_integrals_of_more_than_32_bits(both_ways):
    """The same at a 300th of the rate: 0.3 s x 11.3 packets until the last arrival are more than 2^31 packets x ns."""
    assert marks(TIMES, decbit(), takes=0.3) == [0, 1, 0, 0, 0, 1, 1, 0]


def test_without_acknowledgments_by_hand():
    """From a to b 1 ms data packets, and from 0.9 ms on acknowledgments of 40 bytes, 0.04 ms, of files the other way.

    At 0 a transmission begins; at 0.9, 0.92, ... 0.98 ms five acknowledgments join the queue; data arrive at 0.5 and
    0.99 ms. Integrated queue until then: data 0.49; acknowledgments 0.09 + 0.07 + 0.05 + 0.03 + 0.01 = 0.25 packets x
    ms. The averages are 0.49/0.99 = 0.495 and 0.74/0.99 = 0.747: a threshold of 0.6 lies between them. At departure,
    1 ms: 0.51 and 0.51 + 0.30. At 2.2 ms, behind the acknowledgments, data alone: (0.5 + 1.21)/2.2 = 0.777.
    """

    def marked(**options):
        discipline = decbit(with_transmission=False, threshold=0.6, **options)
        net = Network().link("a", "b", rate=RATE, buffer=100, discipline=discipline)
        net.link("b", "a", rate=math.inf)
        for time in (0.0, 0.5, 0.99):
            net.flow("decbit", path=["a", "b"], ack_path="ideal", packet=1000, file=1000, start=time * 1e-3)
        for k in range(5):
            net.flow("decbit", path=["b", "a"], packet=1000, file=1000, start=(0.9 + 0.02 * k) * 1e-3)
        one = simulated(net, 1.0)
        assert one.all_done()
        return [int(flow.marks) for flow in one.state.flows][:3]

    assert marked() == [0, 0, 1]
    assert marked(with_answers=False) == [0, 0, 0]
    assert marked(on_departure=True) == [0, 1, 1]
    assert marked(with_answers=False, on_departure=True) == [0, 0, 1]


def test_a_train_is_one_busy_period():
    """A packet that arrives when the link has just sent the previous one begins no cycle.

    There is no idle time between the packets of the train, so that the cycle before it counts, 1 ms in 10. At 10 + k ms
    the average is (1 + k)/(10 + k).
    """
    train = [0, *range(10, 30)]
    assert marks(train, decbit()) == [0] * 21
    assert marks(train, decbit(threshold=0.6)) == [0] * 14 + [1] * 7  # 13/22 = 0.59, 14/23 = 0.61
    # A microsecond of idle time makes cycles of them: of the last one alone the average is 1000/1001,
    # and the second packet of the train is the first one that finds it.
    gaps = [0, *(10 + 1.001 * k for k in range(20))]
    assert marks(gaps, decbit(threshold=0.999)) == [0, 0] + [1] * 19
    assert marks(gaps, decbit(threshold=0.9991)) == [0] * 21


def test_marks_of_others_stay():
    net = Network().link("a", "b", rate=RATE, buffer=9, discipline=queues.mark_above(0))
    net.link("b", "c", rate=RATE, buffer=9, discipline=decbit(threshold=1e9))
    net.flow("decbit", path=["a", "b", "c"], ack_path="ideal", packet=1000, file=5000)
    one = simulated(net, 1.0)
    assert one.state.flows[0].marks == 5
    assert one.state.links[1].marked == 0


def test_links_without_transmission_time():
    """The queue is empty at all times but the arrivals."""
    link = {"rate": math.inf, "delay": 0.01, "buffer": 9, "discipline": decbit(threshold=0.01)}
    one = simulated(one_link("decbit", **link, packet=1000, file="1 MB"), 10.0)
    assert one.all_done()
    assert one.state.links[0].marked == 0

"""The policer: bursts and rates by arithmetic, and a plain bucket packet by packet."""

import math
from fractions import Fraction

from longfat.sim import Network, run
from longfat.sim.network import traffic
from longfat.sim.queues import policer
from tests.sim.lab import logged


def test_burst_and_rate_by_hand():
    """Packets of 1000 bytes every millisecond through 250 kB/s with a burst of 5000 bytes, by hand.

    A bucket of 5 packets that gets one every 4 ms. Packet n comes at n ms, after the bucket has got n/4 in all and the
    packets before it have taken one each: 5 + n/4 - n >= 1 up to n = 5 (1.25 of a packet is left; at n = 6, 0.5). From
    then on one packet passes as soon as there is a whole token: the sixth token, counted from 0, at 4 ms x (k - 5) for
    the k-th packet, k = 7, 8, ...: 8, 12, 16, ... ms.
    """
    _, passed, _ = logged(
        [(traffic.constant(1e6), {"packet": 1000})], policer(250e3, burst=5000), 0.0305, rate=math.inf
    )
    assert [line[0] // 1_000_000 for line in passed] == [0, 1, 2, 3, 4, 5, 8, 12, 16, 20, 24, 28]


def test_it_is_the_plain_bucket():
    """Bursts of packets of two sizes: each verdict agrees with a bucket in exact fractions, whatever the buffer."""
    sources = [
        (traffic.on_off(1.6e6, 0.1, 0.3, shape_on=1, shape_off=1), {"packet": 1003, "name": "large"}),
        (traffic.poisson(3e5), {"packet": 211, "name": "small"}),
    ]
    arrived, passed, one = logged(sources, policer(500e3, burst=12_345), 10.0, rate=math.inf)
    tokens, before, expected = Fraction(12_345), 0, []
    for time, flow, transmission, size, _ in arrived:
        tokens = min(Fraction(12_345), tokens + Fraction(500_000 * (time - before), 10**9))
        before = time
        if tokens >= size:
            tokens -= size
            expected.append((flow, transmission))
    assert [(line[1], line[2]) for line in passed] == expected
    assert 1000 < len(expected) < len(arrived) - 1000
    assert int(one.state.links[1].dropped) == len(arrived) - len(passed)


def test_a_tcp_flow_gets_less_than_the_rate():
    """NewReno through a policer of 10 Mbit/s and 20 ms: losses without a queue, and between half and all of the rate.

    The bucket of 15 kB is less than the bandwidth-delay product of 25 kB.
    """
    net = Network().link("a", "b", rate="100 Mbit/s", delay="10 ms", buffer=1000, discipline=policer("10 Mbit/s"))
    net.link("b", "a", rate="100 Mbit/s", delay="10 ms")
    net.flow("newreno", path=["a", "b"], packet=1500, parameters={"initial_ssthresh": 10.0})
    found = run(net, duration=60.0, warm_up=10.0, rng=1, progress=False)
    assert 0.5 * 1.25e6 < found.goodput.item() < 1.25e6
    assert float(found.sel(link="a-b").mean_wait) < 0.001
    assert float(found.sel(link="a-b").link_dropped) > 10

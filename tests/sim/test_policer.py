"""The policer against a plain bucket, packet by packet."""

import math
from fractions import Fraction

from longfat.sim.network import traffic
from longfat.sim.queues import policer
from tests.sim.lab import logged


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

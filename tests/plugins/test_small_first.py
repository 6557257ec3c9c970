"""A service in a file of its own: departures by hand."""

import math

from longfat.sim import Network, Simulation
from longfat.sim.network import traffic
from longfat.sim.switch.log import Log
from tests.plugins.small_first import SMALL_FIRST


def departures(discipline):
    """Return (begin [ms], flow, number) of three packets of 1 ms from 0 ms on, and small ones of 0.1 ms from 0.5 on."""
    log = Log(100)
    net = Network().link("a", "b", rate=1e6, discipline=discipline)
    net.link("b", "d", rate=math.inf, discipline=log.discipline)
    net.flow(traffic.constant(2.5e6), path=["a", "b", "d"], packet=1000, stop=0.001)
    net.flow(traffic.constant(2e5), path=["a", "b", "d"], packet=100, start=0.0005, stop=0.0017)
    one = Simulation(net, rng=1)
    one.advance(0.1)
    one.packet_counts()
    return [((line[0] - 1000 * line[3]) / 1e6, line[1], line[2]) for line in log.lines.tolist()]


def test_small_packets_are_sent_first_by_hand():
    """Large packets come at 0, 0.4 and 0.8 ms, small ones at 0.5, 1 and 1.5 ms.

    At 1 ms the first transmission ends before the second small packet comes: the first one is sent, then at 1.1 ms the
    second. The second large packet is sent from 1.2 to 2.2 ms, then the third small one, then the last.
    """
    assert departures(SMALL_FIRST) == [(0, 0, 0), (1, 1, 0), (1.1, 1, 1), (1.2, 0, 1), (2.2, 1, 2), (2.3, 0, 2)]


def test_the_limit_is_a_parameter():
    """If no packet is small, packets leave in order of arrival."""
    assert [line[1:] for line in departures(SMALL_FIRST(small=99))] == [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]

"""A service in a file of its own: departures by hand."""

import math

from longfat.sim import Network, Simulation, traffic
from longfat.sim.queues.log import Log
from tests.plugins.stack import STACK


def departures(buffer):
    """Return (begin [ms], number) of packets of 1 ms that arrive every 0.4 ms from 0 to 2 ms."""
    log = Log(100)
    net = Network().link("a", "b", rate=1e6, buffer=buffer, discipline=STACK)
    net.link("b", "d", rate=math.inf, discipline=log.discipline)
    net.flow(traffic.constant(2.5e6), path=["a", "b", "d"], packet=1000, stop=0.0021)
    one = Simulation(net, rng=1)
    one.advance(0.1)
    one.packet_counts()
    return [(line[0] // 1_000_000 - 1, line[2]) for line in log.lines.tolist()]


def test_last_in_first_out_by_hand():
    """Packets 0 to 5 come at 0, 0.4, ..., 2 ms: at 1 ms 2 is the last, at 2 ms (before 5 comes) 4, then 5, 3, 1."""
    assert departures(None) == [(0, 0), (1, 2), (2, 4), (3, 5), (4, 3), (5, 1)]


def test_the_oldest_is_dropped():
    """A buffer of two: 3 (at 1.2 ms) and 1 wait; 4 pushes out 1; at 2 ms 4 is sent, and 5 and 3 wait."""
    assert departures(2) == [(0, 0), (1, 2), (2, 4), (3, 5), (4, 3)]

"""Step marking, packet by packet by hand."""

import math

import pytest

from longfat.sim import Network, Simulation, queues
from longfat.sim.kernel.records import CE
from longfat.sim.network import traffic
from longfat.sim.queues import step_marking
from tests.sim.logbook import Logbook


def burst(discipline, *, ect=1, packets=12, buffer=100):
    """Return which packets of a burst are marked at a link of 1000 packets/s, and which arrive at all.

    A burst of packets of 1000 bytes, one each 0.1 ms: packet n arrives at 0.1 n ms and finds n - 1 waiting, for 0 is in
    transmission until 1 ms.
    """
    book = Logbook(queues.FIFO)
    net = Network().link("a", "b", rate=1e6, buffer=buffer, discipline=discipline)
    net.link("b", "c", rate=math.inf, discipline=book.discipline)
    net.flow(traffic.constant(1e7), path=["a", "b", "c"], packet=1000, ack_path="ideal", stop=packets * 1e-4 - 5e-5)
    one = Simulation(net, rng=1)
    one.prepare()
    one.state.senders["ect"][0] = ect
    one.advance(1.0)
    marked = [c.number for c in book.calls if c.marks & CE]
    assert one.state.links[0].marked == len(marked)
    return marked, [c.number for c in book.calls]


@pytest.mark.parametrize(
    ("thresholds", "first"),
    [
        # More than five packets wait first when packet 7 arrives, at 0.7 ms (RFC 8257, section 3.1: "greater than").
        ({"packets": 5}, 7),
        ({"bytes": 5500}, 7),  # more than five packets and fewer than six
        ({"bytes": 6000}, 8),
        ({"sojourn": "5 ms"}, 6),  # packet n waits n - 0.1 n = 0.9 n ms
        ({"sojourn": 0.0054}, 7),  # packet 6 waits just as long
        ({"packets": 9, "sojourn": "8.5 ms"}, 10),  # above either of them
    ],
)
def test_thresholds(thresholds, first):
    """From the first packet above a threshold on all are marked; 10, at 1.0 ms when 1 has begun, finds 2..9."""
    assert burst(step_marking(**thresholds)) == ([*range(first, 12)], [*range(12)])


CODEPOINTS = [(0, 0, 0, 12), (0, 1, 0, 8), (1, 1, 5, 12), (2, 0, 5, 12)]


@pytest.mark.parametrize(("ect", "drop", "marked", "arrived"), CODEPOINTS)
def test_codepoints(ect, drop, marked, arrived):
    """Packets without ECN are not marked (RFC 3168, section 5); with `drop` they are dropped. ECT(1) is as ECT(0).

    7..11, five packets, find six waiting or more. With `drop` 7, 8 and 9 are dropped, each of which finds 1..6; 10
    finds 2..6 at 1.0 ms and is admitted; 11 finds 2..6 and 10, and is dropped: eight arrive.
    """
    found = burst(step_marking(packets=5, drop=drop), ect=ect)
    assert (len(found[0]), len(found[1])) == (marked, arrived)


def test_a_packet_that_the_buffer_drops_is_not_marked():
    """The buffer of eight packets drops 9, which finds 1..8; 10 and 11 find eight again, and room only at 1.0 ms."""
    assert burst(step_marking(packets=5), buffer=8) == ([7, 8, 10], [*range(9), 10])

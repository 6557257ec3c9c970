"""A service in a file of its own: departures by hand."""

from longfat.sim.network import traffic
from tests.plugins.small_first import SMALL_FIRST
from tests.sim.lab import logged

FLOWS = [
    (traffic.constant(2.5e6), {"packet": 1000, "stop": 0.001}),
    (traffic.constant(2e5), {"packet": 100, "start": 0.0005, "stop": 0.0017}),
]


def departures(discipline):
    """Return (begin [ms], flow, number) of three packets of 1 ms from 0 ms on, and small ones of 0.1 ms from 0.5 on."""
    _, left, _ = logged(FLOWS, discipline, 0.1)
    return [((line[0] - 1000 * line[3]) / 1e6, line[1], line[2]) for line in left]


def test_small_packets_are_sent_first_by_hand():
    """Large packets come at 0, 0.4 and 0.8 ms, small ones at 0.5, 1 and 1.5 ms.

    At 1 ms the first transmission ends before the second small packet comes: the first one is sent, then at 1.1 ms the
    second. The second large packet is sent from 1.2 to 2.2 ms, then the third small one, then the last. If no packet is
    small, packets leave in order of arrival.
    """
    assert departures(SMALL_FIRST) == [(0, 0, 0), (1, 1, 0), (1.1, 1, 1), (1.2, 0, 1), (2.2, 1, 2), (2.3, 0, 2)]
    limit = SMALL_FIRST(small=99)
    assert [line[1:] for line in departures(limit)] == [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]

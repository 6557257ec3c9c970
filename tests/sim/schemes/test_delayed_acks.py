"""Delayed acknowledgments (RFC 5681, section 4.2), by hand: when acknowledgments leave, and what they cover."""

import pytest

from longfat.sim import Network
from longfat.sim.network import traffic
from tests.sim.lab import one_link, simulated
from tests.sim.schemes.losses import drop_numbers
from tests.sim.spy import Spy

MS = 1_000_000


def acknowledgments(until, *, data="fifo", file=None, **parameters):
    """Return (time [ms], next packet expected) of each acknowledgment: data arrive 10 ms apart, after 50 ms."""
    spy = Spy()
    net = Network().link("a", "b", rate=1e5, delay=0.04, discipline=data)
    net.link("b", "a", rate=1e9, delay=0.05, discipline=spy.discipline)
    net.flow("sack", path=["a", "b"], name="x", file=file, parameters={"delayed_ack": 2.0, **parameters})
    simulated(net, until)
    return [(one.time / MS, one.number) for one in spy.acks]


@pytest.mark.parametrize(
    ("until", "given", "expected"),
    [
        # Every second packet is acknowledged at once, one that stays alone after 40 ms. 0 to 4 arrive at 50, 60, 70,
        # 80, 90 ms; 1 and 3 are acknowledged with 0 and 2, 4 alone at 90 + 40. Each acknowledgment opens the window by
        # its packets and one more. The first, of 60 ms, is back at 110: 5 to 7 arrive at 160, 170, 180.
        (0.175, {}, [(60, 2), (80, 4), (130, 5), (170, 7)]),
        (0.14, {"ack_delay": 0.02}, [(60, 2), (80, 4), (110, 5)]),
        (0.14, {"delayed_ack": 3.0}, [(70, 3), (80 + 40, 5)]),
        (0.1, {"delayed_ack": 1.0}, [(50, 1), (60, 2), (70, 3), (80, 4), (90, 5)]),
        # The first three packets are acknowledged at once: 0, 1, 2, then 3 and 4 together.
        (0.1, {"quick_acks": 3.0}, [(50, 1), (60, 2), (70, 3), (90, 5)]),
        # Packet 1 is lost: 2, 3, 4 are out of order, so that each is acknowledged at once; 0 waits with them: it is
        # held at 50 ms, and the acknowledgment of 2, which comes 10 ms behind it, replaces it.
        (0.1, {"data": drop_numbers(1)}, [(60, 1), (70, 1), (80, 1)]),
        # The last packet of a file is acknowledged at once.
        (1.0, {"file": 3000}, [(60, 2), (70, 3)]),
        (1.0, {"file": 1000}, [(50, 1)]),
    ],
)
def test_by_hand(until, given, expected):
    """Packets of 1000 bytes take 10 ms, and the initial window is 5; acknowledgments of 40 bytes take 40 ns."""
    found = acknowledgments(until, initial_window=5.0, **given)
    assert [(round(time, 3), number) for time, number in found] == expected


def test_data_that_fills_a_gap():
    """Packet 1, sent again, fills the gap before 2, 3, 4: acknowledged at once with all of them.

    The first acknowledgment, of 60 ms, makes the window 6 and covers 0 and 2: 5 to 7 leave at 110; the next one, at
    120, lets 8 go. The third is back at 130: 1 goes behind them, and arrives at 200.
    """
    found = acknowledgments(0.205, data=drop_numbers(1), initial_window=5.0)
    assert found[-1] == (pytest.approx(200.0, abs=0.01), 9)
    assert {number for _, number in found[:-1]} == {1}


LINK = {"rate": "8 Mbit/s", "delay": "10 ms", "buffer": 40, "back": "8 Mbit/s"}


def test_connections_that_arrive():
    """Rows of finished connections are used again; packets are conserved."""
    counts = simulated(one_link(traffic.arrivals(40.0, "cubic"), **LINK, file=15_000), 30.0, 3).packet_counts()
    assert 15_000 < counts["sent"] < 21_000
    assert counts["acks_sent"] < 0.65 * counts["received"]

"""Losses and reordering by script, and aggregation, packet by packet."""

import math
from dataclasses import replace

import pytest

from longfat.sim import queues, run
from longfat.sim.network import traffic
from tests.sim.lab import one_link, seen_behind, simulated

MS = 1_000_000  # ns


def arrived(discipline, *flows, until=0.0095):
    """Return (flow, number) of the packets behind the lossy link; each flow sends one every ms."""
    seen, _ = seen_behind(flows or [traffic.constant(1e6)], until, discipline=discipline)
    return [(one.flow, one.number) for one in seen]


def test_packets():
    lost = queues.scripted_loss(packets=[[0, 2, 1], [1, 0, 1], [1, 5, 3]])
    seen = arrived(lost, traffic.constant(1e6), traffic.constant(1e6))
    assert {(f, n) for f in (0, 1) for n in range(10)} - set(seen) == {(0, 2), (1, 0), (1, 5)}


def test_times():
    """From 3 ms until before 5 ms all, from 6 ms on every second: 3, 4; 7 and 9, the second and the fourth."""
    lost = queues.scripted_loss(times=[["3 ms", "5 ms", 1], [0.006, 1, 2]])
    assert [number for _, number in arrived(lost)] == [0, 1, 2, 5, 6, 8]


def test_aggregation():
    """Packets of 0, 1, ..., 9 ms leave at multiples of 4 ms: 0; 4 (four of them); 8 (four); 12."""
    seen, _ = seen_behind([traffic.constant(1e6)], 0.0125, discipline=queues.aggregation("4 ms"))
    assert [one.time / MS for one in seen] == [0] + [4] * 4 + [8] * 4 + [12] * 4


@pytest.mark.parametrize("count", [1, 2])
def test_retransmissions(count):
    """Packet 5 of a file of 20 is lost once or twice; the sender repeats it until it arrives.

    Or its transmissions are named: without losses number 5 is transmission 5.
    """
    net = one_link("sack", rate="8 Mbit/s", delay="5 ms", buffer=100, back="8 Mbit/s", file=20_000)
    net.links["a", "b"] = lossy(net, packets=[[0, 5, count]])
    data = run(net, rng=1)
    assert (int(data.dropped[0]), int(data.retransmitted[0]), int(data.delivered[0])) == (count, count, 20)
    net.links["a", "b"] = lossy(net, transmissions=[[0, 5]])
    assert int(run(net, rng=1).dropped[0]) == 1


def lossy(net, **script):
    return replace(net.links["a", "b"], discipline=queues.scripted_loss(**script))


def test_acknowledgments_in_a_time_are_lost():
    """Both directions are silent from 50 ms until 60 ms."""
    silent = queues.scripted_loss(times=[[0.05, 0.06, 1]])
    one = simulated(one_link("reno", rate="8 Mbit/s", delay="5 ms", duplex=True, discipline=silent), 1.0)
    assert one.state.tallies["acks_dropped"][0] > 0
    assert one.state.tallies["dropped"][0] > 0


# Reordering.


def reordered(until=0.0205, flows=1, rate=math.inf, **script):
    """Return time [ms], flow and number of the packets behind the link; each flow sends one every ms."""
    discipline = queues.scripted_reordering(**script)
    seen, _ = seen_behind([traffic.constant(1e6)] * flows, until, rate=rate, buffer=50, discipline=discipline)
    return [(one.time / MS, one.flow, one.number) for one in seen]


def numbers(**more):
    return [number for _, _, number in reordered(**more)]


def test_order():
    """Packet 2 leaves behind 3, 4 and 5, when 5 does; of 7 and 8, one packet has to pass each, 9 passes both."""
    assert numbers(until=0.0115) == list(range(12))
    assert numbers(packets=[[0, 2, 1, 3], [0, 7, 2, 1]], until=0.0115) == [0, 1, 3, 4, 5, 2, 6, 9, 7, 8, 10, 11]
    # Those on hold do not count for each other: 2 waits for 4 and 5, 3 for 4.
    assert numbers(packets=[[0, 2, 1, 2], [0, 3, 1, 1]], until=0.0065) == [0, 1, 4, 3, 5, 2, 6]


def test_packets_of_other_flows_pass():
    """Flow 1's packets pass, too: 1 of flow 0, which arrives at 1 ms, leaves behind the next two at the link."""
    seen = [line[1:] for line in reordered(flows=2, packets=[[0, 1, 1, 2]], until=0.0035)]
    assert seen == [(0, 0), (1, 0), (1, 1), (0, 2), (0, 1), (1, 2), (0, 3), (1, 3)]


def test_a_backlog_is_not_later():
    """At 2 ms a packet, packet 3 arrives at 3 ms, when 1 is in transmission and 2 waits; 4 and 5 pass it."""
    seen = reordered(rate=500e3, packets=[[0, 3, 1, 2]], until=0.0145)
    assert seen == [(2, 0, 0), (4, 0, 1), (6, 0, 2), (8, 0, 4), (10, 0, 5), (12, 0, 3), (14, 0, 6)]


def test_longest_time():
    """Packets 1 and 2, which arrive at 1 and 2 ms, leave 4.5 ms later; 4 leaves behind the next packet."""
    rows = [[0, 1, 2, 9], [0, 4, 1, 1]]
    seen = reordered(packets=rows, longest="4.5 ms", until=0.0075)
    assert seen == [(0, 0, 0), (3, 0, 3), (5, 0, 5), (5, 0, 4), (5.5, 0, 1), (6, 0, 6), (6.5, 0, 2), (7, 0, 7)]


def test_a_retransmission_passes():
    """Packet 5 of a file of 20 is behind four others: it is sent again, and that passes, so that both arrive."""
    net = one_link("sack", rate="8 Mbit/s", delay="5 ms", buffer=100, duplex=True, file=20_000)
    in_order = float(run(net, rng=1).transfer_time[0])
    one = replace(net.links["a", "b"], discipline=queues.scripted_reordering(packets=[[0, 5, 1, 4]]))
    net.links["a", "b"] = one
    data = run(net, rng=1)
    assert (int(data.dropped[0]), int(data.retransmitted[0]), int(data.delivered[0])) == (0, 1, 20)
    # The last packet has none behind it: it leaves 50 ms after it came. From a window of 1 packet on, the last round
    # has 15 to 19, at 0, 0, 1, 1 and 2 ms, of 1 ms each: in order, 19 would have left after 4 ms, 2 ms after it came.
    last = queues.scripted_reordering(packets=[[0, 19, 1, 4]], longest="50 ms")
    net.links["a", "b"] = replace(one, discipline=last)
    data = run(net, rng=1)
    assert (int(data.retransmitted[0]), int(data.delivered[0]), int(data.timeouts[0])) == (0, 20, 0)
    assert float(data.transfer_time[0]) - in_order == pytest.approx(0.048, abs=1e-9)

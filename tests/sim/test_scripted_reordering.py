"""Reordering by script, packet by packet."""

import math
from dataclasses import replace

import pytest

from longfat.sim import Network, queues, run
from longfat.sim.network import traffic
from tests.sim.lab import simulated
from tests.sim.spy import Spy

MS = 1_000_000  # ns


def arrived(until=0.0205, flows=1, rate=math.inf, **script):
    """Return time [ms], flow and number of the packets behind the link; each flow sends one every ms."""
    spy = Spy()
    net = Network().link("a", "b", rate=rate, buffer=50, discipline=queues.scripted_reordering(**script))
    net.link("b", "c", rate=math.inf, discipline=spy.discipline)
    for _ in range(flows):
        net.flow(traffic.constant(1e6), path=["a", "b", "c"])
    simulated(net, until)
    return [(one.time / MS, one.flow, one.number) for one in spy.data]


def numbers(**more):
    return [number for _, _, number in arrived(**more)]


def test_order():
    """Packet 2 leaves behind 3, 4 and 5, when 5 does; of 7 and 8, one packet has to pass each, 9 passes both."""
    assert numbers(until=0.0115) == list(range(12))
    assert numbers(packets=[[0, 2, 1, 3], [0, 7, 2, 1]], until=0.0115) == [0, 1, 3, 4, 5, 2, 6, 9, 7, 8, 10, 11]
    # Those on hold do not count for each other: 2 waits for 4 and 5, 3 for 4.
    assert numbers(packets=[[0, 2, 1, 2], [0, 3, 1, 1]], until=0.0065) == [0, 1, 4, 3, 5, 2, 6]


def test_packets_of_other_flows_pass():
    """Flow 1's packets pass, too: 1 of flow 0, which arrives at 1 ms, leaves behind the next two at the link."""
    seen = [line[1:] for line in arrived(flows=2, packets=[[0, 1, 1, 2]], until=0.0035)]
    assert seen == [(0, 0), (1, 0), (1, 1), (0, 2), (0, 1), (1, 2), (0, 3), (1, 3)]


def test_a_backlog_is_not_later():
    """At 2 ms a packet, packet 3 arrives at 3 ms, when 1 is in transmission and 2 waits; 4 and 5 pass it."""
    seen = arrived(rate=500e3, packets=[[0, 3, 1, 2]], until=0.0145)
    assert seen == [(2, 0, 0), (4, 0, 1), (6, 0, 2), (8, 0, 4), (10, 0, 5), (12, 0, 3), (14, 0, 6)]


def test_longest_time():
    """1, of 1 ms, leaves after 4.5 ms, and 2, of 2 ms, too; 4 leaves behind the next packet."""
    rows = [[0, 1, 2, 9], [0, 4, 1, 1]]
    seen = arrived(packets=rows, longest="4.5 ms", until=0.0075)
    assert seen == [(0, 0, 0), (3, 0, 3), (5, 0, 5), (5, 0, 4), (5.5, 0, 1), (6, 0, 6), (6.5, 0, 2), (7, 0, 7)]


def test_a_retransmission_passes():
    """Packet 5 of a file of 20 is behind four others: it is sent again, and that passes, so that both arrive."""
    net = Network().link("a", "b", rate="8 Mbit/s", delay="5 ms", buffer=100, duplex=True)
    net.flow("sack", path=["a", "b"], file=20_000)
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


def test_scenario_files():
    net = Network().link("a", "b", rate=1e6, buffer=9, discipline=queues.scripted_reordering(packets=[[0, 1, 2, 3]]))
    assert Network.from_toml(net.to_toml()) == net
    assert 'discipline = {name = "scripted-reordering", packets = [[0, 1, 2, 3]]' in net.to_toml()


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ({"packets": [[0, 1, 1]]}, TypeError, r"packets must be a list of rows \(flow, number, count, behind\)"),
        ({"packets": [[0, 1, 1, 0]]}, ValueError, "behind in packets = 0 packets is out of range"),
        ({"longest": 0}, ValueError, "longest = 0 s is out of range"),
    ],
)
def test_bad_scripts(script, error, message):
    with pytest.raises(error, match=message):
        queues.scripted_reordering(**script)

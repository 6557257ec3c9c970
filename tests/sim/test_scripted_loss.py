"""Losses by script, and aggregation, packet by packet."""

import math
from dataclasses import replace

import pytest

from longfat.sim import Network, Simulation, queues, run
from longfat.sim.network import traffic
from tests.sim.lab import simulated
from tests.sim.spy import Spy

MS = 1_000_000  # ns


def arrived(discipline, *flows, until=0.0095):
    """Return (flow, number) of the packets behind the lossy link; each flow sends one every ms."""
    spy = Spy()
    net = Network().link("a", "b", rate=math.inf, discipline=discipline)
    net.link("b", "c", rate=math.inf, discipline=spy.discipline)
    for flow in flows or (traffic.constant(1e6),):
        net.flow(flow, path=["a", "b", "c"])
    simulated(net, until)
    return [(one.flow, one.number) for one in spy.data]


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
    spy = Spy()
    net = Network().link("a", "b", rate=math.inf, discipline=queues.aggregation("4 ms"))
    net.link("b", "c", rate=math.inf, discipline=spy.discipline).flow(traffic.constant(1e6), path=["a", "b", "c"])
    Simulation(net, rng=1).advance(0.0125)
    assert [one.time / MS for one in spy.data] == [0] + [4] * 4 + [8] * 4 + [12] * 4


@pytest.mark.parametrize("count", [1, 2])
def test_retransmissions(count):
    """Packet 5 of a file of 20 is lost once or twice; the sender repeats it until it arrives.

    Or its transmissions are named: without losses number 5 is transmission 5.
    """
    net = Network().link("a", "b", rate="8 Mbit/s", delay="5 ms", buffer=100)
    net.link("b", "a", rate="8 Mbit/s", delay="5 ms")
    net.flow("sack", path=["a", "b"], file=20_000)
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
    net = Network().link("a", "b", rate="8 Mbit/s", delay="5 ms", duplex=True, discipline=silent)
    net.flow("reno", path=["a", "b"])
    one = simulated(net, 1.0)
    assert one.state.tallies["acks_dropped"][0] > 0
    assert one.state.tallies["dropped"][0] > 0


def test_scenario_files():
    net = Network().link(
        "a", "b", rate=1e6, discipline=queues.scripted_loss(times=[["1 s", 2, 1]], packets=[[0, 1, 2]])
    )
    assert Network.from_toml(net.to_toml()) == net
    assert 'discipline = {name = "scripted-loss", packets = [[0, 1, 2]], times = [[1, 2, 1]]}' in net.to_toml()
    with pytest.raises(ValueError, match=r"scripted-loss': packets must be a list of rows, as in .* got 5"):
        Network.from_toml(net.to_toml().replace("[[0, 1, 2]]", "5"))


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ({"packets": [[0, 1]]}, TypeError, r"packets must be a list of rows \(flow, number, count\)"),
        ({"packets": [[-1, 1, 1]]}, ValueError, r"flow in packets = -1 is out of range"),
        ({"times": "1 s"}, TypeError, r"times must be a list of rows \(begin, end, every\)"),
        ({"times": [[0, 1, 0]]}, ValueError, "every in times = 0 packets is out of range"),
        ({"transmissions": [[0, k] for k in range(101)]}, ValueError, "number of rows of transmissions = 101"),
    ],
)
def test_bad_scripts(script, error, message):
    with pytest.raises(error, match=message):
        queues.scripted_loss(**script)

"""Explicit end-to-end feedback: what switches report, how the source reacts, calibration numbers."""

import math
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from longfat.sim import Network, Simulation
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.plugin import feedback
from longfat.sim.schemes import scheme
from longfat.sim.switch import explicit_feedback
from tests.sim.lab import one_link, simulated
from tests.sim.schemes.kkm import FAST, MS, SLOW, Experiment, one

NAME = "explicit-feedback"
predicted_rate = numba.njit(lambda *all: feedback.predicted_rate(*all))
RTT = 44.19  # ms: lines 44, own packets 0.18, acknowledgment 0.01


def test_the_law_by_hand():
    """The rate corrects the predicted backlog, by hand.

    10/ms, 44 ms: 440 served in a feedback delay. 40 wait and 420 come: 20 remain, 10 too many: 5 less in 44 ms. With
    300 to come nothing would wait: 5 more. Never less than a packet a feedback delay, or a tenth of the service rate
    where a feedback delay, here of 0.05 ms, serves less than ten packets.
    """
    assert predicted_rate(10.0, 40.0, 420.0, 44.0, 0.5, 10.0) == pytest.approx(10 - 5 / 44)
    assert predicted_rate(10.0, 40.0, 300.0, 44.0, 0.5, 10.0) == pytest.approx(10 + 5 / 44)
    assert predicted_rate(1.0, 400.0, 300.0, 44.0, 0.5, 10.0) == pytest.approx(1 / 44)
    assert predicted_rate(10.0, 40.0, 0.0, 0.05, 0.5, 10.0) == pytest.approx(1.0)


def test_the_start_by_hand():
    """The rate at most doubles in each feedback delay until the law asks for less."""
    row = SimpleNamespace(limit=1.0, doubles=44.0)
    limited = feedback.limited_at_start.py_func
    assert [limited(row, 5.0, now, 44.0) for now in (10.0, 44.0, 60.0, 88.0, 131.0)] == [1, 2, 2, 4, 4]
    assert limited(row, 5.0, 132.0, 44.0) == 5
    assert limited(row, 100.0, 133.0, 44.0) == 100


@pytest.mark.parametrize(("packets", "expected"), [(4, 47.1), (20, 63.1), (200, 148.8)])
def test_short_files(packets, expected):
    """Short files take the times of Kanakia, Keshav and Mishra (1992), experiment 3.

    Experiment 3, within 2 %: 1 packet/ms, 45 of them until the first acknowledgment; 2/ms, 88 of them; then 4/ms.
    """
    found = one(NAME, NAME, packets).transfer_time()
    assert found == pytest.approx(expected, rel=0.02)
    last = packets - 1.0
    if packets == 200:
        last = 2 * RTT + (199 - RTT - 2 * RTT) / 4
    assert found == pytest.approx(last + RTT, abs=0.6)


def four():
    """Return a run of three flows, and a fourth from 1 s to 2 s."""
    made = Experiment(NAME, NAME)
    sink = made.sink("D")
    for k in range(4):
        made.send(f"f{k}", [*made.host(f"H{k}"), "S2", sink], None, start=1000 if k == 3 else 0)
    return Simulation(made.net, rng=1)


def backlogs(run):
    """Return the backlog of each flow at the bottleneck [packets]."""
    return [run.state.queues[run.state.hops[int(f.first_hop) + 1].queue].packets for f in run.state.flows]


def test_the_share_two_round_trips_after_a_change():
    """A third of the link, and two round trips after the fourth's first packet a fourth, within 5 %; the set point."""
    run = four()
    run.advance(0.99)
    assert run.state.flows["rate"][:3] / SLOW == pytest.approx(np.full(3, 1 / 3), rel=0.002)
    assert backlogs(run) == pytest.approx([10, 10, 10, 0], abs=1)
    run.advance(1.02 + 2 * RTT * MS)  # it comes to the bottleneck 20 ms after 1 s
    assert run.state.flows["rate"] / SLOW == pytest.approx(np.full(4, 1 / 4), rel=0.05)
    run.advance(1.9)
    assert run.state.flows["rate"] / SLOW == pytest.approx(np.full(4, 1 / 4), rel=0.005)
    assert backlogs(run) == pytest.approx([10, 10, 10, 10], abs=1)


@pytest.mark.parametrize("rates", [(5e6, 3e6), (3e6, 5e6)])
def test_the_slowest_switch_counts(rates):
    """The slowest switch decides, wherever it is: the rate is its, with the set point as backlog."""
    net = Network()
    for tail, head, rate in zip("abc", "bcd", (FAST, *rates), strict=True):
        net.link(tail, head, rate=rate, delay=0.01, buffer=300, discipline=NAME if tail != "a" else "fifo")
        net.link(head, tail, rate=rate, delay=0.01)
    net.flow(NAME, path=list("abcd"), packet=500, parameters={"set_point": 7})
    run = simulated(net, 2.0)
    flow = run.state.flows[0]
    assert flow.rate == pytest.approx(3e6, rel=0.002)
    queues = [int(run.state.queues[run.state.hops[int(flow.first_hop) + k].queue].packets) for k in (1, 2)]
    slow = rates.index(3e6)
    assert queues[slow] == pytest.approx(7, abs=1)
    assert queues[1 - slow] <= 1


def test_the_rate_of_service():
    """A quarter of each new sample, where the flow waited; packets of 500 B, 1 ms, 2 ms and 1 ms apart."""
    state = SimpleNamespace(**explicit_feedback.SERVICE_STATE)
    packet, waits, none = SimpleNamespace(size=500), SimpleNamespace(packets=3), SimpleNamespace(packets=0)
    take, rate = explicit_feedback.record_departure.py_func, []
    for queue, time in ((waits, 0.001), (waits, 0.002), (waits, 0.004), (none, 0.005), (waits, 0.1), (waits, 0.101)):
        take(state, queue, packet, time)
        rate.append(state.rate_estimate)
    #            first sample, 1/4 of 250 kB/s, 1/4 of 500 kB/s, no sample after a pause
    expected = [0.0, 5e5, 437_500.0, 453_125.0, 453_125.0, 453_125.0 + 0.25 * (5e5 - 453_125.0)]
    assert rate == pytest.approx(expected)


def on_the_way(run):
    """Return the rows of the packets that are queued, in transmission or in propagation."""
    rows, packets = [int(one) for one in run.state.links["transmitting"] if one != records.NONE], run.state.packets
    for start in (*run.state.links["head"], *run.state.queues["head"]):
        row = int(start)
        while row != records.NONE:
            rows.append(row)
            row = int(packets[row].next)
    return rows


def test_service_rate_without_backlog():
    """C/(active flows + 1): two others flood a link, a third sends little: a third of it."""
    net = one_link(
        traffic.constant(SLOW), rate=SLOW, delay=0.01, buffer=300, discipline=NAME, back=SLOW, packet=500, count=2
    ).flow(NAME, path=["a", "b"], packet=500, parameters={"start_rate": 5e4}, start=0.1)
    run = simulated(net, 0.11)
    seen = []
    while run.now < 0.13:  # before feedback arrives
        run.advance(run.now + 1e-4)
        packets, first = run.state.packets, run.state.flows[2].first_hop
        rows = [k for k in on_the_way(run) if packets["flow"][k] == 2 and packets["hop"][k] == first]
        seen += [float(run.state.headers["x"][k, 0]) for k in rows]
    assert seen
    assert {round(one) for one in seen} == {round(SLOW / 3)}


def test_switches_without_feedback():
    """Without feedback the start rate holds, and losses do not change it."""
    net = Network().link("a", "b", rate=SLOW, delay=0.01, buffer=300, loss=0.05).link("b", "a", rate=SLOW, delay=0.01)
    net.flow(NAME, path=["a", "b"], packet=500, file="400 kB", parameters={"start_rate": 4e5})
    run = simulated(net, 3.0)
    assert run.state.flows[0].rate == 4e5
    assert run.all_done()
    assert run.state.flows[0].losses > 10
    assert scheme(NAME).parameters["start_rate"].unit == "bytes/s"
    assert not math.isfinite(run.state.flows[0].header[0])

"""Hop by hop: the calibration numbers, how a change travels upstream, and where feedback goes.

H - N1 - N2 - N3 - S1 - S2 - sink with 5, 5, 5, 5, 1 and 1 ms: a feedback packet from N1 reaches the source 10 ms after
the packet that caused it has left.
"""

import math

import numpy as np
import pytest

from longfat.sim import Network, Simulation
from longfat.sim.network import traffic
from tests.sim.lab import one_link, simulated
from tests.sim.own import of_queue
from tests.sim.schemes.kkm import FAST, MS, SLOW, Scenario, one

NAME = "hop-by-hop"
RTT = 44.3  # ms: lines 44; own packets 0.04 on five and 0.1 on the slow one; acknowledgment


@pytest.mark.parametrize(
    ("packets", "last", "printed"),
    [
        (4, 9.0, 53.1),
        # until 10.04 ms at 0, 3, 6, 9, then every 1.5 ms from 10.5 to 19.5, then every 0.75 ms
        (20, 19.5 + 9 * 0.75, 71),
    ],
)
def test_short_files(packets, last, printed):
    """Short files take the times of Kanakia, Keshav and Mishra (1992), experiment 3.

    Experiment 3: a packet every 3 ms, and twice the rate with each feedback delay of 10 ms; within 2 %.
    """
    found = one(NAME, NAME, packets, hops=3).transfer_time()
    assert found == pytest.approx(printed, rel=0.02)
    assert found == pytest.approx(last + RTT, abs=0.6)


def stepped(hops):
    """Return a run of a greedy flow; from 1 s on another one takes half of the slow link."""
    made = one(NAME, NAME, 10**6, hops=hops, delays=(5 * (hops + 1), 1, 1))
    made.net.link("X", "S1", rate=FAST, delay=0.0)
    made.net.flow(traffic.constant(0.6 * SLOW), path=["X", "S1", "S2", "D"], packet=500, start=1.0, ack_path="ideal")
    run = Simulation(made.net, rng=1)
    first = int(run.state.flows[0].first_hop)
    return run, [int(run.state.hops[first + k].queue) for k in range(1, hops + 3)]


def test_a_change_travels_upstream():
    """A change of the service rate travels upstream, hop by hop.

    The rate of each node, from S1's neighbour to the source, falls by a quarter within two feedback delays of 10 ms of
    the one behind it, and comes to 5 packets/ms; nothing of the flow is lost, and in the end ten packets wait at each.
    """
    run, queues = stepped(3)
    run.advance(1.0)
    at = [run.state.queues[q] for q in queues]
    assert [int(one.packets) for one in at[:4]] == pytest.approx([10] * 4, abs=1)
    fell = {}
    while run.now < 1.06:
        run.advance(run.now + 5e-4)
        rates = {
            "N3": of_queue(run, queues[2]).rate, "N2": of_queue(run, queues[1]).rate,
            "N1": of_queue(run, queues[0]).rate, "H": run.state.flows[0].rate,
        }  # fmt: skip
        for name, rate in rates.items():
            if rate < 0.75 * SLOW:
                fell.setdefault(name, run.now - 1.0)
    times = [fell[name] for name in ("N3", "N2", "N1", "H")]
    assert 0.005 <= times[0] < 0.01  # the way of a feedback packet is 5 ms
    assert all(0.005 <= gap <= 0.02 for gap in np.diff(times))
    run.advance(2.0)
    assert run.state.flows[0].rate == pytest.approx(SLOW / 2, rel=0.06)
    assert [float(of_queue(run, q).rate) for q in queues[:3]] == pytest.approx([SLOW / 2] * 3, rel=0.06)
    assert [int(run.state.queues[q].packets) for q in queues[:4]] == pytest.approx([10] * 4, abs=2)
    assert run.state.flows[0].dropped == 0


def test_the_bottleneck_does_not_feel_the_round_trip():
    """The peak backlog at the bottleneck does not depend on the end-to-end round-trip time.

    The backlog there after the step is what arrived in one feedback delay, at most 10 ms x 5/ms + 10, and in part of a
    second one; with 2, 4 or 8 hops before it, the same.
    """
    peaks = []
    for hops in (1, 3, 7):
        run, queues = stepped(hops)
        peak = 0
        run.advance(1.0)
        while run.now < 1.06:
            run.advance(run.now + 1e-3)
            peak = max(peak, int(run.state.queues[queues[hops]].packets))
        peaks.append(peak)
    assert max(peaks) - min(peaks) <= 3
    assert 60 <= peaks[0] <= 80


def line(first="fifo", second="fifo", **flow):
    """Return a run of a - b - c - d - e, with switches of the scheme at b and d, and rows of the queues of the flow."""
    net = Network()
    for tail, head, rate, discipline in (
        ("a", "b", FAST, first), ("b", "c", FAST, NAME), ("c", "d", FAST, second), ("d", "e", SLOW, NAME),
    ):  # fmt: skip
        net.link(tail, head, rate=rate, delay=0.003, buffer=400, discipline=discipline)
        net.link(head, tail, rate=rate, delay=0.003, buffer=400)
    net.flow(NAME, path=list("abcde"), packet=500, **flow)
    run = Simulation(net, rng=1)
    hops = run.state.hops[int(run.state.flows[0].first_hop) :][:4]
    return run, [None if hop.queue < 0 else int(hop.queue) for hop in hops]


@pytest.mark.parametrize("ack_path", ["reverse", "ideal"])
@pytest.mark.parametrize("first", ["fifo", NAME])
def test_a_switch_in_between_that_has_no_part_in_it(first, ack_path):
    """A feedback packet goes on, over c, to the last switch that has: d's to b. The sender's own link may be one."""
    run, (at_a, at_b, _, at_d) = line(first=first, ack_path=ack_path)
    run.advance(2.0)
    run.packet_counts()
    assert of_queue(run, at_b).rate == pytest.approx(SLOW, rel=0.01)
    assert of_queue(run, at_d).rate == math.inf  # the last one receives no feedback
    assert int(run.state.queues[at_d].packets) == pytest.approx(10, abs=1)
    assert int(run.state.queues[at_b].packets) == pytest.approx(10, abs=1)
    assert run.state.flows[0].rate == pytest.approx(SLOW, rel=0.05)
    if first == NAME:
        assert of_queue(run, at_a).rate == pytest.approx(SLOW, rel=0.05)
        assert int(run.state.queues[at_a].packets) == pytest.approx(10, abs=1)
    else:
        assert at_a is None


def test_the_access_link_starts_slowly_too():
    """Where the sender's own link is a switch of the scheme, the rate begins and doubles there, every 6 ms."""
    run, (at_a, *_) = line(first=NAME)
    seen = []
    while run.now < 0.03:
        run.advance(run.now + 3e-4)
        seen.append(float(of_queue(run, at_a).rate) / (500 / 3e-3))
    assert sorted({round(one, 6) for one in seen if one < 31}) == [1, 2, 4, 8, 16]


def test_feedback_packets_use_bandwidth():
    """40 B on each link of their way: beside acknowledgments b - a carries those of b, d - c and c - b those of d."""
    run, _ = line(stop=1.0)
    run.advance(1.5)
    state = run.state
    lines = dict(zip(run.assembly.link_names, state.links, strict=False))
    back = {name: int(lines[name].served) for name in ("b-a", "c-b", "d-c", "e-d")}
    assert all(int(lines[name].served_bytes) == 40 * served for name, served in back.items())
    acknowledgments = int(state.flows[0].acks_received)
    assert back["e-d"] == acknowledgments == int(state.flows[0].sent)
    assert back["d-c"] == back["c-b"]
    of_b, of_d = back["b-a"] - acknowledgments, back["d-c"] - acknowledgments
    assert of_b + of_d == int(state.row.feedback_sent) == int(state.row.feedback_received)
    # one for ten packets, at ten packets a ms; sooner only while it begins and ends
    assert of_b == pytest.approx(acknowledgments / 10, abs=10)
    assert of_d == pytest.approx(acknowledgments / 10, abs=10)


def test_one_feedback_packet_per_delay_where_little_is_sent():
    """A flow of few packets causes one feedback packet per delay.

    A packet arrives and leaves at once: that is one feedback packet, from b and from d. The next feedback delay brings
    the next.
    """
    run, _ = line(parameters={"start_rate": 25_000.0}, stop=0.005)
    run.advance(0.1)
    assert int(run.state.flows[0].sent) == 1
    assert int(run.state.row.feedback_sent) == 2


def test_nothing_is_lost_on_short_hops():
    """Experiment 10: hops of 6 us feed a bottleneck that serves a packet in 0.1 ms, beside on-off sources.

    A packet per feedback delay would be the rate of the fast link there. Backlogs stay near the set point of ten
    packets a flow instead; the buffer holds 202.
    """
    made = Scenario("10", NAME, NAME, hops=3)
    made.transfer_time("1", "2")
    assert made.run.state.flows["dropped"].sum() == 0
    assert made.run.state.links["largest_backlog"].max() < 50


def test_losses_are_retransmitted():
    run, _ = line(file=4e5)
    run.state.links["loss"][:] = 0.02
    run.advance(6.0)
    assert run.all_done()
    assert run.state.flows[0].dropped > 10
    run.packet_counts()


def test_without_switches_of_the_scheme():
    """Without switches of the scheme the start rate holds: a packet every 3 ms."""
    run = simulated(one_link(NAME, rate=SLOW, delay=0.01, duplex=True, packet=500), 0.301)
    assert int(run.state.flows[0].sent) == 101
    assert run.state.flows[0].rate * 3 * MS == pytest.approx(500)

"""Sources in the corners: phases that no gap fits, the very start of a process, losses, rows that are used again."""

import math

import numpy as np
import pytest
from scipy import stats

from longfat import testing
from longfat.sim import Network, Simulation, queues
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.queues import DROP
from longfat.sim.switch.log import Log
from tests.sim.lab import holding, one_link, simulated
from tests.sim.logbook import Logbook
from tests.sim.networks import AIMD


def times(source, until, seed=1, **options):
    """When packets leave the sources [ns]."""
    log = Log(200_000)
    net = Network().link("a", "b", rate=math.inf, discipline=log.discipline)
    simulated(net.flow(source, path=["a", "b"], **options), until, seed)
    return log.lines[:, 0]


def test_a_gap_that_no_phase_holds_evenly():
    """KKM's experiment 10: 10 Mbit/s while on, so 500 bytes each 0.4 ms; on 2.5 ms, off 1.5 ms.

    The k-th packet leaves when the source has been on for 0.4 k ms; that is off 1.5 ms for each 2.5 ms of them: 25
    packets in 16 ms, 6.25 Mbit/s, as 10 Mbit/s x 2.5/4.
    """
    found = times(traffic.on_off("10 Mbit/s", "2.5 ms", "1.5 ms"), 1.5999, packet=500)
    expected = [400_000 * k + 1_500_000 * (4 * k // 25) for k in range(2500)]
    np.testing.assert_array_equal(found, expected)


def test_phases_shorter_than_the_gap():
    """On 1 ms, off 2 ms, a packet each 2.5 ms of it: at 2.5 (3rd time on), 5 (6th, at its begin), 7.5, ... ms on."""
    found = times(traffic.on_off(2e5, 0.001, 0.002), 0.1, packet=500)
    on = 2_500_000 * np.arange(len(found))
    np.testing.assert_array_equal(found, on + 2_000_000 * (on // 1_000_000))
    assert len(found) == 14  # 100 ms: 33 whole cycles and the begin of one: 34 ms of it on


@pytest.mark.parametrize(("shape_on", "shape_off"), [(0.0, 1.0), (1.0, 1.0), (3.5, 2.5)])
def test_the_mean_rate_of_on_off(shape_on, shape_off):
    """rate x on/(on + off) within 2 %, for gaps half as long as the mean time on."""
    source = traffic.on_off(2e6, "1 ms", "3 ms", shape_on=shape_on, shape_off=shape_off)
    net = Network().link("a", "b", rate=1e9).flow(source, path=["a", "b"], packet=1000)

    def rate(seed):
        run = simulated(net, 0.5, seed)
        before = int(run.state.flows["sent"][0])
        run.advance(10.5)
        return (int(run.state.flows["sent"][0]) - before) * 1000 / 10.0

    found = testing.compare(lambda: 2e6 / 4, rate, within="2 %", power=0.999, power_at=1, rng=5)
    assert found.verdict == "agrees", found


def test_poisson_from_the_start():
    """The first packet comes after a gap, too: 2000 sources at once, their first gaps and their counts in 20 ms."""
    first = times(traffic.poisson(1e6), 1.0, packet=1000, count=2000, file=1000)
    assert len(first) == 2000
    assert stats.kstest(first, "expon", args=(0, 1e6)).pvalue > 1e-4
    run = simulated(one_link(traffic.poisson(1e6), rate=1e12, packet=1000, count=2000), 0.02)
    counts = run.state.flows["sent"]
    assert abs(counts.mean() - 20) < 4 * math.sqrt(20 / 2000)
    assert counts.var() == pytest.approx(20, rel=4 * math.sqrt(2 / 2000))  # a Poisson count's variance is its mean


def test_later_than_ever():
    """Gaps and durations beyond the length of any run: nothing comes, and nothing overflows."""
    for source in (traffic.poisson(1e-15), traffic.constant(1e-15), traffic.arrivals(1e-9, AIMD)):
        run = simulated(
            one_link(source, rate=1e6, duplex=True, count=20, file=2000), 4e9 if source.name != "arrivals" else 1e3
        )
        assert (run.state.flows["sent"] <= 1).all()
    # shape 1.001: one duration in a thousand is 700 times the mean and more, one in 10^12 longer than every run
    wild = traffic.on_off(1.0, 1e6, 1e6, shape_on=1.001, shape_off=1.001)
    run = simulated(Network().link("a", "b", rate=1e6).flow(wild, path=["a", "b"], packet=1_000_000, count=50), 4e9)
    assert (run.state.flows["sent"] <= 4001).all()


# Probes.


def test_probes_that_get_lost():
    """Each probe is for itself: after losses, too, all others are counted and their round trips measured."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, loss=0.2, duplex=True)
    run = Simulation(net.flow(traffic.probe("20 ms"), path=["a", "b"], packet=500), rng=1)
    run.advance(19.995)  # the last one has arrived, and its acknowledgment is on its way
    flow, under_way = run.state.flows[0], run.packet_counts()["acks_in_flight"]
    assert flow.sent == 1000
    assert flow.expect == flow.received == 1000 - flow.dropped
    assert abs(flow.dropped - 200) < 4 * math.sqrt(160)
    assert flow.acks_received == flow.received - flow.acks_dropped - under_way > 500
    assert flow.received_bytes == 500 * flow.received
    assert flow.srtt == pytest.approx(0.02 + 540e-6, abs=1e-9)
    assert flow.duplicate == 0
    # the path gets longer in the middle of the run: the next round trips say so
    run.state.links["delay"] += 5_000_000
    run.advance(40.0)
    assert run.state.flows[0].srtt == pytest.approx(0.03 + 540e-6, abs=1e-6)


def test_probes_see_the_queue():
    """Behind a standing queue: of forty packets of 1 ms 2.04 are on the lines, the others before the probe."""
    net = Network().link("a", "b", rate=1e6, delay=0.001, duplex=True)
    net.flow(holding(40.0), path=["a", "b"])
    net.flow(traffic.probe("20 ms"), path=["a", "b"], packet=500, start=0.5)
    run = simulated(net, 5.0)
    flow = run.state.flows[1]
    assert flow.srtt == pytest.approx(0.04 - 0.00204 + 0.002 + 540e-6, abs=1e-3)  # to one of the packets


# Connections.


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_connections_are_few(seed):
    """Rows of finished connections are reused, so that their number stays near that of concurrent connections.

    60 lossy Reno transfers start each second and last some seconds at most. Packets may still be in flight when a
    transfer is acknowledged; its row is kept until they have left.
    """
    net = Network().link("a", "b", rate=1e6, delay=0.05, buffer=30, loss=0.05, jitter="20 ms", duplex=True)
    net.flow(traffic.arrivals(60, "reno"), path=["a", "b"], file=10_000, packet=500)
    run = simulated(net, 40.0, seed)
    assert 2100 < run.state.row.connections < 2700
    assert len(run.state.flows) <= 1 + 1024
    # every row but the template's is busy, or in the list of free ones once
    flows, free, f = run.state.flows, [], int(run.state.flows[0].first_row)
    while f != records.NONE:
        free.append(f)
        f = int(flows[f].next_row)
    open_now = np.flatnonzero((flows["template"] == 0) & (flows["finish"] == records.NEVER))
    assert sorted([*free, *open_now]) == list(range(1, len(flows)))
    assert free[-1] == flows[0].last_row


def test_connections_end_with_the_flow():
    """Until `stop` only; then those that are open are carried to their end. Counts are Poisson."""
    counts = []
    for seed in range(20):
        net = one_link(traffic.arrivals(50, "reno"), rate=1e7, delay=0.01, duplex=True, file=5000, start=1.0, stop=5.0)
        run = simulated(net, 20.0, seed)
        log = run.state.connections[: run.state.row.connections]
        assert log["start"].min() > 1e9
        assert log["start"].max() < 5e9
        flows = run.state.flows
        assert ((flows["finish"] != records.NEVER) | (flows["traffic"] == records.ARRIVALS)).all()
        counts.append(len(log))
    # 20 x 200 expected; the variance of one is 200
    assert abs(sum(counts) - 4000) < 4 * math.sqrt(4000)
    assert 200 * stats.chi2.ppf(0.001, 19) / 19 < np.var(counts, ddof=1) < 200 * stats.chi2.ppf(0.999, 19) / 19


# RED and marks at a full buffer, where only the link knows what becomes of a packet.


@pytest.mark.parametrize("discipline", [queues.mark_above(2), queues.red(low=1, high=9, weight=0.5, ecn=True)])
def test_what_is_marked_arrives(discipline):
    """Twice the line's rate into a buffer of ten: as many packets arrive marked as the link has marked."""
    book = Logbook(discipline)
    net = Network().link("a", "b", rate=1e6, delay=0.01, buffer=10, discipline=book.discipline)
    net.flow(traffic.poisson(2e6), path=["a", "b"], packet=500, stop=2.0)
    run = Simulation(net, rng=1)
    run.state.senders["ect"] = 1
    run.advance(5.0)
    link, flow = run.state.links[0], run.state.flows[0]
    assert link.dropped - sum(call.verdict == DROP for call in book.calls) > 100
    assert flow.marks == link.marked > 0

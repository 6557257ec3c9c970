"""Results of runs against arithmetic by hand, on small networks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Network, Scheme, Simulation, run
from longfat.sim.network import traffic
from longfat.sim.runs import results
from tests.examples import examples
from tests.sim.lab import holding, one_link, simulated
from tests.sim.networks import AIMD, build

few = examples(15, 1000)

quiet = {"rng": 1, "progress": False}


def constant_flow(**link):
    """100 packets of 1000 B a second, on a link that sends one in 5 ms, 20 ms long."""
    return one_link(traffic.constant(100_000.0), rate=200_000.0, delay=0.02, **link, name="steady")


def test_constant_rate_by_hand():
    """10 s: packets leave at 0, 10, ... ms, 1000 of them before 10 s, one at 10 s. Each arrives 25 ms later."""
    data = run(constant_flow(), duration=10.0, **quiet)
    flow, link = data.sel(flow="steady"), data.sel(link="a-b")
    assert int(flow.sent) == 1001
    assert int(flow.delivered) == 998  # those sent until 9.975 s
    assert float(flow.goodput) == pytest.approx(998 * 1000 / 10)
    assert float(flow.mean_delay) == pytest.approx(0.025)
    assert float(flow.loss) == float(flow.dropped) == float(flow.marks) == float(flow.timeouts) == 0
    assert math.isnan(flow.transfer_time)
    # 5 ms in every 10 ms; the one that starts at 10 s counts as begun, not as sent
    assert float(link.utilisation) == pytest.approx(0.5)
    assert float(link.throughput) == pytest.approx(1001 * 1000 / 10)
    assert int(link.arrived) == 1001
    assert float(link.mean_queue) == float(link.mean_wait) == float(link.max_queue) == 0
    assert float(data.jain_index) == 1.0


def test_warm_up_by_hand():
    """Counted from 4.002 s on: sends at 4.01 ... 10 s are 600; 400 ms of 9.998 ... no remainder but the edges."""
    data = run(constant_flow(), duration=10.0, warm_up=4.002, **quiet)
    assert int(data.sent[0]) == 600
    assert int(data.delivered[0]) == 600  # arrivals 4.005 + ..: packets sent 3.98 ... 9.97 s
    assert float(data.goodput[0]) == pytest.approx(600_000 / 5.998)
    # transmissions: the rest of 4.000 to 4.005 is 3 ms, then 599 of 5 ms
    assert float(data.utilisation[0]) == pytest.approx((0.003 + 599 * 0.005) / 5.998)
    assert data.attrs["warm_up"] == 4.002


def test_copies_start_one_after_another():
    """Of 2 s the copies have 2, 1.5 and 1 s: 100 packets a second, and one at the start."""
    data = run(one_link(traffic.constant(100_000.0), rate=1e6, count=3, stagger=0.5), duration=2.0, **quiet)
    assert data.sent.values.tolist() == [201, 151, 101]


def test_the_duration_of_files_is_that_of_the_longest_replication():
    """The longest run lasts at least the mean time of the transfers; the first run with this seed is shorter."""
    net = one_link("reno", rate=1e6, delay=0.01, loss=0.05, file=50_000)
    data = run(net, replications=5, **quiet)
    assert data.attrs["duration"] >= float(data.transfer_time[0])


def overload(buffer, discipline="fifo"):
    """Two packets of 1000 B every 10 ms, 10 ms each to send: half of them too many."""
    net = Network().link("a", "b", rate=100_000.0, delay=0.0, buffer=buffer, discipline=discipline)
    net.flow(traffic.constant(100_000.0), path=["a", "b"], name="first")
    return net.flow(traffic.constant(100_000.0), path=["a", "b"], name="second", start=0.005)


@pytest.mark.parametrize("discipline", ["fifo", "fifo-departures"])
def test_queue_and_drops_by_hand(discipline):
    """Two flows of 10 ms a packet, every 10 ms, share a link with a buffer of one packet.

    At t = 0 a packet of the first flow begins. At 5 ms one of the second waits until 10 ms. At 10 ms one of the first
    finds the buffer empty, because the second begins then, and waits until 20 ms; at 15 ms the second finds it full.
    From then on the second is always dropped. The backlog is 1 from 5 ms on.
    """
    data = run(overload(1, discipline), duration=1.0, **quiet)
    assert data.sent.values.tolist() == [101, 100]
    # 95 ms ... : all of second's but the one at 5 ms are dropped
    assert data.dropped.values.tolist() == [0, 99]
    assert data.loss.values.tolist() == pytest.approx([0, 0.99])
    link = data.sel(link="a-b")
    assert float(link.link_dropped) == 99
    assert float(link.max_queue) == 1
    assert float(link.mean_queue) == pytest.approx(0.995)
    # begun until 1 s: at 0, 10, ..., 1000 ms; the integral over them
    assert float(link.mean_wait) == pytest.approx(0.995 / 101)
    assert float(link.utilisation) == pytest.approx(1.0)
    assert float(link.throughput) == pytest.approx(101_000)
    # arrivals at the far end at 10, 20, ..., 1000 ms: first, second, then first only
    assert data.delivered.values.tolist() == [99, 1]
    assert float(data.mean_delay[0]) == pytest.approx((0.01 + 98 * 0.02) / 99)
    # x = 99 over 1 s, y = 1 over 0.995 s
    x, y = 99.0, 1 / 0.995
    assert float(data.jain_index) == pytest.approx((x + y) ** 2 / (2 * (x * x + y * y)))


@pytest.mark.parametrize("discipline", ["fifo", "fifo-departures", "fair"])
def test_throughput_counts_transmissions_that_have_begun(discipline):
    """50 packets at once at 1000 B in 10 ms: after 95 ms ten have begun; 50 admitted are not 50 sent."""
    net = Network().link("a", "b", rate=100_000.0, buffer=100, discipline=discipline).link("b", "a", rate=1e6)
    data = run(net.flow(holding(50.0), path=["a", "b"], file="50 kB"), duration=0.095, **quiet)
    assert float(data.throughput.sel(link="a-b")) == pytest.approx(10_000 / 0.095)
    assert float(data.utilisation.sel(link="a-b")) == pytest.approx(1.0)
    # 49, 48, ..., 40 wait, 10 ms each, the last 5 ms
    assert float(data.mean_queue.sel(link="a-b")) == pytest.approx((sum(range(41, 50)) * 0.01 + 40 * 0.005) / 0.095)
    assert float(data.max_queue.sel(link="a-b")) == 49


def test_one_file_by_hand():
    """Three packets, window 1: three round trips of 1 + 10 + 0.04 + 10 ms, from a start at 0.5 s."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, duplex=True)
    net.flow(Scheme("one", ack=lambda flow, event: 1.0), path=["a", "b"], file=2500, start=0.5, name="file")
    data = run(net, **quiet)
    flow = data.sel(flow="file")
    assert float(flow.transfer_time) == pytest.approx(3 * 0.02104, rel=1e-12)
    assert float(flow.goodput) == pytest.approx(3000 / (3 * 0.02104))
    assert (int(flow.sent), int(flow.delivered), int(flow.retransmitted), int(flow.connections)) == (3, 3, 0, 1)
    assert float(flow.mean_delay) == pytest.approx(0.011)
    assert data.attrs["duration"] == pytest.approx(0.5 + 3 * 0.02104)
    link = data.sel(link="a-b")
    assert float(link.utilisation) == pytest.approx(0.003 / (0.5 + 3 * 0.02104))


def test_a_burst_that_stops_has_no_more_goodput_than_its_link():
    """100 packets of 1000 B at once at 100 kB/s, and nothing after 1 ms: the last one arrives after 1 s + 10 ms."""
    net = one_link("reno", rate=100_000.0, delay=0.01, duplex=True, stop=0.001, parameters={"initial_window": 100.0})
    data = run(net, duration=10.0, **quiet)
    assert int(data.sent[0]) == 100
    assert float(data.goodput[0]) == pytest.approx(100_000 / 1.01, rel=1e-9)
    late = run(net, duration=10.0, warm_up=0.9, **quiet)
    # of the k-th arrival at 10 (k + 1) + 10 ms, those after 0.9 s: k = 89 ... 99
    assert float(late.goodput[0]) == pytest.approx(11_000 / 0.11, rel=1e-9)


def test_loss_of_packets_sent_before_the_warm_up():
    """Losses count when the packet is dropped, whenever it was sent.

    Packets leave a at 0, 10, ..., 990 ms and reach b at 1001 + 10 k ms, where one takes 20 ms and none may wait: of
    every two the second is dropped. After 1.5 s: k = 51, 53, ..., 99 are dropped, 25 of them; k = 48, 50, ..., 98
    arrive at c, the first at 1501 ms, 26 of them. Nothing is sent then.
    """
    net = Network().link("a", "b", rate=1e6, delay=1.0).link("b", "c", rate=50_000.0, buffer=0)
    net.flow(traffic.constant(100_000.0), path=["a", "b", "c"], stop=1.0)
    data = run(net, duration=3.0, warm_up=1.5, **quiet)
    assert int(data.sent[0]) == 0
    assert int(data.dropped[0]) == 25
    assert float(data.loss[0]) == pytest.approx(25 / 51)


@pytest.mark.parametrize("discipline", ["fifo", "fifo-departures", "fair", "bit-round"])
def test_waits_of_an_overload_by_hand(discipline):
    """Mean waits are over packets whose transmission has begun; those in the backlog have no wait yet.

    The n-th packet arrives at 5 n ms, and begins at 10 n ms. Until 1 s n = 0 ... 100 have begun, after 5 n ms each, 250
    ms on average; in the second half n = 51 ... 100, 377.5 ms.
    """
    integer = run(overload(None, discipline), duration=1.0, **quiet)
    assert float(integer.mean_wait[0]) == pytest.approx(0.25, rel=1e-9)
    late = run(overload(None, discipline), duration=1.0, warm_up=0.5, **quiet)
    assert float(late.mean_wait[0]) == pytest.approx(0.3775, rel=1e-9)


def test_replications_where_nothing_is_random():
    """One run, NaN for the limits, and attributes that say why; a lossy link makes them random."""
    data = run(constant_flow(), duration=1.0, replications=3, **quiet)
    assert (data.attrs["deterministic"], data.attrs["replications"], data.attrs["replications_asked"]) == (1, 1, 3)
    assert int(data.sent[0]) == 101
    assert math.isnan(data.sent_lower[0])
    assert math.isnan(data.sent_upper[0])
    lossy = run(constant_flow(loss=0.1), duration=1.0, replications=3, **quiet)
    assert (lossy.attrs["deterministic"], lossy.attrs["replications"]) == (0, 3)
    assert float(lossy.dropped_lower[0]) < float(lossy.dropped[0]) < float(lossy.dropped_upper[0])
    assert "sent_lower" not in run(constant_flow(), duration=1.0, **quiet)


@pytest.mark.parametrize("discipline", ["fifo", "fifo-departures", "fair"])
def test_waits_behind_another_link_by_hand(discipline):
    """Waiting time begins with the arrival at the link, not at the sender.

    Three packets at once, 1 ms each to b, where each takes 10 ms: they arrive there at 101, 102 and 103 ms, begin at
    101, 111 and 121 ms, and wait 0, 9 and 18 ms.
    """
    net = Network().link("a", "b", rate=1e6, delay=0.1).link("b", "c", rate=100_000.0, discipline=discipline)
    data = run(net.flow(holding(3.0), path=["a", "b", "c"], file=3000, ack_path="ideal"), **quiet)
    assert float(data.mean_wait.sel(link="b-c")) == pytest.approx(0.009, rel=1e-9)


@few
@given(seed=st.integers(0, 10**6), begin=st.floats(0, 0.9), until=st.floats(0.05, 1.0))
def test_every_column_is_possible(seed, begin, until):
    """Random networks, cut anywhere: fractions are in [0, 1], no mean time exceeds the run, packets are conserved."""
    one = simulated(build(seed), begin, seed)
    before = results.snapshot(one)
    one.advance(begin + until)
    one.packet_counts()
    found = results.measure(one, before, results.snapshot(one))
    known = {name: values[~np.isnan(values)] for name, values in found.items()}
    # Links that hold packets back count each of them to a nanosecond (census.untransmitted); the largest excess among
    # 151 seeds was 3 ns. Fewer than 100 packets are on a link of these networks at once.
    resolution = {"utilisation": 100e-9 / until}
    for name in ("loss", "utilisation", "fairness", "jain_index"):
        assert (known[name] >= 0).all()
        assert (known[name] <= 1 + resolution.get(name, 1e-9)).all(), name
    for name in ("mean_wait", "mean_delay", "transfer_time"):
        assert (known[name] >= 0).all()
        assert (known[name] <= begin + until + 1e-9).all(), name
    for name, values in known.items():
        assert np.isfinite(values).all(), name
        assert (values >= 0).all(), name
    links = list(one.state.link_names)
    rates = np.array([link.rate for link in build(seed).links.values()])
    assert len(links) == len(rates)
    largest = 1_000_000  # bytes: a packet in transmission at the beginning counts in full
    assert (known["goodput"] * until <= rates.max() * until + largest).all()


@pytest.mark.parametrize(
    ("values", "name", "lower", "upper"),
    [
        # Student's factor of two runs is 12.706: 0.95 +- 12.706*0.05 and 0.15 +- 12.706*0.05.
        ((0.9, 1.0), "jain_index", 0.315, 1.0),
        ((0.9, 1.0), "utilisation", 0.315, 1.0),
        ((0.9, 1.0), "goodput", 0.315, 1.585),
        ((0.1, 0.2), "goodput", 0.0, 0.785),
        ((0.1, 0.2), "mean_queue", 0.0, 0.785),
        ((0.1, 0.2), "loss", 0.0, 0.785),
    ],
)
def test_intervals_stay_in_the_range_of_their_quantity(values, name, lower, upper):
    samples = [dict.fromkeys(results.QUANTITIES, np.array([value])) for value in values]
    made = results.over_replications(samples, 0.95, True)
    assert made[f"{name}_lower"] == pytest.approx(lower, abs=1e-3)
    assert made[f"{name}_upper"] == pytest.approx(upper, abs=1e-3)


def test_values_that_do_not_exist_are_nan():
    """Values are NaN only for an unfinished file, a flow that never began, and a link without packets."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, duplex=True).link("b", "c", rate=1e6, duplex=True)
    net.flow(AIMD, path=["a", "b"], file="10 MB", name="long")
    net.flow(AIMD, path=["a", "b"], file="10 MB", name="later", start=5.0)
    data = run(net, duration=1.0, **quiet)
    none = {(name, str(at)) for name, array in data.items() for at in (array.dims and array[array.dims[0]].values)
            if np.isnan(array.sel({array.dims[0]: at}))}  # fmt: skip
    assert none == {
        ("transfer_time", "long"), ("transfer_time", "later"), ("goodput", "later"), ("loss", "later"),
        ("mean_delay", "later"), ("mean_wait", "b-c"), ("mean_wait", "c-b"), ("fairness", "long"),
        ("fairness", "later"),
    }  # fmt: skip
    assert not math.isnan(data.jain_index)


def test_jitter_is_no_transmission():
    """100 packets/s of 1 ms, held back up to 4 ms each: the link is busy a tenth of the time, whenever one looks."""
    one = Simulation(one_link(traffic.constant(100_000.0), rate=1e6, delay=0.01, jitter=0.004), rng=1)
    for until in (0.0005, 0.002, 0.0035, 0.5, 0.5012, 0.9999):
        one.advance(until)
        done = results.snapshot(one).census["transmitted"][0]
        integer = math.floor(until * 100 + 1e-9)
        assert integer * 1e6 <= done <= (integer + 1) * 1e6
    assert results.snapshot(one).census["transmitted"][0] == 100e6


def test_traces_by_hand():
    """Window 50 at once, 10 ms each: every 100 ms ten fewer wait; the time begins at 0."""
    net = one_link(holding(50.0), rate=100_000.0, buffer=100, back=1e9, file="50 kB", name="burst")
    data = run(net, duration=0.52, sample_every=0.1, **quiet)
    assert data.time.values.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])
    # At 100 ms the eleventh begins: 39 wait. At 0 the flow has not begun when the sample is taken, or has.
    assert data.queue_trace.sel(link="a-b").values[1:].tolist() == [39, 29, 19, 9, 0]
    # At 100 ms: ten packets, or nine if the sample is taken before the tenth of that very time
    assert np.abs(data.received_trace.sel(flow="burst").values[1:] - 1000 * np.arange(10, 51, 10)).max() <= 1000
    assert data.window_trace.values[1:].tolist() == [[50.0]] * 5
    assert data.rate_trace.attrs["units"] == "bytes/s"
    assert set(data.time.dims) == {"time"}


def test_no_window_before_the_start():
    """Copies that start at 0.2 and 0.35 s, sampled every 0.1 s: windows from the samples at 0.2 and 0.4 s on."""
    net = one_link(AIMD, rate="8 Mbit/s", delay="10 ms", duplex=True, start=0.2, stagger=0.15, count=2)
    window = run(net, duration=0.6, sample_every=0.1, **quiet).window_trace
    assert window.sizes["time"] == 7  # though 0.6/0.1 is 5.999999999999999
    assert np.isnan(window.values).sum(0).tolist() == [2, 4]
    assert (window.values[-1] > 1).all()


def test_units_and_names():
    data = run(build(2), duration=0.5, replications=2, **quiet)
    for name, (dim, unit, description) in results.QUANTITIES.items():
        for shown in (name, f"{name}_lower", f"{name}_upper"):
            assert data[shown].attrs == {"units": unit, "long_name": description}
            assert data[shown].dims == (() if dim is None else (dim,))
        # The mean lies in the middle, whatever the values, unless a limit is cut at 0 or 1
        low, high = data[f"{name}_lower"], data[f"{name}_upper"]
        cut = (low == 0) | ((high == 1) & (name in results.SHARES))
        np.testing.assert_allclose(((low + high) / 2).where(~np.asarray(cut)), data[name].where(~np.asarray(cut)),
                                   rtol=1e-9, atol=1e-12)  # fmt: skip
    assert {"network", "duration", "warm_up", "replications", "confidence", "entropy", "events", "version"} <= set(
        data.attrs
    )
    assert (data.attrs["entropy"], data.attrs["replications"]) == ("1", 2)

"""Changes of a network that leave its results the same: scaling, shifting, relabelling, unused additions."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from longfat.sim import Network, Simulation
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.runs import run_state
from tests.examples import examples
from tests.sim.lab import simulated
from tests.sim.networks import AIMD, DISCIPLINES, EAGER, build
from tests.sim.own import arrived

COUNTED = [name for names in run_state.COUNTERS.values() for name in names]
COUNTS = (*(name for name in COUNTED if name not in ("delay", "last_arrival")), "una", "expect", "high")
NEVER = np.iinfo(np.int64).max
TICKS = 10  # ns: timeouts are rounded to a tick, and a few may follow one another
seeds = st.integers(0, 10**6)
usual = examples(10, 200)
# Decided by what arrives alone: no clock of their own that begins at time 0.
PLAIN = ["fifo", "fifo-departures", "fair", "round-robin", "priority-discard", "mark-above"]
TRANSFERS = ["tahoe", "reno", "newreno", "sack", AIMD, EAGER]


def transfers(seed, **options):
    """Return a random network without random traffic, whose results depend only on the start times."""
    net = build(seed, jitter=False, lossy=False, **options)
    net.flows = [flow for flow in net.flows if flow.traffic is None]
    assume(net.flows)
    return net


def rows(run):
    """Return counters, total delay and completion time [ns] of every flow, by its name."""
    names = run.assembly.flow_names
    return {
        name: ([int(flow[one]) for one in COUNTS], int(flow["delay"]), int(flow["finish"]))
        for name, flow in zip(names, run.state.flows, strict=False)
    }


def agree(left, right, shift=0, factor=1, ticks=0):
    """Assert equal counters, and equal times [ns] after shifting and scaling, within a tolerance."""
    assert left.keys() == right.keys()
    for name, (counts, delay, time) in left.items():
        other, others_delay, end = right[name]
        assert counts == other, name
        assert abs(factor * delay - others_delay) <= ticks * counts[COUNTS.index("received")], name
        assert (time == NEVER) == (end == NEVER), name
        assert time == NEVER or abs(factor * time + shift - end) <= ticks, name


@usual
@given(seed=seeds)
def test_flows_in_another_order(seed):
    """Relabelled flows have permuted results, unless the number of a flow decides its queue."""
    options = {"known": TRANSFERS, "disciplines": [one.name for one in DISCIPLINES if one.name != "fq-codel"]}
    net, other = transfers(seed, **options), transfers(seed, **options)
    other.flows = other.flows[::-1]
    agree(rows(simulated(net, 1.0)), rows(simulated(other, 1.0)))


@usual
@given(seed=seeds)
def test_idle_flows_and_links_change_nothing(seed):
    """A flow that begins after the end, over the same links, and an unused link change nothing.

    By default VirtualClock gives every flow of the network an equal share, also those that send nothing. The number of
    a flow decides its queue in FQ-CoDel, and connections are numbered behind all flows.
    """
    names = [one.name for one in DISCIPLINES if one.name != "virtual-clock"]
    net, other = build(seed, disciplines=names), build(seed, disciplines=names)
    hashed = any(link.discipline.name == "fq-codel" for link in net.links.values())
    assume(not (hashed and any(flow.traffic and flow.traffic.name == "arrivals" for flow in net.flows)))
    other.link("nobody", "nowhere", rate=1e6, delay=0.01)
    other.flow(AIMD, path=list(other.flows[0].path), start=50.0, name="idle")
    plain, beside = simulated(net, 1.0), simulated(other, 1.0)
    agree(rows(plain), {name: row for name, row in rows(beside).items() if name != "idle"})
    count = len(plain.assembly.link_names)
    np.testing.assert_array_equal(arrived(plain)[:count], arrived(beside)[:count])
    for name in ("dropped", "served", "largest_backlog"):
        np.testing.assert_array_equal(plain.state.links[name][:count], beside.state.links[name][:count], name)


@usual
@given(seed=seeds, shift=st.sampled_from([0.5, 1.0, 7.25]))
def test_all_starts_later(seed, shift):
    """If all flows start later, every event is later by the same time."""
    options = {"known": TRANSFERS, "disciplines": PLAIN}
    net, later = transfers(seed, **options), transfers(seed, **options)
    later.flows = [replace(flow, start=flow.start + shift) for flow in later.flows]
    ticks = round(shift * records.SECOND)
    agree(rows(simulated(net, 1.0)), rows(simulated(later, 1.0 + shift)), shift=ticks, ticks=TICKS)


def scaled(factor, sizes, delay, buffer, rate):
    """Return files of AIMD and Reno on two links, with all times multiplied by the factor."""
    net = Network().link("a", "b", rate=rate / factor, delay=factor * delay, buffer=buffer, duplex=True)
    net.link("b", "c", rate=2 * rate / factor, delay=factor * delay / 2, duplex=True)
    for k, packets in enumerate(sizes):
        scheme = (AIMD, "reno", "newreno", "sack")[k % 4]
        net.flow(scheme, path=["a", "b", "c"], file=1000 * packets, start=factor * 0.0123 * k, name=f"f{k}")

    run = Simulation(net, rng=1)
    for name in ("rto", "min_rto", "max_rto", "granularity"):
        run.state.timers[name] *= factor
    run.advance(factor * 4.0)
    run.packet_counts()
    return run


@usual
@given(
    sizes=st.lists(st.integers(1, 150), min_size=1, max_size=5),
    delay=st.sampled_from([0.002, 0.01, 0.05]),
    buffer=st.integers(2, 20),
    rate=st.sampled_from([5e4, 2e5, 1e6]),
)
def test_a_slower_clock(sizes, delay, buffer, rate):
    """Delays, timeouts and transmission times doubled: the same packets, every time doubled."""
    plain, slow = (rows(scaled(factor, sizes, delay, buffer, rate)) for factor in (1, 2))
    agree(plain, slow, factor=2, ticks=TICKS)


@usual
@given(
    rates=st.lists(st.sampled_from([2e4, 5e4, 1e5, 3e5]), min_size=2, max_size=4, unique=True),
    discipline=st.sampled_from(["fair", "round-robin"]),
)
def test_every_flow_twice_on_twice_the_capacity(rates, discipline):
    """The shares of a fair queue stay the same, within two packets of the round in which the run ends."""
    served = []
    for copies in (1, 2):
        net = Network().link("a", "b", rate=copies * 1e5, delay=0.001, buffer=400, discipline=discipline)
        for k, rate in enumerate(rates):
            net.flow(traffic.constant(rate), path=["a", "b"], count=copies, name=f"f{k}", start=0.001237 * k)
        run = simulated(net, 4.0)
        counts = run.state.flows["received"][: copies * len(rates)].reshape(len(rates), copies)
        served.append(counts)
    assert (np.abs(served[1] - served[0]) <= 2).all()
    assert served[0].sum() > 50

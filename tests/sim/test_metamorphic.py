"""Changes of a network that leave its results the same: relabelling, unused additions."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from longfat.sim.runs import run_state
from tests.examples import examples
from tests.sim.lab import simulated
from tests.sim.networks import AIMD, DISCIPLINES, EAGER, build
from tests.sim.own import arrived

COUNTED = [name for names in run_state.COUNTERS.values() for name in names]
COUNTS = (*(name for name in COUNTED if name not in ("delay", "last_arrival")), "una", "expect", "high")
seeds = st.integers(0, 10**6)
usual = examples(10, 200)
TRANSFERS = ["tahoe", "reno", "newreno", "sack", AIMD, EAGER]


def transfers(seed, **options):
    """Return a random network without random traffic, whose results depend only on the start times."""
    net = build(seed, jitter=False, lossy=False, **options)
    net.flows = [flow for flow in net.flows if flow.traffic is None]
    assume(net.flows)
    return net


def rows(run):
    """Return counters, total delay and completion time [ns] of every flow, by its name."""
    names = run.state.flow_names
    return {
        name: ([int(flow[one]) for one in COUNTS], int(flow["delay"]), int(flow["finish"]))
        for name, flow in zip(names, run.state.flows, strict=False)
    }


@usual
@given(seed=seeds)
def test_flows_in_another_order(seed):
    """Relabelled flows have permuted results, unless the number of a flow decides its queue."""
    options = {"known": TRANSFERS, "disciplines": [one.name for one in DISCIPLINES if one.name != "fq-codel"]}
    net, other = transfers(seed, **options), transfers(seed, **options)
    other.flows = other.flows[::-1]
    assert rows(simulated(net, 1.0)) == rows(simulated(other, 1.0))


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
    assert rows(plain) == {name: row for name, row in rows(beside).items() if name != "idle"}
    count = len(plain.state.link_names)
    np.testing.assert_array_equal(arrived(plain)[:count], arrived(beside)[:count])
    for name in ("dropped", "served", "largest_backlog"):
        np.testing.assert_array_equal(plain.state.links[name][:count], beside.state.links[name][:count], name)

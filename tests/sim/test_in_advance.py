"""Arrivals computed in advance do not change results: a run in steps gives those of a single call.

A run in steps is observed at the end of each, and so computes less in advance; a run that ends with its files computes
nothing in advance.
The networks have links that only one other link feeds, links where several meet, flows without acknowledgments, buffers
that overflow behind a shared link, and requests for counters.
"""

from dataclasses import replace

import numpy as np
import pytest

from longfat import sim
from longfat.sim import queues
from longfat.sim.kernel.records import AT_ARRIVAL
from longfat.sim.network import traffic
from longfat.sim.runs import results
from tests.sim.lab import one_link


def several():
    net = sim.Network().link("a", "b", rate="8 Mbit/s", delay="7 ms", buffer=20)
    net.link("b", "a", rate="2 Mbit/s", delay="9 ms")
    net.flow("reno", path=["a", "b"], count=3, stagger=0.013)
    return net.flow("sack", path=["a", "b"], start=0.1, packet=700)


def star():
    net = (
        sim.Network()
        .link("a", "b", rate="8 Mbit/s", delay="5 ms", buffer=30)
        .link("b", "a", rate="3 Mbit/s", delay=0.006)
    )
    for k in range(4):
        net.link(f"s{k}", "a", rate="6 Mbit/s", delay=0.001 * (k + 1), duplex=True)
        # The last one is slower than the link before it, and has a small buffer.
        net.link("b", f"d{k}", rate=f"{4 - k} Mbit/s", delay=0.002, buffer=4)
        net.link(f"d{k}", "b", rate="9 Mbit/s", delay=0.0017 * (k + 1))
        net.flow("newreno", path=[f"s{k}", "a", "b", f"d{k}"], start=0.03 * k)
    return net.flow(traffic.poisson("1 Mbit/s"), path=["s1", "a", "b", "d1"])


def chain():
    net = sim.Network.chain(4, rate="5 Mbit/s", delay="3 ms", buffer=25)
    net.flow("tfrc", path=["n0", "n1", "n2", "n3", "n4"])
    net.flow("cadpc", path=["n0", "n1", "n2", "n3", "n4"])
    net.flow("reno", path=["n1", "n2"], ack_path="ideal")
    net.flow(traffic.on_off("3 Mbit/s", "20 ms", "30 ms", shape_on=1), path=["n2", "n3", "n4"])
    return net.flow(traffic.arrivals(5, "reno"), path=["n0", "n1", "n2"], file="20 kB")


def changing():
    net = several()
    for pair, link in net.links.items():
        changes = tuple((0.1 + 0.17 * k, link.rate / (1 + k % 4)) for k in range(40))
        net.links[pair] = replace(link, rate_changes=changes)
    return net


def queued(discipline="codel"):
    """Return a star whose shared links have a service, so that ends of transmissions are events."""
    net = star()
    for pair in (("a", "b"), ("b", "d0"), ("b", "d3")):
        net.links[pair] = replace(net.links[pair], discipline=queues.discipline(discipline))
    return net


def delayed():
    """Return flows with different delays of acknowledgments over one link each way, some of which expire."""
    net = sim.Network().link("a", "b", rate="8 Mbit/s", delay="7.003 ms", buffer=20)
    net.link("b", "a", rate="2.1 Mbit/s", delay="9.001 ms", buffer=8)
    net.flow("cubic", path=["a", "b"], count=3, stagger=0.0131)
    net.flow("sack", path=["a", "b"], packet=700, parameters={"delayed_ack": 3, "ack_delay": 0.0053, "rack": 1})
    return net.flow("reno", path=["a", "b"], parameters={"delayed_ack": 2, "ack_delay": 0.0021, "quick_acks": 50})


def delayed_star(scheme="cubic"):
    """Return a star of flows with delayed acknowledgments, some of them connections, and flows without."""
    net = star()
    for k in range(4):
        delay = {"ack_delay": 0.00310013 * (k + 1)}  # no multiple of the time between two packets
        net.flow(scheme, path=[f"s{k}", "a", "b", f"d{k}"], start=0.011 * k, parameters=delay)
    return net.flow(traffic.arrivals(5, scheme), path=["s0", "a", "b", "d0"], file="20 kB")


def round_numbers(*delays):
    """Return flows whose delayed acknowledgments are due as packets arrive: a packet and the link take 1 ms each."""
    net = sim.Network().link("a", "b", rate="12 Mbit/s", delay="1 ms", buffer=20, duplex=True)
    for k, delay in enumerate(delays):
        net.flow("cubic", path=["a", "b"], packet=1500, start=0.001 * k, parameters={"ack_delay": delay})
    return net


def delayed_to_a_queue():
    """Return flows whose delayed acknowledgments are known in advance, but not when they leave the next link."""
    net = sim.Network().link("a", "b", rate="12 Mbit/s", delay="7.003 ms", buffer=20)
    net.link("b", "a", rate="2.1 Mbit/s", delay="9.001 ms", buffer=8, discipline="red")
    return net.flow("cubic", path=["a", "b"], count=3, stagger=0.0131, parameters={"ack_delay": 0.0031})


NETWORKS = {
    "delayed": delayed,
    "delayed to a queue": delayed_to_a_queue,
    "delayed star": delayed_star,
    "delayed, marked": lambda: delayed_star("dctcp"),
    "delayed, round": lambda: round_numbers(0.04, 0.04, 0.04, 0.04),
    "delayed, round and different": lambda: round_numbers(0.04, 0.01, 0.02),
    "one link": several,
    "star": star,
    "chain": chain,
    "changing rates": changing,
    "queued": queued,
    "fair": lambda: queued("fair"),
    "application": lambda: one_link(
        "reno", rate=1e6, delay="5 ms", duplex=True, buffer=5, count=3,
        application=traffic.on_off(1e6, 0.1, 0.2, shape_on=1, shape_off=1.5),
    ),
}  # fmt: skip


def counts(run):
    """Return all counters of flows and links, by name."""
    seen = results.snapshot(run)
    flows, connections = np.split(run.state.flows, [len(run.state.flow_names)])
    for name in results.ADDED:
        np.add.at(flows[name], connections["template"], connections[name])
    links = run.state.links[: len(run.state.link_names)]
    found = {f"flow {name}": flows[name] for name in flows.dtype.names if name not in NOT_SEEN}
    found |= {f"flow {name}": values for name, values in seen.flows.items() if name not in NOT_SEEN}
    found |= {f"link {name}": links[name] for name in ("dropped", "dropped_bytes", "largest_backlog", "marked")}
    return (
        found
        | {f"link {name}": seen.census[name] for name in seen.census.dtype.names}
        | {"packet counts": run.packet_counts()}
    )


#: Rows of pools, which depend on the order in which packets were taken.
NOT_SEEN = (
    "blocks_head", "blocks_tail", "outstanding_head", "outstanding_tail", "lost_head", "lost_tail",
    "last_stamps", "armed_ns", "packet", "first_row", "last_row", "next_row", "reported_blocks",
    "waiting", "previous", "behind",
)  # fmt: skip


def compare(one, other):
    for name, values in one.items():
        if name == "packet counts":
            assert values == other[name]
        else:
            np.testing.assert_array_equal(values, other[name], err_msg=name)


@pytest.mark.parametrize("name", NETWORKS)
def test_four_ways_find_the_same(name):
    """At once, with at least a fifth more events if nothing is computed in advance; in steps, and with samples."""
    net, every = NETWORKS[name](), 0.00171
    at_once, in_steps, at_arrival = (sim.Simulation(net, rng=3) for _ in range(3))
    sampled = sim.Simulation(net, rng=3, sample_every=every, duration=3.0)
    at_arrival.state.hops["in_advance"] = AT_ARRIVAL
    at_once.advance(3.0)
    sampled.advance(3.0)
    received = sampled.state.flow_samples["received_bytes"].reshape(-1, int(sampled.state.row.sampled_flows))
    samples = {k * every - 1e-9: received[k] for k in (10, 200, 500, 1000)}
    for time in sorted([0.001, 0.05, 0.0517, 0.3, 0.9, 0.90001, 1.7, 3.0, *samples]):
        in_steps.advance(time)
        at_arrival.advance(time)
        compare(counts(at_arrival), counts(in_steps))
        if time in samples:
            seen = in_steps.state.receivers["received_bytes"][: received.shape[1]]
            np.testing.assert_array_equal(samples[time], seen)
    for one in (in_steps, sampled):
        compare(counts(at_once), counts(one))
    assert 1.2 * at_once.state.row.events < at_arrival.state.row.events


def test_files_end_as_they_do_where_arrivals_are_computed_in_advance():
    def net():
        made = sim.Network().link("a", "b", rate="8 Mbit/s", delay="7 ms", buffer=20, duplex=True)
        return made.flow("reno", path=["a", "b"], count=3, stagger=0.013, file="300 kB")

    by_itself, long = sim.Simulation(net(), rng=1), sim.Simulation(net(), rng=1)
    by_itself.advance(100.0, to_the_end=True)
    long.advance(100.0)
    assert by_itself.now < 10.0
    np.testing.assert_array_equal(by_itself.state.tallies["finish"], long.state.tallies["finish"])


def test_deferred_arrivals_take_no_more_rows_than_there_are():
    """After a step every packet in flight is deferred: a hundred flows, each with a hole at its receiver."""
    net = sim.Network().link("a", "b", rate="80 Mbit/s", delay="20 ms", buffer=100, duplex=True)
    net.flow("tahoe", path=["a", "b"], count=100, stagger=0.0001, packet=200)
    at_once, in_steps = sim.Simulation(net, rng=3), sim.Simulation(net, rng=3)
    at_once.advance(1.0)
    for k in range(1, 101):
        in_steps.advance(k / 100)
    compare(counts(at_once), counts(in_steps))


@pytest.mark.parametrize("ways", ["in advance", "sampled", "nothing in advance"])
def test_delayed_acknowledgments_come_last_at_their_time(ways):
    """By hand: at 12 ms "third" arrives and is acknowledged, then the two that are due, in the order of flows.

    A packet takes 1 ms and the link 1 ms; the acknowledgments take 4 ms each and 1 ms. They arrive at 17 ms, 21 ms and
    25 ms, and that of "fourth", which arrives at 13 ms, at 29 ms.
    """
    net = sim.Network().link("a", "b", rate="8 Mbit/s", delay="1 ms").link("b", "a", rate="80 kbit/s", delay="1 ms")
    flows = {"first": (0.002, 2, 0.008), "second": (0.0, 2, 0.01), "third": (0.01, 1, 0.04), "fourth": (0.011, 1, 0.04)}
    for name, (start, every, delay) in flows.items():
        parameters = {"delayed_ack": every, "ack_delay": delay}
        net.flow("reno", path=["a", "b"], packet=1000, ack=40, start=start, name=name, parameters=parameters)
    run = sim.Simulation(net, **({"sample_every": 0.001, "duration": 0.03} if ways == "sampled" else {}))
    if ways == "nothing in advance":
        run.state.hops["in_advance"] = AT_ARRIVAL
    run.advance(0.0295)
    np.testing.assert_allclose(run.state.timers["srtt"], [0.021 - 0.002, 0.025, 0.017 - 0.01, 0.029 - 0.011], rtol=1e-9)

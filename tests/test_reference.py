"""The simulator against its definition in one file (`tests.reference`), to the last bit."""

import runpy
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.cli import main
from longfat.sim import Network, Simulation
from longfat.sim.kernel.records import AT_ARRIVAL, DONE, NEVER, NONE, PAUSED
from tests import reference
from tests.examples import examples
from tests.sim.own import of_flow

PARAMETERS = {
    "initial_window": st.sampled_from([1.0, 2.0, 4.5, 10.0]),
    "initial_ssthresh": st.sampled_from([2.0, 8.0, 1e300]),
    "duplicate_threshold": st.sampled_from([1.0, 3.0]),
    "ssthresh_floor": st.sampled_from([1.0, 2.0]),
    "bugfix": st.sampled_from([0.0, 1.0]),
    "first_rto": st.sampled_from([0.1, 1.0]),
    "min_rto": st.sampled_from([0.002, 0.03, 0.2]),
    "max_rto": st.sampled_from([0.3, 60.0]),
    "granularity": st.sampled_from([0.0, 0.001, 0.01]),
    "timestamps": st.sampled_from([0.0, 1.0]),
    "delayed_ack": st.sampled_from([2.0, 3.0]),
    "ack_delay": st.sampled_from([0.0021, 0.0177, 0.04]),
    "quick_acks": st.sampled_from([0.0, 7.0]),
}


def numbers(low, high):
    """Draw numbers of three digits, so that printed examples are short and many times coincide."""
    return st.floats(low, high).map(lambda x: min(max(float(f"{x:.3g}"), low), high))


@st.composite
def networks(draw, odd=0.0):
    """Draw a network with drop tail and Reno alone; `odd` is added to times, in multiples, so that none coincide."""
    net, nodes = Network(), [f"n{k}" for k in range(draw(st.integers(1, 3)) + 1)]
    pairs = [pair for hop in pairwise(nodes) for pair in (hop, hop[::-1])]
    for k, pair in enumerate(pairs):
        size = draw(st.integers(1, 30))
        rate, delay = draw(numbers(5e4, 1e6)) + odd * 1e6 * k, draw(numbers(0.001, 0.05)) + odd * k
        net.link(*pair, rate=rate, delay=delay, buffer=size if draw(st.booleans()) else f"{size * 1500} B")
    for k in range(draw(st.integers(1, 5))):
        first = draw(st.integers(0, len(nodes) - 2))
        net.flow(
            "reno", path=nodes[first : draw(st.integers(first + 1, len(nodes) - 1)) + 1],
            file=draw(st.none() | st.integers(1000, 200_000)), start=draw(numbers(0, 0.2)) + odd * k,
            stop=draw(st.sampled_from([float("inf"), 0.25])), count=draw(st.integers(1, 2)), stagger=odd * 100,
            packet=draw(st.integers(100, 1500)), ack=draw(st.integers(20, 80)),
            access_rate=draw(st.just(float("inf")) | numbers(1e5, 2e6)),
            ack_path=draw(st.sampled_from(["reverse", "ideal"])),
            parameters=draw(st.fixed_dictionaries({}, optional=PARAMETERS)),
        )  # fmt: skip
    return net


OF_SENDER = {
    "una": "una", "next": "next", "high": "high", "window": "window", "inflation": "inflation",
    "transmission": "transmissions",
}  # fmt: skip
OF_FLOW = {"retransmitted": "retransmitted", "dropped": "dropped", "timeouts": "timeouts"}
OF_RECEIVER = {
    "received": "received", "expect": "expected", "received_bytes": "received_bytes", "delay": "delay",
    "last_arrival": "last_arrival",
}  # fmt: skip
OF_TIMER = {"srtt": "srtt", "rttvar": "rttvar", "rto": "rto", "backoff": "backoff"}


def columns(rows, names):
    return {name: rows[name].tolist() for name in names}


def attributes(things, names):
    return {name: [getattr(one, ours) for one in things] for name, ours in names.items()}


def windows(run):
    """Return the clock and the senders of the kernel."""
    return int(run.state.row.now), columns(run.state.senders, OF_SENDER)


def state(run):
    """Return all that the kernel knows of flows and links."""
    run.count()
    state, named = run.state, len(run.state.link_names)
    flows, links, census = state.flows, state.links[:named], state.census[:named]
    return {
        "senders": windows(run),
        "flows": columns(flows, OF_FLOW) | columns(flows, OF_RECEIVER) | columns(state.timers, OF_TIMER),
        "duplicates": flows["duplicate"].tolist(),
        "merged": flows["acks_merged"].tolist(),
        "finish": [None if time == NEVER else time for time in flows["finish"].tolist()],
        "ssthresh": [float(of_flow(run, k).ssthresh) for k in range(len(flows))],
        "links": [links["dropped"].tolist(), links["largest_backlog"].tolist()],
        "transmitted": census["transmitted"].tolist(),
        "waited": census["waiting_time"].tolist(),
    }


def windows_of(one):
    """Return the clock and the senders of the reference."""
    return one.events.now, attributes(one.flows.values(), OF_SENDER)


def state_of(one):
    """Return all that the reference knows of flows and links."""
    flows, links, now = list(one.flows.values()), list(one.links.values()), one.events.now
    receivers, timers = [flow.receiver for flow in flows], [flow.timeout for flow in flows]
    return {
        "senders": windows_of(one),
        "flows": attributes(flows, OF_FLOW) | attributes(receivers, OF_RECEIVER) | attributes(timers, OF_TIMER),
        "duplicates": [r.received - r.expected - len(r.beyond) for r in receivers],
        "merged": [r.merged for r in receivers],
        "finish": [flow.finish for flow in flows],
        "ssthresh": [flow.ssthresh for flow in flows],
        "links": [[link.dropped for link in links], [link.largest_backlog for link in links]],
        "transmitted": [sum(min(end, now) - min(begin, now) for _, begin, end in link.log) for link in links],
        "waited": [sum(min(begin, now) - arrival for arrival, begin, _ in link.log) for link in links],
    }


def compare(net, until):
    """Compare clock, windows and packets after every event, and everything at the end; return the run.

    The kernel computes nothing in advance here: each arrival is an event of its own.
    """
    run, one = Simulation(net), reference.Simulation(net)
    run.state.hops["in_advance"] = AT_ARRIVAL
    goal, status = round(until * reference.SECOND), PAUSED
    while status != DONE:
        status = run._chunk(goal, 1)
        if status not in (DONE, PAUSED):
            run._make_room(status)
        if status not in (DONE, PAUSED) or run.state.row.sending_flow != NONE:
            continue  # the event has happened, but a burst that it began may go on in the next call
        while one.events.count < run.state.row.events:
            assert one.events.step(goal)
        assert status == PAUSED or not one.events.step(goal)
        assert windows(run) == windows_of(one)
        assert run.state.row.events == one.events.count
    assert state(run) == state_of(one)
    return run


@given(networks())
@examples(12, 500)
def test_every_event(net):
    """Every event of random networks, in which many coincide."""
    compare(net, 0.3)


@given(networks(odd=1.7e-8))
@examples(25, 1000)
def test_in_advance(net):
    """The same with arrivals computed in advance, where no events coincide."""
    run, one = Simulation(net), reference.Simulation(net)
    run.advance(1.0)
    one.run(1.0)
    assert state(run) == state_of(one)


def coinciding():
    """Two flows whose acknowledgments return on two paths: at whole tenths of milliseconds many events coincide."""
    net = Network().link("a", "b", rate="8 Mbit/s", delay="1 ms", buffer=3)
    net.link("b", "a", rate="800 kbit/s", delay="1 ms")
    for path in ("reverse", "ideal"):
        net.flow("reno", path=["a", "b"], packet=500, ack=50, ack_path=path)
    return net


def files():
    """Files of whole and broken packets over two links, with access links, that lose packets."""
    net = Network().link("a", "b", rate="3 Mbit/s", delay="4 ms", buffer="6 kB", duplex=True)
    net.link("b", "c", rate="2.5 Mbit/s", delay="3 ms", buffer=7, duplex=True)
    net.flow("reno", path=["a", "b", "c"], file="200 kB", access_rate="7 Mbit/s", count=2, stagger=0.05, name="long")
    return net.flow("reno", path=["b", "c"], file=54_321, packet=700, parameters={"initial_window": 6}, name="short")


def long():
    """A long path with small buffers and a fine timer, so that flows time out."""
    net = Network().link("a", "b", rate="1 Mbit/s", delay="40 ms", buffer=4, duplex=True)
    return net.flow("reno", path=["a", "b"], count=3, stagger=0.001, parameters={"min_rto": 0.01, "granularity": 0.001})


def delays():
    """Flows whose receivers acknowledge every third packet, or the first of them after two or three packets' times."""
    net = Network().link("a", "b", rate="1 Mbit/s", delay="4 ms", buffer=4, duplex=True)
    for delay in (0.016, 0.024, 0.024):  # as others arrive, or are due: an acknowledgment of another order shows
        net.flow("reno", path=["a", "b"], parameters={"delayed_ack": 3, "ack_delay": delay})
    return net


def test_networks_by_hand():
    """Files, coinciding events, timeouts, and delayed acknowledgments; every network has losses."""
    runs = [compare(net, 0.8) for net in (files(), coinciding(), long(), delays())]
    assert all(run.state.flows["dropped"].sum() > 5 for run in runs)
    assert runs[2].state.flows["timeouts"].tolist() == [1, 1, 1]


def run_command(monkeypatch, *arguments):
    """Run `python -m tests.reference` here."""
    monkeypatch.setattr(sys, "argv", ["reference", *arguments])
    runpy.run_path(reference.__file__, run_name="__main__")


@pytest.mark.parametrize(("net", "duration"), [(files, None), (files, 0.7), (long, 0.7)])
def test_the_command(net, duration, tmp_path, capsys, monkeypatch):
    """It prints the flows and links of ``longfat simulate --json``, byte for byte."""
    path = tmp_path / "net.toml"
    path.write_text(net().to_toml() + (f"\n[run]\nduration = {duration}\n" if duration else ""))
    run_command(monkeypatch, str(path))
    printed = capsys.readouterr().out
    assert len(printed) > 500
    assert main(["simulate", str(path), "--json"]) == 0
    assert capsys.readouterr().out.startswith(printed.removesuffix("\n}\n"))


@pytest.mark.parametrize(
    ("name", "message"),
    [("red", "warm_up and replications must be absent"), ("parking_lot", "flow 'long': the reference has Reno alone")],
)
def test_refused_scenarios(name, message, capsys, monkeypatch):
    with pytest.raises(SystemExit, match="2"):
        run_command(monkeypatch, name)
    assert capsys.readouterr().err.startswith(f"reference: {message}")


@pytest.mark.parametrize(
    "option", [{"loss": 0.1}, {"jitter": 0.1}, {"discipline": "codel"}, {"rate_changes": [(1, 2)]}]
)
def test_refused_links(option):
    net = Network().link("a", "b", rate=1e6, **option)
    with pytest.raises(ValueError, match="link 'a-b': the reference has drop tail alone"):
        reference.Simulation(net)


def test_files_are_needed_without_a_duration():
    with pytest.raises(ValueError, match=r"duration is absent: give duration \[s\], or files to all flows"):
        reference.Simulation(coinciding()).run()

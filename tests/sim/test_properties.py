"""Invariants of every network at every time, checked between the events of random small runs."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longfat.sim import Network, Simulation, queues, schemes
from longfat.sim.kernel import memory, records
from longfat.sim.runs import results, run_state
from tests.examples import examples, is_long
from tests.processes import without_jit
from tests.sim.lab import simulated
from tests.sim.networks import AIMD, Look, build, state, steps
from tests.sim.own import arrived, stop

seeds = st.integers(0, 10**6)
few = examples(5, 200)
#: Each scheme and discipline by itself is in test_every_plug_in.py.
many = examples(8, 1000)
ROUNDING = 1e-9  # s


def check_order(look):
    """Packets of a flow are on links and in queues in the order of their transmission, and arrive in this order."""
    column = look.column
    for k in range(len(look.links)):
        on_line = look.rows(look.link["head"][k])
        times = [look.now, *(column["arrival"][row] for row in on_line)]
        assert times == sorted(times)
        for first in look.of(k):
            last = {}
            for row in look.rows(first):
                if column["kind"][row] != records.FEEDBACK:
                    whose = column["flow"][row], column["kind"][row]
                    assert column["transmission"][row] > last.get(whose, -1)
                    last[whose] = column["transmission"][row]


def check_buffers(look):
    for k, (packets, size) in enumerate(zip(look.links["limit_packets"], look.links["limit_bytes"], strict=True)):
        inside = [size for size, _ in look.waiting(k)]
        assert len(inside) <= packets
        assert sum(inside) <= size


def check_clock(state):
    """No time decreases: events are in the future, in a heap; timeouts are within their bounds."""
    now = int(state.row.now)
    for entries, count in ((state.arrivals, state.row.arrivals), (state.clocks, state.row.clocks)):
        heap = entries[:count].tolist()  # (time, key)
        assert all(entry[0] >= now for entry in heap)
        assert all(heap[(k - 1) // 2] <= heap[k] for k in range(1, count))
    timers = state.timers
    known = timers["rto"] > 0
    assert (timers["rto"][known] >= timers["min_rto"][known] - ROUNDING).all()
    assert (timers["rto"][known] <= timers["max_rto"][known] + ROUNDING).all()
    assert (timers["srtt"] >= 0).all()
    assert (timers["rttvar"] >= 0).all()


def check_numbers(flows):
    """una <= expect <= high and una <= next <= high; windows and rates are numbers."""
    for low, high in (("una", "expect"), ("expect", "high"), ("una", "next"), ("next", "high")):
        assert (flows[low] <= flows[high]).all(), (low, high)
    for name in ("una", "window", "rate", "inflation"):
        assert (flows[name] >= 0).all(), name


def check_growth(before, after):
    """No count of a connection falls; a flow that sends new packets has no more in flight than allowed."""
    after = after[: len(before)]
    same = after["start"] == before["start"]  # a row is used again when its connection is over
    for name in ("una", "expect", "high", "transmission", *itertools.chain(*run_state.COUNTERS.values())):
        assert (after[name] >= before[name])[same].all(), name
    sent = (after["next"] > before["next"]) & (after["window_decides"] == 1)
    allowed = after["window"] + after["inflation"] + np.maximum(after["allowance"], before["allowance"])
    assert (after["next"] - after["una"] <= np.maximum(1, np.floor(allowed)))[sent].all()


ONE_OF = [*(("known", name) for name in schemes.names()), *(("disciplines", name) for name in queues.NAMED)]


@examples(4, 1000)
@given(seed=seeds, one=st.sampled_from([None, *ONE_OF]), begin=st.floats(0, 0.3), stops=st.integers(20, 150))
def test_between_all_events(seed, one, begin, stops):
    """Invariants after each of some events, one flow being stopped; the integral of the backlog at the end.

    The network is one of any schemes and disciplines, or of one that meets all others.
    """
    run = Simulation(build(seed, **({one[0]: [one[1]]} if one else {})), rng=seed)
    run.advance(begin)
    run.advance(run.now)  # events at this very moment
    at_rest = state(run)
    run.advance(run.now)
    assert state(run) == at_rest
    until, area, first = begin + 0.5, np.zeros(len(run.state.links)), results.snapshot(run).census["waiting_time"]
    look, before = Look(run), [[begin for _, begin in Look(run).waiting(k)] for k in range(len(run.state.links))]
    flows = run.state.flows
    for count, now in enumerate(itertools.islice(steps(run, until), 150)):
        after = int(run.state.row.now)
        assert after >= now >= 0
        if after > now:  # waiting times since the last event, each until the packet's transmission began or until now
            for k, begins in enumerate(before):
                area[k] += sum(min(after, after if begin is None else begin) - now for begin in begins)
        run.packet_counts()
        look = Look(run)
        check_order(look)
        check_buffers(look)
        check_clock(run.state)
        check_growth(flows, flows := run.state.flows)
        check_numbers(flows)
        before = [[begin for _, begin in look.waiting(k)] for k in range(len(run.state.links))]
        if count == stops:
            stop(run, seed % len(flows))
    for name in ("backlog", "backlog_bytes", "dropped", "served", "largest_backlog"):
        assert (look.links[name] >= 0).all(), name
    named = len(run.state.link_names)
    np.testing.assert_array_equal(results.snapshot(run).census["waiting_time"] - first, area[:named])


@many
@given(seed=seeds, cuts=st.lists(st.floats(0, 1), max_size=5))
@example(seed=3789, cuts=[])  # loss-load beside other schemes with headers
def test_a_run_in_pieces_is_the_run(seed, cuts):
    """A run cut anywhere in time, or into chunks of a few events, gives the same; each part conserves packets."""
    single_call = simulated(build(seed), 1.0, seed)
    pieces = Simulation(build(seed), rng=seed)
    for until in [*sorted(cuts), 1.0]:
        pieces.advance(until)
        pieces.packet_counts()
    assert state(pieces) == state(single_call)
    chunks, goal = Simulation(build(seed), rng=seed), records.SECOND
    while (status := chunks._chunk(goal, 97)) != records.DONE:
        if status != records.PAUSED:
            chunks._make_room(status)
    assert state(chunks) == state(single_call)


@few
@given(seed=seeds)
def test_pools_that_grow(seed):
    """Pools that begin with hardly more rows than one event may take grow without changing the results."""
    large = simulated(build(seed), 1.0, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_state, "LEAST_ROWS", records.ROWS_PER_EVENT)
        small = Simulation(build(seed), rng=seed)
        small.state.clocks = small.state.clocks[: small.state.row.clocks + 1].copy()
        small.advance(1.0)
    assert state(small) == state(large)
    small.packet_counts()


def test_room_for_a_wake_up_of_every_queue():
    """One event may wake every queue of a rate-controlled service: so much room is kept in the heap of clocks."""
    net = Network().link("a", "b", rate=1e6, discipline="hop-by-hop", duplex=True)
    state = Simulation(net.flow("hop-by-hop", path=["a", "b"], count=50)).state
    assert len(state.queues) >= 50
    state.row.clocks = len(state.clocks) - len(state.queues) - records.ROWS_PER_EVENT
    assert state.shortage() == records.DONE
    state.row.clocks += 1
    assert state.shortage() == records.NO_CLOCKS
    state.grow(records.NO_CLOCKS)
    assert state.shortage() == records.DONE
    state.address()
    assert state.row.clocks_room == len(state.clocks) - len(state.queues)


@many
@given(seed=seeds)
@example(seed=189)  # connections of cadpc-files, whose requests follow each other closely
def test_two_kinds_of_fifo(seed):
    """FIFO decided at admission and at departure: the same packets at the same times, and the same waiting times."""
    runs = []
    for name in ("fifo", "fifo-departures"):
        run = simulated(build(seed, disciplines=[name], jitter=False), 0.7, seed)
        before = results.snapshot(run)
        run.advance(1.0)
        measured = results.measure(run, before, results.snapshot(run))
        runs.append((run.state.flows, run.state.links, arrived(run), measured))
    (flows, links, came, here), (others, other_links, came_there, there) = runs
    for name in itertools.chain(*run_state.COUNTERS.values()):
        np.testing.assert_array_equal(flows[name], others[name], name)
    np.testing.assert_array_equal(came, came_there)
    for name in ("dropped", "largest_backlog"):
        np.testing.assert_array_equal(links[name], other_links[name], name)
    for name in results.QUANTITIES:
        np.testing.assert_array_equal(here[name], there[name], name)


def test_with_and_without_jit(capsys):
    """With jit off the trace is equal to the last bit, in networks with nearly all schemes and disciplines.

    So are the results of the segment simulator.
    """
    seeds, until, most = (24, 0.3, 10**9) if is_long() else (8, 0.3, 200)
    code = (
        f"from tests.sim.networks import digest; print(digest(range({seeds}), {until}, {most}))\n"
        "from longfat.segments import simulate\n"
        "for loss in (1e-3, 0.2):\n"
        "    d = simulate(window=[3, 24], loss=loss, segment_packets=16, ack_segments=369 / 16, segments=500, rng=1)\n"
        "    print([d[name].values.tolist() for name in ('throughput_efficiency', 'mean_delay', 'lost_packets')])\n"
    )
    exec(code, {})
    assert capsys.readouterr().out == without_jit(code) != ""


def test_no_field_has_the_name_of_an_attribute():
    """With jit off rows are numpy records: `row.size` would be theirs and not the field."""
    known = {name for kind in (np.record, np.generic, np.ndarray) for name in dir(kind)}
    kinds = [kind for kind in vars(records).values() if isinstance(kind, np.dtype)]
    assert len(kinds) > 10
    for kind in kinds:
        assert not known & set(kind.names)
    assert "size" in known


def test_rows_of_the_kernel_are_those_of_the_arrays():
    """The accessor of each row, with jit off or from outside, returns the row that NumPy shows."""
    run = Simulation(build(3), rng=3)
    run.state.address()
    for name in ("senders", "links", "packets"):
        assert getattr(run.state.row, f"{name}_base") == getattr(run.state, name).ctypes.data
        assert getattr(run.state, name).ctypes.data % 64 == 0
    for name, dtype in records.ARRAYS.items():
        assert memory.ROWS[name].size == dtype.itemsize
        assert dtype.itemsize < 64 or dtype.itemsize % 64 == 0


def test_numbers_of_events_begin_again(monkeypatch):
    """Before the serial number exceeds its bits, the entries are renumbered in their order."""
    plain, pushed = (Simulation(build(7), rng=7) for _ in range(2))
    plain.advance(0.1)
    pushed.advance(0.1)
    entries = pushed.state
    last = run_state.LAST_SERIAL
    entries.arrivals["key"][: entries.row.arrivals] += (last - 5 - int(entries.row.serial)) << run_state.SERIAL_SHIFT
    entries.clocks["key"][: entries.row.clocks] += (last - 5 - int(entries.row.serial)) << run_state.SERIAL_SHIFT
    entries.row.serial = last - 5
    for run in (plain, pushed):
        for until in (0.2, 0.3, 0.5):
            run.advance(until)
    assert entries.row.serial < 10**6
    assert state(plain) == state(pushed)


def test_departures_come_first():
    """At equal times departures precede arrivals: a packet that arrives as a transmission ends needs no buffer.

    Both arrive over access links of their own: 1000 B each at 1e6 bytes/s are 1 ms, the second leaves 1 ms later.
    """
    for discipline, order in itertools.product(["fifo", "fifo-departures"], [(0.0, 0.001), (0.001, 0.0)]):
        net = Network()
        for k in range(2):
            net.link(f"s{k}", "a", rate=1e6, delay=0.02)
        net.link("a", "b", rate=1e6, delay=0.001, buffer=0, discipline=discipline)
        for k, start in enumerate(order):
            net.flow(AIMD, path=[f"s{k}", "a", "b"], start=start, file=1000, ack_path="ideal")
        run = simulated(net, 1.0)
        assert run.state.links["dropped"].sum() == 0
        assert run.state.flows["finish"].max() == 45_000_000  # 1 + (1 + 20) + (1 + 1) there, 20 + 1 back

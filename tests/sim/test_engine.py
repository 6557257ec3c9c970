"""`Simulation` and `run` as users call them: time, progress, interruption, replications, memory, refusals."""

import _thread
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from longfat.replication import replicate
from longfat.sim import NOTHING, Discipline, Network, Scheme, SchemeError, Service, Simulation, queues, run, schemes
from longfat.sim.kernel import records
from longfat.sim.network import traffic
from longfat.sim.runs import engine, run_state
from tests.sim.lab import holding, one_link, simulated
from tests.sim.networks import AIMD, build, state
from tests.sim.own import of_flow


def bottleneck(scheme=AIMD, **options):
    net = Network("bottleneck").link("a", "b", rate=1e6, delay=0.01, buffer=50, duplex=True)
    return net.flow(scheme, path=["a", "b"], name="only", **options)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.start()
    return timer


def test_time_does_not_run_back():
    one = simulated(bottleneck(), 0.5)
    events = int(one.state.row.events)
    one.advance(0.5)
    assert (one.now, int(one.state.row.events)) == (0.5, events)
    with pytest.raises(
        ValueError, match=r"until = 0\.25 s is out of range: must be in \[0\.5, 4e\+09\] s, because time does not run"
    ):
        one.advance(0.25)
    with pytest.raises(ValueError, match="until = -1 s"):
        one.advance(-1)
    assert one.now == 0.5


@pytest.mark.parametrize("begun", [0.0, 1.0])
def test_a_run_can_be_copied(begun):
    """Equal random numbers give equal results from there on, others give others; the run itself is unchanged."""
    net = bottleneck(traffic.poisson(0.9e6), count=3)
    first = Simulation(net, rng=1)
    if begun:
        first.advance(begun)
    copies, before = [first.again(seed) for seed in (1, 2, 2)], state(first)
    for one in (*copies, new := Simulation(net, rng=2)):
        one.advance(3.0)
        one.packet_counts()  # refuses a run that has lost or made packets
    assert state(first) == before
    assert state(copies[1]) == state(copies[2]) != state(copies[0])
    assert (state(copies[1]) == state(new)) == (begun == 0)
    first.capture = object()
    with pytest.raises(ValueError, match="again: the run is traced"):
        first.again(1)


def test_a_copy_without_random_numbers_goes_on_as_its_run():
    net = Network().link("a", "b", rate="8 Mbit/s", delay="10 ms", buffer=20)
    for name in ("reno", "cubic"):
        net.flow(name, path=["a", "b"], name=name, ack_path="ideal")
    first, straight = (Simulation(net, rng=1) for _ in range(2))
    first.advance(2.0)
    copy = first.again(9)
    for one in (first, copy, straight):
        one.advance(5.0)
    assert state(copy) == state(first) == state(straight)


def test_the_end_of_files():
    """8 Mbit/s, 10 ms, one packet of 1000 B: 1 ms and 10 ms there, 0.04 ms and 10 ms back."""
    one = Simulation(bottleneck(file=1000), rng=1)
    one.advance(100.0, to_the_end=True)
    assert one.now == pytest.approx(0.02104, rel=1e-12)
    assert one.all_done()
    one.advance(100.0)
    assert one.now == 100.0


def test_a_probe_with_an_end_does_not_end_the_run():
    net = bottleneck(file="200 kB").flow(traffic.probe("50 ms"), path=["a", "b"], file="3 kB")
    data = run(net, rng=1, progress=False)
    assert float(data.delivered.sel(flow="only")) == 200
    assert float(data.delivered[1]) == 3


def test_interruption_and_afterwards():
    """Ctrl-C ends a call within a second, with the simulated time; the run continues as if not interrupted."""
    one, other = Simulation(bottleneck(), rng=1), Simulation(bottleneck(), rng=1)
    one.advance(0.1)
    interrupt_after(0.2)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt, match=r"stopped at \S+ s of 1e\+08 s simulated"):
        one.advance(1e8)
    assert time.monotonic() - begun < 1.3
    assert 0.1 < one.now < 1e8
    one.packet_counts()
    until = one.now + 0.5
    one.advance(until)
    other.advance(until)
    assert state(one) == state(other)


def test_interruption_of_replications():
    run(bottleneck(), duration=0.01, rng=1, progress=False)
    interrupt_after(0.5)
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt, match=r"s of 4e\+08 s were simulated; the results are lost"):
        run(bottleneck(), duration=1e8, replications=4, rng=1, progress=False)
    assert time.monotonic() - begun < 1.8


def test_stopping_from_another_thread():
    one = simulated(bottleneck(), 0.1)

    def job(endless):
        if not endless:
            raise LookupError
        with pytest.raises(KeyboardInterrupt, match="stopped at"):
            one.advance(1e8)

    with pytest.raises(LookupError):
        replicate(job, [True, False], 2)
    one.packet_counts()


def test_progress():
    one, told = Simulation(bottleneck(), rng=1), []
    one.advance(200.0, told.append)
    assert told == sorted(told)
    assert len(told) > 1
    assert told[-1] == 200.0


@pytest.mark.parametrize("cores", [1, 7])
def test_replications_do_not_depend_on_threads(monkeypatch, cores):
    net = build(9)
    first = run(net, duration=1.0, warm_up=0.3, replications=5, rng=3, progress=False)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    again = run(net, duration=1.0, warm_up=0.3, replications=5, rng=3, progress=False)
    assert again.drop_attrs().identical(first.drop_attrs())
    # Independent: no two are equal. Each is determined by its own stream.
    lower, upper = first.goodput_lower.values, first.goodput_upper.values
    assert (upper[~(lower != lower)] > lower[~(lower != lower)]).any()


def test_memory_of_many_flows():
    """10,000 Reno flows and their packets in less than 1 GiB, interpreter and numba included."""
    code = (
        "from longfat.sim import Network, Simulation\n"
        "net = Network().link('a', 'b', rate='4 Gbit/s', delay='22 ms', buffer=44000, duplex=True)\n"
        "net.flow('reno', path=['a', 'b'], packet=500, count=10000, stagger=1e-5)\n"
        "run = Simulation(net, rng=1)\n"
        "run.advance(0.3)\n"
        "assert run.packet_counts()['received'] > 10**5\n"
        "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120).stdout
    assert 0.05 < float(said) / 2**20 < 1.0  # GiB; Linux counts in KiB (getrusage would count the parent's, too)


SLOW = {"delay": 0.01, "duplex": True}
LOST = Service("lost", enqueue=lambda link, packet, now: 0, dequeue=lambda link, now: NOTHING)


@pytest.mark.parametrize(
    ("net", "limits", "words"),
    [
        # a path without any delay and a scheme without any limit, which would run for ever
        (one_link(AIMD, rate=np.inf, duplex=True, name="quick"), {"STANDSTILL": 10},
         r"clock stands still at 0 s after \d+ events; flow 'quick' \(scheme 'aimd'\)"),
        (bottleneck(holding(3e7, "huge", recovery="own")), {},
         r"stands still at 0 s .* has window 3e\+07 packets and rate inf bytes/s"),
        (one_link(holding(3e7, "huge"), rate=1e6, name="only", **SLOW), {"MOST_ROWS": 4096},  # unbounded buffer
         r"more than 4096 packets at 0 s; flow 'only' \(scheme 'huge'\)"),
        # Reno on infinitely fast links doubles its window each round trip of 20 ms: 2^20 packets after 0.4 s
        (one_link("reno", rate=np.inf, name="only", **SLOW), {},
         r"flow 'only' \(scheme 'reno'\) .* at 0\.4\d* s: nothing limits it: .* no file"),
        (one_link(traffic.arrivals(100.0, AIMD), rate=1000.0, file="1 MB", name="crowd", **SLOW), {"INDICES": 100},
         r"more than \d+ flows and connections at the same time .* flow 'crowd'"),
        (one_link("reno", rate=1e6, buffer=10, discipline=Discipline("mine", service=LOST)), {},
         r"service 'lost', enqueue, link 'a-b' at 0 s: .*did not queue the packet"),
    ],
    ids=["no delay", "no window", "packets", "growth", "connections", "service"],
)  # fmt: skip
def test_runs_that_cannot_go_on(monkeypatch, net, limits, words):
    for name, value in limits.items():
        monkeypatch.setattr(engine if name == "STANDSTILL" else run_state, name, value)
    with pytest.raises(SchemeError, match=words):
        Simulation(net, rng=1).advance(10.0)


@pytest.mark.parametrize("recovery", ["selective", "own"])
def test_nothing_limits_a_flow(recovery):
    """An infinite window without pacing and without a file is refused before a packet is sent."""
    scheme = holding(1e300, "boundless", recovery=recovery)
    one = Simulation(bottleneck(scheme), rng=1)
    said = r"scheme 'boundless', start, flow '\S+' at 0 s: nothing limits it: the window is 1e\+300 .* it has no file"
    with pytest.raises(SchemeError, match=said):
        one.advance(1.0)
    assert one.state.flows["sent"].sum() == 0
    for kept in ({"file": "20 kB"}, {"access_rate": 1e5}):  # of an end, or of a line of its own
        one = simulated(one_link(scheme, rate=1e6, delay=0.01, buffer=100, duplex=True, **kept), 0.2)
        assert 0 < one.state.flows["sent"][0] <= 100


def test_times_that_64_bits_cannot_hold():
    """A backlog that lasts longer than the clock can count is refused, before a time wraps.

    1 bit/s and 2000 packets of 1 MB: 8e6 s each, of which 1125 end before 9e9 s, and the next one, which waits behind
    them, does not; also in a bucket whose tokens come at that rate.
    """
    many = holding(2000.0, "many")
    bucket = queues.leaky_bucket(rate=0.125, tokens=1, queue=20_000)
    for rate, discipline, waiting in ((0.125, "fifo", 1125), (2e5, bucket, 1125)):
        link = {"rate": rate, "delay": 0.01, "duplex": True, "discipline": discipline}
        one = Simulation(one_link(many, **link, packet="1 MB", name="only"), rng=1)
        said = rf"link 'a-b' of flow 'only' has {waiting} packets waiting at 0 s, .* after 9e\+09 s, .* at {rate:.7g} "
        with pytest.raises(SchemeError, match=said):
            one.advance(60.0)
    net = one_link(holding(2000.0, "many"), rate=0.125, delay=0.01, duplex=True, buffer=1000, packet="1 MB")
    data = run(net, duration=60, progress=False)
    assert float(data.utilisation.sel(link="a-b")) == 1.0


def test_sums_of_times_go_on_beyond_63_bits():
    """Packets times nanoseconds exceed 64 bits before times do.

    20,000 packets at once that take 1000 s each: while the k-th is sent, 19,999 - k wait, so that 18,499.5 wait on
    average in 3e6 s, 5.5e19 packet-nanoseconds.
    """
    many = holding(2000.0, "many", recovery="own", acknowledged=False)
    for discipline in ("fifo", "fifo-departures"):
        net = one_link(many, rate=1.0, delay=0.01, discipline=discipline, packet=1000, count=10)
        data = run(net, duration=3e6, progress=False)
        assert 18_499.5 * 3e6 > 2**63 / 1e9
        assert float(data.mean_queue[0]) == pytest.approx(18_499.5, rel=1e-9)


@pytest.mark.parametrize(
    ("controls", "value", "most"),
    [("window", 0.0, 0), ("rate", 0.0, 0), *(("rate", k, 1) for k in (1e-300, 5e-324, 1e-9))],
)
def test_windows_and_rates_next_to_nothing(controls, value, most):
    """No packet leaves, or the gap between packets is longer than any run: one packet, no overflow; the run ends."""
    one = simulated(bottleneck(holding(value, controls=controls)), 1e6)
    assert one.now == 1e6
    assert one.packet_counts()["sent"] <= most


def test_finished_flows_are_silent():
    """A scheme that sets its alarm again and again is not called once its file has arrived; nor are connections."""
    net = Network().link("a", "b", rate=1e6, delay=0.001, duplex=True)
    net.flow(traffic.arrivals(50.0, CLOCKED), path=["a", "b"], file="3 kB", name="short", stop=2.0)
    net.flow(CLOCKED, path=["a", "b"], file="3 kB")
    one = simulated(net, 3.0)
    log = one.state.connections[: one.state.row.connections]
    assert len(log) > 50
    assert len({(entry.start, entry.finish) for entry in log}) == len(log)
    assert int(one.state.flows["received_bytes"].sum()) == 3000 * (len(log) + 1)
    assert one.state.row.free_nodes == len(one.state.nodes)
    events = int(one.state.row.events)
    one.advance(100.0)
    assert one.state.row.events <= events + 300  # what stood in the heap, at most twice per flow


def clocked(flow, event):
    flow.alarm = event.now + 0.0005
    return 2.0


CLOCKED = Scheme("clocked", start=clocked, ack=clocked, alarm=clocked)


def hasty(flow, event):
    if event.now > flow.last:
        flow.later += 1
    flow.last = event.now
    flow.calls += 1
    if flow.calls < 100:
        flow.alarm = event.now
    return 1.0


def test_time_goes_on():
    """An alarm set to now expires a nanosecond later: 99 calls after the first, each at a later time."""
    state = {"last": 0.0, "later": 0, "calls": 0}
    mine = Scheme("hasty", start=hasty, ack=lambda flow, event: 1.0, alarm=hasty, state=state)
    one = simulated(bottleneck(mine), 1.0)
    own = of_flow(one)
    assert (own.later, own.calls) == (99, 100)
    assert own.last == pytest.approx(99e-9)


@pytest.mark.parametrize("name", sorted(name for name in schemes.names() if schemes.scheme(name).acknowledged))
def test_a_round_trip_without_duration(name):
    """On links that take no time an acknowledgment arrives at once; a round-trip time is 1 ns then, the clock's tick.

    Packet-pair waits for two acknowledgments of a pair that take time, and its bandwidth is infinite otherwise.
    """
    one = simulated(one_link(name, rate=np.inf, delay=0.0, duplex=True, packet=1000, file=20_000), 1.0)
    assert one.state.flows[0].una == (2 if name == "packet-pair" else 20)


def test_longest_run():
    with pytest.raises(ValueError, match="until = 5e"):
        Simulation(bottleneck(), rng=1).advance(5e9)
    one = simulated(bottleneck(file=1000), engine.LONGEST)
    assert one.state.row.now == int(engine.LONGEST) * records.SECOND

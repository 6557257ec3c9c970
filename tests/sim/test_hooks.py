"""Hooks of disciplines: push-out, header fields, feedback, marks, ticks; names and parameters; refusals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Discipline, Network, Scheme, Simulation, queues
from longfat.sim.kernel.records import NONE
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import behind, first_waiting, push_out, random, waiting
from longfat.sim.queues import DROP, ENQUEUE, SEND
from tests.examples import examples
from tests.sim.lab import holding, one_link, simulated, transmissions
from tests.sim.logbook import Logbook
from tests.sim.own import of_flow, of_link
from tests.sim.test_priority_discard import Scanned

random_runs = examples(12)


# Push-out: Kim & Farber's switch (1994), as meant. The smaller the number, the better the packet.


def corrected(link, packet, now):
    """Push out the worst packet; of several the one nearest the tail."""
    packet.priority = int(link.priorities * random(link))
    if link.backlog < link.limit_packets:
        return ENQUEUE
    worst, victim, i = -1, NONE, first_waiting(link)
    while i != NONE:
        if waiting(link, i).priority >= worst:
            worst, victim = waiting(link, i).priority, i
        i = behind(link, i)
    return push_out(victim) if packet.priority < worst else DROP


def rows(log, arrives):
    """Return (time [ns], size, number, priority) of every packet that arrives, or whose transmission begins."""
    return [(round(c.now * 1e9), c.length, c.number, c.priority) for c in log.calls if c.arrives == arrives]


@random_runs
@given(
    seed=st.integers(0, 2**32),
    limit=st.integers(1, 12),
    load=st.floats(0.8, 4.0),
    priorities=st.integers(1, 16),
)
def test_push_out_is_the_naive_scan(seed, limit, load, priorities):
    """Random arrivals and priorities: the packets that leave, and when, are those of a plain list."""
    log = Logbook(Discipline("push-out", "departures", corrected, parameters={"priorities": float(priorities)}))
    link = {"rate": 1e6, "buffer": limit, "discipline": log.discipline}
    run = simulated(one_link(traffic.poisson(load * 1e6), **link, packet=500, stop=0.2), 1.0, seed)
    arrivals, plain = rows(log, True), Scanned(limit, "corrected")
    assert len(arrivals) > 200
    assert rows(log, False) == [(begin, *packet[1:]) for begin, packet in transmissions(plain, arrivals)]
    assert run.state.flows[0].dropped == run.state.links[0].dropped == len(plain.dropped)
    assert run.state.links[0].backlog_area == plain.area


# Header stamps.


def stamp(link, packet, now):
    packet.header[0] = link.backlog
    packet.header[1] = now
    packet.header[2] += 1.0
    return SEND


def read_stamps(flow, event):
    for k in range(3):
        flow.stamps[3 * event.number + k] = event.header[k]
    return 3.0


def stamp_first(flow, event):
    flow.header[2] = 5.0
    return 3.0


STAMPED = Scheme("stamped", start=stamp_first, ack=read_stamps, state={"stamps": (0.0,) * 9}, stamped=True)


@pytest.mark.parametrize("service", ["departures", "self-clocked", "round-robin"])
def test_stamps(service):
    """Three packets of 1 ms at once: they leave at 0, 1, 2 ms with 0, 1, 0 waiting behind them; two such hops.

    The sender writes 5 into the last field, to which each hop adds one.
    """
    discipline = Discipline("stamps", service, dequeue=stamp, parameters={"quantum": 500.0}, needs_buffer=True)
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=discipline)
    net.link("b", "c", rate=1e6, delay=0.01, discipline=discipline)
    run = simulated(net.flow(STAMPED, path=["a", "b", "c"], file=3000, ack_path="ideal"), 1.0)
    # The second hop stamps over the first: a packet arrives there as the one before it leaves, at 11 + k ms.
    for k in range(3):
        assert list(of_flow(run).stamps[3 * k : 3 * k + 3]) == pytest.approx([0.0, 0.011 + 0.001 * k, 7.0], abs=1e-12)
    run = simulated(one_link(STAMPED, rate=1e6, delay=0.01, discipline=discipline, file=3000), 1.0)
    for k, backlog in enumerate((0.0, 1.0, 0.0)):
        assert list(of_flow(run).stamps[3 * k : 3 * k + 3]) == pytest.approx([backlog, 0.001 * k, 6.0], abs=1e-12)


# Timers.


def watch(link, now):
    """Record the number of calls, of those at the wrong time, the sum of backlogs, and the last time."""
    if round(now * 1e9) != link.calls * 2_000_000:
        link.wrong += 1
    link.calls += 1
    link.total += link.backlog
    link.last = now
    return now + 0.002


@pytest.mark.parametrize("service", ["fifo", "departures", "self-clocked"])
def test_a_tick_every_two_milliseconds(service):
    """REM's tick: at 0, 2 ms, ... to the nanosecond for 200 s; it sees the backlog of that time.

    Ten packets of 1 ms at once: 9, 7, 5, 3, 1 wait just before 0, 2, ... ms, but ends of transmission come first:
    9 at 0 (the flow begins before the clock is asked) and 7, 5, 3, 1 at 2, 4, 6, 8 ms.
    """
    state = {"calls": 0, "wrong": 0, "total": 0, "last": 0.0}
    discipline = Discipline("clock", service, tick=watch, state=state, needs_buffer=True)
    run = simulated(one_link(holding(10.0), rate=1e6, discipline=discipline, file="10 kB"), 0.0085)
    assert of_link(run).calls == 5
    assert of_link(run).total == 9 + 7 + 5 + 3 + 1
    run.advance(200.0)
    assert of_link(run).item() == (100_001, 0, 25, 200.0)


def odd_tick(link, now):
    link.calls += 1
    return now + 1.0 / 3.0 if link.calls < 4 else math.inf


def test_a_tick_that_ends():
    few = Discipline("few", tick=odd_tick, state={"calls": 0})
    assert of_link(simulated(one_link(traffic.constant(1e3), rate=1e6, discipline=few), 100.0)).calls == 4


# Feedback.


def tell(link, packet, now):
    if packet.number == 0:
        link.feedback[0], link.feedback[3] = 7.0, now
        link.send_feedback = 1
    return ENQUEUE


def tell_and_drop(link, packet, now):
    if packet.number == 0 and not link.told:
        link.told = True
        link.feedback[0], link.feedback[3] = 7.0, now
        link.send_feedback = 1
        return DROP
    return ENQUEUE


def record_feedback(flow, event):
    if event.header[0] == 7.0 and event.acked == 0:
        flow.count += 1
        flow.when, flow.value = event.now, event.header[3]
    return flow.window


LISTENER = Scheme("listener", ack=record_feedback, state={"count": 0, "when": 0.0, "value": 0.0})


def feedback_of(run, flow=0):
    one = of_flow(run, flow)
    return [one.count, one.when, one.value]


@pytest.mark.parametrize("hook", [tell, tell_and_drop])
@pytest.mark.parametrize("where", [0, 1, 2])
@pytest.mark.parametrize("ack_path", ["reverse", "ideal"])
def test_arrival_times_of_feedback(ack_path, where, hook):
    """Feedback leaves the switch k = 0, 1, 2 at k 11 ms, whatever happens to its packet.

    Hops take 10 ms and 1 ms for a packet, 0.04 ms for feedback, which needs k 10.04 ms back, or k 10 ms without
    bandwidth.
    """
    net = Network()
    nodes = ["a", "b", "c", "d"]
    for k in range(3):
        discipline = Discipline("tells", enqueue=hook, state={"told": False}) if k == where else "fifo"
        net.link(nodes[k], nodes[k + 1], rate=1e6, delay=0.01, discipline=discipline)
        net.link(nodes[k + 1], nodes[k], rate=1e6, delay=0.01)
    run = simulated(net.flow(LISTENER, path=nodes, file=1000, ack_path=ack_path), 5.0)
    back = 0.01004 if ack_path == "reverse" else 0.01
    assert feedback_of(run) == pytest.approx([1.0, where * (0.011 + back), where * 0.011], abs=1e-12)
    assert run.state.row.feedback_sent == run.state.row.feedback_received == 1


def test_feedback_at_departure():
    """The feedback leaves with its packet, which waits behind one of 1 ms: at 12 ms, not at 11 ms."""

    def dequeue(link, packet, now):
        link.feedback[0], link.feedback[3] = 7.0, now
        link.send_feedback = packet.flow
        return SEND

    discipline = Discipline("tells late", "departures", dequeue=dequeue)
    net = Network().link("a", "b", rate=math.inf, delay=0.011, duplex=True)
    net.link("b", "c", rate=1e6, delay=0.01, discipline=discipline).link("c", "b", rate=1e6, delay=0.01)
    for name in ("first", "second"):
        net.flow(LISTENER, path=["a", "b", "c"], file=1000, name=name)
    run = simulated(net, 5.0)
    assert feedback_of(run, 1) == pytest.approx([1.0, 0.012 + 0.011, 0.012], abs=1e-12)
    assert feedback_of(run)[0] == 0


def add_headers(flow, event):
    if event.number != NONE:
        flow.total += abs(event.header[0]) + abs(event.header[3])
    return flow.window


def test_headers_of_feedback_do_not_come_back():
    """Packets without a header bring none back, whatever feedback brought before."""
    discipline = Discipline("tells", enqueue=tell, state={"told": False})
    adds = Scheme("adds", ack=add_headers, state={"total": 0.0})
    run = simulated(one_link(adds, rate=1e6, delay=0.01, discipline=discipline, back=1e6, file=1000), 1.0)
    assert run.state.flows[0].acks_received == run.state.row.feedback_received == 1
    assert of_flow(run).total == 0.0


# Marks.


@pytest.mark.parametrize("buffer", [100, 4, "4000 B"])
def test_marks_above_a_threshold(buffer):
    """Eight packets at once find 0, 0, 1, 2, 3, 4, 5, 6 waiting: five are marked above 2.

    With room for four, those that find 2 and 3 are marked; the others are dropped, and a dropped packet is not marked.
    """
    net = Network().link("a", "b", rate=1e6, delay=0.01, buffer=buffer, discipline=queues.mark_above(2), duplex=True)
    eight = Scheme("eight", start=lambda flow, event: 8.0, ack=lambda flow, event: 0.0)
    net.flow(eight, path=["a", "b"], file=8000)
    run = Simulation(net, rng=1)
    run.state.senders["ect"] = 1
    run.advance(0.1)
    link = run.state.links[0]
    dropped = 0 if buffer == 100 else 3
    assert (link.marked, link.dropped) == (5 - dropped, dropped)
    assert run.state.flows[0].marks == 5 - dropped
    run = Simulation(net, rng=1)  # no flow whose packets can be marked
    run.advance(0.1)
    assert run.state.links[0].marked == 0

"""What a discipline's hooks may do: push out, stamp, note, mark, keep time; names and parameters; what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Discipline, Network, Scheme, Simulation, queues, traffic
from longfat.sim.jit import part
from longfat.sim.memory import behind, first_waiting, word_at
from longfat.sim.queues import ADMIT, DROP
from tests.examples import examples

random_runs = examples(25)


@part
def write(link, kind, packet, now):
    """One more row of four numbers in the log that begins at the address p[0]."""
    log = int(link.p[0])
    row = 1 + 4 * word_at(log, 0).x
    word_at(log, row).x = kind
    word_at(log, row + 1).x = round(now * 1e9)
    word_at(log, row + 2).x = packet.number
    word_at(log, row + 3).x = packet.priority
    word_at(log, 0).x += 1


class Log:
    """What hooks write down."""

    def __init__(self, room=20_000):
        self.words = np.zeros(4 * room + 1, np.int64)

    @property
    def parameter(self):
        return {"log": float(self.words.ctypes.data)}

    def rows(self, kind):
        """(time [ns], number, priority) of every row of this kind."""
        table = self.words[1:].reshape(-1, 4)[: self.words[0]].tolist()
        return [tuple(row[1:]) for row in table if row[0] == kind]


ARRIVED, BEGUN = 0, 1


# Push-out: BLT's switches, as found in schemes.md 8.3 and 8.4. The smaller the number, the better the packet.


def published(link, packet, header, now, rng):
    """8.3: the victim is the worse packet nearest the tail, though not the worst of all."""
    if link.p[1] > 0.0:
        packet.priority = int(link.p[1] * rng.random())
    write(link, ARRIVED, packet, now)
    if link.waiting < link.limit_packets:
        return ADMIT
    victim, i, one = -1, link.queue_head, first_waiting(link)
    while True:
        if one.priority > packet.priority:
            victim = i
        i = one.next
        if i == -1:
            return DROP if victim == -1 else victim + 1
        one = behind(link, one)


def corrected(link, packet, header, now, rng):
    """8.4: the victim is the worst packet; of several the one nearest the tail."""
    if link.p[1] > 0.0:
        packet.priority = int(link.p[1] * rng.random())
    write(link, ARRIVED, packet, now)
    if link.waiting < link.limit_packets:
        return ADMIT
    worst, victim, i, one = -1, -1, link.queue_head, first_waiting(link)
    while True:
        if one.priority >= worst:
            worst, victim = one.priority, i
        i = one.next
        if i == -1:
            return victim + 1 if packet.priority < worst else DROP
        one = behind(link, one)


def write_departure(link, packet, header, now, rng):
    write(link, BEGUN, packet, now)
    return 0


def published_by_hand(queue, priority):
    worse = [k for k, (_, other) in enumerate(queue) if other > priority]
    return worse[-1] if worse else None


def corrected_by_hand(queue, priority):
    worst = max(other for _, other in queue)
    return max(k for k, (_, other) in enumerate(queue) if other == worst) if priority < worst else None


RULES = {"published": (published, published_by_hand), "corrected": (corrected, corrected_by_hand)}


def served_by_hand(arrivals, limit, service, rule):
    """A list of (number, priority), head first, each served in `service` [ns]: begins, drops, packets waiting x ns."""
    queue, begun, dropped, area, now, free = [], [], [], 0, 0, None  # free: when the packet in transmission is gone
    for time, number, priority in [*arrivals, (math.inf, 0, 0)]:
        while free is not None and free <= time:
            area += len(queue) * (free - now)
            now = free
            if queue:
                begun.append((now, *queue.pop(0)))
                free = now + service
            else:
                free = None
        if time == math.inf:
            return begun, dropped, area
        area += len(queue) * (time - now)
        now = time
        if free is None:
            begun.append((now, number, priority))
            free = now + service
            continue
        if len(queue) == limit:
            victim = rule(queue, priority)
            if victim is None:
                dropped.append(number)
                continue
            dropped.append(queue.pop(victim)[0])
        queue.append((number, priority))
    raise AssertionError


@random_runs
@given(
    seed=st.integers(0, 2**32),
    name=st.sampled_from(sorted(RULES)),
    limit=st.integers(1, 12),
    load=st.floats(0.8, 4.0),
    priorities=st.integers(1, 16),
)
def test_push_out_is_the_naive_scan(seed, name, limit, load, priorities):
    """Random arrivals and priorities: the packets that leave, and when, are those of a plain list."""
    hook, rule = RULES[name]
    log = Log()
    parameters = log.parameter | {"priorities": float(priorities)}
    discipline = Discipline(name, "departures", hook, write_departure, parameters=parameters)
    net = Network().link("a", "b", rate=1e6, buffer=limit, discipline=discipline)
    run = Simulation(net.flow(traffic.poisson(load * 1e6), path=["a", "b"], packet=500, stop=0.2), rng=seed)
    run.advance(1.0)
    run.books()
    arrivals = log.rows(ARRIVED)
    begun, dropped, area = served_by_hand(arrivals, limit, 500_000, rule)
    assert len(arrivals) > 200
    assert log.rows(BEGUN) == begun
    assert run.world.flows[0].dropped == run.world.links[0].dropped == len(dropped)
    assert run.world.links[0].area == area


def in_order(hook):
    """The hook, after giving packet n priority p[2 + n]."""

    def arrive(link, packet, header, now, rng):
        packet.priority = int(link.p[2 + packet.number])
        return hook_compiled(link, packet, header, now, rng)

    hook_compiled = part(hook)
    return arrive


@pytest.mark.parametrize(("name", "gone"), [("published", 3), ("corrected", 2)])
def test_the_glitch(name, gone):
    """schemes.md 8.5.3: the queue full of priorities 2, 5, 3, an arrival of 1: one drops the 3, the other the 5."""
    log = Log()
    parameters = log.parameter | {"random": 0.0} | {f"of {k}": float(p) for k, p in enumerate((0, 2, 5, 3, 1))}
    discipline = Discipline(name, "departures", in_order(RULES[name][0]), write_departure, parameters=parameters)
    net = Network().link("a", "b", rate=1e3, buffer=3, discipline=discipline)
    run = Simulation(net.flow(traffic.constant(1e6), path=["a", "b"], file=5000), rng=1)
    run.advance(10.0)
    assert [number for _, number, _ in log.rows(ARRIVED)] == [0, 1, 2, 3, 4]
    assert [number for _, number, _ in log.rows(BEGUN)] == [k for k in range(5) if k != gone]


@pytest.mark.parametrize("name", RULES)
def test_no_victim_among_equals(name):
    """An arrival that is no better than any that waits is dropped itself; a better one takes the only place."""
    for priorities, left in (((0, 2, 2), [0, 1]), ((0, 2, 3), [0, 1]), ((0, 2, 1), [0, 2])):
        log = Log()
        parameters = log.parameter | {"random": 0.0} | {f"of {k}": float(p) for k, p in enumerate(priorities)}
        discipline = Discipline(name, "departures", in_order(RULES[name][0]), write_departure, parameters=parameters)
        net = Network().link("a", "b", rate=1e3, buffer=1, discipline=discipline)
        run = Simulation(net.flow(traffic.constant(1e6), path=["a", "b"], file=3000), rng=1)
        run.advance(10.0)
        assert [number for _, number, _ in log.rows(BEGUN)] == left


def pair_arrive(link, packet, header, now, rng):
    """Any packet pushes out the head of a full queue, or with p[1] the tail."""
    packet.priority = 0
    write(link, ARRIVED, packet, now)
    if link.waiting < link.limit_packets:
        return ADMIT
    victim, one = link.queue_head, first_waiting(link)
    while link.p[1] > 0.0 and one.next != -1:
        victim = one.next
        one = behind(link, one)
    return victim + 1


@pytest.mark.parametrize(("tail", "rule"), [(0.0, lambda queue, _: 0), (1.0, lambda queue, _: len(queue) - 1)])
def test_head_and_tail_are_pushed_out(tail, rule):
    """The ends of the list, down to a queue of one."""
    for limit in (1, 2, 5):
        log = Log()
        discipline = Discipline(
            "ends", "departures", pair_arrive, write_departure, parameters=log.parameter | {"tail": tail}
        )
        net = Network().link("a", "b", rate=1e6, buffer=limit, discipline=discipline)
        run = Simulation(net.flow(traffic.poisson(2e6), path=["a", "b"], packet=500, stop=0.2), rng=3)
        run.advance(1.0)
        run.books()
        begun, dropped, _ = served_by_hand(log.rows(ARRIVED), limit, 500_000, rule)
        assert log.rows(BEGUN) == begun
        assert run.world.links[0].dropped == len(dropped) > 100


# Header stamps.


def stamp(link, packet, header, now, rng):
    header.x[0] = link.waiting
    header.x[1] = now
    header.x[2] += 1.0
    return 0


def read_stamps(flow, event):
    k = int(event.number)
    flow.u[3 * k], flow.u[3 * k + 1], flow.u[3 * k + 2] = event.header[0], event.header[1], event.header[2]
    return 3.0


STAMPED = Scheme("stamped", start=lambda flow, event: 3.0, ack=read_stamps, stamped=True)


@pytest.mark.parametrize("service", ["departures", "self-clocked", "round-robin"])
def test_stamps(service):
    """Three packets of 1 ms at once: they leave at 0, 1, 2 ms with 0, 1, 0 waiting behind them; two such hops."""
    discipline = Discipline("stamps", service, depart=stamp, parameters={"quantum": 500.0}, needs_buffer=True)
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=discipline)
    net.link("b", "c", rate=1e6, delay=0.01, discipline=discipline)
    run = Simulation(net.flow(STAMPED, path=["a", "b", "c"], file=3000, ack_path="ideal"), rng=1)
    run.advance(1.0)
    # The second hop stamps over the first: a packet arrives there as the one before it leaves, at 11 + k ms.
    for k in range(3):
        assert list(run.world.flows[0].u[3 * k : 3 * k + 3]) == pytest.approx([0.0, 0.011 + 0.001 * k, 2.0], abs=1e-12)
    one = Network().link("a", "b", rate=1e6, delay=0.01, discipline=discipline)
    run = Simulation(one.flow(STAMPED, path=["a", "b"], file=3000, ack_path="ideal"), rng=1)
    run.advance(1.0)
    for k, waiting in enumerate((0.0, 1.0, 0.0)):
        assert list(run.world.flows[0].u[3 * k : 3 * k + 3]) == pytest.approx([waiting, 0.001 * k, 1.0], abs=1e-12)


# Timers.


def watch(link, now):
    """u: how many calls, how many at the wrong time, sum of what waits, last time."""
    link.u[0] += 1.0
    if round(now * 1e9) != round(link.u[0] - 1.0) * 2_000_000:
        link.u[1] += 1.0
    link.u[2] += link.waiting
    link.u[3] = now
    return now + 0.002


@pytest.mark.parametrize("service", ["fifo", "departures", "self-clocked"])
def test_a_tick_every_two_milliseconds(service):
    """REM's clock (16.6): at 0, 2 ms, ... to the nanosecond for 200 s, and it sees what waits just then.

    Ten packets of 1 ms at once: 9, 7, 5, 3, 1 wait just before 0, 2, ... ms, but ends of transmission come first:
    9 at 0 (the flow begins before the clock is asked) and 7, 5, 3, 1 at 2, 4, 6, 8 ms.
    """
    discipline = Discipline("clock", service, tick=watch, needs_buffer=True)
    net = Network().link("a", "b", rate=1e6, discipline=discipline)
    ten = Scheme("ten", start=lambda flow, event: 10.0, ack=lambda flow, event: 10.0)
    run = Simulation(net.flow(ten, path=["a", "b"], file="10 kB", ack_path="ideal"), rng=1)
    run.advance(0.0085)
    link = run.world.links[0]
    assert link.u[0] == 5
    assert link.u[2] == 9 + 7 + 5 + 3 + 1
    run.advance(200.0)
    assert list(run.world.links[0].u[:4]) == [100_001.0, 0.0, 25.0, 200.0]


def odd_tick(link, now):
    link.u[0] += 1.0
    return now + 1.0 / 3.0 if link.u[0] < 4.0 else math.inf


def test_a_tick_that_ends():
    net = Network().link("a", "b", rate=1e6, discipline=Discipline("few", tick=odd_tick))
    run = Simulation(net.flow(traffic.constant(1e3), path=["a", "b"]), rng=1)
    run.advance(100.0)
    assert run.world.links[0].u[0] == 4


def rem_tick(link, now):
    """16.6: price = max(0, price + gamma (in + 0.1 (q - b) - c)) every 2 ms."""
    arrived = link.arrived - link.u[1]
    link.u[1] = link.arrived
    link.u[0] = max(0.0, link.u[0] + link.p[0] * (arrived + 0.1 * (link.waiting - link.p[1]) - link.p[2]))
    if now > 20.0:
        link.u[2] += link.waiting
        link.u[3] += 1.0
    return now + 0.002


def rem_arrive(link, packet, header, now, rng):
    return DROP if rng.random() < 1.0 - 1.001 ** (-link.u[0]) else ADMIT


def test_rem_keeps_its_queue():
    """T15: under a load that answers to drops alone the queue settles at b = 20, within 20 %.

    Forty sources halve or raise their rates; c = 5 packets of 500 bytes in 2 ms at 10 Mbit/s.
    """
    rem = Discipline(
        "rem", tick=rem_tick, arrive=rem_arrive, parameters={"gamma": 0.001, "b": 20.0, "c": 5.0}, needs_buffer=True
    )
    net = Network().link("a", "b", rate="10 Mbit/s", delay="20 ms", buffer=500, discipline=rem)
    net.link("b", "a", rate="10 Mbit/s", delay="20 ms")
    net.flow("reno", path=["a", "b"], packet=500, count=20, stagger=0.013)
    run = Simulation(net, rng=1)
    run.advance(120.0)
    link = run.world.links[0]
    assert link.dropped_early > 1000
    assert link.u[2] / link.u[3] == pytest.approx(20, rel=0.2)


# Notes.


def tell(link, packet, header, now, rng):
    if packet.number == 0:
        link.note[0], link.note[3] = 7.0, now
        link.notify = 1
    return ADMIT


def tell_and_drop(link, packet, header, now, rng):
    if packet.number == 0 and link.u[0] == 0.0:
        link.u[0] = 1.0
        link.note[0], link.note[3] = 7.0, now
        link.notify = 1
        return DROP
    return ADMIT


def hear(flow, event):
    if event.header[0] == 7.0 and event.acked == 0:
        flow.u[0] += 1.0
        flow.u[1], flow.u[2] = event.now, event.header[3]
    return flow.window


@pytest.mark.parametrize("hook", [tell, tell_and_drop])
@pytest.mark.parametrize("where", [0, 1, 2])
@pytest.mark.parametrize("ack_path", ["reverse", "ideal"])
def test_when_a_note_arrives(ack_path, where, hook):
    """Hops of 10 ms and 1 ms a packet, 0.04 ms a note: it leaves the switch k = 0, 1, 2 at k 11 ms, however its
    packet fares, and needs k 10.04 ms back, or k 10 ms without bandwidth. Nobody tells itself anything slower."""
    net = Network()
    nodes = ["a", "b", "c", "d"]
    for k in range(3):
        discipline = Discipline("tells", arrive=hook) if k == where else "fifo"
        net.link(nodes[k], nodes[k + 1], rate=1e6, delay=0.01, discipline=discipline)
        net.link(nodes[k + 1], nodes[k], rate=1e6, delay=0.01)
    run = Simulation(net.flow(Scheme("hears", ack=hear), path=nodes, file=1000, ack_path=ack_path), rng=1)
    run.advance(5.0)
    run.books()
    back = 0.01004 if ack_path == "reverse" else 0.01
    assert list(run.world.flows[0].u[:3]) == pytest.approx([1.0, where * (0.011 + back), where * 0.011], abs=1e-12)
    assert run.world.row.fed == run.world.row.fed_received == 1


def tell_leaving(link, packet, header, now, rng):
    return tell(link, packet, header, now, rng)


def test_a_note_at_departure():
    """Behind another flow's packet of 1 ms: the note leaves with its own packet, at 12 ms, and not at 11 ms."""

    def depart(link, packet, header, now, rng):
        link.note[0], link.note[3] = 7.0, now
        link.notify = packet.flow
        return 0

    discipline = Discipline("tells late", "departures", depart=depart)
    net = Network().link("a", "b", rate=math.inf, delay=0.011, duplex=True)
    net.link("b", "c", rate=1e6, delay=0.01, discipline=discipline).link("c", "b", rate=1e6, delay=0.01)
    for name in ("first", "second"):
        net.flow(Scheme("hears", ack=hear), path=["a", "b", "c"], file=1000, name=name)
    run = Simulation(net, rng=1)
    run.advance(5.0)
    assert list(run.world.flows[1].u[:3]) == pytest.approx([1.0, 0.012 + 0.011, 0.012], abs=1e-12)
    assert run.world.flows[0].u[0] == 0


# Marks.


@pytest.mark.parametrize("buffer", [100, 4, "4000 B"])
def test_marks_above_a_threshold(buffer):
    """Eight packets at once find 0, 0, 1, 2, 3, 4, 5, 6 waiting: five are marked above 2. With room for four, those
    that find 2 and 3; the others are dropped, and a packet that is dropped is not marked."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, buffer=buffer, discipline=queues.mark_above(2), duplex=True)
    eight = Scheme("eight", start=lambda flow, event: 8.0, ack=lambda flow, event: 0.0)
    net.flow(eight, path=["a", "b"], file=8000)
    run = Simulation(net, rng=1)
    run.world.flows["ect"] = 1
    run.advance(0.1)
    link = run.world.links[0]
    dropped = 0 if buffer == 100 else 3
    assert (link.marked, link.dropped) == (5 - dropped, dropped)
    assert run.world.flows[0].marks == 5 - dropped
    run = Simulation(net, rng=1)  # nobody who can be marked
    run.advance(0.1)
    assert run.world.links[0].marked == 0


# Names and parameters.


@pytest.mark.parametrize(
    "one",
    [
        queues.FIFO,
        queues.FIFO_DEPARTURES,
        queues.FAIR,
        queues.round_robin(1500),
        queues.red(),
        queues.red(low=44, high=132, max_p=0.1, weight=0.01, gentle=True, packet=1000, ecn=True, wait=True),
        queues.mark_above(20),
    ],
    ids=lambda one: one.name,
)
def test_made_again_from_name_and_parameters(one):
    assert queues.NAMED[one.name](**one.parameters) == one
    assert queues.discipline(one.name, **one.parameters) == one
    assert set(queues.NAMED) >= {one.name}


def test_what_is_refused():
    for call, words in {
        lambda: queues.discipline("redd"): "did you mean 'red'",
        lambda: queues.discipline("red", hihg=3): r"discipline 'red': parameter 'hihg' is unknown; available: ",
        lambda: queues.discipline("fair", quantum=3): "discipline 'fair' takes no parameters, so 'quantum'",
        lambda: queues.discipline("mark-above"): "discipline 'mark-above' needs threshold",
        lambda: queues.discipline(queues.FAIR, quantum=3): "discipline 'fair' has its parameters already: quantum",
        lambda: queues.round_robin(0): r"quantum = 0 bytes is out of range",
        lambda: queues.round_robin(1.5): "quantum = 1.5 bytes .* whole numbers",
        lambda: queues.red(gentle=0.5): r"gentle = 0.5 is out of range: allowed are values in \{0, 1\}",
        lambda: Discipline("mine", "round-robin"): r"'mine': service='round-robin' needs parameters\['quantum'\]",
        lambda: Discipline("mine", "lifo"): "service = 'lifo' of discipline 'mine' is out of range",
        lambda: Discipline("mine", depart=stamp): "'mine': depart needs service='departures'",
        lambda: Discipline("mine", parameters={str(k): 0.0 for k in range(13)}): "parameters = 13 of discipline",
    }.items():
        with pytest.raises(ValueError, match=words):
            call()

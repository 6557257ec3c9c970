"""Hooks of disciplines: push-out, stamps, clocks, notes and marks, each against a list kept by hand or by rule."""

import math

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Scheme, Simulation, queues, records, traffic
from longfat.sim.jit import part
from longfat.sim.memory import behind, first_waiting, word_at
from longfat.sim.queues import ADMIT, DROP
from longfat.sim.records import NONE

RATE = 1e6  # bytes/s: 1000 ns a byte


def write(link, kind, packet, now):
    """What happened, in the log at the address p[1]: kind, time, flow, number, priority."""
    log = int(link.p[1])
    row = 1 + 5 * word_at(log, 0).x
    word_at(log, row).x = kind
    word_at(log, row + 1).x = round(now * 1e9)
    word_at(log, row + 2).x = packet.flow
    word_at(log, row + 3).x = packet.number
    word_at(log, row + 4).x = packet.priority
    word_at(log, 0).x += 1


write = part(write)


# schemes.md 8.3 and 8.4. A waiting packet's number is what the one before it calls next, the first one's is in the
# link. The limit is p[0]; priorities are drawn here, 0 ... 7.
def published(link, packet, header, now, rng):
    """8.3: the worse packet nearest the tail gives way."""
    packet.priority = int(8 * rng.random())
    write(link, 0, packet, now)
    if link.waiting < link.p[0]:
        return ADMIT
    victim, number = -1, link.queue_head
    waiting = first_waiting(link)
    while True:
        if waiting.priority > packet.priority:
            victim = number
        if waiting.next == NONE:
            break
        number = waiting.next
        waiting = behind(link, waiting)
    return victim + 1 if victim >= 0 else DROP


def corrected(link, packet, header, now, rng):
    """8.4: the worst packet, of equal ones that nearest the tail, gives way."""
    packet.priority = int(8 * rng.random())
    write(link, 0, packet, now)
    if link.waiting < link.p[0]:
        return ADMIT
    victim, worst, number = -1, -1, link.queue_head
    waiting = first_waiting(link)
    while True:
        if waiting.priority >= worst:
            victim, worst = number, waiting.priority
        if waiting.next == NONE:
            break
        number = waiting.next
        waiting = behind(link, waiting)
    return victim + 1 if packet.priority < worst else DROP


def depart(link, packet, header, now, rng):
    write(link, 1, packet, now)
    return 0


def victim_of(queue, priority, rule):
    """The position in a list of priorities that gives way, None if the new packet is dropped."""
    worse = [j for j, other in enumerate(queue) if other > priority]
    if not worse:
        return None
    return max(worse) if rule == "published" else max(worse, key=lambda j: (queue[j], j))


def test_the_case_of_8_5():
    """Full queue [2, 5, 3], arrival 1: published drops the 3, corrected the 5."""
    assert victim_of([2, 5, 3], 1, "published") == 2
    assert victim_of([2, 5, 3], 1, "corrected") == 1


@pytest.mark.parametrize("limit", [1, 3, 12])
@pytest.mark.parametrize("rule", ["published", "corrected"])
def test_push_out(rule, limit):
    """Random arrivals at twice the line's rate: every departure at its time, and the same packets lost."""
    log = np.zeros(100_001, np.int64)
    discipline = Discipline(
        rule,
        service="departures",
        arrive={"published": published, "corrected": corrected}[rule],
        depart=depart,
        parameters={"limit": limit, "log": float(log.ctypes.data)},
    )
    net = Network().link("a", "b", rate=RATE, buffer=limit, discipline=discipline)
    net.flow(traffic.poisson(2 * RATE), path=["a", "b"], packet=1000)
    one = Simulation(net, rng=4)
    one.advance(3.0)
    one.books()
    table = log[1:].reshape(-1, 5)[: log[0]].tolist()
    arrivals = [(time, number, priority) for kind, time, _, number, priority in table if kind == 0]
    departures = [(time, number) for kind, time, _, number, _ in table if kind == 1]
    assert len(arrivals) > 5000
    queue, expected, lost, free = [], [], 0, None
    for time, number, priority in [*arrivals, (round(3e9), None, None)]:
        while free is not None and free < time:  # the packet in transmission has been sent
            if queue:
                expected.append((free, queue.pop(0)[1]))
                free += 1_000_000
            else:
                free = None
        if number is None:
            break
        if free is None:
            expected.append((time, number))
            free = time + 1_000_000
        elif len(queue) < limit:
            queue.append((priority, number))
        else:
            j = victim_of([one[0] for one in queue], priority, rule)
            lost += 1
            if j is not None:
                del queue[j]
                queue.append((priority, number))
    assert departures == expected
    assert int(one.world.links[0].dropped) == lost > 1000


def keep(flow, event):
    """A window of one; what came back is kept where tests look."""
    for k in range(4):
        flow.u[k] = event.header[k]
    flow.u[4] += 1
    flow.u[5] = event.now
    return flow.window


def begin(flow, event):
    flow.header[0] = 7.0
    flow.header[3] = 5.0
    return 1.0


def stamp(link, packet, header, now, rng):
    """The switch's time of arrival, and one more than what the packet brought."""
    header.x[1] = now
    header.x[3] += 1.0
    return ADMIT


def test_stamps():
    """A scheme reads what the switches on its way wrote: 7 as sent, times by hand, 5 + 2 switches."""
    scheme = Scheme("reader", start=begin, ack=keep, stamped=True)
    stamps = Discipline("stamps", arrive=stamp)
    net = Network().link("a", "b", rate=RATE, delay=0.01, discipline=stamps)
    net.link("b", "c", rate=RATE, delay=0.02, discipline=stamps)
    net.flow(scheme, path=["a", "b", "c"], packet=1000, file=1000, ack_path="ideal")
    one = Simulation(net, rng=1)
    one.advance(1.0)
    flow = one.world.flows[0]
    assert flow.u[0] == 7.0
    assert flow.u[1] == pytest.approx(0.01 + 0.001, abs=1e-12)
    assert flow.u[3] == 7.0
    assert flow.u[5] == pytest.approx(0.03 + 0.002 + 0.03, abs=1e-12)


def clock(link, now):
    """Asks for 0, 1, 4, 9, ... ms; the sum of the times and how many they were stay behind."""
    assert_now = link.u[0] * link.u[0] * 1e-3
    if abs(now - assert_now) > 1e-9:
        link.u[1] += 1.0
    link.u[0] += 1.0
    link.u[2] = now
    return link.u[0] * link.u[0] * 1e-3


def test_clock():
    """A tick comes when it was asked for, first at 0."""
    net = Network().link("a", "b", rate=RATE, discipline=Discipline("clock", tick=clock))
    net.flow(traffic.constant(1e5), path=["a", "b"])
    one = Simulation(net, rng=1)
    for until, count in ((0.0005, 1), (0.0039, 2), (0.0041, 3), (0.101, 11), (0.9, 31)):
        one.advance(until)
        assert one.world.links[0].u[0] == count
        assert one.world.links[0].u[1] == 0
        assert one.world.links[0].u[2] == pytest.approx((count - 1) ** 2 * 1e-3, abs=1e-9)


def tell(link, packet, header, now, rng):
    """One note, about the packet numbered 0."""
    if packet.kind == 0 and packet.number == 0:
        link.notify = 1
        link.note[0] = 11.0
        link.note[1] = now
        link.note[2] = link.number
    return ADMIT


def hear(flow, event):
    """A note's time and header; it acknowledges no packet."""
    if event.number == NONE:
        flow.u[3] += event.header[0]
        flow.u[0] = event.now
        flow.u[1] = event.header[1]
        flow.u[2] = event.header[2]
    return flow.window


@pytest.mark.parametrize("ack_path", ["reverse", "ideal"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_notes(ack_path, at):
    """From the switch at the head of link `at` to the sender, by hand: 100 bytes (a note is as an acknowledgment)
    over the links behind it, or their propagation alone."""
    delays, rates = (0.01, 0.02, 0.04), (1e6, 2e6, 4e6)
    nodes = ["a", "b", "c", "d"]
    telling = Discipline("telling", arrive=tell)
    net = Network()
    for k in range(3):
        there = telling if k == at else "fifo"
        net.link(nodes[k], nodes[k + 1], rate=rates[k], delay=delays[k], discipline=there)
        net.link(nodes[k + 1], nodes[k], rate=rates[k], delay=delays[k])
    net.flow(Scheme("hearer", ack=hear), path=nodes, packet=1000, ack=100, ack_path=ack_path, file=1000)
    one = Simulation(net, rng=1)
    one.advance(2.0)
    one.books()
    there = sum(delays[k] + 1000 / rates[k] for k in range(at))
    back = sum(delays[k] + (100 / rates[k] if ack_path == "reverse" else 0) for k in range(at))
    flow = one.world.flows[0]
    assert int(one.world.row.fed) == int(one.world.row.fed_received) == 1
    assert flow.u[1] == pytest.approx(there, abs=2e-9)
    assert flow.u[0] == pytest.approx(there + back, abs=2e-9)
    assert flow.u[2] == 2 * at
    assert flow.u[3] == 11.0  # one


def keep_acks(flow, event):
    """The header of what acknowledges a packet."""
    if event.number != NONE:
        flow.u[0] += abs(event.header[0]) + abs(event.header[1]) + abs(event.header[2])
    return flow.window

    """Packets that carry no header bring none back, whatever a note brought before."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=Discipline("telling", arrive=tell))
    net.link("b", "a", rate=1e6, delay=0.01)
    net.flow(Scheme("keeper", ack=keep_acks), path=["a", "b"], file=1000)
    one = Simulation(net, rng=1)
    one.advance(1.0)
    assert one.world.flows[0].acks_received == 1
    assert one.world.flows[0].u[0] == 0.0


def test_marks_above_a_threshold():
    """16.8: of 20 packets that come at once one is sent and 19 wait; those that find 5 or more waiting are marked."""
    net = Network().link("a", "b", rate=RATE, discipline=queues.mark_above(5))
    net.link("b", "a", rate=RATE)

    def twenty(flow, event):
        flow.ect = 1
        return 20.0

    net.flow(Scheme("twenty", start=twenty, ack=keep, echo="once"), path=["a", "b"], file=20_000)
    one = Simulation(net, rng=1)
    one.advance(1.0)
    # the first goes at once; the k-th of the others finds k - 1 waiting: 0 ... 18, of which 14 are 5 or more
    assert one.world.links[0].marked == 14
    assert one.world.flows[0].marks == 14
    assert one.world.links[0].dropped == 0


def test_nobody_to_mark():
    net = Network().link("a", "b", rate=RATE, buffer=10, discipline=queues.mark_above(5))
    net.flow(traffic.constant(2 * RATE), path=["a", "b"])
    one = Simulation(net, rng=1)
    one.advance(1.0)
    assert one.world.links[0].marked == 0
    assert one.world.links[0].dropped > 900
    assert math.isfinite(one.world.links[0].average)
    assert (
        one.world.flows[0].sent == one.world.flows[0].received + one.world.flows[0].dropped + one.books()["in_flight"]
    )
    assert one.world.links[0].service == records.FIFO

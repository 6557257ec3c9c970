"""Hooks of disciplines: push-out, stamps, ticks, feedback and marks, each against a plain implementation or by hand."""

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Scheme, Simulation, queues
from longfat.sim.kernel import records
from longfat.sim.kernel.jit import part
from longfat.sim.kernel.memory import word_at
from longfat.sim.kernel.records import DATA, NONE
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import behind, first_waiting, push_out, random, waiting
from longfat.sim.queues import DROP, ENQUEUE, SEND
from tests.sim.own import of_flow, of_link

RATE = 1e6  # bytes/s: 1000 ns a byte


def write(link, kind, packet, now):
    """Append kind, time, flow, number and priority of an event to the log at the address `log`."""
    log = int(link.log)
    row = 1 + 5 * word_at(log, 0).x
    word_at(log, row).x = kind
    word_at(log, row + 1).x = round(now * 1e9)
    word_at(log, row + 2).x = packet.flow
    word_at(log, row + 3).x = packet.number
    word_at(log, row + 4).x = packet.priority
    word_at(log, 0).x += 1


write = part(write)


# Kim & Farber (1994), section 3.3.2, as published and corrected. Priorities are drawn here, 0 ... 7.
def published(link, packet, now):
    """Drop the packet nearest the tail that is worse than the arriving one."""
    packet.priority = int(8 * random(link))
    write(link, 0, packet, now)
    if link.backlog < link.limit:
        return ENQUEUE
    verdict, number = DROP, first_waiting(link)
    while number != NONE:
        if waiting(link, number).priority > packet.priority:
            verdict = push_out(number)
        number = behind(link, number)
    return verdict


def corrected(link, packet, now):
    """Drop the worst packet; of equal ones, that nearest the tail."""
    packet.priority = int(8 * random(link))
    write(link, 0, packet, now)
    if link.backlog < link.limit:
        return ENQUEUE
    victim, worst, number = NONE, -1, first_waiting(link)
    while number != NONE:
        if waiting(link, number).priority >= worst:
            victim, worst = number, waiting(link, number).priority
        number = behind(link, number)
    return push_out(victim) if packet.priority < worst else DROP


def dequeue(link, packet, now):
    write(link, 1, packet, now)
    return SEND


def victim_of(queue, priority, rule):
    """Return the position of the packet to drop in a list of priorities, None for the arriving packet."""
    worse = [j for j, other in enumerate(queue) if other > priority]
    if not worse:
        return None
    return max(worse) if rule == "published" else max(worse, key=lambda j: (queue[j], j))


def test_a_full_queue_by_hand():
    """Full queue [2, 5, 3], arrival 1: the published rule drops the 3, the corrected one the 5."""
    assert victim_of([2, 5, 3], 1, "published") == 2
    assert victim_of([2, 5, 3], 1, "corrected") == 1


@pytest.mark.parametrize("limit", [1, 3, 12])
@pytest.mark.parametrize("rule", ["published", "corrected"])
def test_push_out(rule, limit):
    """Random arrivals at twice the link's rate: every departure at its time, and the same packets dropped."""
    log = np.zeros(100_001, np.int64)
    discipline = Discipline(
        rule,
        service="departures",
        enqueue={"published": published, "corrected": corrected}[rule],
        dequeue=dequeue,
        parameters={"limit": limit, "log": float(log.ctypes.data)},
    )
    net = Network().link("a", "b", rate=RATE, buffer=limit, discipline=discipline)
    net.flow(traffic.poisson(2 * RATE), path=["a", "b"], packet=1000)
    one = Simulation(net, rng=4)
    one.advance(3.0)
    one.packet_counts()
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
    assert int(one.state.links[0].dropped) == lost > 1000


def keep(flow, event):
    """Keep the window at one packet, and record the header that came back."""
    for k in range(4):
        flow.back[k] = event.header[k]
    flow.when = event.now
    return flow.window


KEPT = {"back": (0.0,) * 4, "when": 0.0}


def begin(flow, event):
    flow.header[0] = 7.0
    flow.header[3] = 5.0
    return 1.0


def stamp(link, packet, now):
    """Write the arrival time into the header, and add one to its last field."""
    packet.header[1] = now
    packet.header[3] += 1.0
    return ENQUEUE


def test_stamps():
    """A scheme reads what the switches on its path wrote: 7 as sent, times by hand, 5 + 2 switches."""
    scheme = Scheme("reader", start=begin, ack=keep, state=KEPT, stamped=True)
    stamps = Discipline("stamps", enqueue=stamp)
    net = Network().link("a", "b", rate=RATE, delay=0.01, discipline=stamps)
    net.link("b", "c", rate=RATE, delay=0.02, discipline=stamps)
    net.flow(scheme, path=["a", "b", "c"], packet=1000, file=1000, ack_path="ideal")
    one = Simulation(net, rng=1)
    one.advance(1.0)
    flow = of_flow(one)
    assert flow.back[0] == 7.0
    assert flow.back[1] == pytest.approx(0.01 + 0.001, abs=1e-12)
    assert flow.back[3] == 7.0
    assert flow.when == pytest.approx(0.03 + 0.002 + 0.03, abs=1e-12)


def clock(link, now):
    """Ask for calls at 0, 1, 4, 9, ... ms; count the calls and those at wrong times, and record the last."""
    if abs(now - link.calls * link.calls * 1e-3) > 1e-9:
        link.wrong += 1
    link.calls += 1
    link.last = now
    return link.calls * link.calls * 1e-3


def test_clock():
    """A tick comes at the time that the last one returned, first at 0."""
    net = Network().link(
        "a", "b", rate=RATE, discipline=Discipline("clock", tick=clock, state={"calls": 0, "wrong": 0, "last": 0.0})
    )
    net.flow(traffic.constant(1e5), path=["a", "b"])
    one = Simulation(net, rng=1)
    for until, count in ((0.0005, 1), (0.0039, 2), (0.0041, 3), (0.101, 11), (0.9, 31)):
        one.advance(until)
        assert of_link(one).calls == count
        assert of_link(one).wrong == 0
        assert of_link(one).last == pytest.approx((count - 1) ** 2 * 1e-3, abs=1e-9)


def send_feedback(link, packet, now):
    """Send feedback once, when packet 0 arrives."""
    if packet.kind == DATA and packet.number == 0:
        link.send_feedback = 1
        link.feedback[0] = 11.0
        link.feedback[1] = now
        link.feedback[2] = link.delay
    return ENQUEUE


def read_feedback(flow, event):
    """Record time and header of feedback, which acknowledges no packet."""
    if event.number == NONE:
        flow.total += event.header[0]
        flow.when = event.now
        flow.there = event.header[1]
        flow.delay = event.header[2]
    return flow.window


READER = Scheme("reader", ack=read_feedback, state={"total": 0.0, "when": 0.0, "there": 0.0, "delay": 0.0})


@pytest.mark.parametrize("ack_path", ["reverse", "ideal"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_feedback(ack_path, at):
    """Feedback reaches the sender from the switch at the head of link `at`; times by hand.

    It has 100 bytes, as an acknowledgment, and takes the links back, or their propagation delay alone.
    """
    delays, rates = (0.01, 0.02, 0.04), (1e6, 2e6, 4e6)
    nodes = ["a", "b", "c", "d"]
    reporting = Discipline("reporting", enqueue=send_feedback)
    net = Network()
    for k in range(3):
        there = reporting if k == at else "fifo"
        net.link(nodes[k], nodes[k + 1], rate=rates[k], delay=delays[k], discipline=there)
        net.link(nodes[k + 1], nodes[k], rate=rates[k], delay=delays[k])
    net.flow(READER, path=nodes, packet=1000, ack=100, ack_path=ack_path, file=1000)
    one = Simulation(net, rng=1)
    one.advance(2.0)
    one.packet_counts()
    there = sum(delays[k] + 1000 / rates[k] for k in range(at))
    back = sum(delays[k] + (100 / rates[k] if ack_path == "reverse" else 0) for k in range(at))
    flow = of_flow(one)
    assert int(one.state.row.feedback_sent) == int(one.state.row.feedback_received) == 1
    assert flow.there == pytest.approx(there, abs=2e-9)
    assert flow.when == pytest.approx(there + back, abs=2e-9)
    assert flow.delay == delays[at]
    assert flow.total == 11.0  # one message


def keep_acks(flow, event):
    """Add up the headers of acknowledgments."""
    if event.number != NONE:
        flow.total += abs(event.header[0]) + abs(event.header[1]) + abs(event.header[2])
    return flow.window


def test_headers_of_feedback_do_not_come_back():
    """Packets without a header bring none back, whatever feedback brought before."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=Discipline("reporting", enqueue=send_feedback))
    net.link("b", "a", rate=1e6, delay=0.01)
    net.flow(Scheme("keeper", ack=keep_acks, state={"total": 0.0}), path=["a", "b"], file=1000)
    one = Simulation(net, rng=1)
    one.advance(1.0)
    assert one.state.flows[0].acks_received == 1
    assert of_flow(one).total == 0.0


def test_marks_above_a_threshold():
    """Of 20 packets that arrive at once one is sent and 19 are queued; those that find 5 or more queued are marked."""
    net = Network().link("a", "b", rate=RATE, discipline=queues.mark_above(5))
    net.link("b", "a", rate=RATE)

    def twenty(flow, event):
        flow.ect = 1
        return 20.0

    net.flow(Scheme("twenty", start=twenty, ack=keep, state=KEPT, echo="once"), path=["a", "b"], file=20_000)
    one = Simulation(net, rng=1)
    one.advance(1.0)
    # the first is sent at once; the k-th of the others finds k - 1 queued: 0 ... 18, of which 14 are 5 or more
    assert one.state.links[0].marked == 14
    assert one.state.flows[0].marks == 14
    assert one.state.links[0].dropped == 0


def test_packets_that_cannot_be_marked():
    net = Network().link("a", "b", rate=RATE, buffer=10, discipline=queues.mark_above(5))
    net.flow(traffic.constant(2 * RATE), path=["a", "b"])
    one = Simulation(net, rng=1)
    one.advance(1.0)
    assert one.state.links[0].marked == 0
    assert one.state.links[0].dropped > 900
    assert (
        one.state.flows[0].sent
        == one.state.flows[0].received + one.state.flows[0].dropped + one.packet_counts()["in_flight"]
    )
    assert one.state.links[0].service == records.NONE

"""Fair queueing, VirtualClock and rate control against plain queues packet by packet, and rates by hand."""

from functools import partial

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import queue_of
from longfat.sim.queues import ENQUEUE
from tests.sim.lab import Queue, Stamped, observed, simulated
from tests.sim.networks import AIMD

RATE = 1e6  # bytes/s


FAIR = [queues.FAIR, queues.round_robin(500), queues.round_robin(1500), queues.BIT_ROUND]


class Lists(Queue):
    """Common part of the references: a list per flow and a shared buffer; the longest queue loses its last packet."""

    def __init__(self, flows, limit):
        self.lists = [[] for _ in range(flows)]  # (tag, packet)
        self.limit, self.dropped = limit, []

    def put(self, packet, idle):
        if not idle and not self.has_room(*packet[1:3]):
            self.dropped.append(packet[2])
            return
        if idle:
            self.begins()
        self.join(packet[2], packet[1])
        self.lists[packet[2]].append((self.tag(packet[2], packet[1]), packet))

    def has_room(self, size, f):
        """Return whether the arriving packet is admitted."""
        while sum(map(len, self.lists)) >= self.limit:
            lengths = [sum(one[1] for _, one in waiting) for waiting in self.lists]
            lengths[f] += size
            if lengths[f] == max(lengths):
                return False
            longest = lengths.index(max(lengths))
            assert lengths.count(max(lengths)) == 1  # the arrivals of the tests cause no queues equally long
            _, gone = self.lists[longest].pop()
            self.dropped.append(longest)
            self.removed(longest, gone[1])
        return True

    def begins(self):
        """A packet comes to an idle link."""

    def join(self, f, size):
        """A packet joins the list of its flow."""

    def tag(self, f, size):
        return 0


class SelfClocked(Lists):
    """Golestani (1994): v = tag of the packet in service, F = max(F of the flow's last packet, v) + size, 0 if idle."""

    def __init__(self, flows, limit):
        super().__init__(flows, limit)
        self.begins()

    def begins(self):
        self.v, self.last = 0, [0] * len(self.lists)

    def tag(self, f, size):
        self.last[f] = max(self.last[f], self.v) + size
        return self.last[f]

    def removed(self, f, size):
        # F of the packet before it in the queue, or 0 if there is none, as if the packet had never come.
        self.last[f] = self.lists[f][-1][0] if self.lists[f] else 0

    def take(self):
        if not any(self.lists):
            return None
        self.v, f = min((one[0][0], f) for f, one in enumerate(self.lists) if one)
        return self.lists[f].pop(0)[1]


class RoundRobin(Lists):
    """Shreedhar & Varghese (1996): a deficit that grows by the quantum each turn and is lost with the last packet."""

    def __init__(self, flows, limit, quantum):
        super().__init__(flows, limit)
        self.quantum, self.cycle, self.deficit = quantum, [], [0] * flows

    def join(self, f, size):
        if not self.lists[f]:
            self.cycle.append(f)
            self.deficit[f] = self.quantum

    def removed(self, f, size):
        if not self.lists[f]:
            self.cycle.remove(f)

    def take(self):
        if not self.cycle:
            return None
        while self.deficit[self.cycle[0]] < self.lists[self.cycle[0]][0][1][1]:
            f = self.cycle.pop(0)
            self.deficit[f] += self.quantum
            self.cycle.append(f)
        f = self.cycle[0]
        _, packet = self.lists[f].pop(0)
        self.deficit[f] -= packet[1]
        if not self.lists[f]:
            self.cycle.pop(0)
        return packet


class RateControlled(Lists):
    """Rates of flows: an eligible first packet has a tag, others wait until they are eligible.

    Of equal tags the one that was given first is sent first.
    """

    def __init__(self, flows, limit, rates):
        super().__init__(flows, limit)
        self.rates, self.given, self.v = rates, 0, 0
        self.tags, self.last, self.turn = [None] * flows, [0] * flows, [0] * flows
        self.counted, self.charge = [0] * flows, [0] * flows

    def span(self, f, size):
        return int(size * 1e9 / self.rates[f])

    def due(self, f):
        return self.counted[f] + self.span(f, self.charge[f])

    @property
    def tick(self):
        return min((self.due(f) for f, one in enumerate(self.lists) if one and self.tags[f] is None), default=np.inf)

    def update(self):
        """Give tags to the first packets that are eligible."""
        for f, waiting in enumerate(self.lists):
            if waiting and self.tags[f] is None and self.due(f) <= self.now:
                self.tags[f] = self.last[f] = max(self.last[f], self.v) + waiting[0][1][1]
                self.given += 1
                self.turn[f] = self.given

    def put(self, packet, idle):
        f = packet[2]
        if not self.lists[f] and self.due(f) < self.now:
            self.counted[f], self.charge[f] = self.now, 0
        super().put(packet, idle and not self.lists[f] and self.due(f) <= self.now)
        self.update()

    def removed(self, f, size):
        if not self.lists[f] and self.tags[f] is not None:
            self.last[f] -= size
            self.tags[f] = None

    def take(self):
        self.update()
        active = [(tag, self.turn[f], f) for f, tag in enumerate(self.tags) if tag is not None]
        if not active:
            return None
        self.v, _, f = min(active)
        _, packet = self.lists[f].pop(0)
        self.tags[f] = None
        self.counted[f] = max(min(self.due(f), self.now), self.now - self.span(f, packet[1]))
        self.charge[f] = packet[1]
        self.update()
        return packet


class BitRound(Stamped):
    """Demers, Keshav & Shenker (1989): packets in the order of their finish tags; R grows at C/N(active)."""

    def __init__(self, flows, rate=1e-3):  # bytes/ns
        self.last, self.came, self.rounds, self.rate, self.waiting = [0.0] * flows, 0.0, 0.0, rate, []

    def put(self, packet, idle):
        time, size, f, number = packet
        while self.came < time:
            active = [tag for tag in self.last if tag > self.rounds]
            if not active:
                self.came = time
                break
            step = min((min(active) - self.rounds) * len(active) / self.rate, time - self.came)
            self.rounds = min(min(active), self.rounds + step * self.rate / len(active))
            if step < time - self.came:
                self.rounds = min(active)
            self.came += step
        self.last[f] = max(self.last[f], self.rounds) + size
        self.waiting.append((self.last[f], f, number, packet))


class Clocks(Stamped):
    """Zhang (1991): stamp max(now, clock) + size/rate, least stamp first, the greatest is dropped from a full queue."""

    def __init__(self, flows, limit, rates):
        self.rates, self.limit, self.clocks, self.waiting, self.dropped = rates, limit, [0] * flows, [], []

    def put(self, packet, idle):
        _, size, f, _ = packet
        self.clocks[f] = max(self.clocks[f], self.now) + int(size * 1e9 / self.rates[f])
        self.waiting.append((self.clocks[f], f, packet))
        if not idle and len(self.waiting) > self.limit:
            self.dropped.append(max(self.waiting)[1])
            self.waiting.remove(max(self.waiting))


def enqueue(link, packet, now):
    """Set the greatest rate of the packet's flow."""
    queue_of(link, packet).rate = link.rates[packet.flow]
    return ENQUEUE


def rate_controlled(shares):
    return Discipline(
        "rates", service="rate-controlled", enqueue=enqueue, state={"rates": [share * RATE for share in shares]}
    )


SIZES = [997, 613, 1301, 251]  # their sums rarely agree, so that no two queues are equally long


def poisson(loads, sizes=SIZES, exponential=False):
    """Return flows of packets of these mean sizes, at these loads of the link, for `observed`."""
    return [
        (traffic.poisson(load * RATE, exponential_sizes=exponential), {"packet": size, "name": f"f{k}"})
        for k, (load, size) in enumerate(zip(loads, sizes, strict=True))
    ]


CLOCKS = [0.4e6, 0.25e6, 0.3e6, 0.05e6]
VIRTUAL_CLOCK = queues.virtual_clock(rates=[*enumerate(CLOCKS)])
FINITE = [
    *((SelfClocked, queues.FAIR, limit) for limit in (1, 7, 30)),
    *((partial(RoundRobin, quantum=q), queues.round_robin(q), limit) for q in (500, 1499) for limit in (1, 7, 30)),
    (partial(Clocks, rates=CLOCKS), VIRTUAL_CLOCK, 3),
    *(
        (partial(RateControlled, rates=[share * RATE for share in shares]), rate_controlled(shares), limit)
        for shares, limit in (
            # below, around and above each flow's share of the link
            ((0.31, 0.17, 0.43, 0.07), 1), ((0.11, np.inf, 0.23, 0.05), 6), ((2.0, 0.9, np.inf, 0.3), 40),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "discipline", "limit"), FINITE)
def test_the_plain_one(kind, discipline, limit):
    """With random arrivals beyond the link's rate, the same packets depart and are dropped as in the plain queue."""
    seen = observed(poisson([0.5, 0.2, 0.6, 0.1], exponential=True), discipline, 2.0, buffer=limit, rng=3)
    plain = kind(len(SIZES), limit)
    seen.agrees_with(plain)
    link, count = seen.run.state.links[1], len(seen.departures)
    assert count > (700 if isinstance(plain, RateControlled) else 1500)
    assert seen.run.state.flows["dropped"].tolist() == [plain.dropped.count(f) for f in range(len(SIZES))]
    assert int(link.dropped) == len(plain.dropped) > 100
    # The link's integrated backlog [packets x ns] against the waiting times of the same departures.
    assert sum(begin - packet[0] for begin, packet in seen.departures) <= int(link.backlog_area)
    assert int(link.served) in (count, count + 1)


UNLIMITED = [(BitRound, queues.BIT_ROUND), (partial(Clocks, limit=10_000, rates=CLOCKS), VIRTUAL_CLOCK)]


@pytest.mark.parametrize(("kind", "discipline"), UNLIMITED)
def test_without_drops(kind, discipline):
    """The same packets depart at the same times as by the plain queue's tags, whatever their sizes."""
    flows = poisson([0.5, 0.2, 0.4, 0.1], exponential=True)
    seen = observed(flows, discipline, 2.0, buffer=100_000, rng=3)
    assert len(seen.departures) > 1500
    assert int(seen.run.state.links[1].dropped) == 0
    seen.agrees_with(kind(len(SIZES)))


@pytest.mark.parametrize("discipline", FAIR)
def test_a_queue_of_equal_length_loses_nothing(discipline):
    """One packet is in transmission, one waits: a third of the same size has an equal queue, and is dropped itself."""
    net = Network().link("a", "b", rate=RATE, buffer=1, discipline=discipline)
    for k in range(3):
        net.flow(AIMD, path=["a", "b"], packet=1000, file=1000, start=k * 1e-4, ack_path="ideal")
    assert simulated(net, 0.01).state.flows["dropped"].tolist() == [0, 0, 1]


def test_dropped_packets_leave_the_fluid_model():
    """Dropped packets leave the fluid.

    With 1700 packets/s on a link for 1000/s, the flow that loses most would otherwise have the greatest tags and less
    than its share. One flow sends 200/s, nearly all delivered; two share the rest.
    """
    sizes, loads = [1000, 1000, 1000], [0.9, 0.6, 0.2]
    one, _, departures, _ = observed(poisson(loads, sizes), queues.BIT_ROUND, 2.0, buffer=12, rng=3)
    sent = [sum(packet[2] == f for _, packet in departures) for f in range(3)]
    assert one.state.flows["dropped"][:2].min() > 100
    assert one.state.flows["dropped"][2] < 0.02 * sent[2]
    assert sum(sent) == pytest.approx(2000, abs=20)  # in 2 s
    assert sent[0] == pytest.approx(sent[1], rel=0.02)


@pytest.mark.parametrize(
    ("discipline", "queueing"), [("fair", 0.001), ("round-robin", 0.002), ("bit-round", 0.001), ("fifo", 0.05)]
)
def test_acknowledgments_are_a_flow_of_their_own(discipline, queueing):
    """The acknowledgments of a connection are a flow of their own.

    Beside an overload of 1 ms packets, an acknowledgment waits for the packet in transmission, with round robin for one
    more; in order of arrival for all fifty in the buffer. The rest of the round trip takes 1 + 0.04 + 0 ms.
    """
    net = Network().link("a", "b", rate=RATE, buffer=50, discipline=discipline, duplex=True)
    net.flow(traffic.probe("20.0371 ms"), path=["a", "b"], packet=1000)
    net.flow(traffic.constant(3 * RATE), path=["b", "a"], packet=1000)
    one = simulated(net, 3.0)
    found = float(one.state.flows[0].srtt) - 0.00104
    assert found <= queueing + 1e-9
    assert discipline != "fifo" or found > 0.02  # smoothed, from the first sample, which found an empty queue


@pytest.mark.parametrize(
    ("discipline", "shares"),
    [
        (rate_controlled((0.1, 0.0, 0.0)), (0.1, 0.0, 0.0)),
        (queues.virtual_clock(rates=[]), (0.5, 0.5)),  # without a table
        # weights 1, 2 and 1/2
        (queues.BIT_ROUND(weights=[[1, 2], [2, 0.5]]), (2 / 7, 4 / 7, 1 / 7)),
    ],
)
def test_unequal_shares_by_hand(discipline, shares):
    """Backlogged flows get the shares of the link that their rates or weights say."""
    net = Network().link("a", "b", rate=RATE, buffer=100_000, discipline=discipline)
    for k in range(len(shares)):
        net.flow(traffic.constant(2 * RATE * (1 + k / 7)), path=["a", "b"], packet=500)
    run = Simulation(net, rng=1)
    run.advance(0.1)
    before = run.state.flows["received_bytes"].copy()
    run.advance(1.1)
    got = (run.state.flows["received_bytes"] - before) / RATE
    assert got == pytest.approx(np.array(shares), abs=0.002)
    run.packet_counts()

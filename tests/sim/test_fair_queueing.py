"""Fair queueing against plain packet-by-packet references, and against bit-round fair queueing."""

import math

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.queues import ENQUEUE, SEND
from tests.sim.lab import logged, simulated
from tests.sim.networks import AIMD
from tests.sim.own import of_link

RATE = 1e6  # bytes/s: a byte takes 1000 ns
BYTE = 1000  # ns


FAIR = [queues.FAIR, queues.round_robin(500), queues.round_robin(1500), queues.BIT_ROUND]


def backlogged(discipline, sizes, buffer=10_000, rate=RATE):
    """Return a run of one flow for each size, each of them sending faster than the link."""
    net = Network().link("a", "b", rate=rate, buffer=buffer, discipline=discipline)
    for k, size in enumerate(sizes):
        net.flow(traffic.constant(2 * rate * (1 + k / 7)), path=["a", "b"], packet=size, name=f"f{k}")
    return Simulation(net, rng=1)


@pytest.mark.parametrize("sizes", [[500] * 2, [500] * 11, [1000, 500, 250], [1500, 40]])
@pytest.mark.parametrize("discipline", FAIR, ids=["self-clocked", "quantum 500", "quantum 1500", "bit-round"])
def test_backlogged_flows_get_equal_shares(discipline, sizes):
    """Each of n backlogged flows gets C/n; any two of them differ by one packet (or one turn) at most."""
    one = backlogged(discipline, sizes)
    one.advance(0.01)  # all flows are backlogged now
    before = one.state.flows["received_bytes"].copy()
    turn = discipline.values.get("quantum", 0.0)
    for time in (0.05, 0.31, 1.0, 3.0):
        one.advance(time)
        got = one.state.flows["received_bytes"] - before
        # two flows: Golestani's bound L_i + L_j; Shreedhar & Varghese's quantum + 2 L. And what both began with.
        assert np.ptp(got) <= 2 * (turn + 2 * max(sizes))
        total = RATE * (time - 0.01)
        assert got.sum() == pytest.approx(total, abs=2 * max(sizes))
    if turn == 0 and len(set(sizes)) == 1:
        assert np.ptp(got) <= sizes[0]  # equal packets: one packet


class Queue:
    """Common part of the references: a list per flow and a shared buffer; the longest queue loses its last packet."""

    def __init__(self, flows, limit):
        self.lists = [[] for _ in range(flows)]  # (size, tag, number)
        self.limit = limit
        self.sent, self.dropped = [], []

    def bytes(self, f):
        return sum(size for size, _, _ in self.lists[f])

    def waiting(self):
        return sum(len(one) for one in self.lists)

    def make_room(self, f, size):
        """Return whether the arriving packet is admitted."""
        while self.waiting() >= self.limit:
            lengths = [self.bytes(g) + (size if g == f else 0) for g in range(len(self.lists))]
            if lengths[f] == max(lengths):
                return False
            longest = self.tie(lengths)
            _, _, number = self.lists[longest].pop()
            self.dropped.append((longest, number))
            self.removed(longest)
        return True

    def tie(self, lengths):
        """Return any of equally long queues; the arrivals of the tests cause no such ties."""
        longest = [g for g, length in enumerate(lengths) if length == max(lengths)]
        assert len(longest) == 1
        return longest[0]


class SelfClocked(Queue):
    """Golestani (1994): v = tag of the packet in service, F = max(F of the flow's last packet, v) + size, 0 if idle."""

    def __init__(self, flows, limit, _):
        super().__init__(flows, limit)
        self.v, self.last = 0, [0] * flows
        self.clock = [[] for _ in range(flows)]  # last tag before each waiting packet

    def idle(self):
        self.v, self.last = 0, [0] * len(self.lists)

    def tag(self, f, size):
        self.last[f] = max(self.last[f], self.v) + size
        return self.last[f]

    def start(self, f, size, number):
        self.v = self.tag(f, size)

    def put(self, f, size, number):
        self.lists[f].append((size, self.tag(f, size), number))

    def removed(self, f):
        # As if it had never come: F of the one before it, or nothing if none is left in the queue.
        self.last[f] = self.lists[f][-1][1] if self.lists[f] else 0

    def take(self):
        f = min((one[0][1], f) for f, one in enumerate(self.lists) if one)[1]
        size, self.v, number = self.lists[f].pop(0)
        return f, size, number


class RoundRobin(Queue):
    """Shreedhar & Varghese (1996): a deficit that grows by the quantum each turn and is lost with the last packet."""

    def __init__(self, flows, limit, quantum):
        super().__init__(flows, limit)
        self.quantum, self.cycle, self.deficit = quantum, [], [0] * flows

    def idle(self):
        assert not self.cycle

    def start(self, f, size, number):
        pass  # an idle link sends it at once, without a turn

    def put(self, f, size, number):
        if not self.lists[f]:
            self.cycle.append(f)
            self.deficit[f] = self.quantum
        self.lists[f].append((size, 0, number))

    def removed(self, f):
        if not self.lists[f]:
            self.cycle.remove(f)

    def take(self):
        while self.deficit[self.cycle[0]] < self.lists[self.cycle[0]][0][0]:
            f = self.cycle.pop(0)
            self.deficit[f] += self.quantum
            self.cycle.append(f)
        f = self.cycle[0]
        size, _, number = self.lists[f].pop(0)
        self.deficit[f] -= size
        if not self.lists[f]:
            self.cycle.pop(0)
        return f, size, number


def reference(kind, arrivals, flows, limit, quantum):
    """Return departures (flow, number, begin) and drops of a reference for arrivals (time, flow, size, number) [ns]."""
    queue = kind(flows, limit, quantum)
    departures, free, sending = [], 0, False
    for time, f, size, number in [*arrivals, (math.inf, 0, 0, 0)]:
        while sending and free < time:
            if queue.waiting():
                g, length, which = queue.take()
                departures.append((g, which, free))
                free += length * BYTE
            else:
                sending = False
                queue.idle()
        if time == math.inf:
            break
        if not sending:
            departures.append((f, number, time))
            queue.start(f, size, number)
            free, sending = time + size * BYTE, True
        elif queue.make_room(f, size):
            queue.put(f, size, number)
        else:
            queue.dropped.append((f, number))
    return departures, queue.dropped


def observed(discipline, loads, sizes, limit, seed, until=2.0, random_sizes=False):
    """Return a run with its arrivals (time, flow, size, number) and departures (flow, number, begin) [ns]."""
    flows = [
        (traffic.poisson(load * RATE, exponential_sizes=random_sizes), {"packet": size, "name": f"f{k}"})
        for k, (load, size) in enumerate(zip(loads, sizes, strict=True))
    ]
    entered, left, one = logged(flows, discipline, until, rate=RATE, buffer=limit, rng=seed)
    arrivals = [(time, flow, size, number) for time, flow, _, size, number in entered]
    return one, arrivals, [(flow, number, time - size * BYTE) for time, flow, _, size, number in left]


CASES = [
    (SelfClocked, queues.FAIR, 0),
    (RoundRobin, queues.round_robin(500), 500),
    (RoundRobin, queues.round_robin(1499), 1499),
]


@pytest.mark.parametrize("limit", [1, 7, 30])
@pytest.mark.parametrize(("kind", "discipline", "quantum"), CASES, ids=["self-clocked", "500", "1499"])
def test_the_plain_one(kind, discipline, quantum, limit):
    """With random arrivals beyond the link's rate, the same packets depart and are dropped as in the reference."""
    # sizes whose sums rarely agree, so that no two queues are equally long
    sizes, loads = [997, 613, 1301, 251], [0.5, 0.2, 0.6, 0.1]
    one, arrivals, departures = observed(discipline, loads, sizes, limit, 3, random_sizes=True)
    expected, dropped = reference(kind, arrivals, len(sizes), limit, quantum)
    count = len(departures)
    assert count > 1500
    assert departures == expected[:count]
    assert len(expected) - count <= limit + 2  # in transmission and waiting at the end
    link = one.state.links[1]
    assert int(link.dropped) == len(dropped) > 100
    for f in range(len(sizes)):
        assert int(one.state.flows[f].dropped) == sum(g == f for g, _ in dropped)
    # The link's integrated backlog [packets x ns] against the waiting times of the same departures.
    begin = {(f, number): time for f, number, time in departures}
    wait = sum(begin[f, number] - time for time, f, _, number in arrivals if (f, number) in begin)
    assert wait <= int(link.backlog_area)
    assert int(link.served) in (count, count + 1)


def bit_round(arrivals, flows, rate=1.0 / BYTE):
    """Demers, Keshav & Shenker (1989): packets in the order of their finish tags; R grows at C/N(active)."""
    tags, last, now, rounds = {}, [0.0] * flows, 0.0, 0.0
    for time, f, size, number in arrivals:
        while now < time:
            active = [tag for tag in last if tag > rounds]
            if not active:
                now = time
                break
            step = min((min(active) - rounds) * len(active) / rate, time - now)
            rounds = min(min(active), rounds + step * rate / len(active))
            if step < time - now:
                rounds = min(active)
            now += step
        last[f] = max(last[f], rounds) + size
        tags[f, number] = last[f]
    waiting, departures, free = [], [], 0
    todo = list(arrivals)
    while todo or waiting:
        while todo and todo[0][0] <= free:
            time, f, size, number = todo.pop(0)
            waiting.append((tags[f, number], f, number, size))
        if not waiting:
            free = todo[0][0]
            continue
        first = min(waiting)
        waiting.remove(first)
        departures.append((first[1], first[2], free))
        free += first[3] * BYTE
    return departures


def test_bit_round():
    """The service of each flow follows packet-by-packet bit-round fair queueing.

    Self-clocked tags lag behind the bit-round ones by at most one packet of each flow (Golestani 1994, theorem 2),
    which bounds the difference at every moment; the mean difference has to lie within one largest packet.
    """
    sizes, loads = [1000, 500, 1300, 250], [0.4, 0.25, 0.5, 0.1]
    _, arrivals, departures = observed(queues.FAIR, loads, sizes, 100_000, 5, until=1.5)
    expected = bit_round(arrivals, len(sizes))
    size = {(f, number): length for _, f, length, number in arrivals}
    for f in range(len(sizes)):
        times = sorted({time for _, _, time in departures})
        ours, theirs = (np.array([(t, size[f, n]) for g, n, t in which if g == f]) for which in (departures, expected))

        def service(which, time):
            return which[:, 1].cumsum()[np.searchsorted(which[:, 0], time, "right") - 1]

        after = [t for t in times if t > max(ours[0, 0], theirs[0, 0])]
        gaps = [abs(service(ours, t) - service(theirs, t)) for t in after]
        assert max(gaps) <= sum(sizes)
        assert np.mean(gaps) <= max(sizes)


def test_tags_of_the_fluid():
    """The same packets depart at the same times as by the reference's tags, whatever their sizes."""
    sizes, loads = [997, 613, 1301, 251], [0.5, 0.2, 0.4, 0.1]
    _, arrivals, departures = observed(queues.BIT_ROUND, loads, sizes, 100_000, 3, random_sizes=True)
    assert len(departures) > 1500
    assert departures == bit_round(arrivals, len(sizes))[: len(departures)]


def test_what_is_dropped_leaves_the_fluid():
    """Dropped packets leave the fluid.

    With 1700 packets/s on a link for 1000/s, the flow that loses most would otherwise have the greatest tags and less
    than its share. One flow sends 200/s, nearly all delivered; two share the rest.
    """
    sizes, loads = [1000, 1000, 1000], [0.9, 0.6, 0.2]
    one, _, departures = observed(queues.BIT_ROUND, loads, sizes, 12, 3)
    sent = [sum(flow == f for flow, _, _ in departures) for f in range(3)]
    assert one.state.flows["dropped"][:2].min() > 100
    assert one.state.flows["dropped"][2] < 0.02 * sent[2]
    assert sum(sent) == pytest.approx(2000, abs=20)  # in 2 s
    assert sent[0] == pytest.approx(sent[1], rel=0.02)


@pytest.mark.parametrize(
    ("discipline", "mean", "last"),
    [(queues.FAIR, 10.5, False), (queues.round_robin(500), 9.5, False), (queues.round_robin(500), 9.5, True),
     (queues.BIT_ROUND, 5.0, True)],
    ids=["self-clocked", "quantum 500", "quantum 500, last", "bit-round, last"],
)  # fmt: skip
def test_below_its_share(discipline, mean, last):
    """Of 11 flows at 40 Mbit/s with 500 bytes, one below its share waits one round at most, 11 x 0.1 = 1.1 ms.

    With self-clocked tags it waits for the rest of the packet in transmission, half a packet on average, and one packet
    of each of the ten others; with round robin for nine, as the flow in transmission has had its turn. In the fluid its
    service begins at once and ends one round later; only packets that end in the present round precede it: the rest of
    ten packets, five on average. The position of the flow in the list does not matter.
    """
    rate, own = 5e6, 500 / 5e6
    net = Network().link("a", "b", rate=rate, buffer=440, discipline=discipline)

    def modest():
        # every 1.9377 ms, 19.377 packet times: it comes at any moment of a round
        net.flow(traffic.constant(500 / 1.9377e-3), path=["a", "b"], packet=500, name="modest", start=0.05)

    if not last:
        modest()
    for k in range(10):
        net.flow(traffic.constant(rate * (1 + k / 7)), path=["a", "b"], packet=500, name=f"f{k}")
    if last:
        modest()
    one = Simulation(net, rng=1)
    row = one.assembly.flow_names.index("modest")
    one.advance(0.06)
    before, received, waiting_times = int(one.state.flows[row].delay), int(one.state.flows[row].received), []
    for time in np.arange(0.06, 1.0, 0.0005):
        one.advance(float(time))
        flow = one.state.flows[row]
        if flow.received > received:
            assert flow.received == received + 1
            waiting_times.append((int(flow.delay) - before) * 1e-9 / own - 1)
        before, received = int(flow.delay), int(flow.received)
    assert len(waiting_times) > 470
    assert int(one.state.flows[row].dropped) == 0
    assert max(waiting_times) <= 11 + 1e-9
    assert np.mean(waiting_times) == pytest.approx(mean, abs=0.2)


def test_longest_queue_pays():
    """One flow exceeds the link's rate, another stays below its share: only the first loses packets."""
    for limit in (1, 3, 20):
        net = Network().link("a", "b", rate=RATE, buffer=limit, discipline="fair")
        net.flow(traffic.constant(3 * RATE), path=["a", "b"], packet=1000)
        net.flow(traffic.constant(0.2 * RATE), path=["a", "b"], packet=500)
        one = simulated(net, 2.0)
        assert one.state.flows[0].dropped > 3000
        if limit > 1:
            assert one.state.flows[1].dropped == 0


def counted_arrival(link, packet, now):
    link.seen += 1
    return ENQUEUE


def counted_departure(link, packet, now):
    link.seen += 1
    return SEND


def test_hooks_with_fair_service():
    """Hooks that only count arrivals and departures do not change a run with fair queueing."""
    looked = Discipline(
        "looked", service="self-clocked", enqueue=counted_arrival, dequeue=counted_departure, state={"seen": 0}
    )
    counts = []
    for discipline in (queues.FAIR, looked):
        one = backlogged(discipline, [1000, 300, 700], buffer=9)
        one.advance(1.0)
        one.packet_counts()
        counts.append(one.state.flows["received"].tolist() + one.state.flows["dropped"].tolist())
    assert counts[0] == counts[1]
    assert of_link(one).seen > 5000


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


def test_who_was_idle_is_owed_nothing():
    """An idle flow gains no credit.

    Six packets of 1 s at 0 s have tags 1 to 6; three of another flow at 2.5 s, while tag 3 is sent, tags 4 to 6. Of
    equal tags the one that has been first in its queue for longer is sent first: 1 2 3, then 4 and 4' in turn, until 9
    s.
    """
    net = Network().link("a", "b", rate=1000.0, discipline="fair")
    net.flow(AIMD, path=["a", "b"], file="6 kB", ack_path="ideal")
    net.flow(AIMD, path=["a", "b"], file="3 kB", start=2.5, ack_path="ideal")
    run = Simulation(net, rng=1)
    run.state.senders["window"] = 10.0
    run.state.timers["rto"] = 50.0  # no retransmission while packets are queued
    run.advance(20.0)
    assert (run.state.flows["finish"] * 1e-9).tolist() == pytest.approx([8, 9])
    assert run.packet_counts()["received"] == 9

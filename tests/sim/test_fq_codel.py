"""FQ-CoDel against RFC 8290's scheduler with RFC 8289's pseudo-code, packet by packet; equal shares."""

import functools
import itertools
import math
from collections import deque

import numpy as np
import pytest

from longfat import testing
from longfat.sim import Network, Simulation, run
from longfat.sim.network import traffic
from longfat.sim.queues import codel, fq_codel
from longfat.sim.switch.fq_codel import mixed
from tests.sim.lab import Queue, observed, python
from tests.sim.own import of_service

MS = 1_000_000  # ns


class Codel:
    """State and `dequeue` of RFC 8289, sections 5.2 to 5.6, as printed; `scheduler` has the clock and all bytes."""

    def __init__(self, scheduler):
        self.scheduler, self.packets, self.bytes = scheduler, deque(), 0
        self.first_above = self.drop_next = self.count = self.last_count = 0
        self.dropping, self.credits, self.where = False, 0, None

    def law(self, time):
        return time + self.scheduler.interval / math.sqrt(self.count)

    def pop(self):
        packet = self.packets.popleft()
        self.bytes -= packet[1]
        self.scheduler.bytes -= packet[1]
        self.scheduler.waiting -= 1
        return packet

    def do_dequeue(self):
        now, scheduler = self.scheduler.now, self.scheduler
        if not self.packets:
            self.first_above = 0
            return None, False
        packet = self.pop()
        # RFC 8289, section 4.4: "the total occupancy of all queues sharing the same output link SHOULD be used"
        if now - packet[0] < scheduler.target or scheduler.bytes <= scheduler.largest:
            self.first_above = 0
        elif self.first_above == 0:
            self.first_above = now + scheduler.interval
        elif now >= self.first_above:
            return packet, True
        return packet, False

    def dequeue(self):
        now, drops = self.scheduler.now, self.scheduler.controlled
        packet, ok_to_drop = self.do_dequeue()
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while now >= self.drop_next and self.dropping:
                drops.append(packet[2])
                self.count += 1
                packet, ok_to_drop = self.do_dequeue()
                if not ok_to_drop:
                    self.dropping = False
                else:
                    self.drop_next = self.law(self.drop_next)
        elif ok_to_drop:
            drops.append(packet[2])
            packet, ok_to_drop = self.do_dequeue()
            self.dropping = True
            delta = self.count - self.last_count
            self.count = 1
            if delta > 1 and now - self.drop_next < 16 * self.scheduler.interval:
                self.count = delta
            self.drop_next = self.law(now)
            self.last_count = self.count
        return packet


class Referee(Queue):
    """RFC 8290, section 4, for packets (time [ns], size, flow, ...); `queue_of` is the number of a flow's queue."""

    def __init__(self, queues, quantum, limit, target, interval, queue_of=lambda flow: 0):
        self.queues = [Codel(self) for _ in range(queues)]
        self.new, self.old = deque(), deque()
        self.quantum, self.limit, self.target, self.interval = quantum, limit, target, interval
        self.bytes = self.waiting = self.largest = 0
        self.controlled, self.overflow, self.queue_of = [], [], queue_of

    def put(self, packet, idle):
        """Section 4.1."""
        self.largest = max(self.largest, packet[1])
        queue = self.queues[self.queue_of(packet[2])]
        queue.packets.append(packet)
        queue.bytes += packet[1]
        self.bytes += packet[1]
        self.waiting += 1
        if queue.where is None:
            self.new.append(queue)
            queue.where, queue.credits = self.new, self.quantum
        if self.waiting > self.limit:
            fattest = max(self.queues, key=lambda one: one.bytes)
            for _ in range(min(64, math.ceil(len(fattest.packets) / 2))):
                self.overflow.append(fattest.pop()[2])

    def take(self):
        """Section 4.2; 0 credits end a turn, too."""
        while self.new or self.old:
            chosen = self.new or self.old
            queue = chosen[0]
            if queue.credits <= 0:
                queue.credits += self.quantum
                chosen.popleft()
                self.old.append(queue)
                queue.where = self.old
                continue
            packet = queue.dequeue()
            if packet is not None:
                queue.credits -= packet[1]
                return packet
            chosen.popleft()
            queue.where = None
            if chosen is self.new:
                self.old.append(queue)
                queue.where = self.old
        return None


@pytest.mark.parametrize(
    ("queues", "quantum", "buffer", "load"), [(1024, 1514, 10_240, 1.3), (4, 300, 10_240, 1.4), (16, 1514, 150, 3.0)]
)
def test_it_is_the_pseudo_code(queues, quantum, buffer, load):
    """Bursts, sparse flows and several flows in one queue: order, times, drops by CoDel and by the limit all agree."""
    sources = [(traffic.on_off(1e6 * load, 0.2, 0.3, shape_on=1, shape_off=1), {"packet": 1003, "name": "bursts"})]
    sources += [
        (traffic.poisson(1e6 * load / 12), {"packet": size, "name": f"poisson {size}"})
        for size in (211, 401, 997, 1509)
    ]
    sources += [(traffic.constant(3e3), {"packet": 97, "name": "sparse", "start": 1.234e-3})]
    sources += [(traffic.poisson(2e4), {"packet": 151, "name": "light", "start": 0.1})]
    seen = observed(sources, fq_codel(queues=queues, quantum=quantum), 10.0, buffer=buffer, rng=queues)
    salt = int(of_service(seen.run, 1).perturbation)
    assert 0 <= salt < 2**32

    def queue_of(flow):
        return finalised((2 * flow + salt) % 2**32) % queues

    referee = Referee(queues, quantum, buffer, 5 * MS, 100 * MS, queue_of)
    seen.agrees_with(referee)
    assert len(seen.departures) > 8_000
    assert len(referee.controlled) > 50
    assert seen.run.state.links[1].dropped == len(referee.controlled) + len(referee.overflow)
    assert (len(referee.overflow) > 500) == (buffer == 150)


def finalised(key):
    """Return the last step of MurmurHash3 (32 bits), written with numpy's unsigned integers."""
    with np.errstate(over="ignore"):
        h = np.uint32(key)
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        return int(h ^ (h >> np.uint32(16)))


def test_the_hash_has_its_published_values():
    """MurmurHash3_x86_32 of the empty text is the last step of the seed: 0, 0x514E28B7 and 0x81F16F39 are published."""
    assert [finalised(seed) for seed in (0, 1, 0xFFFFFFFF)] == [0, 0x514E28B7, 0x81F16F39]
    plain = python(mixed)
    assert [plain(seed) for seed in (0, 1, 0xFFFFFFFF)] == [0, 0x514E28B7, 0x81F16F39]


def shares(discipline, seed):
    """Return the shares of five flows with round trips of 10 to 160 ms, as multiples of the equal share."""
    rng = np.random.default_rng(seed)
    net = Network().link("a", "b", rate="50 Mbit/s", buffer=10_240, discipline=discipline)
    trips = (0.010, 0.020, 0.040, 0.080, 0.160)
    for k, trip in enumerate(trips):
        net.link(f"s{k}", "a", rate=math.inf, delay=trip / 2)
        start = float(rng.random())
        net.flow("newreno", path=[f"s{k}", "a", "b"], packet=1500, ack_path="ideal", start=start, name=f"{trip} s")
    found = run(net, duration=80.0, warm_up=20.0, rng=seed, progress=False)
    goodput = np.array(found.goodput)
    return goodput / goodput.mean()


@pytest.mark.parametrize(("times", "within"), [({}, 0.25), ({"target": 0.08, "interval": 0.8}, 0.08)])
def test_equal_shares_of_unequal_round_trips(times, within):
    """Every flow's share is within 25 % of the equal one, or 8 % if the queues may be longer.

    A Reno flow whose queue is much shorter than its bandwidth-delay product is idle at times: it gets at least 3/4, the
    mean of a sawtooth from 1/2 to 1. Here 5 ms of queue are short for 160 ms, and 80 ms are not.
    """
    one = functools.cache(lambda seed: shares(fq_codel(**times), seed))
    for k in range(5):
        found = testing.compare(
            lambda: 1.0, lambda seed, k=k: one(seed)[k], within=within, power=0.95, power_at=1, rng=0
        )
        assert found.verdict == "agrees", (k, found)


def test_codel_alone_leaves_the_shares_to_the_round_trip_times():
    alone = shares(codel, 0)
    assert alone[0] > 1.5
    assert alone[-1] < 0.5


def test_more_queues_than_the_engine_takes():
    """Sixteen links with 65,536 queues each have 2^20, one more than the engine takes; fifteen are accepted."""

    def network(links):
        nodes = [f"n{k}" for k in range(links + 1)]
        net = Network()
        for a, b in itertools.pairwise(nodes):
            net.link(a, b, rate=1e6, discipline=fq_codel(queues=65_536))
        return net.flow("reno", path=nodes, ack_path="ideal")

    with pytest.raises(ValueError, match=r"is too large: must have fewer than 1048576 .* queues"):
        Simulation(network(16), rng=1)

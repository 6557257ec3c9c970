"""A slow referee: one file over source - S1 - S2 - destination, every packet of every line an event in a heap.

Whole nanoseconds. Each line sends one packet after the other and then takes its propagation delay; only S1 may be full.
Acknowledgments take half a round trip back. Nothing here is shared with the package.
"""

import heapq
import math
from dataclasses import dataclass, field
from fractions import Fraction

END, ARRIVAL, ACK, TIMER = range(4)  # in the order in which they happen at one instant


@dataclass
class Packet:
    number: int
    priority: int
    transmission: int
    sent: int


@dataclass
class Line:
    time: int  # of one packet
    delay: int
    room: float = math.inf
    queue: list = field(default_factory=list)
    sending: Packet | None = None
    most: int = 0
    dropped: list = field(default_factory=list)


def loser(discipline, queue, packet):
    """What a full switch drops, by a scan: an index of the queue, or None for the arrival (schemes 8.3, 8.4)."""
    found = None
    for j in range(len(queue)):
        worse = queue[j].priority > packet.priority
        if discipline == "priority-discard-published" and worse:
            found = j
        if discipline == "priority-discard" and worse and (found is None or queue[j].priority >= queue[found].priority):
            found = j
    return found


def priorities(packets, growth):
    """Window by window: the k-th has gamma^k packets."""
    found, end = [], 1
    for place in range(packets):
        if place >= end:
            found.append(found[-1] + 1)
            end += growth ** found[-1]
        else:
            found.append(found[-1] if found else 0)
    return found


class Run:
    def __init__(
        self, packets, trip, access, between, last, room, discipline="priority-discard", window=None, growth=2
    ):
        assert trip % 6 == 0
        self.n, self.trip, self.discipline = packets, trip, discipline
        self.lines = [Line(access, trip // 6), Line(between, trip // 6, room), Line(last, trip // 6)]
        self.priorities = priorities(packets, Fraction(growth))
        self.restarts = False  # whether losses restart the timer
        self.window = window  # None: bursts; else slow start, which may not lose anything
        self.heap, self.count, self.now = [], 0, 0
        self.got, self.covered = set(), 0
        self.una = self.next = self.base = self.sent = self.timeouts = 0
        self.bursts, self.fruitless = 1, 1  # fruitless: bursts since anything new was acknowledged
        self.by = {}  # last transmission of each packet
        self.srtt = self.var = None
        self.rto, self.backoff, self.timer = 3.0, 1, None

    def at(self, time, kind, *what):
        self.count += 1
        heapq.heappush(self.heap, (time, kind, self.count, what))

    def finish(self):
        self.feed()
        while self.una < self.n:
            if self.fruitless > 1000:
                return math.inf
            self.now, kind, _, what = heapq.heappop(self.heap)
            (self.end, self.arrive, self.ack, self.ring)[kind](*what)
        finish, self.n = self.now, 0  # nothing more is sent; the lines empty themselves
        while self.heap:
            self.now, kind, _, what = heapq.heappop(self.heap)
            if kind in (END, ARRIVAL):
                (self.end, self.arrive)[kind](*what)
        return finish

    # Lines

    def feed(self):
        """The source's line is idle: the next packet, if there is one that may go."""
        allowed = self.n if self.window is None else min(self.n, self.una + self.window)
        if self.lines[0].sending is None and self.next < allowed:
            self.sent += 1
            place = self.next - self.base
            packet = Packet(self.next, self.priorities[place], self.sent, self.now)
            self.by[self.next] = self.sent
            self.next += 1
            self.start(0, packet)
            if self.timer is None:
                self.set_timer()

    def start(self, k, packet):
        self.lines[k].sending = packet
        self.at(self.now + self.lines[k].time, END, k)

    def end(self, k):
        line = self.lines[k]
        packet, line.sending = line.sending, None
        self.at(self.now + line.delay, ARRIVAL, k + 1, packet)
        if k == 0:
            self.feed()
        elif line.queue:
            self.start(k, line.queue.pop(0))

    def arrive(self, k, packet):
        if k == 3:
            self.got.add(packet.number)
            while self.covered in self.got:
                self.covered += 1
            self.at(self.now + self.trip // 2, ACK, self.covered, packet)
            return
        line = self.lines[k]
        if line.sending is None:
            self.start(k, packet)
            return
        if len(line.queue) >= line.room:
            j = loser(self.discipline, line.queue, packet)
            line.dropped.append(packet if j is None else line.queue[j])
            if j is None:
                return
            del line.queue[j]
        line.queue.append(packet)
        line.most = max(line.most, len(line.queue))

    # Source

    def ack(self, covered, packet):
        if covered > self.una:
            if self.window is not None:
                self.window += covered - self.una
            self.una, self.fruitless = covered, 0
            self.next = max(self.next, self.una)
            self.measure((self.now - packet.sent) / 1e9)
            self.timer = None
            if self.una in self.by:  # it has been sent
                self.set_timer()
        elif self.una in self.by and packet.transmission > self.by[self.una]:
            self.restart()
            if self.restarts:
                self.set_timer()
        self.feed()

    def restart(self):
        assert self.window is None
        self.bursts += 1
        self.fruitless += 1
        self.base = self.next = self.una

    def ring(self, due):
        if due == self.timer:
            self.timeouts += 1
            self.backoff = min(64, 2 * self.backoff)
            self.set_timer()
            self.restart()
            self.feed()

    def measure(self, rtt):
        if self.srtt is None:
            self.srtt, self.var = rtt, rtt / 2
        else:
            self.var = 0.75 * self.var + 0.25 * abs(self.srtt - rtt)
            self.srtt = 0.875 * self.srtt + 0.125 * rtt
        self.rto, self.backoff = min(max(self.srtt + max(0.001, 4 * self.var), 0.002), 60.0), 1

    def set_timer(self):
        self.timer = self.now + round(min(self.rto * self.backoff, 60.0) * 1e9)
        self.at(self.timer, TIMER, self.timer)

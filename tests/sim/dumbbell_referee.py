"""Independent plain implementation of file transfers over one bottleneck, packet by packet.

The network is figure 4 of Kim and Farber, MS-CIS-94-55 (1994): source - S1 - S2 - destination. Each connection has its
own access link, S1 has the only queue that overflows, and acknowledgments take a fixed time. It uses one heap, lists
that are scanned, and exact fractions for transmission times. The last transmission of every packet is recorded: a
duplicate acknowledgment means a loss only if a packet caused it that was sent after the last transmission of the
missing packet (ours, because paths keep the order of packets and a threshold of one duplicate would otherwise take
resent packets for losses). Of equal times, departures from links come first, then those from sources.
"""

import heapq
import itertools
from fractions import Fraction
from math import floor, log2

SECOND = 10**9


class Line:
    """Transmitter: k packets in a row take k times 8 size/rate, to the nearest nanosecond."""

    def __init__(self, bits_per_second, size):
        self.each = Fraction(8 * size * SECOND, bits_per_second)
        self.begun, self.count, self.free = 0, 0, 0

    def send(self, now):
        """Return the end of a transmission that begins now."""
        if now > self.free or self.count == 0:
            self.begun, self.count = now, 0
        self.count += 1
        top, bottom = self.count * self.each.numerator, self.each.denominator
        self.free = self.begun + (2 * top + bottom) // (2 * bottom)
        return self.free


class Timer:
    """RFC 6298 with a sample of every new acknowledgment; granularity 1 ms and minimum 2 ms are ours."""

    def __init__(self):
        self.srtt = self.var = None
        self.rto, self.backoff, self.due, self.least = 3.0, 1, None, 0.002

    def sample(self, nanoseconds):
        r = nanoseconds * 1e-9
        if self.srtt is None:
            self.srtt, self.var = r, r / 2
        else:
            self.var += (abs(self.srtt - r) - self.var) / 4
            self.srtt += (r - self.srtt) / 8
        self.rto = min(max(self.srtt + max(0.001, 4 * self.var), self.least), 60.0)
        self.backoff = 1

    def restart(self, now):
        self.due = now + int(min(self.rto * self.backoff, 60.0) * 1e9)


class Connection:
    """Common part of both kinds of sources: sequence numbers, the retransmission timer and the receiver."""

    def __init__(self, packets, start, size, access):
        self.packets, self.start, self.line, self.timer = packets, start, Line(access, size), Timer()
        self.una = self.next = self.high = 0
        self.on_line = False
        self.count = itertools.count()
        self.last = {}  # of each packet, the number of its last transmission
        self.received, self.expected = set(), 0
        self.finish, self.sent, self.dropped, self.timeouts = None, 0, 0, 0

    def lost(self, echoed, transmission):
        """Return whether the packet that caused a duplicate was sent after the last transmission of the missing one."""
        return transmission > self.last[self.una]

    def receive(self, number):
        self.received.add(number)
        while self.expected in self.received:
            self.expected += 1
        return self.expected


class Burst(Connection):
    """BLT (Kim and Farber 1994, sections 3.3.1 and 3.3.3); `window` is the size of the k-th window."""

    def __init__(self, *args, window=lambda k: 2**k, reset_on_ack=False, skip_known=False, restart_timer=False):
        super().__init__(*args)
        self.window, self.reset_on_ack, self.skip_known = window, reset_on_ack, skip_known
        self.base, self.known, self.restart_timer = 0, set(), restart_timer

    def priority(self, number):
        k, covered = 0, self.window(0)
        while number - self.base >= covered:
            k += 1
            covered += self.window(k)
        return k

    def begin_burst(self):
        self.next = self.base = self.una

    def choose(self):
        while self.skip_known and self.next in self.known:
            self.next += 1
        if self.next == self.packets:
            return None
        self.next += 1
        return self.next - 1

    def acknowledged(self, new, duplicate, echoed, transmission, now):
        if new and self.reset_on_ack:
            self.base = self.una
        if duplicate and self.lost(echoed, transmission):
            self.begin_burst()
            if self.restart_timer:
                self.timer.restart(now)

    def timed_out(self, now):
        self.begin_burst()


class Reno(Connection):
    """Reno (RFC 5681, section 3.2) with a threshold of one duplicate; `guard`: at most one reduction per window."""

    def __init__(self, *args, guard):
        super().__init__(*args)
        self.guard = guard
        self.window, self.ssthresh, self.inflation, self.duplicates = 1.0, float("inf"), 0, 0
        self.recover, self.resend = -2, None

    def priority(self, number):
        return 0

    def choose(self):
        if self.resend is not None:
            number, self.resend = self.resend, None
            return number
        if self.next + 1 > self.una + self.window + self.inflation or self.next == self.packets:
            return None
        self.next += 1
        return self.next - 1

    def lost(self, echoed, transmission):
        """Return whether a duplicate means a loss; a packet that is about to be resent does not count."""
        return self.una < self.next and self.resend != self.una and super().lost(echoed, transmission)

    def acknowledged(self, new, duplicate, echoed, transmission, now):
        if new:
            self.inflation = self.duplicates = 0
            self.window += 1.0 if self.window < self.ssthresh else 1.0 / self.window
        elif duplicate and self.lost(echoed, transmission):
            self.duplicates += 1
            if self.duplicates == 1 and (self.una - 1 > self.recover or not self.guard):
                self.ssthresh = self.window = max(2, (self.high - self.una) // 2)
                self.recover, self.inflation, self.resend = self.high - 1, 1, self.una
                self.timer.restart(now)
            elif self.duplicates > 1 and self.inflation > 0:
                self.inflation += 1

    def timed_out(self, now):
        self.ssthresh = max(2, floor(min(self.window, self.high - self.una) / 2))
        self.recover, self.inflation, self.duplicates = self.high - 1, 0, 0
        self.next, self.window = self.una, 1.0


def victim(queue, priority, rule):
    """Return which queued packet is dropped (Kim and Farber 1994, section 3.3.2), None for the arriving one."""
    worse = [j for j, other in enumerate(queue) if other > priority]
    if rule == "drop-tail" or not worse:
        return None
    return max(worse) if rule == "published" else max(worse, key=lambda j: (queue[j], j))


def push_out(queue, packet, rule):
    """Drop the arriving packet, or a queued one and append the arriving one."""
    j = victim([one[3] for one in queue], packet[3], rule)
    (packet if j is None else queue[j])[0].dropped += 1
    if j is not None:
        del queue[j]
        queue.append(packet)


def take_acknowledgment(now, c, expected, echoed, transmission, sent):
    """Process an acknowledgment at the source, unless the transfer has ended."""
    if c.finish is not None:
        return
    outstanding, new = c.high > c.una, expected > c.una
    if new:
        c.una, c.next = expected, max(c.next, expected)
        c.timer.sample(now - sent)
        if c.una == c.packets:
            c.finish, c.timer.due = now, None
            return
    if getattr(c, "skip_known", False):
        c.known.add(echoed)
    c.acknowledged(new, outstanding and not new, echoed, transmission, now)
    if new:
        if c.high > c.una:
            c.timer.restart(now)
        else:
            c.timer.due = None


def play(connections, *, bottleneck, last, delays, buffer, size, rule, until):
    """Run until all connections have ended, or the time `until`; `delays` are those of the three links [ns]."""
    there = sum(delays)
    events, serial = [], itertools.count()
    queue, sending = [], None
    middle, end = Line(bottleneck, size), Line(last, size)

    def at(time, what, *args, first=2):
        heapq.heappush(events, (time, first, next(serial), what, args))

    def offer(c, now):
        """Send the next packet of a source if its access link is free."""
        if c.on_line or c.finish is not None:
            return
        number = c.choose()
        if number is None:
            return
        transmission = next(c.count)
        c.last[number] = transmission
        c.high = max(c.high, number + 1)
        c.sent += 1
        if c.timer.due is None:
            c.timer.restart(now)
        c.on_line = True
        at(c.line.send(now), "sent", c, (c, number, transmission, c.priority(number), now), first=1)

    def begin(now):
        nonlocal sending
        sending = queue.pop(0)
        at(middle.send(now), "departs", sending, first=0)

    for c in connections:
        at(c.start, "starts", c)
    while any(c.finish is None for c in connections):
        timers = [(c.timer.due, k) for k, c in enumerate(connections) if c.timer.due is not None and c.finish is None]
        if timers and (not events or min(timers)[0] < events[0][0]):
            now, k = min(timers)
            if now > until:
                return
            c = connections[k]
            c.timeouts += 1
            c.timer.backoff = min(2 * c.timer.backoff, 64)
            c.timed_out(now)
            c.timer.restart(now)
            offer(c, now)
            continue
        now, _, _, what, args = heapq.heappop(events)
        if now > until:
            return
        if what == "starts":
            offer(args[0], now)
        elif what == "sent":
            c, packet = args
            c.on_line = False
            at(now + delays[0], "at S1", packet)
            offer(c, now)
        elif what == "at S1":
            packet = args[0]
            if sending is None:
                queue.append(packet)
                begin(now)
            elif len(queue) < buffer:
                queue.append(packet)
            else:
                push_out(queue, packet, rule)
        elif what == "departs":
            at(now + delays[1], "at S2", args[0])
            sending = None
            if queue:
                begin(now)
        elif what == "at S2":
            at(end.send(max(now, end.free)) + delays[2], "arrives", *args[0])
        elif what == "arrives":
            c, number, transmission, _, sent = args
            at(now + there, "acknowledged", c, c.receive(number), number, transmission, sent)
        else:
            take_acknowledgment(now, *args)
            offer(args[0], now)


def priorities_of_two(packets):
    """Return floor(log2(s + 1)), the priority of packet s, for the first packets."""
    return [floor(log2(s + 1)) for s in range(packets)]

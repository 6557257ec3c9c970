"""BLT and the TCP of Kim and Farber (MS-CIS-94-55, 1994) over figure 4, on the clock and the links of the reference.

The path is source - S1 - S2 - destination. Each source has its own access link, S1 is the only switch that may be full,
and acknowledgments take a fixed time. The last transmission of every packet is recorded: a duplicate acknowledgment
means a loss only if its packet was sent after the last transmission of the missing packet (ours, because paths keep
the order of packets and a threshold of one duplicate would otherwise take resent packets for losses).
"""

import math
from fractions import Fraction
from math import log2

from tests.reference import END, SECOND, Events, Link, Sender
from tests.reference import Reno as PlainReno

FINE = {"min_rto": 0.002, "granularity": 0.001, "timestamps": True}  # ours: the paper names no clock
MOST_BURSTS = 1000  # consecutive bursts without a new packet, after which a file counts as endless


class Labelled(Sender):
    """Source that gives packets priorities, and knows the last transmission of each."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **{**FINE, **options})
        self.last, self.labels = {}, {}

    def transmit(self, number):
        self.last[number] = self.transmissions
        self.labels[self.transmissions] = self.priority(number)
        super().transmit(number)

    def priority(self, number):
        return 0

    def lost(self, packet):
        """Return whether the packet that caused a duplicate was sent after the last transmission of the missing one."""
        return packet.transmission > self.last[self.una]


class Burst(Labelled):
    """BLT (Kim and Farber 1994, sections 3.3.1 and 3.3.3); `sizes` is the size of the k-th window."""

    def __init__(
        self, *arguments, sizes=lambda k: 2**k, reset_on_ack=False, skip_known=False, restart=False, **options
    ):
        super().__init__(*arguments, **options)
        self.sizes, self.reset_on_ack, self.skip_known, self.restart = sizes, reset_on_ack, skip_known, restart
        self.base, self.known = 0, set()
        self.bursts, self.in_vain = 1, 1

    def priority(self, number):
        k, covered = 0, self.sizes(0)
        while number - self.base >= covered:
            k += 1
            covered += self.sizes(k)
        return k

    def begin_burst(self):
        self.next = self.base = self.una
        self.bursts, self.in_vain = self.bursts + 1, self.in_vain + 1

    def choose(self):
        while self.skip_known and self.next in self.known:
            self.next += 1
        if self.next == self.packets:
            return None
        self.next += 1
        return self.next - 1

    def acknowledged(self, packet, new, duplicate):
        self.known.add(packet.number)
        if new:
            self.in_vain = 0
            self.base = self.una if self.reset_on_ack else self.base
        if duplicate and self.lost(packet):
            self.begin_burst()
            if self.restart:
                self.restart_timer()

    def timed_out(self):
        self.begin_burst()


class Reno(Labelled, PlainReno):
    """Reno with a threshold of one duplicate; with `bugfix`, at most one reduction per window."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, duplicate_threshold=1.0, **options)

    def lost(self, packet):
        """Return whether a duplicate means a loss; a packet that is about to be resent does not count."""
        return self.una < self.next and self.resend != self.una and super().lost(packet)

    def acknowledged(self, packet, new, duplicate):
        super().acknowledged(packet, new, duplicate and self.lost(packet))


def victim(queue, priority, rule):
    """Return which queued packet is dropped (Kim and Farber 1994, section 3.3.2), None for the arriving one."""
    worse = [j for j, other in enumerate(queue) if other > priority]
    if rule == "drop-tail" or not worse:
        return None
    return max(worse) if rule == "published" else max(worse, key=lambda j: (queue[j], j))


class Switch(Link):
    """S1: if full, it drops the arriving packet, or drops a queued one and admits the arriving one."""

    def __init__(self, *arguments, rule):
        super().__init__(*arguments)
        self.rule, self.queue, self.sending = rule, [], None

    def admit(self, packet):
        if self.sending is None:
            self.begin(packet)
            return
        if len(self.queue) >= self.packets:
            j = victim([other.flow.labels[other.transmission] for other in self.queue],
                       packet.flow.labels[packet.transmission], self.rule)  # fmt: skip
            dropped = packet if j is None else self.queue.pop(j)
            self.dropped += 1
            dropped.flow.dropped += 1
            if dropped is packet:
                return
        self.queue.append(packet)
        self.largest_backlog = max(self.largest_backlog, len(self.queue))

    def begin(self, packet):
        self.sending = packet
        self.events.at(self.transmitter.send(packet.size, self.events.now)[1], self.depart, kind=END)

    def depart(self):
        packet, self.sending = self.sending, None
        self.propagate(packet, self.events.now)
        if self.queue:
            self.begin(self.queue.pop(0))


class Figure4:
    """Network of the paper's figure 4; rates [bit/s], delays of the three links and of acknowledgments [ns]."""

    def __init__(self, bottleneck, last, delays, buffer, rule, back=None):
        self.events = Events()
        self.switch = Switch(self.events, bottleneck, delays[1], buffer, rule=rule)
        self.path = [Link(self.events, math.inf, delays[0]), self.switch, Link(self.events, last, delays[2])]
        self.back = [Link(self.events, math.inf, sum(delays) if back is None else back)]

    def add(self, kind, packets, size, access, **options):
        """Add a source of some kind, and return it."""
        return kind(self.events, self.path, self.back, packets, size=size, access_rate=access, **options)

    def run(self, connections, until=math.inf):
        """Run until all files have ended, or up to a time."""
        while any(c.finish is None for c in connections) and self.events.step(until):
            pass


class Alone:
    """File alone on the path, given the round trip and the time of a packet on each of the three lines [ns].

    With `window` it is Reno's slow start, which may not lose anything; else BLT. Other options are those of the timer.
    The outcome is the time of the last acknowledgment, or infinity, and the counts up to it; drops of packets that
    were in transit at that time count, too.
    """

    def __init__(self, packets, trip, access, between, last, room, discipline="priority-discard", window=None, growth=2,
                 restart=False, **timer):  # fmt: skip
        rates = [Fraction(8 * SECOND, time) if time else math.inf for time in (access, between, last)]
        rule = {"priority-discard": "corrected", "priority-discard-published": "published"}.get(discipline, discipline)
        third = trip // 6
        delays = [third, third, trip // 2 - 2 * third]
        net = Figure4(rates[1], rates[2], delays, room, rule, trip - sum(delays))
        base = Fraction(growth) if growth % 1 else growth
        options = {"sizes": lambda k: base**k, "restart": restart, **timer}
        if window is not None:
            options = {"initial_window": window}
        c = net.add(Burst if window is None else Reno, packets, 1, rates[0], **options)
        while c.finish is None and (window is not None or c.in_vain <= MOST_BURSTS):
            net.events.step()
        self.finish = math.inf if c.finish is None else c.finish
        self.sent, self.timeouts, self.bursts = c.transmissions, c.timeouts, getattr(c, "bursts", 1)
        while c.finish is not None and net.events.step():
            pass
        self.drops, self.largest_backlog = net.switch.dropped, net.switch.largest_backlog
        self.outcome = self.finish, self.bursts, self.sent, self.drops, self.timeouts


def priorities_of_two(packets):
    """Return floor(log2(s + 1)), the priority of packet s, for the first packets."""
    return [math.floor(log2(s + 1)) for s in range(packets)]

"""The packet simulator in one file: drop-tail links and Reno in plain Python, one event after the other, no shortcut.

It defines what `longfat.sim` computes and shares no code with it: `tests/test_reference.py` compares both to the last
bit. To get to know the simulator, read on: events, timer, link, receiver, sender, Reno, network.

``python -m tests.reference SCENARIO.toml`` prints the flows and links of ``longfat simulate SCENARIO.toml --json``.
"""

import heapq
import itertools
import json
import math
import sys
from dataclasses import dataclass
from fractions import Fraction

SECOND = 10**9  # all times are in whole nanoseconds
NEVER = math.inf
#: Order of events at one instant: ends of transmissions, packets that leave an access link, all others, delayed
#: acknowledgments, these in the order of flows (ours).
END, ACCESS, OTHER, DELAYED = range(4)


class Events:
    """Clock and event list: what happens at one instant happens by kind, then in the order of scheduling (ours)."""

    def __init__(self):
        self.now, self.count, self.list, self.serial = 0, 0, [], itertools.count()

    def at(self, time, what, *arguments, kind=OTHER, place=0):
        """Schedule a call of `what`."""
        heapq.heappush(self.list, (time, kind, place, next(self.serial), what, arguments))

    def step(self, until=NEVER):
        """Process the next event; if there is none up to `until`, set the clock to `until` and return False."""
        if not self.list or self.list[0][0] > until:
            self.now = until
            return False
        self.now, *_, what, arguments = heapq.heappop(self.list)
        self.count += 1
        what(*arguments)
        return True


class Timer:
    """Timer with one entry in the event list; a timer that is postponed gets a new one when the old one comes."""

    def __init__(self, events, expire, **order):
        self.events, self.expire, self.order = events, expire, order
        self.due = self.entry = NEVER  # when it expires; when its entry comes

    def set(self, due):
        """Let the timer expire at a time, or never."""
        self.due = due
        if due < self.entry:
            self.entry = due
            self.events.at(due, self._reach, due, **self.order)

    def _reach(self, entry):
        if entry == self.entry:  # else an earlier one has replaced it
            due, self.entry = self.due, NEVER
            self.set(NEVER if due <= entry else due)
            if due <= entry:
                self.expire()


@dataclass
class Packet:
    """Data packet, which the receiver sends back as an acknowledgment with the number that it expects next."""

    flow: "Sender"
    number: int
    transmission: int  # a packet that is sent again has another one
    sent: int
    size: int  # bytes
    hops: object  # iterator over the links still to be crossed, and the host behind them: the next one admits it
    last: bool  # no new data follow
    expected: int | None = None  # of an acknowledgment


class Transmitter:
    """Transmitter with a rate [bit/s], a fraction or infinite; a train of packets takes the time of all its bits."""

    def __init__(self, rate):
        self.bit = 0 if rate == math.inf else SECOND / rate  # time of a bit [ns], a fraction
        self.exact = self.free = 0  # end of the last packet, exactly and (ours) to the nearest nanosecond

    def send(self, size, now):
        """Return begin and end of the transmission of a packet."""
        if now > self.free:
            self.exact = self.free = now
        begin, self.exact = self.free, self.exact + 8 * size * self.bit
        self.free = math.floor(self.exact + Fraction(1, 2))
        return begin, self.free


class Link:
    """Link to the next node: a drop-tail queue, of so many packets or bytes, a transmitter, and a propagation delay.

    The packet in transmission does not count against the buffer; one that arrives as a transmission ends does not wait.
    As packets leave in the order of arrival, all times are known at arrival. Of the packets on a link, waiting ones
    included, only the first has an event; the next one gets its event when that one has arrived at the far end.
    """

    def __init__(self, events, rate=math.inf, delay=0, packets=math.inf, size=math.inf):
        self.events, self.transmitter, self.delay = events, Transmitter(rate), delay
        self.packets, self.size = packets, size  # room for waiting packets, and for their bytes
        self.waiting, self.inside = [], []  # begin of transmission, size; arrival at the far end, packet
        self.log = []  # arrival, begin and end of transmission of each packet admitted
        self.dropped = self.largest_backlog = 0

    def admit(self, packet):
        """Take a packet that arrives, or drop it."""
        now = self.events.now
        self.waiting = [(begin, size) for begin, size in self.waiting if begin > now]
        backlog = sum(size for _, size in self.waiting)
        full = len(self.waiting) >= self.packets or backlog + packet.size > self.size
        if self.transmitter.free > now and full:
            self.dropped += 1
            packet.flow.dropped += packet.expected is None  # flows count their data packets
            return
        begin, end = self.transmitter.send(packet.size, now)
        self.log.append((now, begin, end))
        if begin > now:
            self.waiting.append((begin, packet.size))
            self.largest_backlog = max(self.largest_backlog, len(self.waiting))
        self.propagate(packet, end)

    def propagate(self, packet, end):
        """Let a packet arrive at the far end, a delay after the end of its transmission."""
        self.inside.append((end + self.delay, packet))
        if len(self.inside) == 1:
            self.events.at(end + self.delay, self.arrive)

    def arrive(self):
        """Let the first packet leave the link at its far end."""
        _, packet = self.inside.pop(0)
        if self.inside:
            self.events.at(self.inside[0][0], self.arrive)
        next(packet.hops).admit(packet)


class Receiver:
    """Receiver that takes packets in any order and acknowledges each or every k-th (RFC 5681, section 4.2)."""

    def __init__(self, events, back, place, ack_size, delayed_ack, ack_delay, quick_acks):
        self.events, self.back, self.ack_size = events, back, ack_size
        self.every, self.longest, self.quick = delayed_ack, int(ack_delay * 1e9), quick_acks
        self.pending, self.merged = [], 0  # packets not acknowledged
        self.timer = Timer(events, self.acknowledge, kind=DELAYED, place=place)
        self.expected, self.beyond = 0, set()  # first packet that is missing; those received beyond it
        self.received = self.received_bytes = self.delay = self.last_arrival = 0

    def admit(self, packet):
        """Take a data packet, and send an acknowledgment now or later."""
        waits = packet.number == self.expected and not self.beyond and not packet.last and self.quick <= 0
        self.quick -= 1
        self.received, self.last_arrival = self.received + 1, self.events.now
        self.delay += self.events.now - packet.sent
        if packet.number >= self.expected and packet.number not in self.beyond:
            self.received_bytes += packet.size
            self.beyond.add(packet.number)
        while self.expected in self.beyond:
            self.beyond.remove(self.expected)
            self.expected += 1
        packet.expected, packet.size, packet.hops = self.expected, self.ack_size, iter([*self.back, packet.flow])
        self.merged += bool(self.pending)
        self.pending.append(packet)
        if not waits or len(self.pending) >= self.every:
            self.acknowledge()
        elif len(self.pending) == 1:
            self.timer.set(self.events.now + self.longest)

    def acknowledge(self):
        """Send the acknowledgment of the packet that arrived last, which covers those before it."""
        last, self.pending = self.pending[-1], []
        self.timer.set(NEVER)
        next(last.hops).admit(last)


class Timeout:
    """Retransmission timeout of RFC 6298 [s]; the default bounds and granularity are those of ns-2.35."""

    def __init__(self, first_rto=3.0, min_rto=0.2, max_rto=60.0, granularity=0.01):
        self.rto, self.least, self.most, self.granularity = first_rto, min_rto, max_rto, granularity
        self.srtt, self.rttvar, self.backoff = 0.0, 0.0, 1

    def sample(self, nanoseconds):
        """Take a round-trip time."""
        seconds = max(1, nanoseconds) * 1e-9
        if self.srtt == 0.0:  # RFC 6298, rule 2.2
            self.srtt, self.rttvar = seconds, seconds / 2
        else:  # RFC 6298, rule 2.3, the variation first
            self.rttvar += (abs(self.srtt - seconds) - self.rttvar) / 4
            self.srtt += (seconds - self.srtt) / 8
        # Rules 2.3 to 2.5; RFC 6298, section 5, first note at its end: a new sample ends the backoff.
        self.rto = min(max(self.srtt + max(self.granularity, 4 * self.rttvar), self.least), self.most)
        self.backoff = 1

    def nanoseconds(self):
        """Return the timeout in force [ns]."""
        return int(min(self.rto * self.backoff, self.most) * 1e9)


class Sender:
    """Sender of a flow, with a timer and an access link for one packet; a subclass decides what is sent next."""

    def __init__(
        self, events, path, back, packets=math.inf, *, place=0, size=1000, ack_size=40, start=0, stop=NEVER,
        access_rate=math.inf, timestamps=0.0, delayed_ack=1.0, ack_delay=0.04, quick_acks=0.0, **timeout,
    ):  # fmt: skip
        self.events, self.path = events, path
        self.receiver = Receiver(events, back, place, ack_size, delayed_ack, ack_delay, quick_acks)
        self.packets, self.size, self.start, self.stop = packets, size, start, stop
        self.access, self.finish = Transmitter(access_rate), None
        self.una = self.next = self.high = 0  # first packet not acknowledged; next new one; highest one sent, plus 1
        self.transmissions = self.retransmitted = self.dropped = self.timeouts = 0
        self.timeout, self.timer = Timeout(**timeout), Timer(events, self.expire)
        self.timestamps, self.timed = timestamps, None  # without time stamps: the packet that is timed, and its time
        events.at(start, self.send)

    def send(self):
        """Send what may be sent now."""
        while self.access.free <= self.events.now < self.stop and self.finish is None:
            if (number := self.choose()) is None:
                return
            self.transmit(number)

    def transmit(self, number):
        """Send a packet, for the first time or again."""
        now = self.events.now
        if number >= self.high:
            self.high, self.timed = number + 1, self.timed or (number, now)
        else:
            self.retransmitted += 1
            if self.timed and self.timed[0] == number:
                self.timed = None  # Karn's algorithm (RFC 6298, section 3): its round trip would be ambiguous
        hops = iter([*self.path, self.receiver])
        packet = Packet(self, number, self.transmissions, now, self.size, hops, last=self.next >= self.packets)
        self.transmissions += 1
        if self.timer.due == NEVER:  # RFC 6298, rule 5.1
            self.timer.set(now + self.timeout.nanoseconds())
        _, end = self.access.send(self.size, now)
        if end == now:
            next(packet.hops).admit(packet)
        else:
            self.events.at(end, self.leave, packet, kind=ACCESS)

    def leave(self, packet):
        """Let a packet that the access link has transmitted enter the path."""
        next(packet.hops).admit(packet)
        self.send()

    def admit(self, packet):
        """Process an acknowledgment."""
        outstanding, new = self.high > self.una, packet.expected > self.una
        self.una = max(self.una, packet.expected)
        self.next = max(self.next, self.una)
        if new and self.timestamps:
            self.timeout.sample(self.events.now - packet.sent)
        elif new and self.timed and self.una > self.timed[0]:
            self.timeout.sample(self.events.now - self.timed[1])
            self.timed = None
        self.acknowledged(packet, new, outstanding and not new)
        if new:
            self.restart_timer()
        if self.una >= self.packets and self.finish is None:
            self.finish = self.events.now
        self.send()

    def restart_timer(self):
        """Restart the retransmission timer, or stop it if nothing is outstanding (RFC 6298, rules 5.2 and 5.3)."""
        self.timer.set(self.events.now + self.timeout.nanoseconds() if self.high > self.una else NEVER)

    def expire(self):
        """Back off the timer (RFC 6298, rule 5.5; ours: to 64 times the timeout, as in ns-2.35), and send again."""
        self.timeouts, self.timed = self.timeouts + 1, None
        self.timeout.backoff = min(2 * self.timeout.backoff, 64)
        self.timed_out()
        self.timer.set(self.events.now + self.timeout.nanoseconds())
        self.send()


class Reno(Sender):
    """Reno (RFC 5681, sections 3.1 and 3.2)."""

    def __init__(
        self, *arguments, initial_window=1.0, initial_ssthresh=1e300, duplicate_threshold=3.0, ssthresh_floor=2.0,
        bugfix=1.0, **options,
    ):  # fmt: skip
        super().__init__(*arguments, **options)
        self.window, self.ssthresh, self.floor = initial_window, initial_ssthresh, ssthresh_floor  # packets
        self.threshold, self.bugfix = duplicate_threshold, bugfix
        self.inflation, self.duplicates = 0.0, 0  # packets that fast recovery adds to the window; duplicates in a row
        self.reduced_at, self.resend = -2, None  # highest packet sent at the last reduction; packet to be sent again

    def choose(self):
        """Return the packet to be sent next, None if the window has no room."""
        if self.resend is not None:
            number, self.resend = self.resend, None
            return number
        if self.next + 1 > self.una + self.window + self.inflation or self.next >= self.packets:
            return None
        self.next += 1
        return self.next - 1

    def acknowledged(self, packet, new, duplicate):
        """Grow the window for new data; begin fast recovery at the third duplicate."""
        if new:  # RFC 5681, section 3.2, step 6; ns-2.35, tcp-reno.cc: any new data end recovery
            self.inflation, self.duplicates = 0.0, 0
            self.window += 1.0 if self.window < self.ssthresh else 1.0 / self.window  # RFC 5681, section 3.1
        elif duplicate:
            self.duplicates += 1
            # RFC 6582, section 3.2, step 2: at most one fast retransmit for each window of data
            allowed = self.una - 1 > self.reduced_at or not self.bugfix
            if self.duplicates == self.threshold and allowed:  # RFC 5681, section 3.2, steps 2 and 3
                self.reduce(self.high - self.una)
                self.window, self.inflation, self.resend = self.ssthresh, self.threshold, self.una
                self.restart_timer()
            elif self.duplicates > self.threshold and self.inflation > 0:  # RFC 5681, section 3.2, step 4
                self.inflation += 1.0

    def timed_out(self):
        """Continue from the first unacknowledged packet on, with a window of one packet (RFC 5681, section 3.1)."""
        self.reduce(min(self.window, self.high - self.una))
        self.window, self.inflation, self.duplicates, self.next = 1.0, 0.0, 0, self.una

    def reduce(self, in_flight):
        """Set ssthresh after a loss: half of the flight, rounded down (RFC 5681, section 3.1, equation 4)."""
        self.reduced_at, self.ssthresh = self.high - 1, max(self.floor, math.floor(in_flight / 2))


def bits(rate):
    """Return a rate [bytes/s] in bit/s, a fraction with a denominator of at most 1000 (ours, for exact times)."""
    return math.inf if rate == math.inf else Fraction(8 * rate).limit_denominator(1000)


class Simulation:
    """Run of a `longfat.sim.Network` of drop-tail links and Reno flows."""

    def __init__(self, net):
        self.events, self.net, self.links, self.flows = Events(), net, {}, {}
        for pair, link in net.links.items():
            if link.discipline.name != "fifo" or link.loss or link.jitter or link.rate_changes:
                raise ValueError(f"link {link.name!r}: the reference has drop tail alone, and no random loss or jitter")
            self.links[pair] = Link(self.events, bits(link.rate), round(link.delay * SECOND), *link.buffer)
        pure = {}  # links without transmission time, by their delay, for acknowledgments on an ideal path
        for flow in net.flows:
            if flow.scheme is None or flow.scheme.name != "reno" or flow.application or flow.send_jitter:
                raise ValueError(f"flow {flow.name!r}: the reference has Reno alone, with all data at the start")
            hops = list(itertools.pairwise(flow.path))
            back = [self.links[head, tail] for tail, head in reversed(hops) if flow.ack_path == "reverse"]
            if not back:
                delay = math.fsum(net.links[pair].delay for pair in hops)
                back = [pure.setdefault(delay, Link(self.events, delay=round(delay * SECOND)))]
            for k, name in enumerate(flow.names):
                self.flows[name] = Reno(
                    self.events, [self.links[pair] for pair in hops], back,
                    math.inf if flow.file is None else math.ceil(flow.file / flow.packet), place=len(self.flows),
                    size=flow.packet, ack_size=flow.ack, start=round((flow.start + k * flow.stagger) * SECOND),
                    stop=NEVER if flow.stop == math.inf else round(flow.stop * SECOND),
                    access_rate=bits(flow.access_rate), **flow.parameters,
                )  # fmt: skip

    def run(self, duration=None):
        """Run for so many seconds, or until all files are transferred."""
        flows = self.flows.values() if duration is None else []
        if any(flow.packets == math.inf for flow in flows):
            raise ValueError("duration is absent: give duration [s], or files to all flows")
        while not flows or any(flow.finish is None for flow in flows):
            if not self.events.step(NEVER if flows else round(duration * SECOND)):
                return

    def results(self):
        """Return results by flow and by link, with the names of `longfat simulate --json`."""
        now, flows, links = self.events.now, [], []
        for name, flow in self.flows.items():  # goodput is over the flow's own time
            end = max(flow.stop, flow.receiver.last_arrival) if flow.finish is None else flow.finish
            time = (min(end, now) - flow.start) / SECOND
            flows.append({
                "name": name, "scheme": "reno", "traffic": None,
                "transfer_time": None if flow.finish is None else time,
                "goodput": flow.receiver.received_bytes / time if time > 0 else None,
                "delivered": flow.receiver.expected, "dropped": flow.dropped, "sent": flow.transmissions,
            })  # fmt: skip
        for pair, link in self.links.items():  # transmissions and waiting times count up to now
            transmitted = sum(min(end, now) - min(begin, now) for _, begin, end in link.log)
            waited = sum(min(begin, now) - arrival for arrival, begin, _ in link.log)
            links.append({
                "name": self.net.links[pair].name, "utilisation": transmitted / SECOND / (now / SECOND),
                "mean_queue": waited / SECOND / (now / SECOND),
                "max_queue": link.largest_backlog, "dropped": link.dropped,
            })  # fmt: skip
        return {"flows": flows, "links": links}


if __name__ == "__main__":
    from longfat import scenario

    try:
        net, options = scenario.load(*sys.argv[1:])
        if options.get("warm_up") or options.get("replications", 1) > 1:
            raise ValueError("warm_up and replications must be absent: the reference counts one run from its start")
        one = Simulation(net)
        one.run(options.get("duration"))
    except (TypeError, ValueError) as error:
        print(f"reference: {error}", file=sys.stderr)
        sys.exit(2)
    text = json.dumps(one.results(), indent=2)
    print(text.replace(".0,\n", ",\n").replace(".0\n", "\n"))  # integers as the command prints them

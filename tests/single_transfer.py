"""Simulation of one BLT file alone on the dumbbell, with a switch queue that overflows, event by event and exactly.

It shares no code with the packet simulator, so that each checks the other.

Rules. The source sends packets una ... n - 1 back to back on its access link, each with the priority of its place in
the burst (Kim and Farber, MS-CIS-94-55, section 3.3). An acknowledgment covers all packets received in order and names
the transmission that caused it. If it covers nothing new, and that transmission is later than the last one of packet
una, packet una is lost. The burst then ends, after the packet in transmission, and a new one begins with packet una and
priorities from 0 again; this rule is ours. A new burst also begins when the timer of RFC 6298 expires. Packets
acknowledged before they are sent are skipped. At one instant the ends of transmissions come first, then arrivals at the
switch, acknowledgments, and the timer.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from longfat.base.domains import choice, integer, number, out_of_range
from longfat.laws.blt.windows import packet_priority

MIN_TICKS_PER_SECOND = 10**15  # the timer's floats are rounded to ticks, everything else is exact

MAX_BURSTS_WITHOUT_PROGRESS = 1000  # consecutive bursts, after which the transfer is taken never to complete


@dataclass(frozen=True)
class Timer:
    """Retransmission timer (RFC 6298) with per-packet time stamps.

    By default the clock ticks every 1 ms, and the smallest timeout is two ticks. ``first``, ``granularity``, ``least``
    and ``most`` are in seconds. ``restarts``: whether a loss found by an acknowledgment restarts the timer, as in Reno;
    RFC 6298 restarts it for new acknowledgments only.
    """

    first: float = 3.0
    granularity: float = 1e-3
    least: float = 2e-3
    most: float = 60.0
    restarts: bool = False


@dataclass(frozen=True)
class Transfer:
    """Result of a file transfer: its ``time`` [s] and the counts up to then.

    Counts are ``bursts``, ``transmissions``, ``drops`` (transmissions that the switch drops) and ``timeouts``.
    """

    time: float | Fraction
    bursts: int
    transmissions: int
    drops: int
    timeouts: int


Queue = list[tuple[int, int, int, int]]  # priority, number, transmission, sending time; from head to tail


def drop_arrival(queue: Queue, priority: int) -> int | None:
    """Return None: a full Bully-Tyrant switch drops the arrival."""
    return None


def last_worse(queue: Queue, priority: int) -> int | None:
    """Return the packet worse than the arrival that is nearest the tail (section 3.3.2, as published)."""
    return next((j for j in reversed(range(len(queue))) if queue[j][0] > priority), None)


def last_worst(queue: Queue, priority: int) -> int | None:
    """Return the worst packet nearest the tail, if it is worse than the arrival (corrected switch)."""
    j = max(range(len(queue)), key=lambda j: (queue[j][0], j), default=None)
    return j if j is not None and queue[j][0] > priority else None


DISCIPLINES: dict[str, Callable[[Queue, int], int | None]] = {
    "priority-discard": last_worst,
    "priority-discard-published": last_worse,
    "drop-tail": drop_arrival,
}


def unloaded_transfer(
    packets: int,
    round_trip_time: Any,
    access_time: Any,
    bottleneck_time: Any,
    buffer: int,
    *,
    last_time: Any = 0,
    discipline: str = "priority-discard",
    growth: float = 2,
    timer: Timer = Timer(),
) -> Transfer:
    r"""Simulate a file sent by a BLT source over an empty path with a switch that may overflow.

    .. math:: T = \min\{t: \text{the source has the acknowledgment of all } n \text{ packets}\}

    Parameters
    ----------
    packets : int
        n [packets], in [1, 1e6].
    round_trip_time, access_time : float or Fraction
        D and t_a [s], in [0, inf), as for `unloaded_transfer_time`.
    bottleneck_time : float or Fraction
        t_b [s], in (0, inf).
    buffer : int
        K [packets], in [1, 1e9]: queue limit of the switch, without the packet in transmission.
    last_time : float or Fraction
        t_d [s], in [0, t_b].
    discipline : {"priority-discard", "priority-discard-published", "drop-tail"}
        Packet that a full switch drops: the one of the worst priority nearest the tail; of those worse than the arrival
        the one nearest the tail, as published; or the arrival (Bully-Tyrant). If none is worse, the arrival is dropped.
    growth : float
        gamma [1], in [1, inf): growth of the windows that define the priorities.
    timer : Timer
        The retransmission timer.

    Returns
    -------
    Transfer
        Time and counts up to the last acknowledgment. The time is a Fraction if all times given are ints or Fractions;
        it is inf if 1000 consecutive bursts deliver nothing new.

    Notes
    -----
    This is a recursion, not a formula. It is exact except for the timer, whose floats are rounded to 1e-15 s. Without
    losses it gives `unloaded_transfer_time`. If only the first burst loses packets, the switch is empty again when the
    second arrives, and packets that arrive after the first one lost show it to be lost, then T = 2 (D + t_a + t_d) + (h
    + 2) t_b with h the last packet lost. For a file alone the two priority disciplines drop the same packets, unless a
    timer expires while packets of two bursts are queued. The position of the switch on the path does not matter. The
    priority space is reset by losses and timeouts, not by acknowledgments. Without priorities a source may lock in
    phase with the switch for ever, if its bursts are longer than a round trip: its first packet always arrives just
    after the free place in the queue was taken. With priorities that first packet, of priority 0, displaces another.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ms = Fraction(1, 1000)
    >>> unloaded_transfer(200, 30 * ms, ms * 2 / 75, ms * 2 / 15, 75)  # 30 of 150 Mbit/s, 500-byte packets
    Transfer(time=Fraction(1461, 12500), bursts=3, transmissions=318, drops=94, timeouts=0)

    References
    ----------
    Kim and Farber, MS-CIS-94-55, sections 3.3.2 and 3.3.3; the rule for duplicate acknowledgments is ours. RFC 6298.
    """
    n = integer("packets", packets, "packets", "[1, 1e6]")
    queue_limit = integer("buffer", buffer, "packets", "[1, 1e9]")
    gamma = number("growth", growth, "1", "[1, inf)")
    choice("discipline", discipline, DISCIPLINES)
    given = {
        "round_trip_time": (round_trip_time, "[0, inf)"),
        "access_time": (access_time, "[0, inf)"),
        "bottleneck_time": (bottleneck_time, "(0, inf)"),
        "last_time": (last_time, "[0, inf)"),
    }
    exact = all(isinstance(value, int | Fraction) for value, _ in given.values())
    seconds = [
        Fraction(value if isinstance(value, int | Fraction) else checked)
        for value, checked in ((value, number(name, value, "s", allowed)) for name, (value, allowed) in given.items())
    ]
    if seconds[3] > seconds[2]:  # it would be another bottleneck
        raise out_of_range(
            "last_time", float(last_time), "s", f"[0, {float(bottleneck_time):g}], up to bottleneck_time"
        )
    ticks = math.lcm(*(value.denominator for value in seconds))
    ticks *= -(-MIN_TICKS_PER_SECOND // ticks)
    trip, access, between, last = (int(value * ticks) for value in seconds)
    victim, priorities = DISCIPLINES[discipline], _priorities(n, gamma)
    path = _Path(trip, access, between, last, queue_limit, victim, priorities, timer, ticks)
    path.run(n)
    time = Fraction(path.now, ticks) if path.una == n else math.inf
    return Transfer(time if exact else float(time), path.bursts, path.transmissions, path.drops, path.timeouts)


def unloaded_transfer_time_with_losses(
    packets: int, round_trip_time: Any, access_time: Any, bottleneck_time: Any, buffer: int, **options: Any
) -> float | Fraction:
    r"""Return the time from a file's first packet to its last acknowledgment, with a switch that may overflow.

    .. math:: T \ge D + t_a + t_b + t_d + (n - 1) \max(t_a, t_b, t_d)

    Parameters
    ----------
    packets, round_trip_time, access_time, bottleneck_time, buffer, **options
        As for `unloaded_transfer`.

    Returns
    -------
    float or Fraction
        T [s].

    Notes
    -----
    The result is that of `unloaded_transfer`: a recursion, exact.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time_with_losses(200, 30e-3, 80e-6 / 3, 400e-6 / 3, 75), 3)
    116.88

    References
    ----------
    As for `unloaded_transfer`.
    """
    return unloaded_transfer(packets, round_trip_time, access_time, bottleneck_time, buffer, **options).time


def _priorities(packets: int, growth: float) -> list[int]:
    return [int(p) for p in packet_priority([float(s) for s in range(packets)], growth)]


class _Path:
    """Source, switch and destination; all times in ticks. Nothing overtakes in transit, so deques suffice."""

    def __init__(
        self,
        round_trip: int,
        access: int,
        bottleneck: int,
        last: int,
        queue_limit: int,
        victim: Callable[[Queue, int], int | None],
        priorities: list[int],
        timer: Timer,
        ticks: int,
    ) -> None:
        self.access, self.bottleneck, self.back = access, bottleneck, round_trip + last
        self.queue_limit, self.victim, self.priorities, self.timer, self.ticks = (
            queue_limit,
            victim,
            priorities,
            timer,
            ticks,
        )
        self.now = self.bursts = self.transmissions = self.drops = self.timeouts = self.bursts_without_progress = 0
        self.una = self.next = self.base = self.high = 0  # high: one more than the highest number sent
        self.latest = [0] * len(priorities)  # transmission of each packet
        self.link_free = 0  # time at which the access link is free
        self.in_transit: deque[tuple[int, tuple[int, int, int, int]]] = deque()  # arrivals at the switch
        self.queue: Queue = []
        self.in_transmission: tuple[int, int, int, int] | None = None
        self.end = 0  # of the transmission between the switches
        self.received: set[int] = set()  # packets that the destination received out of order
        self.expected = 0
        # arrival time, packets covered, transmission, sending time
        self.acks: deque[tuple[int, int, int, int]] = deque()
        self.smoothed: float | None = None
        self.variation = 0.0
        self.timeout, self.backoff = timer.first, 1
        self.timer_expiry: int | None = None

    def run(self, packets: int) -> None:
        """Process events until the source has all acknowledgments, then count the packets still in transit."""
        self.burst()
        while self.una < packets and self.bursts_without_progress <= MAX_BURSTS_WITHOUT_PROGRESS:
            times = (  # in the order of events at one instant
                self.end if self.in_transmission else math.inf,
                self.link_free if self.next < packets else math.inf,
                self.in_transit[0][0] if self.in_transit else math.inf,
                self.acks[0][0] if self.acks else math.inf,
                math.inf if self.timer_expiry is None else self.timer_expiry,
            )
            first = min(times)
            self.now = int(first)
            (self.depart, self.send, self.arrive, self.acknowledge, self.on_timeout)[times.index(first)]()
        finish = self.now
        while self.in_transit:  # packets still in transit to the switch, whose drops count
            ends = self.in_transmission is not None and self.end <= self.in_transit[0][0]
            self.now = self.end if ends else self.in_transit[0][0]
            (self.depart if ends else self.arrive)()
        self.now = finish

    def burst(self) -> None:
        """Begin a burst of all packets that are not acknowledged."""
        self.bursts += 1
        self.bursts_without_progress += 1
        self.next = self.base = self.una
        self.link_free = max(self.link_free, self.now)

    def send(self) -> None:
        """Transmit the next packet on the access link."""
        self.transmissions += 1
        self.latest[self.next] = self.transmissions
        packet = (self.priorities[self.next - self.base], self.next, self.transmissions, self.now)
        self.next += 1
        self.high = max(self.high, self.next)
        self.link_free = self.now + self.access
        self.in_transit.append((self.link_free, packet))
        if self.timer_expiry is None:
            self.start_timer()

    def arrive(self) -> None:
        """Enqueue or drop a packet at the switch.

        The propagation delay from the source is added to the return path.
        """
        _, packet = self.in_transit.popleft()
        if self.in_transmission is None:
            self.transmit(packet)
            return
        if len(self.queue) >= self.queue_limit:
            self.drops += 1
            j = self.victim(self.queue, packet[0])
            if j is None:
                return
            del self.queue[j]
        self.queue.append(packet)

    def transmit(self, packet: tuple[int, int, int, int]) -> None:
        """Begin the transmission of a packet on the bottleneck link."""
        self.in_transmission, self.end = packet, self.now + self.bottleneck

    def depart(self) -> None:
        """End a transmission on the bottleneck link and send the acknowledgment.

        Packets are not reordered after the bottleneck, so the acknowledgment is already known.
        """
        assert self.in_transmission is not None
        _, number_, transmission, sent = self.in_transmission
        if number_ >= self.expected:
            self.received.add(number_)
        while self.expected in self.received:
            self.received.remove(self.expected)
            self.expected += 1
        self.acks.append((self.now + self.back, self.expected, transmission, sent))
        self.in_transmission = None
        if self.queue:
            self.transmit(self.queue.pop(0))

    def acknowledge(self) -> None:
        """Process an acknowledgment at the source: new packets are acknowledged, or packet una is found lost."""
        _, covered, transmission, sent = self.acks.popleft()
        if covered > self.una:
            self.una, self.bursts_without_progress = covered, 0
            self.next = max(self.next, covered)
            self.sample((self.now - sent) / self.ticks)
            self.timer_expiry = None
            if self.high > self.una:
                self.start_timer()
        elif self.high > self.una and transmission > self.latest[self.una]:
            self.burst()
            if self.timer.restarts:
                self.start_timer()

    def sample(self, seconds: float) -> None:
        """Update the retransmission timeout from a round-trip time sample (RFC 6298, sections 2.2 and 2.3)."""
        if self.smoothed is None:
            self.smoothed, self.variation = seconds, seconds / 2
        else:
            self.variation += (abs(self.smoothed - seconds) - self.variation) / 4
            self.smoothed += (seconds - self.smoothed) / 8
        timeout = self.smoothed + max(self.timer.granularity, 4 * self.variation)
        self.timeout, self.backoff = min(max(timeout, self.timer.least), self.timer.most), 1

    def start_timer(self) -> None:
        """Start the retransmission timer."""
        self.timer_expiry = self.now + round(Fraction(min(self.timeout * self.backoff, self.timer.most)) * self.ticks)

    def on_timeout(self) -> None:
        """Double the timeout, to at most 64 times its value, and begin a burst (RFC 6298, section 5.5)."""
        self.timeouts += 1
        self.backoff = min(2 * self.backoff, 64)
        self.start_timer()
        self.burst()

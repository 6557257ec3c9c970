"""Simulate a BLT file that is alone on the dumbbell and overflows its switch, event by event and exactly.

It shares no code with the packet simulator, so that either checks the other.

Rules. The source sends packets una ... n - 1 back to back on its line, each with the priority of its place in the
burst. An acknowledgment covers all packets received in order and names the transmission that caused it. If it covers
nothing new, and that transmission is later than the last one of packet una, packet una is lost: the burst ends, after
the packet that the line is sending, and a new one begins with packet una, priorities from 0 again. So it does when the
timer of RFC 6298 goes off. Packets that an acknowledgment covers before their turn are skipped. At one instant the
ends of transmissions come first, then arrivals at the switch, acknowledgments, the timer.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from longfat.domains import choice, integer, number, out_of_range
from longfat.laws.blt.windows import packet_priority

FINEST = 10**15  # ticks per second, at least: the timer's floats are rounded to ticks, everything else is exact

PATIENCE = 1000  # bursts in a row that bring nothing new, after which none is taken to do so


@dataclass(frozen=True)
class Timer:
    """Retransmission timer (RFC 6298): per-packet time stamps, by default with a clock of 1 ms and no floor but two
    readings of it.

    ``first``, ``granularity``, ``least`` and ``most`` in seconds. ``restarts``: whether a loss found by an
    acknowledgment restarts it, as in Reno; RFC 6298 restarts it for new acknowledgments only.
    """

    first: float = 3.0
    granularity: float = 1e-3
    least: float = 2e-3
    most: float = 60.0
    restarts: bool = False


@dataclass(frozen=True)
class Transfer:
    """What became of a file: ``time`` [s], and up to then ``bursts``, ``transmissions``, those of them that the switch
    ``drops``, and ``timeouts``."""

    time: float | Fraction
    bursts: int
    transmissions: int
    drops: int
    timeouts: int


Waiting = list[tuple[int, int, int, int]]  # priority, number, transmission, when it was sent: head to tail


def drop_arrival(waiting: Waiting, priority: int) -> int | None:
    """Bully-Tyrant's switch: whatever arrives at a full queue is lost."""
    return None


def last_worse(waiting: Waiting, priority: int) -> int | None:
    """The published switch (section 3.3.2): of those worse than the arrival the one nearest the tail."""
    return next((j for j in reversed(range(len(waiting))) if waiting[j][0] > priority), None)


def last_worst(waiting: Waiting, priority: int) -> int | None:
    """The corrected switch: of the worst ones the one nearest the tail, if it is worse than the arrival."""
    j = max(range(len(waiting)), key=lambda j: (waiting[j][0], j), default=None)
    return j if j is not None and waiting[j][0] > priority else None


DISCIPLINES: dict[str, Callable[[Waiting, int], int | None]] = {
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
    r"""A file sent by a BLT source over an empty path with a switch that may overflow, packet by packet.

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
        K [packets], in [1, 1e9]: those that may wait in the switch; the one being sent is not counted.
    last_time : float or Fraction
        t_d [s], in [0, t_b].
    discipline : {"priority-discard", "priority-discard-published", "drop-tail"}
        What a full switch drops: the packet of the worst priority nearest the tail; of those worse than the arrival the
        one nearest the tail, as the paper has it; the arrival (Bully-Tyrant). The arrival itself if none is worse.
    growth : float
        gamma [1], in [1, inf): of the windows that give the priorities.
    timer : Timer
        The retransmission timer.

    Returns
    -------
    Transfer
        Up to the moment of the last acknowledgment. The time is a Fraction if all times given are ints or Fractions;
        it is inf if 1000 bursts in a row bring nothing new.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A recursion, not a formula; exact, but for the timer, whose floats are rounded to 1e-15 s. Where
    nothing is lost it gives `unloaded_transfer_time`. If only the first burst loses packets, its switch is empty again
    when the second comes, and packets that arrive after the first one lost show it to be lost, then
    T = 2 (D + t_a + t_d) + (h + 2) t_b with h the last packet lost. For a file alone the two priority disciplines
    drop the same packets, unless a timer goes off while packets of two bursts wait. Where on the path the switch stands
    is of no account. The priority space is reset by losses and timeouts, not by acknowledgments. Without priorities a
    source may lock in phase with the switch for ever, if its bursts are longer than a round trip: its first packet
    always comes just after the place that became free was taken. A packet of priority 0 finds a place.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ms = Fraction(1, 1000)
    >>> unloaded_transfer(200, 30 * ms, ms * 2 / 75, ms * 2 / 15, 75)  # 30 of 150 Mbit/s, 500-byte packets
    Transfer(time=Fraction(1461, 12500), bursts=3, transmissions=318, drops=94, timeouts=0)

    References
    ----------
    Kim and Farber, MS-CIS-94-55, sections 3.3.2 and 3.3.3; the rule by which duplicates count is ours. RFC 6298.
    """
    n = integer("packets", packets, "packets", "[1, 1e6]")
    places = integer("buffer", buffer, "packets", "[1, 1e9]")
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
            "last_time", float(last_time), "s", f"[0, {float(bottleneck_time):g}], up to the bottleneck's"
        )
    ticks = math.lcm(*(value.denominator for value in seconds))
    ticks *= -(-FINEST // ticks)
    trip, access, between, last = (int(value * ticks) for value in seconds)
    victim, priorities = DISCIPLINES[discipline], _priorities(n, gamma)
    path = _Path(trip, access, between, last, places, victim, priorities, timer, ticks)
    path.run(n)
    time = Fraction(path.now, ticks) if path.una == n else math.inf
    return Transfer(time if exact else float(time), path.bursts, path.transmissions, path.drops, path.timeouts)


def unloaded_transfer_time_with_losses(
    packets: int, round_trip_time: Any, access_time: Any, bottleneck_time: Any, buffer: int, **options: Any
) -> float | Fraction:
    r"""Time from the first packet of a file to its last acknowledgment, over an empty path whose switch may overflow.

    .. math:: T \ge D + t_a + t_b + t_d + (n - 1) \max(t_a, t_b, t_d)

    Parameters
    ----------
    packets, round_trip_time, access_time, bottleneck_time, buffer, **options
        As for `unloaded_transfer`.

    Returns
    -------
    float or Fraction
        T [s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `unloaded_transfer`: a recursion, exact.

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
    """Source, switch and destination; all times in ticks. What is under way keeps its order, so deques will do."""

    def __init__(
        self,
        round_trip: int,
        access: int,
        bottleneck: int,
        last: int,
        places: int,
        victim: Callable[[Waiting, int], int | None],
        priorities: list[int],
        timer: Timer,
        ticks: int,
    ) -> None:
        self.access, self.bottleneck, self.back = access, bottleneck, round_trip + last
        self.places, self.victim, self.priorities, self.timer, self.ticks = places, victim, priorities, timer, ticks
        self.now = self.bursts = self.transmissions = self.drops = self.timeouts = self.fruitless = 0
        self.una = self.next = self.base = self.high = 0  # high: one more than the highest number sent
        self.latest = [0] * len(priorities)  # transmission of each packet
        self.line = 0  # when the source's line can take a packet
        self.coming: deque[tuple[int, tuple[int, int, int, int]]] = deque()  # arrivals at the switch
        self.waiting: Waiting = []
        self.serving: tuple[int, int, int, int] | None = None
        self.end = 0  # of the transmission between the switches
        self.held: set[int] = set()  # by the destination, beyond a hole
        self.expected = 0
        self.acks: deque[tuple[int, int, int, int]] = deque()  # time, covered, transmission, when it was sent
        self.smoothed: float | None = None
        self.variation = 0.0
        self.timeout, self.backoff = timer.first, 1
        self.due: int | None = None

    def run(self, packets: int) -> None:
        """Until the source has all acknowledgments."""
        self.burst()
        while self.una < packets and self.fruitless <= PATIENCE:
            times = (  # in the order of what comes first at one instant
                self.end if self.serving else math.inf,
                self.line if self.next < packets else math.inf,
                self.coming[0][0] if self.coming else math.inf,
                self.acks[0][0] if self.acks else math.inf,
                math.inf if self.due is None else self.due,
            )
            first = min(times)
            self.now = int(first)
            (self.leave, self.send, self.arrive, self.acknowledge, self.time_out)[times.index(first)]()
        finish = self.now
        while self.coming:  # what is still on its way to the switch
            ends = self.serving is not None and self.end <= self.coming[0][0]
            self.now = self.end if ends else self.coming[0][0]
            (self.leave if ends else self.arrive)()
        self.now = finish

    def burst(self) -> None:
        """All that is not acknowledged, from now on."""
        self.bursts += 1
        self.fruitless += 1
        self.next = self.base = self.una
        self.line = max(self.line, self.now)

    def send(self) -> None:
        """The source's line takes the next packet."""
        self.transmissions += 1
        self.latest[self.next] = self.transmissions
        packet = (self.priorities[self.next - self.base], self.next, self.transmissions, self.now)
        self.next += 1
        self.high = max(self.high, self.next)
        self.line = self.now + self.access
        self.coming.append((self.line, packet))
        if self.due is None:
            self.start_timer()

    def arrive(self) -> None:
        """At the first switch; its distance from the source is put to the way back."""
        _, packet = self.coming.popleft()
        if self.serving is None:
            self.serve(packet)
            return
        if len(self.waiting) >= self.places:
            self.drops += 1
            j = self.victim(self.waiting, packet[0])
            if j is None:
                return
            del self.waiting[j]
        self.waiting.append(packet)

    def serve(self, packet: tuple[int, int, int, int]) -> None:
        """The line between the switches takes a packet."""
        self.serving, self.end = packet, self.now + self.bottleneck

    def leave(self) -> None:
        """A packet is through; nothing overtakes it, so that its acknowledgment is known."""
        assert self.serving is not None
        _, number_, transmission, sent = self.serving
        if number_ >= self.expected:
            self.held.add(number_)
        while self.expected in self.held:
            self.held.remove(self.expected)
            self.expected += 1
        self.acks.append((self.now + self.back, self.expected, transmission, sent))
        self.serving = None
        if self.waiting:
            self.serve(self.waiting.pop(0))

    def acknowledge(self) -> None:
        """The source learns what has arrived, or that packet una is lost."""
        _, covered, transmission, sent = self.acks.popleft()
        if covered > self.una:
            self.una, self.fruitless = covered, 0
            self.next = max(self.next, covered)
            self.sample((self.now - sent) / self.ticks)
            self.due = None
            if self.high > self.una:
                self.start_timer()
        elif self.high > self.una and transmission > self.latest[self.una]:
            self.burst()
            if self.timer.restarts:
                self.start_timer()

    def sample(self, seconds: float) -> None:
        """RFC 6298, 2.2 and 2.3."""
        if self.smoothed is None:
            self.smoothed, self.variation = seconds, seconds / 2
        else:
            self.variation += (abs(self.smoothed - seconds) - self.variation) / 4
            self.smoothed += (seconds - self.smoothed) / 8
        timeout = self.smoothed + max(self.timer.granularity, 4 * self.variation)
        self.timeout, self.backoff = min(max(timeout, self.timer.least), self.timer.most), 1

    def start_timer(self) -> None:
        """From now on."""
        self.due = self.now + round(Fraction(min(self.timeout * self.backoff, self.timer.most)) * self.ticks)

    def time_out(self) -> None:
        """RFC 6298, 5.5: twice the time, at most 64 times."""
        self.timeouts += 1
        self.backoff = min(2 * self.backoff, 64)
        self.start_timer()
        self.burst()

"""Error control of Gong and Parulkar beside other rules, in a separate simulator: a short plain program.

Assumptions are those of section 4.2: each packet is lost independently, acknowledgments are not, and each arrives a
fixed time after the end of its group. `deliver` sends segments by one of `RULES`:

- "hard" and "soft": section 4.3.1; "soft" replaces the stored segment with the largest number.
- "reserved slot": soft acknowledgment, of which one slot is kept for the first missing segment. Ours: with the paper's
  policy each arrival of the first missing segment displaces a stored one, although it leaves the buffer at once.
- "reserved slot, no replacement": no stored segment is ever displaced.
- "blocks": SNR (Netravali, Roome and Sabnani 1990). The receiver reports its state at fixed intervals, and the sender
  repeats every block that is reported missing, as a whole; a block is taken to be a segment. The paper could not be
  read; the rules are those of descriptions of it.
- "go back": cumulative acknowledgment, and a receiver that takes segments in order only. "one at a time": cumulative
  acknowledgment, and a receiver that stores segments; the sender knows the first missing one alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from longfat.base.domains import choice

NO_REPLACEMENT = "reserved slot, no replacement"
RESERVED = ("reserved slot", NO_REPLACEMENT)
SOFT = ("soft", *RESERVED)
CUMULATIVE = ("go back", "one at a time")
RULES = ("hard", *SOFT, "blocks", *CUMULATIVE)


class Group(NamedTuple):
    """A group of packets that was sent: its start [packet times], segment and packets, and its outcome."""

    start: int
    segment: int
    packets: int
    verdict: str


class Ack(NamedTuple):
    """An acknowledgment: its arrival and the start of its group [packet times], segment, packets asked for, edge."""

    time: int
    start: int
    segment: int
    missing: int
    edge: int


@dataclass
class Receiver:
    """Receiver with a buffer of some segments: how many packets of each it has, and the first incomplete segment."""

    rule: str
    buffer: int
    packets: int
    edge: int = 0
    received: dict[int, int] = field(default_factory=dict)

    def room(self, segment: int) -> bool:
        """Return whether a segment that is not stored finds a free slot."""
        if self.rule == "soft" or segment == self.edge:
            return len(self.received) < self.buffer
        return len(self.received) - (self.edge in self.received) < self.buffer - 1

    def take(self, segment: int, arrived: int, whole: bool) -> tuple[str, int | None]:
        """Store packets of a segment; return their outcome, and a complete segment that they displaced."""
        if self.rule == "hard" and segment >= self.edge + self.buffer:
            return "discarded", None
        if self.rule == "go back" and segment != self.edge:
            return "discarded", None
        if not arrived:
            return "lost", None
        if self.rule in ("blocks", *CUMULATIVE):  # the unit of error control is the segment
            if not whole:
                return "lost", None
            self.received[segment] = self.packets
            return self.in_order("kept", None)
        displaced = None
        if self.rule in SOFT and segment not in self.received and not self.room(segment):
            largest = max(self.received)
            if segment > largest or self.rule == NO_REPLACEMENT:
                return "discarded", None
            displaced = largest if self.received.pop(largest) == self.packets else None
            self.received[segment] = arrived
            return self.in_order("replaced", displaced)
        self.received[segment] = self.received.get(segment, 0) + arrived
        return self.in_order("kept", None)

    def in_order(self, verdict: str, displaced: int | None) -> tuple[str, int | None]:
        """Let the application consume the segments that are complete and in order."""
        while self.received.get(self.edge) == self.packets:
            del self.received[self.edge]
            self.edge += 1
        return verdict, displaced

    def missing(self, segment: int) -> int:
        """Return how many packets of a segment the receiver asks for."""
        if segment < self.edge:
            return 0
        lacks = self.packets - self.received.get(segment, 0)
        return self.packets if lacks and self.rule in ("blocks", *CUMULATIVE) else lacks


def random_losses(probability: float, rng: np.random.Generator) -> Callable[[int], int]:
    """Return the function ``lost(m)`` of packets that are lost independently.

    >>> random_losses(1.0, np.random.default_rng(1))(3)
    3
    """
    gaps: list[int] = []

    def gap() -> int:
        if not gaps:
            gaps.extend((rng.geometric(probability, 1000) - 1).tolist())
        return gaps.pop()

    return counted(gap)


def counted(gap: Callable[[], int]) -> Callable[[int], int]:
    """Return the function ``lost(m)`` of losses that ``gap()`` packets precede.

    >>> gaps = iter([2, 0, 10, 10])
    >>> lost = counted(lambda: next(gaps))
    >>> lost(2), lost(3), lost(10)
    (0, 2, 1)
    """
    left = gap()

    def lost(packets: int) -> int:
        nonlocal left
        count = 0
        while left < packets:
            count += 1
            packets -= left + 1
            left = gap()
        left -= packets
        return count

    return lost


def deliver(
    rule: str, segments: int, lost: Callable[[int], int], *, window: int, buffer: int, packets: int, ack_delay: int,
    report: int = 1, warm_up: int = 0, trace: list[Group] | None = None,
) -> float:  # fmt: skip
    """Deliver segments, and return the throughput efficiency, without those of the warm-up.

    Parameters
    ----------
    rule : str
        Name in `RULES`.
    segments, warm_up : int
        Segments to be delivered, and how many of them are not measured.
    lost : callable
        ``lost(m) -> int``: how many of the next m packets are lost.
    window, buffer : int
        Window and receive buffer [segments].
    packets : int
        Packets of a segment.
    ack_delay : int
        Time from the end of a group to its acknowledgment [packet times].
    report : int
        Interval between the receiver's reports [packet times]; 1: after each group.
    trace : list, optional
        Receives the groups.

    Examples
    --------
    >>> deliver("hard", 100, lambda m: 0, window=6, buffer=6, packets=2, ack_delay=4, warm_up=10)
    1.0
    """
    choice("rule", rule, RULES)
    receiver = Receiver(rule, buffer, packets)
    acks: deque[Ack] = deque()
    now = new = known = began = 0
    again, sent = -1, 0  # cumulative acknowledgment: when the sender went back last, and the segments sent by then
    while receiver.edge < segments:
        if acks and acks[0].time <= now:
            ack = acks.popleft()
            known = max(known, ack.edge)
            if rule in CUMULATIVE:
                # It shows a loss if it does not cover its own group, or covers a repetition but not all sent before.
                partial = rule == "one at a time" and ack.start == again and ack.edge < sent
                if ack.edge < known or ack.start < again or (ack.edge > ack.segment and not partial):
                    continue
                again, sent = now, new
                if rule == "go back":
                    new = ack.edge
                    continue
                segment, size = ack.edge, packets
            elif ack.missing and ack.segment >= known:
                segment, size = ack.segment, ack.missing
            else:
                continue
        elif new < known + window:
            segment, size = new, packets
            new += 1
        else:
            now = acks[0].time
            continue
        start, before = now, receiver.edge
        now += size
        missed = lost(size)
        verdict, displaced = receiver.take(segment, size - missed, missed == 0)
        if before < warm_up <= receiver.edge:
            began = now
        back = -(-(now + ack_delay) // report) * report
        acks.append(Ack(back, start, segment, receiver.missing(segment), receiver.edge))
        if displaced is not None:
            acks.append(Ack(back, start, displaced, packets, receiver.edge))
        if trace is not None:
            trace.append(Group(start, segment, size, verdict))
    return (segments - warm_up) * packets / (now - began)

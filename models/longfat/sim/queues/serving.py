"""Disciplines without hooks: in order of arrival, without and with priorities to discard by, and fair queueing."""

from __future__ import annotations

from longfat.domains import whole_number
from longfat.sim.queues.discipline import Discipline

FIFO = Discipline("fifo")
#: The same, decided at departure: slower, and in the tests the judge of the fast one.
FIFO_DEPARTURES = Discipline("fifo-departures", service="departures")
#: Kim & Farber (1994): a full buffer drops the last of the worst packets if the new one is better (schemes.md 8.4).
PRIORITY_DISCARD = Discipline("priority-discard", service="discard-worst", needs_buffer=True)
#: As it was published: the last packet that is worse than the new one (8.3).
PRIORITY_DISCARD_PUBLISHED = Discipline("priority-discard-published", service="discard-last", needs_buffer=True)
FAIR = Discipline("fair", service="self-clocked", needs_buffer=True)
#: Demers, Keshav & Shenker (1989): a packet costs a step for each flow that waits, where the one before costs its log.
BIT_ROUND = Discipline("bit-round", service="bit-round", needs_buffer=True)


def round_robin(quantum: float = 500) -> Discipline:
    """Deficit round robin (Shreedhar & Varghese 1995) with this quantum [bytes].

    >>> round_robin(1500).parameters["quantum"]
    1500.0
    """
    size = float(whole_number("quantum", quantum, "bytes", "[1, 1e9]"))
    return Discipline("round-robin", service="round-robin", parameters={"quantum": size}, needs_buffer=True)

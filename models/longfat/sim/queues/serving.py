"""Disciplines without hooks: in order of arrival, and fair queueing by tags or by turns."""

from __future__ import annotations

from longfat.domains import whole_number
from longfat.sim.queues.discipline import Discipline

FIFO = Discipline("fifo")
#: The same, decided at departure: slower, and in the tests the judge of the fast one.
FIFO_DEPARTURES = Discipline("fifo-departures", service="departures")
FAIR = Discipline("fair", service="self-clocked", needs_buffer=True)


def round_robin(quantum: float = 500) -> Discipline:
    """Deficit round robin (Shreedhar & Varghese 1995) with this quantum [bytes].

    >>> round_robin(1500).parameters["quantum"]
    1500.0
    """
    size = float(whole_number("quantum", quantum, "bytes", "[1, 1e9]"))
    return Discipline("round-robin", service="round-robin", parameters={"quantum": size}, needs_buffer=True)

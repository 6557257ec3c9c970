"""Queue disciplines."""

from __future__ import annotations

from typing import Any

from longfat.sim.names import unknown
from longfat.sim.queues.discipline import DROP, ENQUEUE, SEND, SERVICES, Discipline, Parameter

FIFO = Discipline("fifo")
NAMED = {"fifo": FIFO, "drop-tail": FIFO, "fifo-departures": Discipline("fifo-departures", service="departures"),
         "fair": Discipline("fair", service="self-clocked", needs_buffer=True)}

def discipline(given: str | Discipline, **parameters: Any) -> Discipline:
    if isinstance(given, Discipline):
        return given
    if given not in NAMED:
        raise unknown("discipline", given, NAMED)
    return NAMED[given](**parameters)

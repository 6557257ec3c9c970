"""Disciplines without hooks: first-in, first-out, priorities and fair queueing. Their services hold the rules.

>>> round_robin(1500).values["quantum"]
1500.0
"""

from longfat.sim.queues.discipline import SERVICES, Discipline


def _from_service(name: str, service: str) -> Discipline:
    """Return the discipline that is a service with a limited buffer and nothing else."""
    scheduler = SERVICES[service]
    return Discipline(name, service=service, needs_buffer=True, source="" if scheduler is None else scheduler.source)


FIFO = Discipline(
    "fifo",
    source='Ours, because drop-tail needs no source; discussed in RFC 7567, "IETF Recommendations Regarding Active '
    'Queue Management", section 2',
)
#: The same rule decided at departure: slower, and therefore the reference for `FIFO` in the tests.
FIFO_DEPARTURES = Discipline("fifo-departures", service="departures", source=FIFO.source)
PRIORITY_DISCARD = _from_service("priority-discard", "discard-worst")
PRIORITY_DISCARD_PUBLISHED = _from_service("priority-discard-published", "discard-last")
FAIR = _from_service("fair", "self-clocked")
#: The computing time of a packet grows with the number of backlogged flows; with `FAIR`, with its logarithm.
BIT_ROUND = _from_service("bit-round", "bit-round")
virtual_clock = _from_service("virtual-clock", "virtual-clock")
round_robin = _from_service("round-robin", "round-robin")
STRICT_PRIORITY = _from_service("strict-priority", "strict-priority")

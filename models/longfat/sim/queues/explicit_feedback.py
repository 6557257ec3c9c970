"""Fair queueing that states in every packet how fast its flow is served and how much of it waits (schemes.md 4).

Packets bring back what the slowest switch on their way said; sources of the scheme "explicit-feedback" go by it.
"""

from __future__ import annotations

from longfat.sim.memory import note_at
from longfat.sim.queues.discipline import ADMIT, Discipline
from longfat.sim.queues.served import queue_of, service_rate, take_departure
from longfat.sim.records import DATA, STAMPED

# What the header says: the flow's rate of service [bytes/s], packets of it that wait, nothing, and whose header it is.
RATE, BACKLOG, _, WHOSE = range(4)
OURS = -3.0


def explicit_feedback_arrive(link, packet, header, now, rng):
    """Rule 2: this switch says it, if it is slower than those before it."""
    if packet.kind == DATA and packet.marks & STAMPED and header.x[WHOSE] == OURS:
        queue = queue_of(link, packet)
        rate = service_rate(link, note_at(link, packet.flow), queue)
        if rate < header.x[RATE]:
            header.x[RATE] = rate
            header.x[BACKLOG] = queue.packets
    return ADMIT


def explicit_feedback_depart(link, packet, header, now, rng):
    """Rule 1: the rate of service."""
    if packet.kind == DATA:
        take_departure(note_at(link, packet.flow), queue_of(link, packet), packet, now)
    return 0


def explicit_feedback(*, service: str = "self-clocked") -> Discipline:
    """The switch of the explicit-feedback scheme.

    Parameters
    ----------
    service : {"self-clocked", "round-robin", "bit-round"}
        How it serves fairly; by turns of 500 bytes.

    Examples
    --------
    >>> explicit_feedback(service="bit-round").service
    'bit-round'
    """
    if service not in ("self-clocked", "round-robin", "bit-round"):
        raise ValueError(f"service = {service!r} is out of range: allowed are self-clocked, round-robin, bit-round")
    return Discipline(
        "explicit-feedback",
        service=service,
        arrive=explicit_feedback_arrive,
        depart=explicit_feedback_depart,
        parameters={"quantum": 500.0} if service == "round-robin" else {},
        needs_buffer=True,
        notes=True,
    )


EXPLICIT_FEEDBACK = explicit_feedback()

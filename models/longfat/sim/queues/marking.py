"""Marks by a threshold of the queue."""

from __future__ import annotations

from longfat.domains import number
from longfat.sim.queues.discipline import ADMIT, Discipline
from longfat.sim.records import CE, ECT


def threshold_arrive(link, packet, header, now, rng):
    """Mark every packet that finds `threshold` or more waiting (16.8), unless it finds no room."""
    full = link.free * 1e-9 > now and (
        link.waiting >= link.limit_packets or link.waiting_bytes + packet.length > link.limit_bytes
    )
    if link.waiting >= link.p[0] and packet.marks & ECT and not full:
        packet.marks |= CE
        link.marked += 1
    return ADMIT


def mark_above(threshold: float) -> Discipline:
    """Drop-tail with congestion marks on all packets that find `threshold` packets waiting.

    >>> mark_above(20).parameters["threshold"]
    20.0
    """
    return Discipline(
        "mark-above",
        arrive=threshold_arrive,
        parameters={"threshold": number("threshold", threshold, "packets", "[0, 1e15]")},
        needs_buffer=True,
    )

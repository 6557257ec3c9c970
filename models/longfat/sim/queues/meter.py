"""A line that takes the time of the acknowledgments that enter it, and is otherwise served in order of arrival."""

from __future__ import annotations

from longfat.sim.queues.discipline import ADMIT, Discipline
from longfat.sim.records import ACK

# u: acknowledgments, the sum of their ages, of the squares of these [s], and the greatest
COUNT, TOTAL, SQUARES, MOST = range(4)


def meter_arrive(link, packet, header, now, rng):
    """Age: since the data packet that it answers left its sender."""
    if packet.kind == ACK:
        age = now - packet.sent * 1e-9
        link.u[COUNT] += 1.0
        link.u[TOTAL] += age
        link.u[SQUARES] += age * age
        link.u[MOST] = max(link.u[MOST], age)
    return ADMIT


#: For the last line before a probe's source: of the round trip all but that line's own time.
ROUND_TRIP_METER = Discipline("round-trip-meter", arrive=meter_arrive)

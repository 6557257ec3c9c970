"""A line that takes the time of the acknowledgments that enter it, and is otherwise served in order of arrival."""

from longfat.sim.queues.discipline import ENQUEUE, Discipline
from longfat.sim.records import ACK


def enqueue(link, packet, now):
    """Note the age of an acknowledgment: since the data packet that it answers left its sender."""
    if packet.kind == ACK:
        age = now - packet.sent
        link.answers += 1
        link.total += age
        link.squares += age * age
        link.greatest = max(link.greatest, age)
    return ENQUEUE


#: For the last line before a probe's source: of the round trip all but that line's own time. What it remembers:
#: acknowledgments, the sum of their ages [s], of the squares of these [s^2], and the greatest [s].
ROUND_TRIP_METER = Discipline(
    "round-trip-meter", enqueue=enqueue, state={"answers": 0, "total": 0.0, "squares": 0.0, "greatest": 0.0}
)

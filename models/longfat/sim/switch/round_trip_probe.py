"""First-in, first-out link that measures the round-trip times of the acknowledgments that enter it."""

from longfat.sim.kernel.records import ACK
from longfat.sim.plugin.discipline import ENQUEUE, Discipline


def enqueue(link, packet, now):
    """Record the time since the acknowledged data packet left its sender [s]."""
    if packet.kind == ACK:
        age = now - packet.sent
        link.answers += 1
        link.total += age
        link.squares += age * age
        link.greatest = max(link.greatest, age)
    return ENQUEUE


# `answers` counts the acknowledgments; `total` [s], `squares` [s^2] and `greatest` [s] are the sum, the sum of squares
# and the maximum of their round-trip times.
_ROUND_TRIP_PROBE = Discipline(
    "round-trip-probe",
    enqueue=enqueue,
    state={"answers": 0, "total": 0.0, "squares": 0.0, "greatest": 0.0},
    source="Ours, because it only measures: the queueing delays of Kanakia, Keshav and Mishra (1992), section 4",
)


def round_trip_probe() -> Discipline:
    """Return the discipline for the last link before a probe's source; round-trip times exclude the delay of this link.

    The discipline serves the benchmark's measurements only; scenarios cannot name it.

    >>> round_trip_probe().name
    'round-trip-probe'
    """
    return _ROUND_TRIP_PROBE

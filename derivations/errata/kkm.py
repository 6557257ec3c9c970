"""Numbers of the errata of Kanakia, Keshav and Mishra (1992), by exact arithmetic on what the paper prints.

The least transfer times are those of section 4 of the paper: every file is at the bottleneck as a whole when it starts,
and the bottleneck serves its sources with max-min fair shares. No law of longfat is used.
"""

from fractions import Fraction

from longfat.benchmark.tables import cells

CAPACITY = 40_000  # bit/ms, the slow line
PACKET = 4000  # bit
TRIP = 44  # ms, the round-trip time without queueing
PRIMARY, CROSS = 16_000_000, 4_000_000  # bit, the files of connection 1 and of each of ten other connections


def _least_time(size: int, loads: list[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the time [ms] at which a file's last ACK arrives, if the file gets all that uncontrolled traffic leaves.

    ``loads`` has the start [ms] of each load and its share of the capacity, in the order of time. None exceeds the fair
    share.
    """
    now, left, rate = Fraction(0), Fraction(size), Fraction(CAPACITY)
    for start, load in loads:
        if left <= (start - now) * rate:
            break
        left -= (start - now) * rate
        now, rate = start, rate - load * CAPACITY
    return now + left / rate + TRIP


def uncontrolled(load: str) -> float:
    """Return the least time [ms] of connection 1 in experiment 7 if all ten sources send from time 0 on."""
    return float(_least_time(PRIMARY, [(Fraction(0), Fraction(load))]))


def uncontrolled_one_by_one(load: str) -> float:
    """Return the least time [ms] of connection 1 in experiment 7 if the ten sources start as section 4.7 says."""
    return float(_least_time(PRIMARY, [(Fraction(100 + 44 * k), Fraction(load) / 10) for k in range(10)]))


def full_buffer() -> float:
    """Return the time [ms] in which the slow line transmits a full buffer of 440 packets."""
    return float(Fraction(440 * PACKET, CAPACITY))


def low_speed(scale: str = "1") -> float:
    """Return the least time [s] of connection 1 in experiment 9 with files of ``scale`` times the printed size.

    All other files end before connection 1's, so that the slow line is busy with all eleven files: 1.5 Mbit/s, and 12
    ms of propagation.
    """
    return float((PRIMARY + 10 * CROSS) * Fraction(scale) / 1_500_000 + Fraction(12, 1000))


def round_trip(packets: int, least: str) -> float:
    """Return the round-trip time [ms] that an optimal time [ms] of table 4.3 implies for a file of ``packets``."""
    return float(Fraction(least) - Fraction(packets * PACKET, CAPACITY))


def slow_start_round_trip(packets: int, printed: str) -> float:
    """Return the round-trip time [ms] that a printed time [ms] of table 4.3 implies for slow start from one packet.

    The windows 1, 2, 4, ... need one round trip each, as long as all of a window's packets take less than one.
    """
    trips = 0
    while 2**trips - 1 < packets:
        trips += 1
    return float(Fraction(printed) / trips)


def packets_in_flight(trip: str) -> float:
    """Return the bandwidth-delay product [packets] of the line of 1.5 Mbit/s over a round-trip time [ms]."""
    return float(Fraction(trip) * 1500 / PACKET)


def packets_in_flight_at_40_megabit() -> float:
    """Return the bandwidth-delay product [packets] of experiment 1."""
    return float(Fraction(TRIP * CAPACITY, PACKET))


def printed_numbers(experiment: int, metric: str) -> int:
    """Return how many numbers the table of an experiment has for metrics whose names begin with ``metric``."""
    return sum(one.experiment == experiment and one.metric.startswith(metric) and one.value != "" for one in cells())

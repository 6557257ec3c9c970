"""Numbers of the errata of RFCs 9438 (CUBIC), 6349 (TCP tests), 8033 (PIE) and 8290 (FQ-CoDel), by their equations."""

from math import sqrt

#: Losses 10^-2 to 10^-8 of RFC 9438's tables, and the factors C of their columns.
LOSSES = [10.0**-exponent for exponent in range(2, 9)]
FACTORS = (0.04, 0.4, 4.0)


def reno_window(loss: float) -> float:
    """Return the average window of Reno by RFC 9438's equation 3."""
    return sqrt(3 / (2 * loss))


def reno_window_in_tables(loss: float) -> float:
    """Return the average window of Reno as tables 1 and 2 have it, from RFC 3649."""
    return 1.2 / sqrt(loss)


def cubic_window(loss: float, round_trip: float, factor: float) -> float:
    """Return the average window of CUBIC by equation 6."""
    return float((factor * 3.7 / 1.2) ** 0.25 * (round_trip / loss) ** 0.75)


def different_cells(round_trip: float) -> int:
    """Return how many of CUBIC's 21 cells of a table equation 3 changes when rounded."""
    cells = [(loss, cubic_window(loss, round_trip, factor)) for loss in LOSSES for factor in FACTORS]
    return sum(round(max(own, reno_window(one))) != round(max(own, reno_window_in_tables(one))) for one, own in cells)


def loss_for_reno(megabits: float, constant: float) -> float:
    """Return the loss probability of table 3 at which Reno has constant/sqrt(p) packets of 1500 bytes, R = 0.1 s."""
    return (constant / (megabits * 1e6 * 0.1 / 12_000)) ** 2


def achievable_megabits(megabits: float, framing: int) -> float:
    """Return the maximum TCP throughput of RFC 6349, section 4.1.1, with frames per second rounded down."""
    frames = int(megabits * 1e6 / ((1500 + framing) * 8))
    return frames * 1460 * 8 * 1e-6


def ideal_seconds(megabits: float, framing: int) -> float:
    """Return the ideal transfer time of 100 MB."""
    return 800 / achievable_megabits(megabits, framing)


def efficiency_percentage(original: int, retransmitted: int) -> float:
    """Return the TCP efficiency of RFC 6349, section 4.2, as a percentage."""
    return 100 * original / (original + retransmitted)


def probability_on_an_idle_link(delay: float, before: float, seconds: float) -> float:
    """Return PIE's probability by RFC 8033, appendix A, on a link that has been idle, if it was at least 0.1 before.

    No packet departs, so that the current and the old delay both stay that of the last packet.
    """
    return min(1.0, before + 0.125 * (delay - 0.015) * round(seconds / 0.015))


def salts_that_collide(first: int, second: int, queues: int) -> int:
    """Return how many of the salts 0, 1, ..., queues - 1 lead to the same queue when added to two hashes."""
    return sum((first + salt) % queues == (second + salt) % queues for salt in range(queues))


def credits_left(quantum: int, packets: list[int]) -> int:
    """Return the credits of a queue of FQ-CoDel that had a quantum, after it has sent packets of these sizes."""
    return quantum - sum(packets)

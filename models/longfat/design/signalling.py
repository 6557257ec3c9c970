"""Queue disciplines with one threshold: the backlog, or its queueing delay, above which they signal congestion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from longfat.base.domains import choice
from longfat.sim import queues
from longfat.sim.queues import Discipline

#: Difference between buffer and threshold [bandwidth-delay products]. Our choice: with such a buffer the discipline,
#: and not the buffer, limits the queue.
ROOM = 4.0
#: RED: max_th is three times min_th, max_p 0.1 (Floyd, "RED: Discussions of Setting Parameters", 1997).
TIMES_MIN_TH = 3.0
RED_LEAST = 2  # packets: least min_th; with one packet tc finds no weight (iproute2, tc_red.c, tc_red_eval_ewma())
LARGEST_PROBABILITY = 0.1

#: CoDel keeps its default interval of 100 ms if the largest round-trip time of the path is between SHORT and INTERNET
#: [s]; otherwise the interval is the largest round-trip time. RFC 8289, section 4.2, recommends 100 ms for the
#: Internet, which works well for round-trip times from 10 ms on, and elsewhere an interval "slightly larger than the
#: RTT".
INTERNET, SHORT = 0.1, 0.01

#: Parameters of each discipline as a function of the threshold [packets], its queueing delay [s], the packet size
#: [bytes], and the largest round-trip time of the path [s].
_MADE: dict[str, Callable[[float, float, float, float], dict[str, Any]]] = {
    "step-marking": lambda packets, delay, size, trip: {"packets": packets},
    "red": lambda packets, delay, size, trip: {
        "min_th": max(packets, RED_LEAST), "max_th": TIMES_MIN_TH * max(packets, RED_LEAST),
        "max_p": LARGEST_PROBABILITY, "packet": size,
    },
    "codel": lambda packets, delay, size, trip: {"target": delay, "interval": max(interval(trip), delay)},
    "fq-codel": lambda packets, delay, size, trip: {"target": delay, "interval": max(interval(trip), delay)},
    "pie": lambda packets, delay, size, trip: {"target": delay},
    "dualpi2": lambda packets, delay, size, trip: {"target": max(delay, least_target()), "largest_packet": size},
}  # fmt: skip
NAMES = tuple(_MADE)


def interval(trip: float) -> float:
    """Return CoDel's interval [s] for flows whose largest round-trip time is ``trip`` [s].

    >>> interval(0.002), interval(0.03), interval(0.2)
    (0.002, 0.1, 0.2)
    """
    return trip if trip < SHORT else max(INTERNET, trip)


def least_target() -> float:
    """Return the least target of dualpi2 [s], which requires that the L4S queue is not longer than the Classic queue.

    >>> f"{least_target():g}"  # 800 us, and 400 us of range
    '0.0012'
    """
    values = queues.discipline("dualpi2").values
    return float(values["threshold"] + values["range"])


def least_threshold(name: str, packets_per_second: float) -> float:
    """Return the least threshold [packets] that a discipline can have at a link of ``packets_per_second``.

    >>> least_threshold("dualpi2", 10_000), least_threshold("codel", 10_000)  # 1.2 ms
    (12.0, 1.0)
    """
    return float(math.ceil(least_target() * packets_per_second - 1e-9)) if name == "dualpi2" else 1.0


def with_threshold(name: str, packets: float, delay: float, size: float, trip: float) -> Discipline:
    """Return a discipline with a threshold of ``packets`` packets, whose queueing delay at the link is ``delay`` [s].

    >>> with_threshold("codel", 10, 0.005, 1500, 0.08).values["interval"]
    0.1
    """
    return queues.discipline(choice("discipline", name, NAMES), **_MADE[name](packets, delay, size, trip))

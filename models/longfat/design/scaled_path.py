"""A slower link on which CUBIC's window, over the bandwidth-delay product, has the course of the path's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from longfat.design.buffer_laws import value_of
from longfat.laws.cubic import reno_friendly_window

if TYPE_CHECKING:
    from longfat.sim.schemes import Scheme

#: Windows over `reno_friendly_window` from which on the Reno-friendly estimate is left out. Ours: flows at one link
#: have windows of different sizes, and half of the mean has to be in the cubic region, too.
MARGIN = 2.0
LARGEST_C = 1e6  # packets/s^3: of the scheme's domain


def is_cubic(scheme: Scheme, given: Mapping[str, float], packets: float, round_trip_time: float) -> bool:
    """Return whether the cubic function alone determines windows of this size [packets].

    >>> from longfat.sim.schemes import scheme
    >>> [is_cubic(scheme("cubic"), {}, packets, 0.1) for packets in (127.0, 129.0)]  # twice 64.3
    [False, True]
    """
    c, beta, estimated = (value_of(scheme, given, name) for name in ("c", "beta", "reno_friendly"))
    return estimated == 0 or packets >= MARGIN * float(reno_friendly_window(round_trip_time, c, beta))


def parameters(
    scheme: Scheme,
    given: Mapping[str, float],
    packets: float,
    round_trip_time: float,
    ratio: float,
    clock: float = 1.0,
) -> dict[str, float]:
    """Return the parameters with which CUBIC over a slower link behaves as over the path.

    ``packets`` is the path's bandwidth-delay product for each flow, ``ratio`` the simulated one over the path's. The
    round-trip time is the same. ``clock`` is the duration of a second of the path there, where the cubic function
    alone decides.

    The window over the bandwidth-delay product N, w = W/N, follows C (t - K)^3/N + w_max (RFC 9438, equation 1), and
    K^3 = (1 - beta) w_max N/C. In the cubic region only C R^3/N matters: C is made proportional to N, so that the
    sawtooth lasts as many round trips. The Reno-friendly estimate adds a number of packets in a round trip, 1/N in w:
    beside the cubic function it matters as C R^3 N^2. Where the estimate never overtakes it is left out, and C R^3/N is
    kept, or C (R k)^3/N where time passes k times as fast; else C R^3 N^2 is kept, and the sawtooth lasts fewer round
    trips in proportion to N, as Reno's.

    >>> from longfat.sim.schemes import scheme
    >>> cubic = scheme("cubic")
    >>> found = parameters(cubic, {}, 8000.0, 0.1, 0.05)
    >>> round(found["c"], 9), found["reno_friendly"]
    (0.02, 0.0)
    >>> parameters(cubic, {}, 800.0, 0.001, 0.5), parameters(cubic, {}, 800.0, 0.001, 1.0)
    ({'c': 1.6}, {})
    """
    if ratio >= 1 and clock >= 1:
        return {}
    c = value_of(scheme, given, "c")
    if is_cubic(scheme, given, packets, round_trip_time):
        return {"c": c * ratio / clock**3, "reno_friendly": 0.0}
    return {"c": min(c / ratio**2, LARGEST_C)}


def round_trips(scheme: Scheme, given: Mapping[str, float], packets: float, round_trip_time: float) -> float:
    """Return the round trips from a loss back to a window: the smaller number of CUBIC's and Reno's growth.

    >>> from longfat.sim.schemes import scheme
    >>> round(round_trips(scheme("cubic"), {}, 100.0, 0.1), 2)  # K = 4.217 s
    42.17
    >>> round(round_trips(scheme("cubic"), {}, 100.0, 0.01), 2)  # 30 packets, 9/17 in a round trip
    56.67
    """
    c, beta = (value_of(scheme, given, name) for name in ("c", "beta"))
    recovery = float(((1 - beta) * packets / c) ** (1 / 3) / round_trip_time)
    return recovery if value_of(scheme, given, "reno_friendly") == 0 else min(recovery, packets * (1 + beta) / 3)

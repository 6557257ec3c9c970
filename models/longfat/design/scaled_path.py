"""Parameters with which CUBIC's window has the same ratio to the BDP over a slower link as over the path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from longfat.design.buffer_laws import value_of
from longfat.laws.cubic import reno_friendly_window

if TYPE_CHECKING:
    from longfat.sim.schemes import Scheme

#: The Reno-friendly estimate is left out if the mean window is at least this multiple of `reno_friendly_window`. Our
#: choice: flows at one link have different windows, so that even a flow with half the mean window must be in the cubic
#: region.
MARGIN = 2.0
LARGEST_C = 1e6  # packets/s^3: upper end of the scheme's domain of C


def is_cubic(scheme: Scheme, given: Mapping[str, float], packets: float, round_trip_time: float) -> bool:
    """Return whether the cubic function alone, without Reno's estimate, determines a window of ``packets`` packets.

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
    """Return the parameters with which CUBIC behaves over a slower link as over the path.

    ``packets`` is the path's bandwidth-delay product for each flow, and ``ratio`` is the ratio of the slower link's
    bandwidth-delay product to the path's. The round-trip time is the same. If the cubic function alone determines the
    window, time may pass faster over the slower link: ``clock`` is the simulated time [s] for a second of the path.

    The ratio w = W/N of window to bandwidth-delay product follows C (t - K)^3/N + w_max (RFC 9438, equation 1), where
    K^3 = (1 - beta) w_max N/C. In the cubic region w depends on C R^3/N only: with C in proportion to N, the sawtooth
    lasts as many round trips. The Reno-friendly estimate adds a number of packets in a round trip, that is 1/N to w, so
    that its ratio to the cubic function depends on C R^3 N^2. If the estimate never exceeds the cubic function, it is
    left out and C R^3/N is kept, or C (R k)^3/N with ``clock`` k. Otherwise C R^3 N^2 is kept, and the sawtooth lasts
    fewer round trips, in proportion to N, as Reno's does.

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
    """Return the number of round trips after which a window has recovered from a loss.

    The window grows by the cubic function or by the Reno-friendly estimate, whichever is faster.

    >>> from longfat.sim.schemes import scheme
    >>> round(round_trips(scheme("cubic"), {}, 100.0, 0.1), 2)  # K = 4.217 s
    42.17
    >>> round(round_trips(scheme("cubic"), {}, 100.0, 0.01), 2)  # 30 packets, 9/17 in a round trip
    56.67
    """
    c, beta = (value_of(scheme, given, name) for name in ("c", "beta"))
    recovery = float(((1 - beta) * packets / c) ** (1 / 3) / round_trip_time)
    return recovery if value_of(scheme, given, "reno_friendly") == 0 else min(recovery, packets * (1 + beta) / 3)

"""Figures of a path from round-trip times without and with a load, as flent and crusader measure them."""

from __future__ import annotations

import math
from statistics import fmean, median

from longfat.base.quantities import rounded
from longfat.measured.figures import Measurement, PathFigures, Points, Series
from longfat.measured.limits import QUEUED

#: Quantile of the round-trip times under load that serves as the longest round-trip time. Our choice, because the
#: longest single one may be an outlier.
LONGEST = 0.95


def measurement(
    path: str, kind: str, direction: str, rates: Points, trips: Points, remarks: list[str], is_alone: bool = True
) -> Measurement:
    """Return the figures of a path from its rates and round-trip times under a load in one direction.

    ``rates`` has times [s] and rates of data [bytes/s], ``trips`` times [s] and round-trip times [s]. The depth of the
    queue that the load caused is rate x (longest round-trip time under load - shortest round-trip time). The depth is
    unknown if the other direction had a load, too (``is_alone`` is false), because round trips then contain two queues.

    >>> idle, loaded = [(0.0, 0.02)], [(float(t), 0.05) for t in range(5, 9)]
    >>> found = measurement("", "flent", "download", [(5.0, 1e6), (8.0, 1e6)], idle + loaded, [])
    >>> round(found.figures.queue_depth)
    30000
    """
    active = [(time, rate) for time, rate in rates if rate > 0]
    if not active:
        raise ValueError(f"the file holds no rate of the {direction} ({kind}): was the test cut off?")
    begin, end = active[0][0], active[-1][0]
    during = sorted(trip for time, trip in trips if begin <= time <= end)
    if not during:
        raise ValueError(f"the file holds no round-trip time during the {direction} ({kind})")
    rate, base, mean = median(rate for _, rate in active), min(trip for _, trip in trips), fmean(during)
    longest = during[math.ceil(LONGEST * len(during)) - 1]
    if len(during) == len(trips):
        remarks.append(f"round_trip_time: an upper bound, because none was measured without load ({kind})")
    else:
        remarks.append(f"round_trip_time: an estimate, the smallest, of small packets ({kind})")
    remarks += [
        f"rate: an estimate, the median of the {direction}'s samples ({kind}); the path may carry more",
        f"queueing_delay: the mean during the {direction} less the smallest ({kind})",
    ]
    if is_alone:
        remarks.append(
            f"queue_depth: rate x ({rounded(longest, 's')} of {LONGEST:.0%} of the loaded round trips - "
            f"{rounded(base, 's')}): the buffer, if the scheme fills it as CUBIC and Reno do; of BBR, delay-based "
            f"schemes, and of a ping with a queue of its own (fq_codel, CAKE), a lower bound ({kind})"
        )
    queued = mean > QUEUED * base
    if queued:
        remarks.append(f"limited_by: round trips are {mean / base:.2g} times as long with load ({kind})")
    figures = PathFigures(
        rate=rate,
        round_trip_time=base,
        queueing_delay=max(0.0, mean - base),
        queue_depth=(rate * (longest - base) or None) if is_alone else None,
        limited_by="network" if queued else None,
        transport="TCP",
        remarks=tuple(remarks),
    )
    series = Series.of(("rate", "bytes/s", rates), ("round-trip time", "s", trips))
    return Measurement(path, kind, figures, series)

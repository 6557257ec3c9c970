"""A policer as a virtual queue: where a token bucket lacks tokens, a queue drained at its rate has that backlog.

A token bucket that fills at a rate r and holds b bytes lets a packet pass exactly if a queue of b bytes, which is
drained at r and takes only what passes, has room for it: the backlog is what the bucket lacks. So the losses of a
policed flow all find the same backlog, and no other packet finds more, also where the bucket has filled up in
between. A queue of a link has such losses, too, but then the round trip of each packet is longer by the backlog over
the rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from longfat.measured.policing import Transmission

#: Packets by which backlogs at losses may differ. Ours: times are taken at the sender, and b is no multiple of packets.
TOLERANCE = 2.0
LOSSES_ASIDE, PASSES_ASIDE = 0.1, 0.03  # shares that may contradict, as in the test of Flach and others
#: Largest probability with which random losses find such backlogs: a share q of the packets does, and so do all events
#: of losses, each of which begins a round trip after the last. Ours, so low because rates are tried.
CHANCE = 1e-4
RATES = 120  # that are tried, in equal ratios
FASTEST = 3.0  # times the rate of what passed between the first and the last loss
#: Standard deviations by which the round trips before losses may rank above the middle of all; more says a queue,
#: however short it is. The mean rank of n values without connection has 1/sqrt(12 n). Ours; 1 in 700 by chance.
QUEUE = 3.0


def backlog(times: Any, sizes: Any, lost: Any, rate: float) -> Any:
    """Return the backlog that each packet finds [bytes], of a queue drained at a rate that takes only what passes.

    >>> backlog(np.array([0.0, 1.0, 2.0, 9.0]), np.full(4, 10.0), np.array([False, False, True, False]), 4.0)
    array([ 0.,  6., 12.,  0.])
    """
    before = np.concatenate([[0.0], np.cumsum(np.where(lost, 0.0, sizes))[:-1]]) - rate * times
    return before - np.minimum.accumulate(before)


def policer_of(sent: Sequence[Transmission], trip: float) -> tuple[float, float] | None:
    """Return rate [bytes/s] and bucket [bytes] of a policer that explains the losses; None if none does.

    Parameters
    ----------
    sent : sequence of Transmission
        All transmissions in their order, some of them lost.
    trip : float
        Median round-trip time [s].
    """
    times = np.array([one.time for one in sent])
    sizes = np.array([one.size for one in sent], float)
    lost = np.array([one.lost for one in sent])
    at = np.flatnonzero(lost)
    span = times[at[-1]] - times[at[0]]
    if span <= 0:
        return None
    begun = times[at[0]]
    events = 1
    for time in times[at]:
        if time > begun + trip:
            events, begun = events + 1, time
    slowest = sizes[at[0] : at[-1]][~lost[at[0] : at[-1]]].sum() / span
    allowed = TOLERANCE * sizes.max()
    found: list[tuple[float, float, float]] = []
    for rate in np.geomspace(slowest, FASTEST * slowest, RATES):
        waiting = backlog(times, sizes, lost, rate)
        bucket = float(np.median(waiting[at]))
        losses = float((np.abs(waiting[at] - bucket) > allowed).mean())
        passes = waiting[~lost]
        beyond, near = float((passes > bucket + allowed).mean()), float((passes >= bucket - allowed).mean())
        fits = losses <= LOSSES_ASIDE and beyond <= PASSES_ASIDE and near**events <= CHANCE
        if fits:
            found.append((losses + beyond + near, float(rate), bucket + float(sizes.max())))
    return min(found)[1:] if found else None


def rank_before_losses(sent: Sequence[Transmission]) -> float:
    """Return how far above the middle the last round trips before losses rank among all [standard deviations].

    Equal round trips share their ranks. Infinite if there are none before losses: then a queue cannot be excluded.
    """
    trips = np.array([np.nan if one.round_trip_time is None else one.round_trip_time for one in sent])
    known = np.flatnonzero(~np.isnan(trips))
    ordered = np.sort(trips[known])
    before = np.searchsorted(known, [k for k, one in enumerate(sent) if one.lost]) - 1
    last = trips[known[np.unique(before[before >= 0])]]
    if not len(last):
        return math.inf
    ranks = np.searchsorted(ordered, last, "left") + np.searchsorted(ordered, last, "right")
    return (float(ranks.mean()) / (2 * len(ordered)) - 0.5) * math.sqrt(12 * len(last))

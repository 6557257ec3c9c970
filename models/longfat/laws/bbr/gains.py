"""Startup and Drain of BBR: the gain with which the rate doubles, and the time that the queue then takes to drain."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.bbr.parameters import CWND_GAIN, DRAIN_GAIN, GROWTH, ROUND_TRIP
from longfat.laws.queues.smooth import by_arithmetic, phis
from longfat.laws.references import BBR_DRAFT


@law(
    source=f"{BBR_DRAFT}, section 2.5 (the case of doubling, 4 ln 2 = 2.77); the general case is ours",
    unit="1",
    result="g, pacing rate over the measured delivery rate",
    derivation="bbr.startup_pacing_gain",
    not_simulated="the rate before the link is full, of which runs keep no record",
    growth=GROWTH,
)
def startup_pacing_gain(growth: Any = 2, *, xp: Any) -> Any:
    r"""Return the pacing gain with which BBR's rate grows by a given factor in every round trip of Startup.

    .. math:: g = \frac{\gamma^2 \ln \gamma}{\gamma - 1}

    Notes
    -----
    A sample of the delivery rate is the mean sending rate of the round trip before the last one. The version of 2016
    has 2/ln 2 = 2.885 for doubling; with this gain the rate grows by 2.05 in a round trip.

    Examples
    --------
    >>> round(startup_pacing_gain(2), 4)  # 4 ln 2
    2.7726
    """
    more = growth - 1
    return by_arithmetic(
        xp,
        # ln(gamma)/(gamma - 1) is 1/phi_1(ln(gamma)), whose slope is right for gamma near 1, too.
        lambda: growth * growth / phis(xp.log1p(more), xp)[0],
        lambda mp: growth * growth * (mp.log1p(more) / more),
        lambda sympy: growth * growth * (sympy.log(growth) / more),
    )


@law(
    source=f"{BBR_DRAFT}, section 2.5 (any gain up to 1/g drains within a round trip); the time is ours",
    unit="s",
    result="T",
    derivation="bbr.drain_time",
    not_simulated="the duration of a state, of which runs keep no record",
    round_trip_time=ROUND_TRIP,
    cwnd_gain=CWND_GAIN,
    drain_gain=DRAIN_GAIN,
)
def drain_time(round_trip_time: Any, cwnd_gain: Any = 2, drain_gain: Any = 0.5, *, xp: Any) -> Any:
    r"""Return the time in which Drain removes the queue of Startup.

    .. math:: T = R \, \frac{g - 1}{1 - g_d}

    Notes
    -----
    At the end of Startup g bandwidth-delay products are in flight, all but one of them in the queue. With the gain
    g_d = 1/g the time is g R: one round trip, with the queue in it. It holds if the estimate of the bandwidth is the
    capacity and the buffer holds the queue.

    Examples
    --------
    >>> drain_time(0.05)  # of a round trip that lasts 0.1 s with the queue
    0.1
    """
    return round_trip_time * (cwnd_gain - 1) / (1 - drain_gain)

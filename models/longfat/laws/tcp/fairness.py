"""Ratio of the rates of two flows whose round-trip times differ."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.references import HA_RHEE_XU, LAKSHMAN_MADHOW, RFC_9438
from longfat.laws.tcp.parameters import LOSS_POWER, ROUND_TRIP_POWER, ROUND_TRIP_RATIO, TIME_POWER


@law(
    source=f"Ours, with the cases of {LAKSHMAN_MADHOW} (Reno), {HA_RHEE_XU}, and {RFC_9438}, section 3.3 (CUBIC)",
    unit="1",
    result="X_1/X_2, the rate of the flow with R_1 over that of the flow with R_2 = r R_1",
    derivation="fairness.round_trip_unfairness",
    simulated=SimulatedBy(
        "round_trip_unfairness",
        # Reno and CUBIC: the simulator takes the round-trip power that belongs to the time power.
        {"round_trip_ratio": (1.0, 4.0), "loss_power": (0.0, 1.0), "time_power": [3.0, 1.0], "round_trip_power": [0.0]},
        relative=0.06,
    ),
    round_trip_ratio=ROUND_TRIP_RATIO,
    loss_power=LOSS_POWER,
    time_power=TIME_POWER,
    round_trip_power=ROUND_TRIP_POWER,
)
def round_trip_unfairness(
    round_trip_ratio: Any, loss_power: Any, time_power: Any = 3, round_trip_power: Any = 0, *, xp: Any
) -> Any:
    r"""Return the ratio of the rates of two flows of one scheme at a common bottleneck.

    .. math:: \frac{X_1}{X_2} = r^{(1 + b)/(1 + s a)}, \qquad r = \frac{R_2}{R_1}

    The window grows by T^a/R^b in the time T between two losses: a = 1, b = 1 for Reno and for CUBIC in its
    Reno-friendly region, a = 3, b = 0 for CUBIC in its cubic region. The losses per second of a flow are in proportion
    to X^s: s = 0 if both flows lose together (in step), s = 1 if each packet is lost with the same probability.

    Notes
    -----
    =========================  ===========  ==========================
    scheme                     s = 0        s = 1
    =========================  ===========  ==========================
    Reno                       r^2          r
    CUBIC, cubic region        r            r^(1/4)
    =========================  ===========  ==========================

    Both round-trip times include the queueing delay, so r is smaller than the ratio of the paths. This is a fluid
    limit: both flows in the same region, many packets in each window, one loss in each period, always at the same
    window, no time lost in recovery or timeouts. If the flow with the short round trip is in the Reno-friendly region
    and the other one is not, the ratio lies between those of the regions. s is a property of the bottleneck and its
    traffic: neither scheme decides it, and one drop-tail queue can lie anywhere between, or outside.

    Examples
    --------
    >>> [float(round_trip_unfairness(16, s, a, b)) for s in (0, 1) for a, b in ((1, 1), (3, 0))]
    [256.0, 16.0, 16.0, 2.0]
    """
    return xp.power(round_trip_ratio, (1 + round_trip_power) / (1 + loss_power * time_power))

"""Ratio of the rates of two flows whose round-trip times differ."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.references import LAKSHMAN_MADHOW, RFC_9438
from longfat.laws.tcp.parameters import LOSS_POWER, ROUND_TRIP_POWER, ROUND_TRIP_RATIO, TIME_POWER


@law(
    source=f"Ours; the cases of Reno: {LAKSHMAN_MADHOW}; CUBIC in step: {RFC_9438}, section 3.3",
    unit="1",
    result="X_1/X_2, the rate with R_1 over that with R_2 = r R_1",
    derivation="fairness.round_trip_unfairness",
    simulated=SimulatedBy(
        "round_trip_unfairness",
        # CUBIC's powers, because Reno's, 1 and 1, must vary together; tests/test_unfairness.py has them.
        {"round_trip_ratio": (1.0, 4.0), "loss_power": (0.0, 1.0), "time_power": 3.0, "round_trip_power": 0.0},
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

    T seconds after a loss the window has grown by T^a/R^b: a = 1, b = 1 for Reno and CUBIC's Reno-friendly region,
    a = 3, b = 0 for its cubic region. A flow has X^s losses per second, but for a factor: s = 0 if flows lose in step,
    s = 1 if every packet is lost with the same probability.

    Notes
    -----
    Both round trips include the queueing delay. Fluid limit: large windows, no timeouts, both flows in one region. s is
    measured, not known beforehand; one drop-tail queue lies anywhere between 0 and 1, or outside.

    Examples
    --------
    >>> [float(round_trip_unfairness(16, s, a, b)) for s in (0, 1) for a, b in ((1, 1), (3, 0))]
    [256.0, 16.0, 16.0, 2.0]
    """
    return xp.power(round_trip_ratio, (1 + round_trip_power) / (1 + loss_power * time_power))

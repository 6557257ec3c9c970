"""Proportional-integral queue management (PIE, PI2): gains for another update interval, and loss at the target."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.aqm.parameters import (
    CAPACITY,
    FLOWS,
    INTEGRAL_GAIN,
    PROPORTIONAL_GAIN,
    RATIO,
    ROUND_TRIP,
    TARGET,
)
from longfat.laws.references import MATHIS, RFC_8033

RULE = f"{RFC_8033}, section 4.2 (the case of half the interval); the general case is ours"
SAMPLING = "the same controller at another sampling rate"


@law(
    source=RULE,
    unit="1/s",
    result="alpha'",
    derivation="aqm.rescaled_gains",
    not_simulated=SAMPLING,
    integral_gain=INTEGRAL_GAIN,
    interval_ratio=RATIO,
)
def rescaled_integral_gain(integral_gain: Any, interval_ratio: Any, *, xp: Any) -> Any:
    r"""Return PIE's integral gain for another time between updates that keeps the dynamics of the control loop.

    .. math:: \alpha' = h \, \alpha

    Notes
    -----
    A discretisation by the trapezoidal rule has the integral gain k_I T and the proportional gain k_P - k_I T/2.

    Examples
    --------
    >>> rescaled_integral_gain(0.125, 0.5)
    0.0625
    """
    return integral_gain * interval_ratio


@law(
    source=RULE,
    unit="1/s",
    result="beta', which grows by alpha/4 for h = 1/2",
    derivation="aqm.rescaled_gains",
    not_simulated=SAMPLING,
    integral_gain=INTEGRAL_GAIN,
    proportional_gain=PROPORTIONAL_GAIN,
    interval_ratio=RATIO,
)
def rescaled_proportional_gain(integral_gain: Any, proportional_gain: Any, interval_ratio: Any, *, xp: Any) -> Any:
    r"""Return PIE's proportional gain for another time between updates that keeps the dynamics of the control loop.

    .. math:: \beta' = \beta + \frac{1 - h}{2} \alpha

    Notes
    -----
    See `rescaled_integral_gain`. The rule of the RFC, alpha/2 and beta + alpha/4 for half the time, is exact for the
    trapezoidal rule.

    Examples
    --------
    >>> rescaled_proportional_gain(0.125, 1.25, 0.5)
    1.28125
    """
    return proportional_gain + integral_gain * (1 - interval_ratio) / 2


@law(
    source=f"Ours: {MATHIS}, section 2, at the queueing delay at which an integral controller comes to rest",
    unit="probability",
    result="p",
    derivation="aqm.equilibrium_loss",
    simulated=SimulatedBy(
        "pie_loss",
        {
            # Ours, after simulations at the corners of wider ranges: these have windows of 6 to 21 packets. With 4.5
            # packets, 20 flows at 1000 packets/s and 90 ms, the law is off by 36 % of its value, with 56 by 47 %.
            "flows": (10.0, 15.0),
            "capacity_packets": (1000.0, 1500.0),
            "round_trip_time": (0.08, 0.12),
            "target": (0.01, 0.02),
        },
        relative=0.25,
    ),
    flows=FLOWS,
    capacity_packets=CAPACITY,
    round_trip_time=ROUND_TRIP,
    target=TARGET,
)
def equilibrium_loss(flows: Any, capacity_packets: Any, round_trip_time: Any, target: Any, *, xp: Any) -> Any:
    r"""Return the loss probability at which Reno flows fill a link with a given queueing delay.

    .. math:: p = \frac{3}{2} \left(\frac{N}{\mu (R + q)}\right)^2

    Notes
    -----
    An integral controller such as PIE's rests at the target only, so this is its drop probability. It holds for small
    p, no timeouts, and acknowledgments of every packet. Above 1 there is no such equilibrium.

    Examples
    --------
    >>> round(equilibrium_loss(10, 1000, 0.085, 0.015), 6)
    0.015
    """
    share = flows / capacity_packets / (round_trip_time + target)
    return 3 * share * share / 2

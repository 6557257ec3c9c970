"""CUBIC's window between two losses: its course, its duration, its mean and its packets."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.cubic.arithmetic import cube_root, third
from longfat.laws.cubic.parameters import BETA, ROUND_TRIP, TIME, WINDOW_BEFORE_LOSS, C
from longfat.laws.references import RFC_9438

#: Points at which the cubic region, the mixed one and the Reno-friendly one occur, with windows of many packets.
DETERMINISTIC = {
    "window_before_loss": (200.0, 800.0),
    "round_trip_time": (0.01, 0.15),
    "c": (0.2, 1.0),
    "beta": (0.6, 0.8),
}


@law(
    source=f"{RFC_9438}, section 4.2, equation 2, with the window of section 4.6 at its beginning",
    unit="s",
    result="K",
    derivation="cubic.recovery_time",
    not_simulated="the period of `mean_window`, which is simulated",
    window_before_loss=WINDOW_BEFORE_LOSS,
    c=C,
    beta=BETA,
)
def recovery_time(window_before_loss: Any, c: Any = 0.4, beta: Any = 0.7, *, xp: Any) -> Any:
    r"""Return the time that the cubic function takes from a loss back to the window before it.

    .. math:: K = \sqrt[3]{\frac{W_{max} (1 - \beta)}{C}}

    Notes
    -----
    Exact for the rule. It does not depend on the round-trip time. Below `reno_friendly_window` the Reno-friendly
    estimate is back at W_max earlier. With fast convergence and a window that has shrunk since the loss before,
    the plateau is W_max (1 + beta)/2, and the function reaches that one.

    Examples
    --------
    >>> round(recovery_time(100), 3)
    4.217
    """
    return cube_root(window_before_loss * (1 - beta) / c, xp)


@law(
    source=f"{RFC_9438}, section 4.2, equation 1",
    unit="packets",
    result="W_cubic(t), from beta W_max at t = 0 through W_max at t = K",
    derivation="cubic.window",
    simulated=SimulatedBy(
        "cubic_window",
        {"time": (0.5, 15.0), "window_before_loss": (1500.0, 4000.0), "c": (0.4, 1.0), "beta": (0.6, 0.8)},
        accuracy=1.0,
    ),
    time=TIME,
    window_before_loss=WINDOW_BEFORE_LOSS,
    c=C,
    beta=BETA,
)
def window(time: Any, window_before_loss: Any, c: Any = 0.4, beta: Any = 0.7, *, xp: Any) -> Any:
    r"""Return CUBIC's window at a time after a loss, outside its Reno-friendly region.

    .. math:: W_{cubic}(t) = C (t - K)^3 + W_{max}
        = W_{max} \left(\beta + (1 - \beta)\, u \left(3 - 3 u + u^2\right)\right), \qquad u = \frac{t}{K}

    with K = `recovery_time`. The second form has no difference of nearly equal numbers.

    Notes
    -----
    Exact for the rule in a fluid. A sender follows it by steps of a packet, one round trip ahead of its
    acknowledgments, and never grows by more than half a window a round trip.

    Examples
    --------
    >>> [round(window(t, 100), 1) for t in (0, 2, 4.217, 6)]
    [70.0, 95.6, 100.0, 102.3]
    """
    u = time / cube_root(window_before_loss * (1 - beta) / c, xp)
    return window_before_loss * (beta + (1 - beta) * u * (3 - 3 * u + u * u))


def climb(window_before_loss: Any, round_trip_time: Any, c: Any, beta: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return K, the climb of the Reno-friendly estimate over K, and the share of K at which it overtakes.

    The second is limited to [1/3, 1]: below, the estimate rules from the loss on, above, it never does.
    """
    recovery = cube_root(window_before_loss * (1 - beta) / c, xp)
    ratio = window_before_loss / recovery * round_trip_time * (1 + beta) / 3
    one = 1 + 0 * ratio
    ratio = xp.minimum(xp.maximum(ratio, third(ratio, xp)), one)
    return recovery, ratio, (3 - xp.sqrt(xp.maximum(4 / ratio - 3, one))) / 2


@law(
    source=f"Ours, for the rules of {RFC_9438}, sections 4.2 and 4.3",
    unit="packets",
    result="W, from (1 + beta)/2 W_max where the Reno-friendly estimate rules to (3 + beta)/4 W_max where it does not",
    derivation="cubic.mean_window",
    simulated=SimulatedBy("cubic_mean_window", DETERMINISTIC, relative=0.02),
    window_before_loss=WINDOW_BEFORE_LOSS,
    round_trip_time=ROUND_TRIP,
    c=C,
    beta=BETA,
)
def mean_window(window_before_loss: Any, round_trip_time: Any, c: Any = 0.4, beta: Any = 0.7, *, xp: Any) -> Any:
    r"""Return the mean window over time between two losses at the same window.

    .. math:: \frac{W}{W_{max}} = \frac{1}{\theta} \left[s - \frac{1 - \beta}{4} \left(1 - (1 - s)^4\right)
        + \frac{\theta - s}{2} \left(1 + \beta + (1 - \beta) \frac{s}{\theta}\right)\right],
        \quad s = \frac{3 - \sqrt{4/\theta - 3}}{2}

    theta is W_max R (1 + beta)/(3 K), limited to [1/3, 1]: the time in which the Reno-friendly estimate climbs to W_max
    over K = `recovery_time`. At s K it overtakes the cubic function.

    Notes
    -----
    Exact for a fluid window, one loss a period, and a constant round-trip time. RFC 9438 takes the larger of the means
    of both regions instead (`average_window`).

    Examples
    --------
    >>> [round(mean_window(100, r), 2) for r in (0.2, 0.05, 0.01)]
    [92.5, 88.99, 85.0]
    """
    _, ratio, share = climb(window_before_loss, round_trip_time, c, beta, xp)
    left, decrease = 1 - share, 1 - beta
    cubic = share - decrease / 4 * share * (1 + left) * (1 + left * left)
    linear = (ratio - share) / 2 * (1 + beta + decrease * share / ratio)
    return window_before_loss * (cubic + linear) / ratio


@law(
    source=f"Ours, for the rules of {RFC_9438}, sections 4.2 and 4.3",
    unit="packets",
    result="N; 1/N is the loss probability with which the window returns to W_max",
    derivation="cubic.packets_between_losses",
    not_simulated="the distance of the losses at which mean_window is simulated",
    window_before_loss=WINDOW_BEFORE_LOSS,
    round_trip_time=ROUND_TRIP,
    c=C,
    beta=BETA,
)
def packets_between_losses(
    window_before_loss: Any, round_trip_time: Any, c: Any = 0.4, beta: Any = 0.7, *, xp: Any
) -> Any:
    r"""Return the packets between two losses at the same window.

    .. math:: N = \frac{T}{R} W, \qquad T = \min\left(K, \frac{W_{max} R (1 + \beta)}{3}\right)

    with K = `recovery_time` and W = `mean_window`.

    Notes
    -----
    The assumptions are those of `mean_window`. T is the time between the losses. With the cubic region alone N = (3 +
    beta)/4 W_max K/R, which is how RFC 9438 comes to its average window.

    Examples
    --------
    >>> round(packets_between_losses(100, 0.2)), round(packets_between_losses(100, 0.01))
    (1950, 4817)
    """
    recovery, _, _ = climb(window_before_loss, round_trip_time, c, beta, xp)
    mean = mean_window.function(window_before_loss, round_trip_time, c, beta, xp=xp)
    # Not from the limited ratio: below 1/3 the estimate alone decides.
    estimate = window_before_loss * (1 + beta) / 3
    return mean * xp.minimum(recovery / round_trip_time, estimate)

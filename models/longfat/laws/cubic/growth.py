"""CUBIC's window between two losses: its growth, the time between the losses, the mean window, the packets sent.

The last three laws are for one flow alone at a drop-tail link: two in its cubic region, the last in both regions.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.law.roots import newton
from longfat.laws.references import RFC_9438
from longfat.laws.tcp.rates import ROUND_TRIP
from longfat.laws.tcp.window import BUFFER

TIME = Symbol("t", "s", "[0, inf)", (0.0, 20.0), "Time since the window was reduced")
WINDOW_BEFORE_LOSS = Symbol("W_{max}", "packets", "(0, inf)", (10.0, 1e5), "Window just before it is reduced")
C = Symbol("C", "packets/s^3", "(0, inf)", (0.04, 4.0), "Factor of the cubic term; RFC 9438 recommends 0.4")
BETA = Symbol(
    r"\beta", "1", "(0, 1)", (0.5, 0.9), "Factor by which a loss multiplies the window; RFC 9438 recommends 0.7"
)
BANDWIDTH_DELAY_PRODUCT = Symbol("C R", "packets", "(0, inf)", (50.0, 1e5), "Bandwidth-delay product of the empty path")
PATH = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "Round-trip time of the empty path")


def third(like: Any, xp: Any) -> Any:
    """Return 1/3 in the precision of a number, as a constant through which no derivative passes."""
    return xp.fixed(1 / (3 + 0 * like))


def cube_root(x: Any, xp: Any) -> Any:
    """Return the cube root of a number that is not negative."""
    return xp.power(x, third(x, xp))


#: Ranges of the simulated points: they contain the cubic, the mixed and the Reno-friendly region, at windows of many
#: packets.
DETERMINISTIC = {
    "window_before_loss": (200.0, 800.0),
    "round_trip_time": (0.01, 0.15),
    "c": (0.2, 1.0),
    "beta": (0.6, 0.8),
}


@law(
    source=f"{RFC_9438}, section 4.2, equation 2, with the window of section 4.6 at its beginning",
    result="K [s]",
    not_simulated="the period of `mean_window`, which is simulated",
)
def recovery_time(window_before_loss: WINDOW_BEFORE_LOSS, c: C = 0.4, beta: BETA = 0.7, *, xp):
    r"""Return K, the time [s] from a loss until the cubic function is back at the window before the loss.

    .. math:: K = \sqrt[3]{\frac{W_{max} (1 - \beta)}{C}}

    Exact for the rule. It does not depend on the round-trip time. Below `reno_friendly_window` the Reno-friendly
    estimate is back at W_max earlier. With fast convergence and a window that has shrunk since the previous loss, the
    plateau is W_max (1 + beta)/2, and the function returns to that plateau.

    >>> round(recovery_time(100), 3)
    4.217
    """
    return cube_root(window_before_loss * (1 - beta) / c, xp)


@law(
    source=f"{RFC_9438}, section 4.2, equation 1",
    result="W_cubic(t) [packets], from beta W_max at t = 0 through W_max at t = K",
    simulated=SimulatedBy(
        "cubic_window",
        {"time": (0.5, 15.0), "window_before_loss": (1500.0, 4000.0), "c": (0.4, 1.0), "beta": (0.6, 0.8)},
        accuracy=1.0,
    ),
)
def window(time: TIME, window_before_loss: WINDOW_BEFORE_LOSS, c: C = 0.4, beta: BETA = 0.7, *, xp):
    r"""Return CUBIC's window [packets] at a time after a loss, outside its Reno-friendly region.

    .. math:: W_{cubic}(t) = C (t - K)^3 + W_{max}
        = W_{max} \left(\beta + (1 - \beta)\, u \left(3 - 3 u + u^2\right)\right), \qquad u = \frac{t}{K}

    with K = `recovery_time`. The second form has no difference of nearly equal numbers.

    Notes
    -----
    Exact for the rule in a fluid. A sender follows it in steps of a packet, aims at its value one round trip later, and
    never increases its window by more than half in a round trip.

    >>> [round(window(t, 100), 1) for t in (0, 2, 4.217, 6)]
    [70.0, 95.6, 100.0, 102.3]
    """
    u = time / cube_root(window_before_loss * (1 - beta) / c, xp)
    return window_before_loss * (beta + (1 - beta) * u * (3 - 3 * u + u * u))


def climb(window_before_loss: Any, round_trip_time: Any, c: Any, beta: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return K, and t/K for two times t: the Reno-friendly estimate reaches W_max, and exceeds the cubic function.

    The first time is limited to [1/3, 1]: at 1/3 the estimate exceeds the cubic function from the loss on, at 1 it does
    not before K.
    """
    recovery = cube_root(window_before_loss * (1 - beta) / c, xp)
    ratio = window_before_loss / recovery * round_trip_time * (1 + beta) / 3
    one = 1 + 0 * ratio
    ratio = xp.minimum(xp.maximum(ratio, third(ratio, xp)), one)
    return recovery, ratio, (3 - xp.sqrt(xp.maximum(4 / ratio - 3, one))) / 2


@law(
    source=f"Ours, for the rules of {RFC_9438}, sections 4.2 and 4.3",
    result=(
        "W [packets], from (1 + beta)/2 W_max where the Reno-friendly estimate rules to (3 + beta)/4 W_max where it "
        "does not"
    ),
    simulated=SimulatedBy("cubic_mean_window", DETERMINISTIC, relative=0.02),
)
def mean_window(
    window_before_loss: WINDOW_BEFORE_LOSS, round_trip_time: ROUND_TRIP, c: C = 0.4, beta: BETA = 0.7, *, xp
):
    r"""Return CUBIC's window [packets] averaged over the time between two losses at the same window.

    .. math:: \frac{W}{W_{max}} = \frac{1}{\theta} \left[s - \frac{1 - \beta}{4} \left(1 - (1 - s)^4\right)
        + \frac{\theta - s}{2} \left(1 + \beta + (1 - \beta) \frac{s}{\theta}\right)\right],
        \quad s = \frac{3 - \sqrt{4/\theta - 3}}{2}

    theta is W_max R (1 + beta)/(3 K), limited to [1/3, 1]: the time in which the Reno-friendly estimate grows to W_max,
    divided by K = `recovery_time`. At the time s K the estimate overtakes the cubic function.

    Notes
    -----
    Exact for a fluid window, one loss a period, and a constant round-trip time. RFC 9438 takes the larger of the means
    of both regions instead (`average_window`).

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
    result="N [packets]; 1/N is the loss probability with which the window returns to W_max",
    not_simulated="the distance of the losses at which mean_window is simulated",
)
def packets_between_losses(
    window_before_loss: WINDOW_BEFORE_LOSS, round_trip_time: ROUND_TRIP, c: C = 0.4, beta: BETA = 0.7, *, xp
):
    r"""Return the number of packets sent between two losses at the same window.

    .. math:: N = \frac{T}{R} W, \qquad T = \min\left(K, \frac{W_{max} R (1 + \beta)}{3}\right)

    with K = `recovery_time` and W = `mean_window`.

    Notes
    -----
    The assumptions are those of `mean_window`. T is the time between the losses. With the cubic region alone N = (3 +
    beta)/4 W_max K/R, from which RFC 9438 derives its average window.

    >>> round(packets_between_losses(100, 0.2)), round(packets_between_losses(100, 0.01))
    (1950, 4817)
    """
    recovery, _, _ = climb(window_before_loss, round_trip_time, c, beta, xp)
    mean = mean_window.function(window_before_loss, round_trip_time, c, beta, xp=xp)
    # The first time of `climb` is not used, because it is at least K/3; below K/3 the Reno-friendly estimate alone
    # determines the time.
    estimate = window_before_loss * (1 + beta) / 3
    return mean * xp.minimum(recovery / round_trip_time, estimate)


OURS = f"Ours, in the fluid limit of {RFC_9438}, sections 4.2 and 4.6"


def _full(buffer: Any, beta: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Return the depth of the sawtooth, the fraction x of it above one bandwidth-delay product, and x^(4/3)."""
    depth = (1 + buffer) * (1 - beta)
    part = xp.minimum(buffer / depth, 1 + 0 * depth)
    return depth, part, xp.power(part, 4 * third(part, xp))


@law(
    source=OURS,
    result="U [1], from (3 + beta)/4 without a buffer to 1 at B = 1/beta - 1, where the slope is 0 on both sides",
    simulated=SimulatedBy("cubic_utilisation", {"buffer": (0.05, 0.8), "beta": (0.6, 0.8)}, accuracy=0.005),
)
def utilisation(buffer: BUFFER, beta: BETA = 0.7, *, xp):
    r"""Return the utilisation of a drop-tail link by one CUBIC flow in its cubic region.

    .. math:: U = 1 - \frac{(1 + B)(1 - \beta)}{4} \left(1 - 4 x + 3 x^{4/3}\right), \qquad
        x = \min\left(\frac{B}{(1 + B)(1 - \beta)}, 1\right)

    The window follows the cubic function from beta (1 + B) to 1 + B bandwidth-delay products in real time, so queueing
    does not slow it, and neither C nor the bandwidth-delay product matters. This is a fluid limit: a bandwidth-delay
    product of many packets, K of many round trips, one loss per period, W_max the window at each loss, and no time lost
    in recovery. It holds where the bandwidth-delay product plus the buffer is above `reno_friendly_window`; where the
    Reno-friendly estimate is larger from the loss on, below 1/sqrt(27) of that window, the law is
    `tcp.aimd_utilisation_general` with the same beta. Fast convergence is off, as RFC 9438, section 4.7, asks for a
    single flow.

    >>> [round(utilisation(b), 4) for b in (0, 0.1, 0.2, 3 / 7)]
    [0.925, 0.9671, 0.9867, 1.0]
    """
    depth, part, power = _full(buffer, beta, xp)
    return 1 - depth / 4 * (1 - 4 * part + 3 * power)


@law(
    source=OURS,
    result="Q over the bandwidth-delay product [1], the mean over time",
    # Our choice of the accuracy: at a buffer of 1 and a beta of 0.6 the law exceeds the simulated backlog by 0.0101
    # bandwidth-delay products.
    simulated=SimulatedBy("cubic_queue", {"buffer": (0.1, 1.0), "beta": (0.6, 0.8)}, accuracy=0.012),
)
def mean_queue(buffer: BUFFER, beta: BETA = 0.7, *, xp):
    r"""Return the mean backlog [bandwidth-delay products] of a drop-tail link with one CUBIC flow in its cubic region.

    .. math:: Q = \frac{3}{4} (1 + B)(1 - \beta)\, x^{4/3} + \max\left(B - (1 + B)(1 - \beta), 0\right)

    with x of `utilisation`.

    Notes
    -----
    The assumptions are those of `utilisation`. Most of the buffer is occupied most of the time, since the cubic
    function stays near W_max: with B = 1/beta - 1, which just fills the link, the mean backlog is 3/4 of the buffer.

    >>> round(mean_queue(3 / 7) / (3 / 7), 12)
    0.75
    """
    depth, _, power = _full(buffer, beta, xp)
    return 3 * depth / 4 * power + xp.maximum(buffer - depth, 0 * depth)


def _inverse_of_window(x: Any, xp: Any) -> Any:
    """Return the integral of 1/(1 - y^3) from 0 to x, for x in [0, 1)."""
    root = xp.sqrt(3 + 0 * x)
    angle = xp.atan((2 * x + 1) / root) - xp.atan(1 / root)
    return xp.log1p(x + x * x) / 6 - xp.log1p(-x) / 3 + angle / root


def _overtaken_with_queue(pace: Any, top: Any, decrease: Any, begin: Any, xp: Any) -> Any:
    """Return 1 - t/K for the time t at which the Reno-friendly estimate overtakes the window while there is a queue.

    ``begin`` is 1 - t/K for the time t at which the queue begins. ``pace`` is the growth of the estimate in the time K
    without a queue.
    """
    if hasattr(xp, "sympy"):
        return xp.computed("v", _overtaken_with_queue, pace, top, decrease, begin)
    scale = cube_root(decrease, xp)

    def difference(v: Any, top: Any, decrease: Any, begin: Any, pace: Any, scale: Any) -> Any:
        queued = (_inverse_of_window(scale * begin, xp) - _inverse_of_window(scale * v, xp)) / (scale * top)
        return top * decrease * (1 - v * v * v) - pace * (1 - begin + queued)

    def with_slope(v: Any, *parameters: Any) -> tuple[Any, Any]:
        top, decrease, _, pace, _ = parameters
        slope = pace / (top * (1 - decrease * v * v * v)) - 3 * top * decrease * v * v
        return difference(v, *parameters), slope

    parameters = top, decrease, begin, pace, scale
    zero = 0 * (begin + pace + top)
    # The difference is concave for beta >= 0.6: Newton's steps from 0 stay in the bracket, and a root at 0 is found at
    # once.
    found = newton(with_slope, zero, begin + zero, zero, *parameters, scale=1.0, xp=xp)
    return xp.implicit(difference, found, *parameters)


@law(
    source=f"Ours, in the fluid limit of {RFC_9438}, sections 4.2, 4.3 and 4.6",
    result="U [1], between those of `tcp.aimd_utilisation_general` and of `utilisation`",
    derivation="cubic_link.utilisation_general",
    simulated=SimulatedBy(
        "cubic_utilisation_general",
        {
            # Our choice of the lower limit, 0.05: at a buffer of 0.02 bandwidth-delay products (6 to 20 packets) the
            # utilisation of the law exceeds the simulated one by up to 0.1.
            "buffer": (0.05, 0.5),
            "bandwidth_delay_product": (300.0, 1000.0),
            "round_trip_time": (0.005, 0.1),
            "c": (0.2, 1.0),
            "beta": (0.6, 0.8),
        },
        accuracy=0.01,
    ),
)
def utilisation_general(
    buffer: BUFFER,
    bandwidth_delay_product: BANDWIDTH_DELAY_PRODUCT,
    round_trip_time: PATH,
    c: C = 0.4,
    beta: BETA = 0.7,
    *,
    xp,
):
    r"""Return the utilisation of a drop-tail link by one CUBIC flow, with its Reno-friendly region.

    .. math:: U = 1 - \frac{1}{T} \int_0^T \max(1 - w(t), 0)\, dt, \qquad
        \frac{dw_{est}}{dt} = \frac{3 (1 - \beta)}{1 + \beta} \frac{1}{C R \cdot R \max(1, w)}

    w is the larger of the cubic function and the estimate, divided by the bandwidth-delay product C R, and T the time
    in which w grows from beta (1 + B) to 1 + B.

    Notes
    -----
    Up to one bandwidth-delay product the window has the regions of `mean_window`; beyond it queueing slows the
    estimate, and the time at which it overtakes is the root of an equation (v in ``expr``). The fluid limit is that of
    `utilisation`, which is the case of a large bandwidth-delay product; for a small product the law is
    `tcp.aimd_utilisation_general`. Exact for beta >= 0.6, or B <= 2/3, where the estimate overtakes once.

    >>> [round(utilisation_general(0.1, n, 0.01), 4) for n in (100, 1000, 10_000)]
    [0.921, 0.9519, 0.9671]
    """
    decrease, enough = 1 - beta, (1 - beta) / beta
    full = buffer >= enough
    buffer = xp.where(full, enough / 2 + 0 * buffer, buffer)
    top = 1 + buffer
    recovery = cube_root(top * bandwidth_delay_product * decrease / c, xp)
    pace = 3 * decrease / (1 + beta) * recovery / (round_trip_time * bandwidth_delay_product)
    part = buffer / (top * decrease)
    some = part > 0  # the slope of a cube root at 0 is infinite
    begin = xp.where(some, cube_root(xp.where(some, part, 1 + 0 * part), xp), 0 * part)
    scale = cube_root(decrease, xp)
    # If the pace is `last`, the Reno-friendly estimate overtakes the cubic window at the time of the next loss. If the
    # pace is `first`, it does so when the queue begins.
    last = top * decrease / (1 - begin + _inverse_of_window(scale * begin, xp) / (scale * top))
    first = top * decrease * (1 + begin + begin * begin)
    limited = xp.maximum(xp.minimum(pace, first), last)
    left = _overtaken_with_queue(limited, top, decrease, begin, xp)
    window = top * (1 - decrease * left * left * left)
    queued = top * decrease / 4 * (1 - 4 * part + 3 * part * begin)
    queued = queued / (1 - left + (top - window) * (top + window) / (2 * limited))
    # While there is no queue, the Reno-friendly estimate overtakes the cubic window at the same time as in
    # `mean_window`.
    one = 1 + 0 * pace
    ratio = xp.minimum(xp.maximum(top * decrease / pace, third(pace, xp)), one)
    share = (3 - xp.sqrt(xp.maximum(4 / ratio - 3, one))) / 2
    window = top * (beta + decrease * share * (3 - 3 * share + share * share))
    late = 1 - share
    idle = share - top * (share - decrease / 4 * share * (1 + late) * (1 + late * late))
    time = share + (1 - window) / pace + buffer * (2 + buffer) / (2 * pace)
    early = (idle + (1 - window) * (1 - window) / (2 * pace)) / time
    return xp.where(full, one, 1 - xp.where(pace > first, early, queued))

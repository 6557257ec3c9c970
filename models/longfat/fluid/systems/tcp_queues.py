"""Fluid models of equal flows of TCP at one queue: RED, PIE, PI2, CUBIC at RED, and DCTCP at a marking threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.base import domains
from longfat.fluid.system import Quantity, System

WINDOW, QUEUE = Quantity("packets", "[1e-3, inf)", 1.0), Quantity("packets", "[0, inf)", 0.0)
THRESHOLDS = {  # parameters of RED
    "min_th": Quantity("packets", "[0, inf)", 50.0, "lower threshold"),
    "max_th": Quantity("packets", "(0, inf)", 150.0, "upper threshold"),
    "max_p": Quantity("probability", "(0, 1]", 0.1, "loss at the upper threshold"),
}


def _link(flows: float = 60.0, capacity: float = 3750.0, propagation: float = 0.2) -> dict[str, Quantity]:
    """Return the parameters of the flows and the link; the arguments are their defaults in a model."""
    return {
        "flows": Quantity("flows", "(0, inf)", flows, "number of flows"),
        "capacity": Quantity("packets/s", "(0, inf)", capacity, "capacity"),
        "propagation": Quantity("s", "(0, inf)", propagation, "round-trip time without a queue"),
    }


def round_trip_time(queue: Any, p: Mapping[str, Any]) -> Any:
    """Return the round-trip time [s] at a backlog [packets]."""
    return p["propagation"] + queue / p["capacity"]


def tcp_red() -> System:
    r"""Build a fluid model of N equal flows with additive increase, multiplicative decrease, and a RED queue.

    .. math:: \dot W &= \frac{\alpha}{R(t)} - (1 - \beta) W(t) \frac{W(t - R)}{R(t - R)} p(\bar q(t - R)) \\
        \dot q &= \frac{N W}{R(t)} - C, \qquad \dot{\bar q} = C \ln(1 - w_q) (\bar q - q), \qquad R = T + \frac{q}{C}

    Returns
    -------
    System
        Variables ``window`` W [packets], ``queue`` q [packets] and ``average`` [packets]. Parameters: ``flows`` N
        [flows] in (0, inf), ``capacity`` C [packets/s] in (0, inf), ``propagation`` T [s] in (0, inf), ``increase``
        alpha [packets] in (0, inf), ``decrease`` beta [1] in (0, 1), ``min_th`` and ``max_th`` [packets] in
        [0, inf), ``max_p`` [probability] in (0, 1], the loss at max_th, ``averaging`` w_q [1] in (0, 1).

    Notes
    -----
    The model describes mean windows, without timeouts. Above max_th the loss rises to 1 at twice that threshold
    ("gentle" RED), and stays there. The model assumes losses that are independent of the window, but losses of a
    sawtooth depend on it: in equilibrium the model gives sqrt(2/(1 + beta)) times the window of the square-root law at
    the same loss, 1.155 times for TCP.

    Examples
    --------
    >>> from longfat.fluid import equilibrium
    >>> found = equilibrium(tcp_red(), {"window": 10, "queue": 100, "average": 100})
    >>> found.status.item(), round(found.window.item() ** 2 * 0.5 * 0.1 * (found.average.item() - 50) / 100, 9)
    ('converged', 1.0)

    References
    ----------
    V. Misra, W.-B. Gong and D. Towsley, Fluid-based analysis of a network of AQM routers supporting TCP flows with an
    application to RED, SIGCOMM 2000, equations (5) to (10); S. Floyd, gentle RED, 2000.
    """

    def loss(average: Any, p: Mapping[str, Any], xp: Any) -> Any:
        ramp = (average - p["min_th"]) / (p["max_th"] - p["min_th"]) * p["max_p"]
        gentle = p["max_p"] + (average / p["max_th"] - 1) * (1 - p["max_p"])
        return xp.clip(xp.where(average < p["max_th"], ramp, gentle), 0.0, 1.0)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        window, queue, average = x[0], x[1], x[2]
        then = late[0]
        lost = loss(then[2], p, xp) * then[0] / round_trip_time(then[1], p)
        return xp.stack(
            [
                p["increase"] / round_trip_time(queue, p) - (1 - p["decrease"]) * window * lost,
                p["flows"] * window / round_trip_time(queue, p) - p["capacity"],
                p["capacity"] * xp.log1p(-p["averaging"]) * (average - queue),
            ]
        )

    return System(
        "TCP with RED",
        "flow",
        rule,
        {"window": WINDOW, "queue": QUEUE, "average": QUEUE},
        {
            **_link(),
            "increase": Quantity("packets", "(0, inf)", 1.0, "additive increase per round trip"),
            "decrease": Quantity("1", "(0, 1)", 0.5, "factor at a loss"),
            **THRESHOLDS,
            "averaging": Quantity("1", "(0, 1)", 1.3e-4, "weight of a packet in the average"),
        },
        delays=lambda x, p, xp: (round_trip_time(x[1], p),),
        time="s",
        source="Misra, Gong & Towsley, SIGCOMM 2000",
    ).shared()


#: (limit, divisor): PIE divides the update of a probability below the limit by the divisor (RFC 8033, section 4.2).
SCALES = ((1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0))
GAINS = {"pie": (0.125, 1.25, 0.015), "pi2": (0.16, 3.2, 0.016)}  # RFC 8033, section 5.1; RFC 9332, appendix A.1


def tcp_pie(controller: str = "pie") -> System:
    r"""Build a fluid model of N equal TCP flows at a PIE or PI2 queue.

    .. math:: \dot W &= \frac{\alpha}{R(t)} - (1 - \beta) W(t) \frac{W(t - R)}{R(t - R)} p(t - R), \qquad
        \dot q = \frac{N W}{R(t)} - C, \qquad R = T + \frac{q}{C} \\
        \dot p' &= \frac{1}{S(p')} \left[\frac{a}{T_u} \left(\frac{q}{C} - \tau\right) + \left(b + \frac{a}{2}\right)
        \frac{\dot q}{C}\right], \qquad p = p' \text{ or } p'^2

    Parameters
    ----------
    controller : {"pie", "pi2"}
        PIE, which divides its updates by the step function S(p') of RFC 8033, or PI2, which has S = 1 and squares its
        probability.

    Returns
    -------
    System
        Variables ``window`` W [packets], ``queue`` q [packets] and ``base`` p' [probability]. Parameters: ``flows`` N
        [flows], ``capacity`` C [packets/s], ``propagation`` T [s], ``increase`` alpha [packets], ``decrease`` beta
        [1] in (0, 1), ``target`` tau [s], ``integral`` a and ``proportional`` b [1/s], ``update`` T_u [s].

    Notes
    -----
    The flows are those of `longfat.fluid.tcp_red`. At each update the controller adds a (q/C - tau) + b (q - q_old)/C,
    where q_old is the backlog one update earlier; the trapezoidal rule applied to the equation of p' gives this. The
    delay of the sampling, half an interval, and PIE's burst allowance are left out. In equilibrium the queueing delay
    is the target. The linearisation of PIE changes at the steps of S; equilibria lie between steps.

    Examples
    --------
    >>> from longfat.fluid import stability
    >>> found = stability(tcp_pie("pi2"), {"window": 8, "queue": 50, "base": 0.1})
    >>> round(found["queue"].item() / 3750, 6), found.stable.item()
    (0.015, True)

    References
    ----------
    R. Pan et al., PIE, RFC 8033, 2017, section 4.2; K. De Schepper et al., DualQ Coupled AQM, RFC 9332, 2023, appendix
    A.1; the flows: Misra, Gong and Towsley, SIGCOMM 2000.
    """
    integral, proportional, update = GAINS[domains.choice("controller", controller, GAINS)]
    squared = controller == "pi2"

    def scale(base: Any, xp: Any) -> Any:
        result = 1.0 + 0 * base
        for limit, divisor in reversed(SCALES):
            result = xp.where(base < limit, divisor, result)
        return result

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        window, queue, base = x[0], x[1], x[2]
        then = late[0]
        dropped = then[2] * then[2] if squared else then[2]
        lost = dropped * then[0] / round_trip_time(then[1], p)
        filling = p["flows"] * window / round_trip_time(queue, p) - p["capacity"]
        filling = xp.where(queue > 0, filling, xp.maximum(filling, 0.0))  # an empty queue cannot shrink
        deviation = queue / p["capacity"] - p["target"]
        gain = p["proportional"] + p["integral"] / 2
        change = p["integral"] / p["update"] * deviation + gain * filling / p["capacity"]
        return xp.stack(
            [
                p["increase"] / round_trip_time(queue, p) - (1 - p["decrease"]) * window * lost,
                filling,
                change if squared else change / scale(base, xp),
            ]
        )

    return System(
        f"TCP with {'PI2' if squared else 'PIE'}",
        "flow",
        rule,
        {
            "window": WINDOW,
            "queue": QUEUE,
            "base": Quantity("probability", "[0, 1]", 0.0),
        },
        {
            **_link(propagation=0.1),
            "increase": Quantity("packets", "(0, inf)", 1.0, "additive increase per round trip"),
            "decrease": Quantity("1", "(0, 1)", 0.5, "factor at a loss"),
            "target": Quantity("s", "(0, inf)", 0.015, "target of the queueing delay"),
            "integral": Quantity("1/s", "(0, inf)", integral, "gain of the deviation, per update"),
            "proportional": Quantity("1/s", "[0, inf)", proportional, "gain of the change"),
            "update": Quantity("s", "(0, inf)", update, "time between updates"),
        },
        delays=lambda x, p, xp: (round_trip_time(x[1], p),),
        time="s",
        source="RFC 8033, section 4.2; RFC 9332, appendix A.1; Misra, Gong & Towsley, SIGCOMM 2000",
    ).shared()


def cubic() -> System:
    r"""Build a fluid model of N equal CUBIC flows at a queue whose drop probability grows with the backlog.

    .. math:: W = c (s - K)^3 + M, \quad K = \sqrt[3]{\frac{M (1 - \beta)}{c}}, \qquad
        \lambda = \frac{W(t - R)}{R(t - R)} p(q(t - R)), \quad R = T + \frac{q}{C}

    .. math:: \dot M = -(M - W) \lambda, \qquad \dot s = 1 - s \lambda, \qquad \dot q = \frac{N W}{R} - C

    Returns
    -------
    System
        Variables ``before_loss`` M [packets], the window before the last loss, ``since_loss`` s [s], the time since it,
        and ``queue`` q [packets]. Parameters: ``flows`` N [flows], ``capacity`` C [packets/s], ``propagation`` T [s],
        thresholds ``min_th`` and ``max_th`` [packets], ``max_p``, the loss at max_th [probability], ``c``
        [packets/s^3], ``decrease`` beta [1] in (0, 1).

    Notes
    -----
    A loss sets M to W and s to 0; the equations are the mean of these jumps for losses at the rate lambda. In
    equilibrium W = M and s = K = R/(W p), which gives the window (c R^3/((1 - beta) p^3))^(1/4), 1.02 times the average
    window of RFC 9438 at the same loss. There the derivative of W by s is 0, so one characteristic root is 0 and
    `stability` cannot decide. The other roots have negative real parts for every delay, and deviations decay as
    1/sqrt(t), which `integrate` shows; the paper proves local stability. For the same reason `equilibrium` finds M and
    q to five digits only. The model of the queue is ours: it is that of `longfat.fluid.tcp_red` without averaging. The
    Reno-friendly region and fast convergence are left out.

    Examples
    --------
    >>> from longfat.fluid import equilibrium
    >>> found = equilibrium(cubic(), {"before_loss": 14, "since_loss": 2.2, "queue": 57})
    >>> f"{found.before_loss.item():.2f} {found.since_loss.item():.2f} {found['queue'].item():.2f}"
    '13.46 2.16 57.40'

    References
    ----------
    G. Vardoyan, C. V. Hollot and D. Towsley, Towards stability analysis of data transport mechanisms: a fluid model and
    an application, INFOCOM 2018; L. Xu et al., CUBIC, RFC 9438, 2023, section 4.2.
    """

    def window(x: Any, p: Mapping[str, Any], xp: Any) -> Any:
        rise = x[1] - (x[0] * (1 - p["decrease"]) / p["c"]) ** (1 / 3)
        return xp.maximum(p["c"] * rise**3 + x[0], 0.0)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        then, now = late[0], window(x, p, xp)
        loss = xp.clip((then[2] - p["min_th"]) / (p["max_th"] - p["min_th"]) * p["max_p"], 0.0, 1.0)
        losses = window(then, p, xp) / round_trip_time(then[2], p) * loss
        filling = p["flows"] * now / round_trip_time(x[2], p) - p["capacity"]
        return xp.stack([-(x[0] - now) * losses, 1 - x[1] * losses, filling])

    return System(
        "CUBIC with RED",
        "flow",
        rule,
        {
            "before_loss": Quantity("packets", "[1e-3, inf)", 10.0),
            "since_loss": Quantity("s", "[0, inf)", 0.0),
            "queue": QUEUE,
        },
        {
            **_link(),
            **THRESHOLDS,
            "c": Quantity("packets/s^3", "(0, inf)", 0.4, "constant of the growth"),
            "decrease": Quantity("1", "(0, 1)", 0.7, "factor at a loss"),
        },
        delays=lambda x, p, xp: (round_trip_time(x[2], p),),
        time="s",
        source="Vardoyan, Hollot & Towsley, INFOCOM 2018",
    ).shared()


def dctcp() -> System:
    r"""Build a fluid model of N equal DCTCP flows at a queue that marks packets above a threshold.

    .. math:: \dot W &= \frac{1}{R(t)} - \frac{W(t) \alpha(t)}{2 R(t)} p(t - R^*), \qquad
        \dot \alpha = \frac{g}{R(t)} \left(p(t - R^*) - \alpha(t)\right) \\
        \dot q &= \frac{N W}{R(t)} - C, \qquad p = \min\left(1, \max\left(0, \frac{q - K}{r}\right)\right), \qquad
        R = T + \frac{q}{C}, \quad R^* = T + \frac{K}{C}

    Returns
    -------
    System
        Variables ``window`` W [packets], ``estimate`` alpha [1] and ``queue`` q [packets]. Parameters: ``flows`` N
        [flows], ``capacity`` C [packets/s], ``propagation`` T [s], ``gain`` g [1] in (0, 1), ``threshold`` K
        [packets], ``ramp`` r [packets] in (0, inf).

    Notes
    -----
    The paper's model is the limit r -> 0, a step. It has no equilibrium but a limit cycle: `integrate` shows it for an
    r that is small relative to the amplitude. With a ramp the equilibrium is at W = 2/p^2; it is stable for large r.

    Examples
    --------
    >>> from longfat.fluid import stability
    >>> start = {"window": 50, "estimate": 0.2, "queue": 70}
    >>> stability(dctcp(), start, ramp=[20.0, 2000.0]).stable.values
    array([False,  True])

    References
    ----------
    M. Alizadeh, A. Javanmard and B. Prabhakar, Analysis of DCTCP: Stability, Convergence, and Fairness, SIGMETRICS
    2011 (the fluid model); the ramp: K. De Schepper et al., RFC 9332, 2023, appendix A.1.
    """

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        window, estimate, queue = x[0], x[1], x[2]
        trip = round_trip_time(queue, p)
        marked = xp.clip((late[0][2] - p["threshold"]) / p["ramp"], 0.0, 1.0)
        return xp.stack(
            [
                (1 - window * estimate / 2 * marked) / trip,
                p["gain"] / trip * (marked - estimate),
                p["flows"] * window / trip - p["capacity"],
            ]
        )

    return System(
        "DCTCP",
        "flow",
        rule,
        {
            "window": WINDOW,
            "estimate": Quantity("1", "[0, 1]", 1.0),
            "queue": QUEUE,
        },
        {
            **_link(10.0, 833333.0, 5e-4),
            "gain": Quantity("1", "(0, 1)", 1 / 16, "weight of a round trip in the estimate"),
            "threshold": Quantity("packets", "[0, inf)", 65.0, "backlog above which packets are marked"),
            "ramp": Quantity("packets", "(0, inf)", 1.0, "further backlog at which all packets are marked"),
        },
        delays=lambda x, p, xp: (p["propagation"] + p["threshold"] / p["capacity"],),
        time="s",
        source="Alizadeh, Javanmard & Prabhakar, SIGMETRICS 2011",
    ).shared()

"""TCP at a queue managed by a proportional-integral controller: PIE, or PI2, which squares the probability."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from longfat.base import domains
from longfat.fluid.system import Parameter, System, Variable

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
        PIE, whose updates are divided by the step function S(p') of RFC 8033, or PI2, which squares its probability (S
        = 1).

    Returns
    -------
    System
        Variables ``window`` W [packets], ``queue`` q [packets] and ``base`` p' [probability]. Parameters: ``flows`` N
        [flows], ``capacity`` C [packets/s], ``propagation`` T [s], ``increase`` alpha [packets], ``decrease`` beta
        [1] in (0, 1), ``target`` tau [s], ``integral`` a and ``proportional`` b [1/s], ``update`` T_u [s].

    Notes
    -----
    The flows are those of `longfat.fluid.tcp_red`. The controller adds a (q/C - tau) + b (q/C - q'/C) at each update;
    the trapezoidal rule applied to the equation of p' gives this update. The delay of the sampling, half an interval,
    and PIE's burst allowance are left out. In equilibrium the queueing delay is the target. The linearisation of PIE
    changes at the steps of S; equilibria lie between steps.

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
    return _tcp_pie(domains.choice("controller", controller, tuple(GAINS)))


@functools.cache
def _tcp_pie(controller: str) -> System:
    squared = controller == "pi2"

    def trip(q: Any, p: Mapping[str, Any]) -> Any:
        return p["propagation"] + q / p["capacity"]

    def scale(base: Any, xp: Any) -> Any:
        result = 1.0 + 0 * base
        for limit, divisor in reversed(SCALES):
            result = xp.where(base < limit, divisor, result)
        return result

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        window, queue, base = x[0], x[1], x[2]
        then = late[0]
        dropped = then[2] * then[2] if squared else then[2]
        lost = dropped * then[0] / trip(then[1], p)
        filling = p["flows"] * window / trip(queue, p) - p["capacity"]
        filling = xp.where(queue > 0, filling, xp.maximum(filling, 0.0))  # an empty queue does not shrink
        deviation = queue / p["capacity"] - p["target"]
        gain = p["proportional"] + p["integral"] / 2
        change = p["integral"] / p["update"] * deviation + gain * filling / p["capacity"]
        return xp.stack(
            [
                p["increase"] / trip(queue, p) - (1 - p["decrease"]) * window * lost,
                filling,
                change if squared else change / scale(base, xp),
            ]
        )

    integral, proportional, update = GAINS[controller]
    return System(
        f"TCP with {'PI2' if squared else 'PIE'}",
        "flow",
        rule,
        {
            "window": Variable("packets", 1.0, low=1e-3),
            "queue": Variable("packets", 0.0, low=0.0),
            "base": Variable("probability", 0.0, low=0.0, high=1.0),
        },
        {
            "flows": Parameter("flows", "(0, inf)", 60.0, "number of flows"),
            "capacity": Parameter("packets/s", "(0, inf)", 3750.0, "capacity"),
            "propagation": Parameter("s", "(0, inf)", 0.1, "round-trip time without a queue"),
            "increase": Parameter("packets", "(0, inf)", 1.0, "additive increase per round trip"),
            "decrease": Parameter("1", "(0, 1)", 0.5, "factor at a loss"),
            "target": Parameter("s", "(0, inf)", 0.015, "target of the queueing delay"),
            "integral": Parameter("1/s", "(0, inf)", integral, "gain of the deviation, per update"),
            "proportional": Parameter("1/s", "[0, inf)", proportional, "gain of the change"),
            "update": Parameter("s", "(0, inf)", update, "time between updates"),
        },
        delays=lambda x, p, xp: (trip(x[1], p),),
        time="s",
        source="RFC 8033, section 4.2; RFC 9332, appendix A.1; Misra, Gong & Towsley, SIGCOMM 2000",
    )

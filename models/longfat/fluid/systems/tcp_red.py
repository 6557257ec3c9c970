"""Fluid model of TCP, or of another additive increase and multiplicative decrease, at a RED queue."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from longfat.fluid.system import Parameter, System, Variable


@functools.cache
def tcp_red() -> System:
    r"""Build a fluid model of N equal flows with additive increase, multiplicative decrease, and a RED queue.

    .. math:: \dot W &= \frac{\alpha}{R(t)} - (1 - \beta) W(t) \frac{W(t - R)}{R(t - R)} p(\bar q(t - R)) \\
        \dot q &= \frac{N W}{R(t)} - C, \qquad \dot{\bar q} = C \ln(1 - w_q) (\bar q - q), \qquad R = T + \frac{q}{C}

    Returns
    -------
    System
        Variables ``window`` W [packets], ``queue`` q [packets] and ``average`` [packets]. Parameters: ``flows`` N
        [flows] in (0, inf), ``capacity`` C [packets/s] in (0, inf), ``propagation`` T [s] in (0, inf), ``increase``
        alpha [packets] in (0, inf), ``decrease`` beta [1] in (0, 1), ``low`` and ``high`` thresholds [packets] in
        [0, inf), ``largest_loss`` p_max [probability] in (0, 1] at the high threshold, ``averaging`` w_q [1] in (0, 1).

    Notes
    -----
    The model has mean windows and no timeouts. Above the high threshold the loss rises to 1 at twice that threshold
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

    def trip(q: Any, p: Mapping[str, Any]) -> Any:
        return p["propagation"] + q / p["capacity"]

    def loss(average: Any, p: Mapping[str, Any], xp: Any) -> Any:
        ramp = (average - p["low"]) / (p["high"] - p["low"]) * p["largest_loss"]
        gentle = p["largest_loss"] + (average / p["high"] - 1) * (1 - p["largest_loss"])
        return xp.clip(xp.where(average < p["high"], ramp, gentle), 0.0, 1.0)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        window, queue, average = x[0], x[1], x[2]
        then = late[0]
        lost = loss(then[2], p, xp) * then[0] / trip(then[1], p)
        return xp.stack(
            [
                p["increase"] / trip(queue, p) - (1 - p["decrease"]) * window * lost,
                p["flows"] * window / trip(queue, p) - p["capacity"],
                p["capacity"] * xp.log1p(-p["averaging"]) * (average - queue),
            ]
        )

    packets = Variable("packets", 0.0, low=0.0)
    return System(
        "TCP with RED",
        "flow",
        rule,
        {"window": Variable("packets", 1.0, low=1e-3), "queue": packets, "average": packets},
        {
            "flows": Parameter("flows", "(0, inf)", 60.0, "number of flows"),
            "capacity": Parameter("packets/s", "(0, inf)", 3750.0, "capacity"),
            "propagation": Parameter("s", "(0, inf)", 0.2, "round-trip time without a queue"),
            "increase": Parameter("packets", "(0, inf)", 1.0, "additive increase per round trip"),
            "decrease": Parameter("1", "(0, 1)", 0.5, "factor at a loss"),
            "low": Parameter("packets", "[0, inf)", 50.0, "low threshold"),
            "high": Parameter("packets", "(0, inf)", 150.0, "high threshold"),
            "largest_loss": Parameter("probability", "(0, 1]", 0.1, "loss at the high threshold"),
            "averaging": Parameter("1", "(0, 1)", 1.3e-4, "weight of a packet in the average"),
        },
        delays=lambda x, p, xp: (trip(x[1], p),),
        time="s",
        source="Misra, Gong & Towsley, SIGCOMM 2000",
    )

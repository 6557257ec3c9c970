"""Fluid model of DCTCP at a queue that marks packets while its backlog exceeds a threshold."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from longfat.fluid.system import Parameter, System, Variable


@functools.cache
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
    r that is small relative to the amplitude. With a ramp the equilibrium is at W = 2/p^2; it is stable for r above a
    boundary that `stability_boundary` finds.

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
        trip = p["propagation"] + queue / p["capacity"]
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
            "window": Variable("packets", 1.0, low=1e-3),
            "estimate": Variable("1", 1.0, low=0.0, high=1.0),
            "queue": Variable("packets", 0.0, low=0.0),
        },
        {
            "flows": Parameter("flows", "(0, inf)", 10.0, "number of flows"),
            "capacity": Parameter("packets/s", "(0, inf)", 833333.0, "capacity"),
            "propagation": Parameter("s", "(0, inf)", 5e-4, "round-trip time without a queue"),
            "gain": Parameter("1", "(0, 1)", 1 / 16, "weight of a round trip in the estimate"),
            "threshold": Parameter("packets", "[0, inf)", 65.0, "backlog above which packets are marked"),
            "ramp": Parameter("packets", "(0, inf)", 1.0, "further backlog at which all packets are marked"),
        },
        delays=lambda x, p, xp: (p["propagation"] + p["threshold"] / p["capacity"],),
        time="s",
        source="Alizadeh, Javanmard & Prabhakar, SIGMETRICS 2011",
    )

"""Fluid model of CAPC: a switch announces one rate, and changes it by the distance of the load from a target."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from longfat.base import domains
from longfat.fluid.system import Parameter, System, Variable


def capc(flows: int) -> System:
    r"""Build CAPC as a map of the announced rate from one measurement interval of the switch to the next.

    .. math:: z = \frac{1}{u} \sum_i \min(r_i, E(t - d)), \qquad \frac{E(t+1)}{E(t)} =
        \begin{cases} \min(G, 1 + (1 - z) R_u) & z < 1 \\ \max(g, 1 - (z - 1) R_d) & z \ge 1 \end{cases}

    Parameters
    ----------
    flows : int
        n [flows], in [1, 10^5].

    Returns
    -------
    System
        Variable ``share`` E, the announced rate relative to the capacity [1]. Parameters: ``demand`` r [1] in (0, inf]
        for each flow, its largest rate relative to the capacity; ``target`` u [1] in (0, 1]; ``up`` R_u [1] in (0, 1];
        ``down`` R_d [1] in (0, 1]; ``largest_growth`` G [1] in (1, 2]; ``smallest_fall`` g [1] in (0, 1); ``delay`` d
        [intervals], an integer in [0, 10^5].

    Notes
    -----
    Without a delay the distance of E from the max-min share shrinks by 1 - z_E R_u or 1 - z_E R_d per interval, where
    z_E is the part of the load z due to flows that send at E. The two factors differ, so the equilibrium is at a kink:
    `stability` takes the side above the target, which has the larger factor in the usual range. The recommended factors
    are R_u in [0.025, 0.1], R_d in [0.2, 0.8].

    Examples
    --------
    >>> from longfat.fluid import integrate
    >>> run = integrate(capc(4), 400, {"share": 0.01})
    >>> float(run.share[-1].round(6)), 0.9 / 4
    (0.225, 0.225)

    References
    ----------
    A. W. Barnhart, Explicit rate performance evaluations, ATM Forum 94-0983, 1994, as described by later authors.
    """
    return _capc(domains.integer("flows", flows, "flows", "[1, 100000]"))


@functools.lru_cache(maxsize=256)
def _capc(n: int) -> System:
    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        load = xp.sum(xp.minimum(p["demand"], late[0][0])) / p["target"]
        up = xp.minimum(p["largest_growth"], 1 + (1 - load) * p["up"])
        down = xp.maximum(p["smallest_fall"], 1 - (load - 1) * p["down"])
        # The tolerance of 1e-9 makes NumPy and JAX choose the same side if the load differs from the target only by
        # rounding.
        return x * xp.where(load < 1 - 1e-9, up, down)

    return System(
        "CAPC",
        "map",
        rule,
        {"share": Variable("1", 0.01, low=0.0, high=1.0)},
        {
            "demand": Parameter("1", "(0, inf]", float("inf"), "largest rate", axis="flow", length=n),
            "target": Parameter("1", "(0, 1]", 0.9, "load to be reached"),
            "up": Parameter("1", "(0, 1]", 0.1, "gain below the target"),
            "down": Parameter("1", "(0, 1]", 0.5, "gain above the target"),
            "largest_growth": Parameter("1", "(1, 2]", 1.5, "largest factor"),
            "smallest_fall": Parameter("1", "(0, 1)", 0.5, "smallest factor"),
            "delay": Parameter("intervals", "[0, 100000]", 0, "delay of the measured load", integer=True),
        },
        delays=lambda x, p, xp: (p["delay"],),
        time="intervals",
        source="Barnhart, ATM Forum 94-0983",
    )

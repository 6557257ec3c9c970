"""Fluid model of XCP: an efficiency controller sets the total rate, a fairness controller the rates of the flows."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from longfat.base import domains
from longfat.fluid.system import Parameter, System, Variable


def xcp(flows: int) -> System:
    r"""Build a fluid model of XCP flows with equal round-trip times at one link.

    .. math:: \dot x_i(t) = \frac{1}{d} \Bigl[\frac{h + \varphi^+}{n} - (h + \varphi^-) \frac{x_i}{y}\Bigr]_{t - d},
        \qquad \varphi = \alpha (1 - y) - \beta \frac{q}{d}, \quad h = \max(0, \gamma y - |\varphi|), \quad
        \dot q = y - 1

    Parameters
    ----------
    flows : int
        n [flows], in [1, 10^4].

    Returns
    -------
    System
        Variables ``rate`` (flow) x relative to the capacity [1] and ``queue`` q [s], the transmission time of the
        backlog; y is the sum of the rates. Parameters: ``alpha``, ``beta``, ``gamma`` [1] in (0, 10],
        ``round_trip_time`` d [s] in (0, inf).

    Notes
    -----
    The queueing delay is neglected, as in the original analysis. For beta = sqrt(2) alpha^2 the total is stable for
    alpha < pi/(4 sqrt 2) and every d; differences between flows follow dx/dt = -(gamma/d) x(t - d).

    Examples
    --------
    >>> from longfat.fluid import integrate
    >>> run = integrate(xcp(2), 60, {"rate": [0.1, 0.5]}, step=0.05, round_trip_time=0.5)
    >>> run.rate.values[-1].round(4)
    array([0.5, 0.5])

    References
    ----------
    D. Katabi, M. Handley and C. Rohrs, Congestion Control for High Bandwidth-Delay Product Networks, SIGCOMM 2002,
    section 3.5 and appendix.
    """
    return _xcp(domains.integer("flows", flows, "flows", "[1, 10000]"))


@functools.lru_cache(maxsize=256)
def _xcp(n: int) -> System:
    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        rates, queue, d = late[0][:n], late[0][n], p["round_trip_time"]
        total = xp.sum(rates)
        phi = p["alpha"] * (1 - total) - p["beta"] * queue / d
        shuffled = xp.maximum(0.0, p["gamma"] * total - xp.abs(phi))
        more, less = shuffled + xp.maximum(phi, 0.0), shuffled + xp.maximum(-phi, 0.0)
        change = (more / n - less * rates / total) / d
        return xp.concatenate([change, xp.sum(x[:n])[None] - 1])

    return System(
        "XCP",
        "flow",
        rule,
        {
            "rate": Variable("1", 0.5 / n, low=1e-9, axis="flow", length=n),
            "queue": Variable("s", 0.0, low=0.0),
        },
        {
            "alpha": Parameter("1", "(0, 10]", 0.4, "gain of the spare capacity"),
            "beta": Parameter("1", "(0, 10]", 0.226, "gain of the queue"),
            "gamma": Parameter("1", "(0, 10]", 0.1, "fraction of the traffic shuffled each round trip"),
            "round_trip_time": Parameter("s", "(0, inf)", 0.1, "round-trip time"),
        },
        delays=lambda x, p, xp: (p["round_trip_time"],),
        time="s",
        source="Katabi, Handley & Rohrs, SIGCOMM 2002",
    )

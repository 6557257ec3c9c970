"""Fluid models of CADPC: synchronous, asynchronous or in continuous time, with delayed reports, over links."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.fluid.system import Parameter, System, Variable

PAPER = "Welzl, Scalable Router Aided Congestion Avoidance for Bulk Data Transfer"


def cadpc(
    flows: int,
    *,
    periods: Sequence[int] | None = None,
    phases: Sequence[int] | None = None,
    routes: Any = None,
    floor: float = 0.0,
) -> System:
    r"""Build CADPC as a map of the rates from one update to the next.

    .. math:: x_i(t+1) = x_i(t) \Bigl(1 + \frac{a}{C} \Bigl(C - \frac{x_i(t)}{w_i} - L(t)\Bigr)\Bigr), \quad
        L(t) = (1 - m) \sum_j x_j(t - d) + m \sum_j x_j(t - d - 1)

    Parameters
    ----------
    flows : int
        n [flows], in [1, 10^5].
    periods : sequence of int
        Period of each flow's updates [updates], in [1, 1000]; 1 for all flows (synchronous) if not given.
    phases : sequence of int
        Time of each flow's first update [updates], from 0 up to less than its period; 0 if not given.
    routes : array of shape (links, flows)
        1 where a flow passes a link, else 0; one link for all flows if None. A flow acts on the report of the link with
        the least available bandwidth.
    floor : float
        Smallest rate, in the unit of the capacity, in [0, 1); the paper requires a smallest rate but gives no value.

    Returns
    -------
    System
        Variable ``rate`` (flow), in the unit of the capacity, which is 1 by default. Parameters: ``smoothing`` a [1] in
        (0, 3], ``weight`` w [flows] in (0, inf) for each flow, ``capacity`` C [1] in (0, inf) for each link, ``delay``
        d [updates], an integer in [0, 10^5], ``carry`` m [1] in [0, 1]: the weight of the traffic one update earlier in
        a report, because a report is a mean over the time since the last report.

    Notes
    -----
    A flow knows its own rate without delay. By default reports describe the present traffic (d = 0), also for unequal
    periods, although in a network a report is a mean over the period of the flow.

    Examples
    --------
    >>> from longfat.fluid import equilibrium
    >>> found = equilibrium(cadpc(2), {"rate": 0.3}, weight=[1, 2])
    >>> found.rate.values.round(6), str(found.status.values)  # w/(1 + W)
    (array([0.25, 0.5 ]), 'converged')

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B, equation (1); sections II.A (the link with
    the least available bandwidth) and III (weights, periods).
    """
    n = domains.integer("flows", flows, "flows", "[1, 100000]")
    each = tuple(domains.integer("periods", x, "updates", "[1, 1000]") for x in (periods or [1] * n))
    offset = tuple(
        domains.integer("phases", x, "updates", f"[0, {length - 1}]")
        for x, length in zip(phases if phases is not None else [0] * n, each, strict=False)
    )
    if len(each) != n or len(offset) != n:
        raise domains.conflict(
            f"flows = {n}", f"needs {n} periods and {n} phases", f"got {len(each)} and {len(offset)}"
        )
    table = np.ones((1, n)) if routes is None else np.asarray(routes, dtype=float)
    if table.ndim != 2 or table.shape[1] != n or not np.isin(table, (0, 1)).all() or not table.any(axis=0).all():
        raise domains.wrong_shape("routes", table.shape, f"(links, {n}), of 0 and 1, with a link for every flow")
    least = domains.number("floor", floor, "1", "[0, 1)")
    return _cadpc(n, each, offset, tuple(map(tuple, table.tolist())), least)


@functools.lru_cache(maxsize=256)
def _cadpc(
    n: int, periods: tuple[int, ...], phases: tuple[int, ...], routes: tuple[tuple[float, ...], ...], floor: float
) -> System:
    """Build the system; the cache returns the same object for equal arguments, so that JAX compiles it only once."""
    passes, every, first = np.array(routes), np.array(periods), np.array(phases)
    synchronous, links = set(periods) == {1}, len(routes)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        reported = (1 - p["carry"]) * late[0] + p["carry"] * late[1]
        if links == 1:
            capacity = p["capacity"][0]
            spare = capacity - xp.sum(reported)
        else:
            left = xp.where(passes > 0, (p["capacity"] - passes @ reported)[:, None], xp.inf)
            which = xp.argmin(left, axis=0)
            capacity, spare = p["capacity"][which], xp.min(left, axis=0)
        after = x * (1 + p["smoothing"] * (spare - x / p["weight"]) / capacity)
        return after if synchronous else xp.where((t - first) % every == 0, after, x)

    return System(
        "CADPC" if synchronous else "asynchronous CADPC",
        "map",
        rule,
        {"rate": Variable("1", 0.001, low=floor, axis="flow", length=n)},
        {
            "smoothing": Parameter("1", "(0, 3]", 0.5, "smoothness factor"),
            "weight": Parameter("flows", "(0, inf)", 1.0, "equivalent number of ordinary flows", axis="flow", length=n),
            "capacity": Parameter("1", "(0, inf)", 1.0, "capacity", axis="link", length=links),
            "delay": Parameter("updates", "[0, 100000]", 0, "delay of the reports", integer=True),
            "carry": Parameter("1", "[0, 1]", 0.0, "weight of the previous update in a report"),
        },
        delays=lambda x, p, xp: (p["delay"], p["delay"] + 1),
        period=math.lcm(*periods),
        source=f"{PAPER}, equation (1)",
    )


def cadpc_flow(flows: int, *, delayed: bool = False) -> System:
    r"""Build CADPC as a differential equation: the limit of frequent small updates at different times.

    .. math:: \dot x_i(t) = \frac{a}{T_i}\, x_i(t) \Bigl(1 - \frac{x_i(t)}{w_i} - \sum_j x_j(t - \tau)\Bigr)

    Parameters
    ----------
    flows : int
        n [flows], in [1, 10^5].
    delayed : bool
        Whether reports of the traffic are delayed.

    Returns
    -------
    System
        Variable ``rate`` (flow) relative to the capacity [1]. Parameters: ``smoothing`` a [1] in (0, 3], ``weight`` w
        [flows] in (0, inf) and ``interval`` T [s] in (0, inf) for each flow, and ``delay`` tau [s] in (0, inf) if
        delayed.

    Notes
    -----
    This is the limit of small a for constant a/T. For equal flows without delay it is logistic growth.

    Examples
    --------
    >>> from longfat.fluid import integrate
    >>> run = integrate(cadpc_flow(4), 40, {"rate": 0.1}, step=0.1)
    >>> run.rate.values[-1].round(6)
    array([0.2, 0.2, 0.2, 0.2])

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B, which names logistic growth.
    """
    return _cadpc_flow(domains.integer("flows", flows, "flows", "[1, 100000]"), bool(delayed))


@functools.lru_cache(maxsize=256)
def _cadpc_flow(n: int, delayed: bool) -> System:
    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        traffic = xp.sum(late[0] if delayed else x)
        return p["smoothing"] / p["interval"] * x * (1 - x / p["weight"] - traffic)

    parameters = {
        "smoothing": Parameter("1", "(0, 3]", 0.5, "smoothness factor"),
        "weight": Parameter("flows", "(0, inf)", 1.0, "equivalent number of ordinary flows", axis="flow", length=n),
        "interval": Parameter("s", "(0, inf)", 1.0, "time between updates", axis="flow", length=n),
    }
    if delayed:
        parameters["delay"] = Parameter("s", "(0, inf)", 1.0, "delay of the reports")
    return System(
        "CADPC in continuous time",
        "flow",
        rule,
        {"rate": Variable("1", 0.001, low=0.0, axis="flow", length=n)},
        parameters,
        delays=(lambda x, p, xp: (p["delay"],)) if delayed else None,
        time="s",
        source=f"ours, continuous time for {PAPER}, equation (1)",
    )

"""Fluid models of schemes in which the network announces rates or its traffic: CADPC, CAPC and XCP."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.fluid.system import Quantity, System

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
        d [updates], an integer in [0, 10^5], ``carry`` m [1] in [0, 1]: the weight that a report gives to the traffic
        one update earlier, because a report is a mean over the time since the last report.

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
    lengths, firsts = [1] * n if periods is None else periods, [0] * n if phases is None else phases
    if len(lengths) != n or len(firsts) != n:
        raise domains.conflict(
            f"flows = {n}", f"needs {n} periods and {n} phases", f"got {len(lengths)} and {len(firsts)}"
        )
    each = tuple(domains.integer("periods", x, "updates", "[1, 1000]") for x in lengths)
    offset = tuple(
        domains.integer("phases", x, "updates", f"[0, {length - 1}]") for x, length in zip(firsts, each, strict=True)
    )
    table = np.ones((1, n)) if routes is None else np.array(routes, dtype=float)  # a copy, which `rule` keeps
    if table.ndim != 2 or table.shape[1] != n or not np.isin(table, (0, 1)).all() or not table.any(axis=0).all():
        raise domains.wrong_shape("routes", table.shape, f"(links, {n}), of 0 and 1, with a link for every flow")
    least = domains.number("floor", floor, "1", "[0, 1)")
    every, first = np.array(each), np.array(offset)
    synchronous, links = set(each) == {1}, len(table)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        reported = (1 - p["carry"]) * late[0] + p["carry"] * late[1]
        if links == 1:
            capacity = p["capacity"][0]
            spare = capacity - xp.sum(reported)
        else:
            left = xp.where(table > 0, (p["capacity"] - table @ reported)[:, None], xp.inf)
            which = xp.argmin(left, axis=0)
            capacity, spare = p["capacity"][which], xp.min(left, axis=0)
        after = x * (1 + p["smoothing"] * (spare - x / p["weight"]) / capacity)
        return after if synchronous else xp.where((t - first) % every == 0, after, x)

    return System(
        "CADPC" if synchronous else "asynchronous CADPC",
        "map",
        rule,
        {"rate": Quantity("1", f"[{least!r}, inf)", 0.001, axis="flow", length=n)},
        {
            "smoothing": Quantity("1", "(0, 3]", 0.5, "smoothness factor"),
            "weight": Quantity("flows", "(0, inf)", 1.0, "equivalent number of ordinary flows", axis="flow", length=n),
            "capacity": Quantity("1", "(0, inf)", 1.0, "capacity", axis="link", length=links),
            "delay": Quantity("updates", "[0, 100000]", 0, "delay of the reports", integer=True),
            "carry": Quantity("1", "[0, 1]", 0.0, "weight of the previous update in a report"),
        },
        delays=lambda x, p, xp: (p["delay"], p["delay"] + 1),
        period=math.lcm(*each),
        source=f"{PAPER}, equation (1)",
    ).shared(n, each, offset, tuple(table.flat), least)


def cadpc_flow(flows: int, *, delayed: bool = False) -> System:
    r"""Build CADPC as a differential equation: the limit of frequent small updates that flows make at different times.

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
    n = domains.integer("flows", flows, "flows", "[1, 100000]")

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        traffic = xp.sum(late[0] if delayed else x)
        return p["smoothing"] / p["interval"] * x * (1 - x / p["weight"] - traffic)

    parameters = {
        "smoothing": Quantity("1", "(0, 3]", 0.5, "smoothness factor"),
        "weight": Quantity("flows", "(0, inf)", 1.0, "equivalent number of ordinary flows", axis="flow", length=n),
        "interval": Quantity("s", "(0, inf)", 1.0, "time between updates", axis="flow", length=n),
    }
    if delayed:
        parameters["delay"] = Quantity("s", "(0, inf)", 1.0, "delay of the reports")
    return System(
        "CADPC in continuous time",
        "flow",
        rule,
        {"rate": Quantity("1", "[0, inf)", 0.001, axis="flow", length=n)},
        parameters,
        delays=(lambda x, p, xp: (p["delay"],)) if delayed else None,
        time="s",
        source=f"ours, continuous time for {PAPER}, equation (1)",
    ).shared(n, bool(delayed))


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
    Without a delay each interval multiplies the distance of E from the max-min share by 1 - z_E R_u or 1 - z_E R_d,
    where z_E is the part of the load z due to flows that send at E. R_u and R_d differ, so the equilibrium is at a
    kink: `stability` takes the side above the target, which has the larger gain in the usual range. The recommended
    gains are R_u in [0.025, 0.1], R_d in [0.2, 0.8].

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
    n = domains.integer("flows", flows, "flows", "[1, 100000]")

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
        {"share": Quantity("1", "[0, 1]", 0.01)},
        {
            "demand": Quantity("1", "(0, inf]", float("inf"), "largest rate", axis="flow", length=n),
            "target": Quantity("1", "(0, 1]", 0.9, "load to be reached"),
            "up": Quantity("1", "(0, 1]", 0.1, "gain below the target"),
            "down": Quantity("1", "(0, 1]", 0.5, "gain above the target"),
            "largest_growth": Quantity("1", "(1, 2]", 1.5, "largest factor"),
            "smallest_fall": Quantity("1", "(0, 1)", 0.5, "smallest factor"),
            "delay": Quantity("intervals", "[0, 100000]", 0, "delay of the measured load", integer=True),
        },
        delays=lambda x, p, xp: (p["delay"],),
        time="intervals",
        source="Barnhart, ATM Forum 94-0983",
    ).shared(n)


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
        backlog; y is the sum of the rates, phi+ and phi- are the positive and negative part of phi. Parameters:
        ``alpha``, ``beta``, ``gamma`` [1] in (0, 10], ``round_trip_time`` d [s] in (0, inf).

    Notes
    -----
    The queueing delay is neglected, as in the original analysis. For beta = sqrt(2) alpha^2 the sum y of the rates is
    stable for alpha < pi/(4 sqrt 2) and every d; differences between flows follow dx/dt = -(gamma/d) x(t - d).

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
    n = domains.integer("flows", flows, "flows", "[1, 10000]")

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
            "rate": Quantity("1", "[1e-9, inf)", 0.5 / n, axis="flow", length=n),
            "queue": Quantity("s", "[0, inf)", 0.0),
        },
        {
            "alpha": Quantity("1", "(0, 10]", 0.4, "gain of the spare capacity"),
            "beta": Quantity("1", "(0, 10]", 0.226, "gain of the queue"),
            "gamma": Quantity("1", "(0, 10]", 0.1, "fraction of the traffic shuffled each round trip"),
            "round_trip_time": Quantity("s", "(0, inf)", 0.1, "round-trip time"),
        },
        delays=lambda x, p, xp: (p["round_trip_time"],),
        time="s",
        source="Katabi, Handley & Rohrs, SIGCOMM 2002",
    ).shared(n)

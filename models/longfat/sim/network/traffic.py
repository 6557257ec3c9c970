"""Traffic generators: packets that no congestion-control scheme controls, and transfers that arrive at random.

docs/rules/traffic.md states the rule of each generator and its source. Rates include packet headers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from longfat.base import domains
from longfat.base.argument import Argument
from longfat.base.domains import number
from longfat.sim.kernel import records
from longfat.sim.schemes import Scheme, scheme


@dataclass(frozen=True)
class Traffic:
    """Traffic generator; created by the functions of this module."""

    name: str
    kind: int
    rate: float = 0.0  # rate [bytes/s] while the source is on
    interval: float = 0.0  # interval between packets [s], given in place of a rate
    on_time: float = math.inf  # mean duration of on times [s]
    off_time: float = 0.0  # mean duration of off times [s]
    shape_on: float = 0.0  # shape of the durations of on times; 0: fixed, 1: exponential, above 1: Pareto
    shape_off: float = 0.0
    exponential_sizes: bool = False
    acknowledged: bool = False
    scheme: Scheme | None = None
    arrivals: float = 0.0  # connections/s


#: Arguments of the traffic generators whose values are quantities.
ARGUMENTS = {
    "rate": Argument("bytes/s", "(0, inf)"), "interval": Argument("s", "[1e-9, 1e6]"), "on": Argument("s", "(0, 1e6]"),
    "off": Argument("s", "(0, 1e6]"), "hurst": Argument("1", "(0.5, 1)"),
    "connections": Argument("connections/s", "(0, 1e9]"),
}  # fmt: skip


def _checked(name: str, value: Any) -> float:
    return ARGUMENTS[name].checked(name, value)


def constant(rate: float | str) -> Traffic:
    """Return a source that sends packets at constant intervals, at a rate [bytes/s].

    >>> constant("1 Mbit/s").rate
    125000.0
    """
    return Traffic("constant", records.CONSTANT, rate=_checked("rate", rate))


def probe(interval: float | str = 0.02) -> Traffic:
    """Return a source that sends one packet per interval [s]; packets are acknowledged to measure round-trip times.

    Kanakia, Keshav and Mishra (1992), section 4, measure delays with such a source: 500 bytes every 20 ms.

    >>> probe("20 ms").interval
    0.02
    """
    return Traffic("probe", records.CONSTANT, interval=_checked("interval", interval), acknowledged=True)


def poisson(rate: float | str, *, exponential_sizes: bool = False) -> Traffic:
    """Return a source that sends packets in a Poisson process, at a mean rate [bytes/s].

    Sizes are fixed, or exponential with the flow's packet size as their mean. They are rounded to whole bytes;
    exponential sizes should therefore have a mean of 1000 bytes or more.

    >>> poisson("4 Mbit/s", exponential_sizes=True).exponential_sizes
    True
    """
    return Traffic("poisson", records.POISSON, rate=_checked("rate", rate), exponential_sizes=exponential_sizes)


def on_off(
    rate: float | str, on: float | str, off: float | str, *, shape_on: float = 0.0, shape_off: float = 0.0
) -> Traffic:
    """Return a source that sends packets at constant intervals during its on times, and none during its off times.

    Parameters
    ----------
    rate : float or str
        Rate during an on time [bytes/s].
    on, off : float or str
        Mean durations of on and off times [s].
    shape_on, shape_off : float
        Distribution of the durations: 0 for fixed ones, 1 for exponential ones, above 1 for a Pareto distribution with
        this shape [1].

    Examples
    --------
    >>> on_off("10 Mbit/s", "2.5 ms", "1.5 ms").on_time
    0.0025
    """
    for name, shape in (("shape_on", shape_on), ("shape_off", shape_off)):
        if 0 < number(name, shape, "1", "[0, 100]") < 1:
            raise domains.out_of_range(name, shape, "1", "0 or [1, 100]")
    return Traffic(
        "on-off",
        records.ON_OFF,
        rate=_checked("rate", rate),
        on_time=_checked("on", on),
        off_time=_checked("off", off),
        shape_on=float(shape_on),
        shape_off=float(shape_off),
    )


def self_similar(rate: float | str, hurst: float, on: float | str, off: float | str) -> Traffic:
    """Return an on-off source with Pareto durations; the sum of many such sources has a given Hurst parameter.

    Both durations have the shape 3 - 2 H: W. Willinger, M. S. Taqqu, R. Sherman and D. V. Wilson, "Self-Similarity
    Through High-Variability: Statistical Analysis of Ethernet LAN Traffic at the Source Level", IEEE/ACM Transactions
    on Networking 5(1), 1997, theorem 1, doi:10.1109/90.554723. ``count=`` of `Network.flow` is the number of sources.

    >>> self_similar("1 Mbit/s", 0.8, "1 s", "2 s").shape_on
    1.4
    """
    shape = 3 - 2 * _checked("hurst", hurst)
    return on_off(rate, on, off, shape_on=round(shape, 12), shape_off=round(shape, 12))


def web(rate: float | str, on: float | str, off: float | str) -> Traffic:
    """Return an on-off source with Pareto durations of shape 1.5, for pages and pauses of web traffic.

    Our choice, because M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed
    Networks", which has web-like background traffic, states no distribution. Durations of shape 1.5 have an infinite
    variance, and the aggregate has a Hurst parameter of 0.75. `arrivals` generates short files instead.

    >>> web("1 Mbit/s", "1 s", "2 s").shape_off
    1.5
    """
    return on_off(rate, on, off, shape_on=1.5, shape_off=1.5)


def arrivals(connections: float, by: str | Scheme) -> Traffic:
    """Return a generator of transfers that arrive in a Poisson process, each a new connection of the scheme `by`.

    `connections` is the arrival rate [connections/s], ``file=`` of `Network.flow` the size of each transfer. Kim and
    Farber, MS-CIS-94-55 (1994), section 4.1.3, offer such a load.

    >>> arrivals(10, "reno").scheme.name
    'reno'
    """
    return Traffic(
        "arrivals",
        records.ARRIVALS,
        arrivals=_checked("connections", connections),
        scheme=scheme(by),
        acknowledged=True,
    )


def check_application(given: Any, flow: str, traffic: Traffic | None, packet: int) -> Traffic | None:
    """Return the application of a flow, after checking that it writes at a given rate and that the flow has a scheme.

    >>> check_application(constant("1 Mbit/s"), "mine", None, 1000).name
    'constant'
    """
    if given is None:
        return None
    name, words = f"application of flow {flow!r}", "traffic.constant(...) or traffic.on_off(...)"
    if not isinstance(given, Traffic):
        raise domains.wrong_type(name, given, words)
    if given.kind not in (records.CONSTANT, records.ON_OFF) or given.acknowledged:
        raise domains.conflict(name, f"excludes traffic {given.name!r}", f"use {words}")
    if traffic is not None:
        raise domains.conflict(name, f"excludes traffic {traffic.name!r}", "both determine when the flow has data")
    check_pace(f"rate of the {name}", given.rate, packet)
    return given


def check_pace(name: str, rate: float, packet: int) -> None:
    """Raise a ValueError for a finite rate [bytes/s] above one packet per nanosecond, the clock's unit of time."""
    most = packet * records.SECOND
    if most < rate < math.inf:
        allowed = f"(0, {most:g}], one packet of {packet} B per nanosecond, the simulator's unit of time"
        raise domains.out_of_range(name, rate, "bytes/s", allowed)


#: Name in ``traffic = {kind = ...}`` of a flow -> traffic generator.
GENERATORS: dict[str, Callable[..., Traffic]] = {
    one.__name__.replace("_", "-"): one for one in (constant, probe, poisson, on_off, self_similar, web, arrivals)
}

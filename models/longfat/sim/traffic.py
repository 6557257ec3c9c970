"""Traffic: packets that no scheme controls, and transfers that come and go (schemes.md 0.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from longfat import quantities
from longfat.domains import number
from longfat.sim import records
from longfat.sim.schemes import Scheme, scheme


@dataclass(frozen=True)
class Traffic:
    """A generator, as the functions of this module make it; times in seconds, rates in bytes/s."""

    name: str
    kind: int
    rate: float = 0.0  # bytes/s while it sends
    interval: float = 0.0  # s, in place of a rate
    on_time: float = math.inf
    off_time: float = 0.0
    shape_on: float = 0.0
    shape_off: float = 0.0
    exponential_sizes: bool = False
    acknowledged: bool = False
    scheme: Scheme | None = None
    arrivals: float = 0.0  # connections/s

    @property
    def hurst(self) -> float:
        """Hurst parameter of the aggregate of many such sources: (3 - shape)/2 for the heavier of its tails."""
        shapes = [shape for shape in (self.shape_on, self.shape_off) if 1 < shape < 2]
        return (3 - min(shapes)) / 2 if shapes else 0.5


def constant(rate: float | str) -> Traffic:
    """Packets at equal distances, this many bytes/s.

    >>> constant("1 Mbit/s").rate
    125000.0
    """
    return Traffic("constant", records.CONSTANT, rate=quantities.rate(rate))


def probe(interval: float | str = 0.02) -> Traffic:
    """One acknowledged packet every so many seconds; its round trip is measured.

    >>> probe("20 ms").interval
    0.02
    """
    return Traffic(
        "probe", records.CONSTANT, interval=quantities.duration(interval, "interval", "(0, 1e6]"), acknowledged=True
    )


def poisson(rate: float | str, *, exponential_sizes: bool = False) -> Traffic:
    """Packets with exponential gaps, this many bytes/s on average; sizes fixed or exponential with the flow's mean.

    Sizes are whole bytes, so let the mean be a thousand or more where they are exponential.

    >>> poisson("4 Mbit/s", exponential_sizes=True).exponential_sizes
    True
    """
    return Traffic("poisson", records.POISSON, rate=quantities.rate(rate), exponential_sizes=exponential_sizes)


def on_off(
    rate: float | str, on: float | str, off: float | str, *, shape_on: float = 0.0, shape_off: float = 0.0
) -> Traffic:
    """Packets at equal distances while on, none while off.

    Parameters
    ----------
    rate : float or str
        While on [bytes/s].
    on, off : float or str
        Mean durations [s].
    shape_on, shape_off : float
        0: fixed; 1: exponential; above 1: Pareto with this shape [1].

    Returns
    -------
    Traffic
        For ``flow(...)``.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Examples
    --------
    >>> on_off("10 Mbit/s", "2.5 ms", "1.5 ms").on_time
    0.0025
    """
    for name, shape in (("shape_on", shape_on), ("shape_off", shape_off)):
        number(name, shape, "1", "[0, 1]" if shape <= 1 and shape in (0, 1) else "(1, 100]")
    return Traffic(
        "on-off",
        records.ON_OFF,
        rate=quantities.rate(rate),
        on_time=quantities.duration(on, "on", "(0, 1e6]"),
        off_time=quantities.duration(off, "off", "(0, 1e6]"),
        shape_on=float(shape_on),
        shape_off=float(shape_off),
    )


def self_similar(rate: float | str, hurst: float, on: float | str, off: float | str) -> Traffic:
    """Pareto on-off, whose aggregate over many sources (``count=``) has this Hurst parameter.

    Both durations have shape 3 - 2 H (Willinger et al., IEEE/ACM ToN 5 (1997), theorem 1).

    >>> self_similar("1 Mbit/s", 0.8, "1 s", "2 s").shape_on
    1.4
    """
    shape = 3 - 2 * number("hurst", hurst, "1", "(0.5, 1)")
    return on_off(rate, on, off, shape_on=round(shape, 12), shape_off=round(shape, 12))


def web(rate: float | str, on: float | str, off: float | str) -> Traffic:
    """Pages and pauses: on-off with Pareto durations of shape 1.5 (schemes.md 0.4). Short files are `arrivals`.

    >>> web("1 Mbit/s", "1 s", "2 s").hurst
    0.75
    """
    return on_off(rate, on, off, shape_on=1.5, shape_off=1.5)


def arrivals(connections: float, by: str | Scheme) -> Traffic:
    """Transfers that arrive at random, this many a second, each a new connection of a scheme (``file=`` is its size).

    >>> arrivals(10, "reno").scheme.name
    'reno'
    """
    return Traffic(
        "arrivals",
        records.ARRIVALS,
        arrivals=number("connections", connections, "connections/s", "(0, 1e9]"),
        scheme=scheme(by),
        acknowledged=True,
    )

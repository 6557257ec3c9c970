"""Input of a schedule: links, flows with files to transfer, and uncontrolled loads."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from longfat.base import domains

Path = str | Sequence[str]
LARGEST = int(sys.float_info.max)


def number(name: str, value: Any, unit: str, allowed: str) -> Fraction:
    """Return ``value`` as a Fraction; raise an error if it is not a finite number in ``allowed``.

    >>> number("start", Fraction(1, 10), "s", "(-inf, inf)"), number("start", 0.5, "s", "(-inf, inf)")
    (Fraction(1, 10), Fraction(1, 2))
    """
    if isinstance(value, Decimal) and value.is_finite():
        value = Fraction(value)
    if not isinstance(value, numbers.Rational):
        return Fraction(domains.number(name, value, unit, allowed))
    exact = Fraction(int(value.numerator), int(value.denominator))  # integers of NumPy may overflow
    interval = domains.Interval.parse(allowed)
    if not interval.contains(exact) or not -LARGEST <= exact <= LARGEST:
        raise domains.out_of_range(name, exact, unit, interval)
    return exact


@dataclass(frozen=True)
class Flow:
    """A file that crosses links at its max-min fair share.

    Parameters
    ----------
    path : str or sequence of str
        The link or links that the data cross.
    size : float or Fraction
        Bytes, in [0, inf).
    start : float or Fraction
        Time [s] at which the whole file is at its first link.
    round_trip_time : float or Fraction
        Round-trip propagation time [s], in [0, inf), of the last byte and its acknowledgment. It is added to the time
        that the fluid takes.
    weight : float or Fraction
        Number of flows that it acts like [1], in (0, inf).
    ack : float or Fraction
        Bytes of acknowledgments for each byte of data, in [0, inf); 40/500 in the benchmark of Kanakia, Keshav and
        Mishra.
    reverse_path : str or sequence of str
        The link or links that the acknowledgments cross.

    Examples
    --------
    >>> Flow("S1-S2", size=2e6, round_trip_time=0.044).path
    ('S1-S2',)
    """

    path: Path
    size: Any
    start: Any = 0
    round_trip_time: Any = 0
    weight: Any = 1
    ack: Any = 0
    reverse_path: Path = ()

    def __post_init__(self) -> None:
        _keep(self, "path", _path("path", self.path))
        _keep(self, "reverse_path", _path("reverse_path", self.reverse_path, empty=True))
        ack = self.ack
        for name, unit, allowed in (
            ("size", "bytes", "[0, inf)"),
            ("start", "s", "(-inf, inf)"),
            ("round_trip_time", "s", "[0, inf)"),
            ("weight", "1", "(0, inf)"),
            ("ack", "1", "[0, inf)"),
        ):
            _keep(self, name, number(name, getattr(self, name), unit, allowed))
        if self.ack and not self.reverse_path:
            raise domains.conflict(f"ack = {ack}", "needs a reverse_path")

    def usage(self) -> dict[str, Any]:
        """Return the bytes that each link carries per byte of the flow, by the name of the link."""
        carried: dict[str, Any] = {}
        for links, share in ((self.path, 1), (self.reverse_path, self.ack)):
            for link in links if share else ():
                carried[link] = carried.get(link, 0) + share
        return carried


@dataclass(frozen=True)
class Load:
    """Uncontrolled traffic, which sends at a constant rate over its links while it is on.

    Parameters
    ----------
    path : str or sequence of str
        The link or links that it crosses.
    rate : float or Fraction
        Bytes/s, in [0, inf), while it is on. The excess over a link's capacity is lost there; the links after it are
        charged with the whole rate, too.
    times : sequence of float or Fraction
        Increasing times [s] at which the load switches on, off, on, ...; without times it is always on.
    period : float or Fraction, optional
        Time [s] after which the pattern repeats itself, without end. The last of ``times`` must then switch the load
        off, at most one period after the first of them.

    Examples
    --------
    >>> import itertools
    >>> load = Load("S1-S2", rate=1.25e6, times=[0.0015, 0.004], period=0.004)
    >>> [f"{1e3 * time:.1f}" for time in itertools.islice(load.switches(0), 5)]
    ['1.5', '4.0', '5.5', '8.0', '9.5']
    """

    path: Path
    rate: Any
    times: Sequence[Any] = ()
    period: Any = None

    def __post_init__(self) -> None:
        _keep(self, "path", _path("path", self.path))
        _keep(self, "rate", number("rate", self.rate, "bytes/s", "[0, inf)"))
        try:
            given = list(self.times)
        except TypeError:
            raise domains.wrong_type("times", self.times, "a sequence of times", "s") from None
        times = tuple(number(f"times[{i}]", time, "s", "(-inf, inf)") for i, time in enumerate(given))
        for i in range(1, len(times)):
            if not times[i] > times[i - 1]:
                raise domains.out_of_range(f"times[{i}]", float(times[i]), "s", f"({float(times[i - 1]):g}, inf)")
        _keep(self, "times", times)
        if self.period is None:
            return
        if not times or len(times) % 2:
            raise domains.conflict(
                f"period = {self.period} s", "needs an even number of times, on and off in turn", f"got {len(times)}"
            )
        _keep(self, "period", number("period", self.period, "s", "(0, inf)"))
        if self.period < times[-1] - times[0]:
            shortest = float(times[-1] - times[0])
            raise domains.out_of_range("period", float(self.period), "s", f"[{shortest:g}, inf)")

    def switches(self, since: Any) -> Iterator[Any]:
        """Yield the times [s] at which the load goes on and off in turn; omit the periods that end before ``since``."""
        times: tuple[Any, ...] = tuple(self.times)
        if self.period is None:
            yield from times
            return
        turn = max(math.floor((since - times[0]) / self.period), 0)
        while True:
            for time in times:
                yield time + turn * self.period
            turn += 1


@dataclass(frozen=True)
class Network:
    """Links, the flows that share them, and uncontrolled traffic.

    Parameters
    ----------
    links : mapping of str to float or Fraction
        Capacities [bytes/s], in (0, inf), by the links' names. To limit a flow to a rate, let it alone cross a link
        of that capacity.
    flows : sequence of Flow
        Flows that share the links; at least one.
    loads : sequence of Load
        Uncontrolled traffic.

    Raises
    ------
    ValueError
        For a value outside its domain, or a path over unknown links.
    """

    links: Mapping[str, Any]
    flows: Sequence[Flow]
    loads: Sequence[Load] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.links, Mapping):
            raise domains.wrong_type("links", self.links, "a mapping of names to capacities", "bytes/s")
        links = {name: number(f"links[{name!r}]", c, "bytes/s", "(0, inf)") for name, c in self.links.items()}
        _keep(self, "links", links)
        _keep(self, "flows", _records("flows", self.flows, Flow))
        _keep(self, "loads", _records("loads", self.loads, Load))
        if not self.flows:
            raise domains.out_of_range("flows", "()", "1", "one Flow or more")
        paths = {f"flows[{i}].path": flow.path for i, flow in enumerate(self.flows)}
        paths |= {f"flows[{i}].reverse_path": flow.reverse_path for i, flow in enumerate(self.flows)}
        paths |= {f"loads[{i}].path": load.path for i, load in enumerate(self.loads)}
        for name, path in paths.items():
            for link in path:
                if link not in links:
                    raise domains.unknown(f"{name}: link", link, map(str, links))


def _keep(record: Any, name: str, value: Any) -> None:
    object.__setattr__(record, name, value)


def _path(name: str, value: Any, empty: bool = False) -> tuple[str, ...]:
    """Return the names of a path's links; a single name is a path of one link."""
    links = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(link, str) for link in links):
        raise domains.wrong_type(name, value, "the name of a link or a sequence of names")
    if not links and not empty:
        raise domains.out_of_range(name, "()", "1", "one link or more")
    return links


def _records(name: str, values: Any, kind: type) -> tuple[Any, ...]:
    records = tuple(values) if isinstance(values, Iterable) else (values,)
    for i, one in enumerate(records):
        if not isinstance(one, kind):
            raise domains.wrong_type(f"{name}[{i}]", one, f"a {kind.__name__}")
    return records

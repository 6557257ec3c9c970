"""Result of a schedule: finishing times of files, and rates of flows and links over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from longfat.laws.fair_share import filling
from longfat.laws.fair_share.network import Network

if TYPE_CHECKING:
    import xarray as xr

ROWS = 50  # rows of the table in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """Finishing times of files, and rates that are constant between events.

    Arrays hold floats, or fractions as objects. Flows of equal weight, path and acknowledgments form a group and
    have equal rates, so their rates are stored once; `rates` has them for every flow.

    Parameters
    ----------
    network : Network
        The network of the schedule.
    times : ndarray of shape (intervals + 1,)
        Times at which rates change [s], increasing; the last time is inf if the last rates never end.
    finish : ndarray of shape (flows,)
        Time at which the last byte of each file has crossed its links [s]; inf if it never does.
    groups : tuple of int
        The group of each flow.
    group_rates : ndarray of shape (intervals, groups)
        Rate of each flow of a group [bytes/s] from one time to the next; 0 where the group has no flow.
    group_flows : ndarray of shape (intervals, groups)
        Number of flows that each group has from one time to the next.

    Examples
    --------
    >>> from longfat.laws.fair_share import Flow, Network, transfer_times
    >>> schedule = transfer_times(Network({"a": 1e6}, [Flow("a", 1e6), Flow("a", 1e6, start=0.5, name="late")]))
    >>> schedule
    <Schedule of 2 flows on 1 link, 3 intervals, 0 to 2 s>
    >>> schedule.times.tolist(), schedule.rates.tolist()
    ([0.0, 0.5, 1.5, 2.0], [[1000000.0, 0.0], [500000.0, 500000.0], [0.0, 1000000.0]])
    """

    network: Network
    times: Any
    finish: Any
    groups: tuple[int, ...]
    group_rates: Any
    group_flows: NDArray[np.int_]

    @cached_property
    def transfer_time(self) -> Any:
        """Time from the start of each file to its finish plus the flow's round-trip time [s]; of shape (flows,)."""
        starts = self._array(flow.start for flow in self.network.flows)
        return self.finish - starts + self._array(flow.round_trip_time for flow in self.network.flows)

    @cached_property
    def rates(self) -> Any:
        """Rate of every flow [bytes/s] in each interval between two `times`; of shape (intervals, flows)."""
        begin, starts = self.times[:-1, None], self._array(flow.start for flow in self.network.flows)
        under_way = (starts <= begin) & (begin < self.finish)
        return np.where(under_way, self.group_rates[:, list(self.groups)], 0 * self.times[0])

    @cached_property
    def link_rates(self) -> Any:
        """Rate of data and acknowledgments on every link [bytes/s], without loads; of shape (intervals, links)."""
        first = {group: i for i, group in reversed(list(enumerate(self.groups)))}
        usage = [self.network.flows[first[group]].usage() for group in range(len(first))]
        table = [self._array(one.get(link, 0) for link in self.network.links) for one in usage]
        return (self.group_rates * self.group_flows) @ np.array(table)

    def _array(self, values: Iterable[Any]) -> Any:
        """Return numbers of the network as an array of the type in which the schedule was computed."""
        convert = filling.fraction if self.times.dtype == object else float
        return np.array([convert(value) for value in values], dtype=self.times.dtype)

    def to_dataset(self) -> xr.Dataset:
        """Return the schedule as a Dataset of floats with units, along flows, intervals and links."""
        import xarray as xr

        def column(dims: tuple[str, ...] | str, values: Any, unit: str) -> tuple[Any, ...]:
            return dims, np.asarray(values, dtype=float), {"units": unit}

        flows = self.network.flows
        return xr.Dataset(
            {
                "finish": column("flow", self.finish, "s"),
                "transfer_time": column("flow", self.transfer_time, "s"),
                "size": column("flow", [flow.size for flow in flows], "bytes"),
                "rate": column(("interval", "flow"), self.rates, "bytes/s"),
                "link_rate": column(("interval", "link"), self.link_rates, "bytes/s"),
            },
            coords={
                "flow": list(self.network.names),
                "link": list(self.network.links),
                "start": column("flow", [flow.start for flow in flows], "s"),
                "begin": column("interval", self.times[:-1], "s"),
                "end": column("interval", self.times[1:], "s"),
            },
            attrs={"title": "max-min fluid schedule"},
        )

    def __repr__(self) -> str:
        links, intervals = len(self.network.links), len(self.times) - 1
        return (
            f"<Schedule of {len(self.groups)} flow{'s' * (len(self.groups) > 1)} on {links} link{'s' * (links > 1)}, "
            f"{intervals} interval{'s' * (intervals != 1)}, {float(self.times[0]):g} to {float(self.times[-1]):g} s>"
        )

    def _repr_html_(self) -> str:
        from html import escape

        shown = list(zip(self.network.names, self.network.flows, self.finish, self.transfer_time, strict=True))[:ROWS]
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(', '.join(flow.path))}</td><td>{float(flow.size):g}</td>"
            f"<td>{float(flow.start):g}</td><td>{float(finish):.6g}</td><td>{float(time):.6g}</td></tr>"
            for name, flow, finish, time in shown
        )
        more = len(self.groups) - len(shown)
        return (
            f"<p>{escape(repr(self))}</p><table><tr><th>flow</th><th>links</th><th>size [bytes]</th><th>start [s]</th>"
            f"<th>finish [s]</th><th>transfer time [s]</th></tr>{rows}</table>"
            + (f"<p>and {more} more</p>" if more else "")
        )

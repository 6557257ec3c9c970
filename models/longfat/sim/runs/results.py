"""Results of a run: changes of the counters of flows and links between two times, as an xarray.Dataset."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.replication.intervals import interval
from longfat.sim.kernel import records
from longfat.sim.kernel.records import NEVER, SECOND
from longfat.sim.runs.run_state import COUNTERS

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.runs.engine import Simulation

#: Quantity that a run measures -> (dimension, unit, description).
QUANTITIES = {
    "transfer_time": ("flow", "s", "time from the start to the acknowledgment of the last byte"),
    "goodput": ("flow", "bytes/s", "new data received, over the time from the flow's start to its end: see `run`"),
    "delivered": ("flow", "packets", "data packets received in order, each counted once"),
    "sent": ("flow", "packets", "transmissions of data packets, retransmissions included"),
    "retransmitted": ("flow", "packets", "retransmissions"),
    "dropped": ("flow", "packets", "data packets dropped on the path"),
    "loss": ("flow", "1", "dropped/(dropped + received), of data packets that were dropped or received in this time"),
    "mean_delay": ("flow", "s", "one-way delay of received data packets, queueing included"),
    "timeouts": ("flow", "1", "retransmission timeouts"),
    "marks": ("flow", "packets", "data packets received with a congestion mark"),
    "connections": ("flow", "1", "completed transfers"),
    "fairness": ("flow", "1", "fairness index of the throughputs of completed transfers, (sum 1/t)^2/(n sum 1/t^2)"),
    "utilisation": ("link", "1", "fraction of time spent transmitting"),
    "mean_queue": ("link", "packets", "time average of the backlog, the packet in transmission not counted"),
    "max_queue": ("link", "packets", "largest backlog since the start of the run"),
    "mean_wait": (
        "link",
        "s",
        "waiting time from arrival to start of transmission, of packets whose transmission began",
    ),
    "arrived": ("link", "packets", "arrived packets, dropped ones included"),
    "link_dropped": ("link", "packets", "dropped at this link"),
    "link_marked": ("link", "packets", "marked at this link"),
    "throughput": ("link", "bytes/s", "bytes of packets whose transmission began, over time"),
    "jain_index": (None, "1", "Jain's fairness index of the goodputs, (sum x)^2/(n sum x^2)"),
}


#: Quantities with values in [0, 1]; the values of all others are in [0, inf). Student's interval of a few runs may
#: exceed the range of a quantity, and is then clipped to the range.
SHARES = ("loss", "fairness", "utilisation", "jain_index")


@dataclass(frozen=True)
class Snapshot:
    """Counters of a run at one time [ns]."""

    time: int
    flows: dict[str, np.ndarray]  # fields in `OF_FLOWS` of each flow
    links: dict[str, np.ndarray]  # fields in `OF_LINKS` of each link
    connections: int
    census: np.ndarray  # a row of `records.CENSUS` for each link


#: Fields from which results are computed: of flows, by array, and of links.
OF_FLOWS = {
    "senders": ("packet_size",),
    "receivers": ("expect", "received", "received_bytes", "delay", "last_arrival"),
    "tallies": ("start", "stop", "finish", "traffic", "sent", "retransmitted", "dropped", "timeouts", "marks"),
}
OF_LINKS = ("largest_backlog", "dropped", "marked")


def snapshot(run: Simulation) -> Snapshot:
    """Return the counters of a run at the present time."""
    state, named = run.state, len(run.state.link_names)
    run.count()
    links = {name: state.links[name][:named].copy() for name in OF_LINKS}
    row = state.row
    return Snapshot(int(row["now"]), _totals(run), links, int(row["connections"]), state.census[:named].copy())


#: Counters that are summed over a flow that starts connections (a template) and its connections; the counters of the
#: template already include connections whose rows were reused.
ADDED = [name for names in COUNTERS.values() for name in names if name != "last_arrival"]


def _totals(run: Simulation) -> dict[str, np.ndarray]:
    """Return the fields in `OF_FLOWS` of each flow; a flow that starts connections includes their counters."""
    state, named = run.state, len(run.state.flow_names)
    found = {name: getattr(state, array)[name].copy() for array, names in OF_FLOWS.items() for name in names}
    found["sent"] += state.senders["transmission"]
    made = {name: values[:named] for name, values in found.items()}
    if named < len(state.senders):
        templates = state.tallies["template"][named:]
        for name in ADDED:
            if name in found:
                np.add.at(made[name], templates, found[name][named:])
        np.maximum.at(made["last_arrival"], templates, found["last_arrival"][named:])
    return made


def measure(run: Simulation, before: Snapshot | None, after: Snapshot) -> dict[str, np.ndarray]:
    """Return the value of each of `QUANTITIES` for the time between two snapshots; NaN if undefined.

    If `before` is None, this time begins with the run, when all counters are 0.
    """
    flows, links = after.flows, after.links
    since, connections_before = (0, 0) if before is None else (before.time, before.connections)
    span = (after.time - since) / SECOND

    def difference(values: Any, earlier: Any, name: str) -> Any:
        return values[name].astype(float) if before is None else (values[name] - earlier[name]).astype(float)

    counted = {name: difference(flows, before and before.flows, name) for name in flows}
    new = {name: difference(after.census, before and before.census, name) for name in records.CENSUS.names or ()}

    def over(top: Any, bottom: Any) -> np.ndarray:
        return np.where(bottom > 0, top / bottom, np.nan)

    done = (flows["finish"] != NEVER) & (flows["traffic"] == records.TRANSFER)
    # Packets that are in flight when a flow stops arrive later, so goodput is measured until the last arrival.
    last = np.maximum(flows["stop"], flows["last_arrival"])
    end = np.minimum(np.where(done, flows["finish"], last), after.time)
    begin = np.maximum(flows["start"], since)
    connections, times, fairness = _connections(run, connections_before, after)
    arrivals = flows["traffic"] == records.ARRIVALS
    with np.errstate(divide="ignore", invalid="ignore"):
        goodput = over(counted["received_bytes"], (end - begin) / SECOND)
        return {
            "transfer_time": np.where(
                arrivals, times, np.where(done, (flows["finish"] - flows["start"]) / SECOND, np.nan)
            ),
            "goodput": goodput,
            # `expect` is the number of packets received in order; without acknowledgments and for traffic it is the
            # number of all packets received.
            "delivered": np.where(arrivals, over(counted["received_bytes"], flows["packet_size"]), counted["expect"]),
            "sent": counted["sent"],
            "retransmitted": counted["retransmitted"],
            "dropped": counted["dropped"],
            "loss": over(counted["dropped"], counted["dropped"] + counted["received"]),
            "mean_delay": over(counted["delay"] / SECOND, counted["received"]),
            "timeouts": counted["timeouts"],
            "marks": counted["marks"],
            "connections": connections,
            "fairness": fairness,
            "utilisation": over(new["transmitted"] / SECOND, span),
            "mean_queue": over(new["waiting_time"] / SECOND, span),
            "max_queue": links["largest_backlog"].astype(float),
            "mean_wait": over(new["started_waiting_time"] / SECOND, new["served"]),
            "arrived": new["arrived"],
            "link_dropped": difference(links, before and before.links, "dropped"),
            "link_marked": difference(links, before and before.links, "marked"),
            "throughput": over(new["served_bytes"], span),
            "jain_index": jain_index(goodput),
        }


def jain_index(rates: np.ndarray) -> np.ndarray:
    """Return Jain's fairness index of the rates that are not NaN; NaN if none of them is positive.

    >>> round(float(jain_index(np.array([1.0, 1.0, 0.0, np.nan]))), 4)
    0.6667
    """
    known = rates[~np.isnan(rates)]
    return np.asarray(known.sum() ** 2 / (len(known) * (known**2).sum()) if known.any() else math.nan)


def _connections(run: Simulation, before: int, after: Snapshot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return per flow the number, mean time [s] and fairness index of the transfers after the first `before` ones."""
    alone = (after.flows["traffic"] == records.TRANSFER) & (after.flows["finish"] != NEVER)
    if before == after.connections:
        none = np.full(len(alone), np.nan)
        return np.where(after.flows["traffic"] == records.ARRIVALS, 0.0, alone.astype(float)), none, none
    log = run.state.connections[before : after.connections]
    times = (log["finish"] - log["start"]) / SECOND
    count, total, rates, squares = (
        np.bincount(log["flow"], each, minlength=len(alone)).astype(float)
        for each in (None, times, 1 / times, times**-2.0)
    )
    some = np.maximum(count, 1)
    mean = np.where(count > 0, total / some, np.nan)
    fairness = np.where(count > 0, rates**2 / (some * np.where(count > 0, squares, 1)), np.nan)
    return np.where(after.flows["traffic"] == records.ARRIVALS, count, alone.astype(float)), mean, fairness


def transfers(run: Simulation) -> xr.Dataset:
    """Return every completed transfer: ``start`` and ``finish`` [s], packets ``sent`` and ``dropped``, ``flow``.

    Each connection of a flow of `longfat.sim.traffic.arrivals` is a transfer of its own. The transfers are in the order
    of their ends.
    """
    import xarray as xr

    flows, names = run.state.flows[: len(run.state.flow_names)], np.array(run.state.flow_names)
    log = run.state.connections[: int(run.state.row.connections)]
    alone = np.flatnonzero((flows["traffic"] == records.TRANSFER) & (flows["finish"] != NEVER))
    fields = {name: np.concatenate((log[name], flows[alone][name])) for name in ("start", "finish", "sent", "dropped")}
    order = np.argsort(fields["finish"], kind="stable")
    which = names[np.concatenate((log["flow"], alone)).astype(int)]
    about = {"start": "arrival of the connection", "finish": "acknowledgment of the last byte", "sent": "transmissions",
             "dropped": "data packets dropped on the path"}  # fmt: skip
    made: dict[str, Any] = {}
    for name, values in fields.items():
        seconds = name in ("start", "finish")
        units = {"units": "s" if seconds else "packets", "long_name": about[name]}
        made[name] = ("transfer", values[order] / SECOND if seconds else values[order], units)
    return xr.Dataset(made, coords={"flow": ("transfer", which[order])})


@dataclass(frozen=True)
class Answer:
    """Results of a run as plain arrays, for callers that do not need xarray, which takes a second to load."""

    values: dict[str, np.ndarray]
    flow: list[str]
    link: list[str]
    attrs: dict[str, Any]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def dataset(self) -> xr.Dataset:
        """Return the results as an xarray dataset with names, units and attributes."""
        import xarray as xr

        coordinates = _coordinates(tuple(self.flow), tuple(self.link))
        variables: dict[Any, xr.Variable] = {}
        for name, array in self.values.items():
            dims, attrs = _described(name)
            variables[name] = xr.Variable(dims, np.asarray(array), dict(attrs), fastpath=True)
        return _dataset(variables, coordinates, self.attrs)


@functools.lru_cache(maxsize=64)
def _described(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the dimensions and the attributes of a variable of a dataset."""
    dim, unit, description = QUANTITIES[name.removesuffix("_lower").removesuffix("_upper")]
    return () if dim is None else (dim,), {"units": unit, "long_name": description}


@functools.lru_cache(maxsize=16)
def _coordinates(flow: tuple[str, ...], link: tuple[str, ...]) -> xr.Coordinates:
    """Return the coordinates of flows and links, cached because they take longer to build than all variables."""
    import xarray as xr

    return xr.Coordinates({"flow": list(flow), "link": list(link)})


def _dataset(variables: dict[Any, xr.Variable], coordinates: xr.Coordinates, attrs: dict[str, Any]) -> xr.Dataset:
    """Return a dataset of variables that match the coordinates, without the cost of aligning and merging."""
    import xarray as xr

    own = {name: one.copy(deep=False) for name, one in coordinates.variables.items()}
    try:  # private constructor, which xarray's own operations use
        return xr.Dataset._construct_direct(
            {**variables, **own}, set(own), dict(coordinates.sizes), attrs, dict(coordinates.xindexes)
        )
    except (AttributeError, TypeError):  # another version of xarray
        return xr.Dataset(variables, coordinates, attrs)


#: Attribute of the result of one network -> (unit, description); for several networks the attribute becomes a
#: coordinate.
OF_NETWORKS = {
    "network": ("1", "text of the scenario file"),
    "duration": ("s", "simulated time"),
    "warm_up": ("s", "time after which counting began"),
    "replications": ("1", "simulated runs"),
    "deterministic": ("1", "1: no random number was drawn"),
    "events": ("1", "events of the simulator"),
    "wall_time": ("s", "time that the runs took"),
    **{
        f"packets_{kind}{name}": ("packets", f"{what} {words}")
        for kind, what in (("", "data packets"), ("acks_", "acknowledgments"))
        for name, words in (("sent", "sent"), ("received", "received"), ("dropped", "dropped"),
                            ("in_flight", "in flight at the end"))
    },
    "remark": ("1", "schemes without their discipline, disciplines that can mark nothing, rounded transmission times"),
}  # fmt: skip


def together(answers: list[Answer]) -> xr.Dataset:
    """Return the results of several networks as one dataset, NaN for flows and links that a network does not have."""
    import xarray as xr

    names = {
        "flow": list(dict.fromkeys(name for one in answers for name in one.flow)),
        "link": list(dict.fromkeys(name for one in answers for name in one.link)),
    }
    places = {
        dim: [np.array([place[name] for name in getattr(one, dim)]) for one in answers]
        for dim in names
        for place in [{name: k for k, name in enumerate(names[dim])}]
    }
    variables: dict[str, Any] = {}
    for name in answers[0].values:
        dims, about = _described(name)
        values = np.full((len(answers), *(len(names[dim]) for dim in dims)), np.nan)
        for k, one in enumerate(answers):
            index: Any = (k, *(places[dim][k] for dim in dims))
            values[index] = one.values[name]
        variables[name] = (("network", *dims), values, about)
    coordinates: dict[str, Any] = {**names, "network": np.arange(len(answers))}
    for name, (unit, description) in OF_NETWORKS.items():
        given = [one.attrs.get(name, "") for one in answers]
        if any(one != "" for one in given):
            column = np.array(given, object if isinstance(given[0], str) else None)
            place = "scenario" if name == "network" else name
            coordinates[place] = ("network", column, {"units": unit, "long_name": description})
    attrs = {name: value for name, value in answers[0].attrs.items() if name not in OF_NETWORKS}
    return xr.Dataset(variables, coordinates, attrs)


def over_replications(
    samples: list[dict[str, np.ndarray]], confidence: float, intervals: bool
) -> dict[str, np.ndarray]:
    """Return means over replications, NaN where undefined, and Student's confidence intervals if requested."""
    if not intervals:  # one sample is its mean
        return {name: samples[0][name][()] for name in QUANTITIES}
    made: dict[str, np.ndarray] = {}
    for name in QUANTITIES:
        values = np.stack([one[name] for one in samples])
        made[name], *ends = interval(values, confidence)
        limits = np.stack(ends)
        made[f"{name}_lower"], made[f"{name}_upper"] = np.clip(limits, 0, 1 if name in SHARES else np.inf)
    return made


#: Trace of a run -> (field of the sample row, dimension, unit, description).
TRACES = {
    "window": ("window", "flow", "packets", "congestion window, inflation included; NaN before the start of the flow"),
    "rate": ("rate", "flow", "bytes/s", "pacing rate; infinite: not paced"),
    "received": ("received_bytes", "flow", "bytes", "new data received so far"),
    "srtt": ("srtt", "flow", "s", "smoothed round-trip time"),
    "queue": ("backlog", "link", "packets", "backlog: waiting packets"),
    "arrived": ("arrived_bytes", "link", "bytes", "bytes arrived so far, dropped ones included"),
}


def traces(run: Simulation, every: float) -> dict[str, Any]:
    """Return the traces as variables of a dataset, with one sample every `every` [s]."""
    row = run.state.row
    count = int(row.samples)
    times = np.arange(count) * every
    made: dict[str, Any] = {"time": ("time", times, {"units": "s", "long_name": "time"})}
    tables = {"flow": run.state.flow_samples, "link": run.state.link_samples}
    for name, (field, dim, unit, description) in TRACES.items():
        columns = int(row.sampled_flows if dim == "flow" else row.sampled_links)
        values = tables[dim][field][: count * columns].reshape(count, columns)
        if name == "window":
            values = np.where(times[:, None] * SECOND < run.state.tallies["start"][:columns], np.nan, values)
        made[f"{name}_trace"] = (("time", dim), values.copy(), {"units": unit, "long_name": description})
    return made

"""Results of a run: counters of flows and links between two times, as an xarray.Dataset."""

from __future__ import annotations

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

#: name: (dimension, unit, description)
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


#: Quantities in [0, 1]; Student's interval of a few runs may exceed that range, and is cut there.
SHARES = ("loss", "fairness", "utilisation", "jain_index")


@dataclass(frozen=True)
class Snapshot:
    """Counters at one time."""

    time: int
    flows: np.ndarray
    links: np.ndarray
    connections: int
    census: np.ndarray  # by link, see `records.CENSUS`


def snapshot(run: Simulation) -> Snapshot:
    """Return the counters of a run now."""
    state, named = run.state, len(run.assembly.link_names)
    run.count()
    links = state.links[:named].copy()
    return Snapshot(int(state.row.now), _totals(run), links, int(state.row.connections), state.census[:named].copy())


#: Counters that are added up over the connections of a flow of arrivals; rows of reused connections are added already.
ADDED = [name for names in COUNTERS.values() for name in names if name != "last_arrival"]


def _totals(run: Simulation) -> Any:
    """Return the rows of flows, with the counters of connections added to the flow that started them."""
    flows = run.state.flows  # a copy, so that the sums can be added to it
    named, connections = np.split(flows, [len(run.assembly.flow_names)])
    for counter in ADDED:
        np.add.at(named[counter], connections["template"], connections[counter])
    np.maximum.at(named["last_arrival"], connections["template"], connections["last_arrival"])
    return named


def measure(run: Simulation, before: Snapshot, after: Snapshot) -> dict[str, np.ndarray]:
    """Return every quantity of `QUANTITIES` between two times, NaN where it is undefined."""
    flows, links = after.flows, after.links
    span = (after.time - before.time) / SECOND
    packet = flows["packet_size"]

    def counted(name: str) -> Any:
        return (flows[name] - before.flows[name]).astype(float)

    def over(top: Any, bottom: Any) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bottom > 0, top / bottom, np.nan)

    done = (flows["finish"] != NEVER) & (flows["traffic"] == records.TRANSFER)
    # Packets in flight when a flow stops arrive later; goodput is over the time until then.
    last = np.maximum(flows["stop"], flows["last_arrival"])
    end = np.minimum(np.where(done, flows["finish"], last), after.time)
    begin = np.maximum(flows["start"], before.time)
    goodput = over(counted("received_bytes"), (end - begin) / SECOND)
    transfer = np.where(done, (flows["finish"] - flows["start"]) / SECOND, np.nan)
    connections, times, fairness = _connections(run, before, after)
    arrivals = flows["traffic"] == records.ARRIVALS
    transfer[arrivals] = times[arrivals]
    new = {name: (after.census[name] - before.census[name]).astype(float) for name in records.CENSUS.names or ()}
    # A flow without acknowledgments does not count in order: it delivers every packet that arrives.
    delivered = np.where(arrivals, over(counted("received_bytes"), packet), counted("expect"))
    index = goodput[~np.isnan(goodput)]
    return {
        "transfer_time": transfer,
        "goodput": goodput,
        "delivered": delivered,
        "sent": counted("sent"),
        "retransmitted": counted("retransmitted"),
        "dropped": counted("dropped"),
        "loss": over(counted("dropped"), counted("dropped") + counted("received")),
        "mean_delay": over(counted("delay") / SECOND, counted("received")),
        "timeouts": counted("timeouts"),
        "marks": counted("marks"),
        "connections": connections,
        "fairness": fairness,
        "utilisation": over(new["transmitted"] / SECOND, span) * np.ones(len(links)),
        "mean_queue": over(new["waiting_time"] / SECOND, span) * np.ones(len(links)),
        "max_queue": links["largest_backlog"].astype(float),
        "mean_wait": over(new["started_waiting_time"] / SECOND, new["served"]),
        "arrived": new["arrived"],
        "link_dropped": (links["dropped"] - before.links["dropped"]).astype(float),
        "link_marked": (links["marked"] - before.links["marked"]).astype(float),
        "throughput": over(new["served_bytes"], span) * np.ones(len(links)),
        "jain_index": np.asarray(index.sum() ** 2 / (len(index) * (index**2).sum()) if index.any() else math.nan),
    }


def _connections(run: Simulation, before: Snapshot, after: Snapshot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each flow the number of completed transfers, their mean time [s] and their fairness index."""
    log = run.state.connections[before.connections : after.connections]
    times = (log["finish"] - log["start"]) / SECOND
    count, total, rates, squares = (
        np.bincount(log["flow"], each, minlength=len(after.flows)).astype(float)
        for each in (None, times, 1 / times, times**-2.0)
    )
    some = np.maximum(count, 1)
    mean = np.where(count > 0, total / some, np.nan)
    fairness = np.where(count > 0, rates**2 / (some * np.where(count > 0, squares, 1)), np.nan)
    alone = (after.flows["traffic"] == records.TRANSFER) & (after.flows["finish"] != NEVER)
    return np.where(after.flows["traffic"] == records.ARRIVALS, count, alone.astype(float)), mean, fairness


def transfers(run: Simulation) -> xr.Dataset:
    """Return every completed transfer, in the order of their ends, each connection of a flow of arrivals by itself."""
    import xarray as xr

    flows, names = run.state.flows[: len(run.assembly.flow_names)], np.array(run.assembly.flow_names)
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

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def dataset(self) -> xr.Dataset:
        """Return the results as a dataset, with names, units and attributes."""
        import xarray as xr

        variables: dict[str, Any] = {}
        for name, array in self.values.items():
            dim, unit, description = QUANTITIES[name.removesuffix("_lower").removesuffix("_upper")]
            variables[name] = ((), array) if dim is None else ((dim,), array)
            variables[name] += ({"units": unit, "long_name": description},)
        return xr.Dataset(variables, {"flow": self.flow, "link": self.link}, self.attrs)


def over_replications(
    samples: list[dict[str, np.ndarray]], confidence: float, intervals: bool
) -> dict[str, np.ndarray]:
    """Return means over replications, and Student's confidence intervals if asked for, NaN where undefined."""
    made: dict[str, np.ndarray] = {}
    for name in QUANTITIES:
        values = np.stack([one[name] for one in samples])
        made[name], *ends = interval(values, confidence)
        if intervals:
            limits = np.stack(ends)
            made[f"{name}_lower"], made[f"{name}_upper"] = np.clip(limits, 0, 1) if name in SHARES else limits
    return made


#: name: (field of the row, dimension, unit, description)
TRACES = {
    "window": ("window", "flow", "packets", "congestion window, inflation included; NaN before the start of the flow"),
    "rate": ("rate", "flow", "bytes/s", "pacing rate; infinite: not paced"),
    "received": ("received_bytes", "flow", "bytes", "new data received so far"),
    "srtt": ("srtt", "flow", "s", "smoothed round-trip time"),
    "queue": ("backlog", "link", "packets", "backlog: waiting packets"),
    "arrived": ("arrived_bytes", "link", "bytes", "bytes arrived so far, dropped ones included"),
}


def traces(run: Simulation, every: float) -> dict[str, Any]:
    """Return the traces, along `time` [s]."""
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

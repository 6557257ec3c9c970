"""What a run is asked for: counters of flows and links between two times, as an xarray.Dataset."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.sim import records
from longfat.sim.records import NEVER, SECOND
from longfat.sim.run_state import COUNTERS
from longfat.sim.statistics import half_width

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.engine import Simulation

#: name: (dimension, unit, description)
QUANTITIES = {
    "transfer_time": ("flow", "s", "from the start to the acknowledgment of the last byte"),
    "goodput": ("flow", "bytes/s", "new data that arrived, over the time from the flow's start to its end: see `run`"),
    "delivered": ("flow", "packets", "new and in order"),
    "sent": ("flow", "packets", "transmissions, repeated ones included"),
    "retransmitted": ("flow", "packets", "sent again"),
    "dropped": ("flow", "packets", "data packets dropped on the way"),
    "loss": ("flow", "1", "dropped over dropped and received: data packets whose fate became known in this time"),
    "mean_delay": ("flow", "s", "of data packets that arrived, from sender to receiver, queueing included"),
    "timeouts": ("flow", "1", "retransmission timeouts"),
    "marks": ("flow", "packets", "data packets that arrived with a congestion mark"),
    "connections": ("flow", "1", "transfers completed"),
    "fairness": ("flow", "1", "of the throughputs of completed transfers, (sum 1/t)^2/(n sum 1/t^2)"),
    "utilisation": ("link", "1", "share of the time spent transmitting"),
    "mean_queue": ("link", "packets", "waiting, time-weighted, the packet in transmission not counted"),
    "max_queue": ("link", "packets", "most that waited, since the start of the run"),
    "mean_wait": ("link", "s", "from arrival to the begin of transmission, of packets whose transmission began"),
    "arrived": ("link", "packets", "arrivals, dropped ones included"),
    "link_dropped": ("link", "packets", "dropped here"),
    "link_marked": ("link", "packets", "marked here"),
    "throughput": ("link", "bytes/s", "of packets whose transmission began"),
    "jain_index": (None, "1", "fairness of the goodputs, (sum x)^2/(n sum x^2)"),
}


@dataclass(frozen=True)
class Snapshot:
    """Counters at a moment."""

    time: int
    flows: np.ndarray
    links: np.ndarray
    connections: int
    census: np.ndarray  # per link, see `records.CENSUS`


def snapshot(run: Simulation) -> Snapshot:
    """Return the counters of a run now."""
    state, named = run.state, len(run.assembly.link_names)
    run.count()
    links = state.links[:named].copy()
    return Snapshot(int(state.row.now), _totals(run), links, int(state.row.connections), state.census[:named].copy())


#: What a flow that starts connections counts is the sum over these; a connection that ended has it added already.
ADDED = [name for names in COUNTERS.values() for name in names if name != "last_arrival"]


def _totals(run: Simulation) -> Any:
    """The flows' rows, with what connections counted added to the flow that started them."""
    flows = run.state.flows  # a copy, so that the sums may be written into it
    named, connections = np.split(flows, [len(run.assembly.flow_names)])
    for counter in ADDED:
        np.add.at(named[counter], connections["template"], connections[counter])
    np.maximum.at(named["last_arrival"], connections["template"], connections["last_arrival"])
    return named


def measure(run: Simulation, before: Snapshot, after: Snapshot) -> dict[str, np.ndarray]:
    """Every quantity between two moments, NaN where there is none."""
    flows, links = after.flows, after.links
    span = (after.time - before.time) / SECOND
    packet = flows["packet_size"]

    def counted(name: str) -> Any:
        return (flows[name] - before.flows[name]).astype(float)

    def over(top: Any, bottom: Any) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(bottom > 0, top / bottom, np.nan)

    done = (flows["finish"] != NEVER) & (flows["traffic"] == records.TRANSFER)
    # What is on its way when a flow stops arrives later, and is counted over the time until then.
    last = np.maximum(flows["stop"], flows["last_arrival"])
    end = np.minimum(np.where(done, flows["finish"], last), after.time)
    begin = np.maximum(flows["start"], before.time)
    goodput = over(counted("received_bytes"), (end - begin) / SECOND)
    transfer = np.where(done, (flows["finish"] - flows["start"]) / SECOND, np.nan)
    connections, times, fairness = _connections(run, before, after)
    arrivals = flows["traffic"] == records.ARRIVALS
    transfer[arrivals] = times[arrivals]
    new = {name: (after.census[name] - before.census[name]).astype(float) for name in records.CENSUS.names or ()}
    # A flow that cannot count in order (no acknowledgments) delivers all that arrives.
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
    """How many transfers of each flow were completed, their mean time, and how fair their throughputs were."""
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
    """Every transfer that is complete, in the order of their ends, those of arrivals one by one."""
    import xarray as xr

    flows, names = run.state.flows[: len(run.assembly.flow_names)], np.array(run.assembly.flow_names)
    log = run.state.connections[: int(run.state.row.connections)]
    alone = np.flatnonzero((flows["traffic"] == records.TRANSFER) & (flows["finish"] != NEVER))
    fields = {name: np.concatenate((log[name], flows[alone][name])) for name in ("start", "finish", "sent", "dropped")}
    order = np.argsort(fields["finish"], kind="stable")
    which = names[np.concatenate((log["flow"], alone)).astype(int)]
    about = {"start": "arrival of the connection", "finish": "acknowledgment of the last byte", "sent": "transmissions",
             "dropped": "data packets dropped on the way"}  # fmt: skip
    made: dict[str, Any] = {}
    for name, values in fields.items():
        seconds = name in ("start", "finish")
        units = {"units": "s" if seconds else "packets", "long_name": about[name]}
        made[name] = ("transfer", values[order] / SECOND if seconds else values[order], units)
    return xr.Dataset(made, coords={"flow": ("transfer", which[order])})


@dataclass(frozen=True)
class Answer:
    """What a run is asked for, as plain arrays: for who does not need xarray, which takes a second to load."""

    values: dict[str, np.ndarray]
    flow: list[str]
    link: list[str]
    attrs: dict[str, Any]

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def dataset(self) -> xr.Dataset:
        """Return the same with names, units and attributes."""
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
    """Return means over replications, with Student's intervals if asked for: NaN where there is none."""
    made: dict[str, np.ndarray] = {}
    for name in QUANTITIES:
        values = np.stack([one[name] for one in samples])
        made[name] = values.mean(0)
        if intervals:
            half = half_width(values, confidence)
            made[f"{name}_lower"], made[f"{name}_upper"] = made[name] - half, made[name] + half
    return made


#: name: (row's field, dimension, unit, description)
TRACES = {
    "window": ("window", "flow", "packets", "window, inflation included"),
    "rate": ("rate", "flow", "bytes/s", "pacing rate; infinite: the window alone decides"),
    "received": ("received_bytes", "flow", "bytes", "new data that had arrived"),
    "srtt": ("srtt", "flow", "s", "smoothed round-trip time"),
    "queue": ("backlog", "link", "packets", "waiting packets"),
    "arrived": ("arrived_bytes", "link", "bytes", "data and acknowledgments that had arrived, dropped ones included"),
}


def traces(run: Simulation, every: float) -> dict[str, Any]:
    """What was sampled, along `time` [s]."""
    row = run.state.row
    count = int(row.samples)
    made: dict[str, Any] = {"time": ("time", np.arange(count) * every, {"units": "s", "long_name": "time"})}
    tables = {"flow": run.state.flow_samples, "link": run.state.link_samples}
    for name, (field, dim, unit, description) in TRACES.items():
        columns = int(row.sampled_flows if dim == "flow" else row.sampled_links)
        values = tables[dim][field][: count * columns].reshape(count, columns)
        made[f"{name}_trace"] = (("time", dim), values.copy(), {"units": unit, "long_name": description})
    return made

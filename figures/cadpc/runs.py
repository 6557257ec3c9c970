"""Runs of Welzl's scenarios: throughput, loss, queue, fairness, signalling, and rates over time.

Networks and competitors are defined in `figures.cadpc.networks`.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import xarray as xr

from figures.cadpc.networks import CAPACITY, DURATION, MBIT, MIDDLE, PACKET, dumbbell
from figures.claims import Context
from figures.rule import Estimate, Printed
from longfat.replication import replicate
from longfat.sim import Network, run
from longfat.sim.runs.results import jain_index

MANY = 50  # flows of figure 3
NEGLIGIBLE = 1e-3  # loss probability

#: name: (unit, description)
QUANTITIES = {
    "throughput": ("1", "goodput of all flows over the bottleneck's capacity"),
    "loss": ("1", "data packets dropped over data packets sent"),
    "mean_queue": ("packets", "mean queue length at the bottleneck"),
    "jain_index": ("1", "Jain's index of the flows' goodputs"),
    "examined": ("packets/s", "requests at the bottleneck's router"),
    "offered": ("packets/s", "data packets sent"),
    "feedback": ("bytes/s", "traffic from the receivers to the senders"),
    "others_loss": ("1", "loss of the background traffic"),
}


def observe(
    net: Network,
    *,
    duration: float = DURATION,
    warm_up: float = 0.0,
    sample_every: float | None = None,
    replications: int = 4,
    rng: int = 0,
) -> list[xr.Dataset]:
    """Simulate a network in independent runs; return the dataset of each, with traces if asked for.

    >>> len(observe(dumbbell("CADPC", 1), duration=2, replications=2))
    2
    """

    def one(stream: Any) -> xr.Dataset:
        return run(net, duration=duration, warm_up=warm_up, sample_every=sample_every, rng=stream, progress=False)

    streams = np.random.SeedSequence(rng).spawn(replications)
    return replicate(one, streams)


def numbers(data: xr.Dataset, capacity: float) -> dict[str, float]:
    """Return the quantities of figure 3 and the signalling of one run, over flows whose names begin with "flow"."""
    named = np.array([str(name).startswith("flow") for name in data.flow.values])
    ours, others, span = data.isel(flow=named), data.isel(flow=~named), data.attrs["duration"] - data.attrs["warm_up"]
    goodput = ours.goodput.values
    middle = data.sel(link=MIDDLE)
    payload = float(data.sent.sum())
    return {
        "throughput": float(goodput.sum()) / capacity,
        "loss": float(ours.dropped.sum() / ours.sent.sum()),
        "mean_queue": float(middle.mean_queue),
        "jain_index": float(jain_index(goodput)),
        "examined": max(0.0, float(middle.arrived) - payload) / span,
        "offered": float(ours.sent.sum()) / span,
        "feedback": float(data.throughput.sel(link="b-a")),
        "others_loss": float(others.dropped.sum() / others.sent.sum()) if others.sizes["flow"] else 0.0,
    }


@functools.lru_cache(maxsize=4096)
def measured(
    label: str,
    flows: int = 10,
    capacity: float = CAPACITY,
    *,
    duration: float = DURATION,
    warm_up: float = 0.0,
    replications: int = 4,
    rng: int = 0,
    **more: Any,
) -> dict[str, np.ndarray]:
    """Simulate `dumbbell`; return every quantity of `QUANTITIES` as an array with one value from each run.

    Measurement begins at ``warm_up`` [s] and ends at ``duration`` [s]; ``more`` has further arguments of `dumbbell`.

    >>> found = measured("CADPC", 10, duration=60, warm_up=30, replications=2)
    >>> bool((abs(found["throughput"] - 10 / 11) < 0.03).all())
    True
    """
    net = dumbbell(label, flows, capacity, **more)
    seen = observe(net, duration=duration, warm_up=warm_up, replications=replications, rng=rng)
    each = [numbers(one, capacity) for one in seen]
    return {name: np.array([one[name] for one in each]) for name in QUANTITIES}


def replications(context: Context) -> int:
    """Return the number of runs at each point: one per million packets, at least 3 and at most 20."""
    return context.runs(3, 20)


def bottlenecks(context: Context) -> tuple[float, ...]:
    """Return the bottleneck capacities of figure 3 [Mbit/s], up to 100, or up to 20 in small-scale runs."""
    return (1, 5, 20) if context.small else (1, 2, 5, 10, 20, 50, 100)


def at(context: Context, label: str, flows: int = 10, capacity: float = CAPACITY, **more: Any) -> dict[str, np.ndarray]:
    """Return the quantities of flows of one kind (`measured`) at the scale and with the seed of an assessment."""
    return measured(label, flows, capacity, replications=replications(context), rng=context.seed, **more)


def late(context: Context, label: str, flows: int = 10, **more: Any) -> dict[str, np.ndarray]:
    """Return the quantities of `at` for the second half of a run."""
    return at(context, label, flows, warm_up=DURATION / 2, **more)


def each(
    context: Context, net: Network, duration: float, *, every: float | None = None, warm_up: float = 0.0
) -> list[xr.Dataset]:
    """Return the runs of a network at the scale and with the seed of an assessment."""
    return observe(
        net, duration=duration, warm_up=warm_up, sample_every=every, replications=replications(context),
        rng=context.seed,
    )  # fmt: skip


def scale(context: Context, duration: float = DURATION) -> str:
    """Return the scale of the runs for a row, as text.

    >>> scale(Context(1e7, 0))
    '10 runs of 160 s at each point, seed 0'
    """
    return f"{replications(context)} runs of {duration:g} s at each point, seed {context.seed}"


def sweep(context: Context, label: str, name: str) -> dict[float, np.ndarray]:
    """Return a quantity of fifty flows of one kind by the bottlenecks of figure 3 [Mbit/s]."""
    return {mbit: at(context, label, MANY, mbit * MBIT)[name] for mbit in bottlenecks(context)}


def exactly(text: str, value: float) -> Printed:
    """Return an expression that the paper prints, such as n/(n + 1), with its value."""
    return Printed(text, value, 0.0)


def words(found: Estimate, digits: int = 3, factor: float = 1.0, least: float = -math.inf) -> str:
    """Format an estimate as text; an interval shorter than a unit of the last digit is left out.

    Values below ``least`` are raised to it.

    >>> words(Estimate(0.5, 0.49, 0.51), 2), words(Estimate(0.5, 0.4999, 0.5001), 2)
    ('0.50 (0.49 .. 0.51)', '0.50')
    """
    shown = found.mapped(lambda x: max(least, factor * x))
    return f"{shown.value:.{digits}f}" if shown.upper - shown.lower < 10.0**-digits else shown.text(digits)


def percent(share: float, digits: int = 1) -> str:
    """Format a share as text.

    >>> percent(0.0012, 2)
    '0.12 %'
    """
    return f"{100 * share:.{digits}f} %"


def rates(data: xr.Dataset, bin: float) -> xr.DataArray:
    """Return the received rate of each flow over bins of ``bin`` seconds [bytes/s], at the end of each bin."""
    time = data.received_trace.time.values
    step = max(1, round(bin / float(time[1] - time[0])))
    received = data.received_trace.isel(time=slice(0, None, step))
    change = received.diff("time")
    rate: xr.DataArray = (change / change.time.diff("time").mean()).rename("rate")
    return rate


def unevenness(data: xr.Dataset, begin: float, bin: float = 1.0) -> float:
    """Return the standard deviation over the mean of a flow's rate in time, averaged over the flows [1]."""
    late = rates(data, bin).sel(time=slice(begin, None))
    return float((late.std("time") / late.mean("time")).mean())


def converged_after(data: xr.Dataset, share: float, within: float = 0.1, bin: float = 4.8) -> float:
    """Return when the mean rate of the flows comes within a fraction of a share for good [s]; infinite if never.

    The share is in bytes/s; rates are averaged over bins [s].
    """
    seen = rates(data, bin).mean("flow") if data.sizes["flow"] > 1 else rates(data, bin).isel(flow=0)
    off = np.flatnonzero(abs(seen.values / share - 1) > within)
    if len(off) == 0:
        return float(seen.time[0])
    return float(seen.time[off[-1] + 1]) if off[-1] + 1 < len(seen) else float("inf")


def reached_after(data: xr.Dataset, rate: float, bin: float = 4.0) -> float:
    """Return when the total of the flows, averaged over bins [s], first reaches a rate [bytes/s]; infinite if never."""
    seen = rates(data, bin).sum("flow")
    there = np.flatnonzero(seen.values >= rate)
    return float(seen.time[there[0]]) if len(there) else float("inf")


def ratio(data: xr.Dataset, span: float, until: float | None = None) -> float:
    """Return the ratio of the flows' largest to smallest rate over ``span`` seconds before the end or a given time."""
    shares = last_share(data if until is None else data.sel(time=slice(0, until)), span)
    return float(shares.max() / shares.min())


def last_share(data: xr.Dataset, span: float) -> np.ndarray:
    """Return the rate of each flow over the last ``span`` seconds [packets of `PACKET` bytes a second]."""
    trace = data.received_trace
    end = float(trace.time[-1])
    first = trace.sel(time=end - span, method="nearest")
    found: np.ndarray = (trace.isel(time=-1) - first).values / (end - float(first.time)) / PACKET
    return found

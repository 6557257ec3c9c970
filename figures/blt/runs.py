"""Runs of Kim and Farber's networks: response time, throughput, power and fairness over the load.

Networks and competitors are defined in `figures.blt.networks`. `swept`, `at_load` and `as_printed` are the runs that
claims are judged by and pictures are drawn from. Each run is evaluated at the load that the other runs select, see
`each_greatest`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from figures.blt.networks import (
    BOTTLENECK,
    COMPETITORS,
    MBIT,
    PACKET,
    SETS,
    Path,
    bare_dumbbell,
    connection,
    dumbbell,
)  # fmt: skip
from figures.claims import Context
from figures.rule import Estimate, mean
from longfat.replication import sweep
from longfat.sim import Network, Simulation, run
from longfat.sim.kernel import records
from longfat.sim.runs import results
from longfat.sim.switch.log import Log

CONFIDENCE = 0.95  # confidence of the intervals; the paper has 0.9
WARM_UP = 0.2  # share of the run that is not counted
ROUND_TRIPS = 150  # least length of a run
#: Files in a run that is counted as in the paper, which does not print their number. Fitted to one printed number, the
#: 605 Mbit/s of BLT in section 4.3.1, which 200 to 260 files give; all others that depend on it test it.
FILES = 240
FITTED = f"{FILES} files a run"
LOADS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
STREAM = 127  # packets of figure 3: seven windows
STREAMS = {"TCP": "reno", "BLT": "blt"}

#: name: (unit, description)
QUANTITIES = {
    "response_time": ("s", "mean over the files, from arrival to the acknowledgment of the last byte"),
    "throughput": ("bytes/s", "throughput of completed files"),
    "power": ("bytes/s^2", "throughput over response time"),
    "power_without_ack": ("bytes/s^2", "throughput over response time less D/2"),
    "fairness": ("1", "Jain's index of the rates F/R of completed files"),
    "utilisation": ("1", "share of the time in which the bottleneck transmits"),
    "loss": ("1", "packets dropped over packets sent"),
    "mean_queue": ("packets", "mean queue length at the bottleneck"),
    "timeouts": ("1/file", "retransmission timeouts"),
    "sent": ("packets", "transmissions of all flows in the whole run"),
}


def observe(
    label: str, path: Path, load: float, *, packets: float = 3e5, round_trips: float = ROUND_TRIPS, rng: Any = None,
    **more: Any,
) -> dict[str, float]:  # fmt: skip
    """Run one network and return the `QUANTITIES` of its files, counted after `WARM_UP`; NaN if none is complete.

    The run has at least ``packets`` packets of files that arrive, and at least ``round_trips`` round-trip times D.
    Label, path, load and ``more`` are arguments of `dumbbell`; its "small" files are counted as
    ``small_transfer_time`` and so on.

    >>> seen = observe("BLT", Path(1000, 1000), 0.3, packets=1e5, rng=1)
    >>> 0.0308 < seen["response_time"] < 0.0320
    True
    """
    end = max(packets * PACKET / (load * path.capacity), round_trips * path.round_trip)
    data = run(dumbbell(label, path, load, **more), duration=end, warm_up=WARM_UP * end, rng=rng, progress=False)
    one, bottleneck = data.sel(flow="files"), data.sel(link=BOTTLENECK)
    found = of_files(one, path.file, (1 - WARM_UP) * end)
    found |= {
        "power_without_ack": found["throughput"] / (found["response_time"] - path.round_trip / 2),
        "utilisation": float(bottleneck.utilisation),
        "mean_queue": float(bottleneck.mean_queue),
        "timeouts": float(one.timeouts) / max(1.0, float(one.connections)),
        "sent": float(data.attrs["packets_sent"]),
    }
    if more.get("interactive"):
        small = data.sel(flow="small")
        found |= {f"small_{name}": float(small[name]) for name in ("transfer_time", "fairness", "loss")}
    return found


def of_files(one: xr.Dataset, size: float, span: float) -> dict[str, float]:
    """Return response time, throughput, power, loss and fairness of the files of a flow, counted over a time."""
    time, rate = float(one.transfer_time), float(one.connections) * size / span
    return {
        "response_time": time, "throughput": rate, "power": rate / time if rate > 0 else 0.0,
        "loss": float(one.loss), "fairness": float(one.fairness),
    }  # fmt: skip


def point(
    label: str, bottleneck: float, load: float, *, network: float, round_trip: float, file: float, packets: float,
    round_trips: float, rng: Any, buffers: float = 1.0, **more: Any,
) -> dict[str, float]:  # fmt: skip
    """Call `observe` with the path given by its numbers, for use in sweeps.

    ``network`` and ``bottleneck`` are in Mbit/s.
    """
    path = Path(network, bottleneck, round_trip, file, buffers)
    return observe(label, path, load, packets=packets, round_trips=round_trips, rng=rng, **more)


def _over(
    function: Any, labels: Sequence[str], paths: Sequence[Path], loads: Sequence[float], **how: Any
) -> xr.Dataset:  # fmt: skip
    """Run a function over labels, bottlenecks and loads, and keep the result of every run."""
    grid = {"label": list(labels), "bottleneck": [one.bottleneck for one in paths], "load": list(loads)}
    return sweep(function, grid, confidence=CONFIDENCE, keep=True, progress=False, **how)


def powers(
    labels: Sequence[str],
    paths: Sequence[Path],
    loads: Sequence[float],
    *,
    packets: float = 3e5,
    round_trips: float = ROUND_TRIPS,
    replications: int = 3,
    rng: int = 0,
    store: Any = None,
    **more: Any,
) -> xr.Dataset:
    """Simulate several competitors over several bottlenecks of one network and several loads, by `observe`.

    The paths differ in their bottleneck only. Finished runs are stored in the directory ``store``. The result has along
    ``label``, ``bottleneck`` [Mbit/s] and ``load`` [capacities] means, ``_lower`` and ``_upper`` of 95 % intervals, and
    ``_samples`` along ``replication``.
    """
    first = paths[0]
    function = functools.partial(
        point, network=first.network, round_trip=first.round_trip, file=first.file, packets=packets,
        round_trips=round_trips, buffers=first.buffers, **more,
    )  # fmt: skip
    data = _over(function, labels, paths, loads, replications=replications, rng=rng, store=store)
    for name, (unit, about) in QUANTITIES.items():
        data[name].attrs |= {"units": unit, "long_name": about}
    for name, unit in (("bottleneck", "Mbit/s"), ("load", "1")):
        data[name].attrs["units"] = unit
    return data


def each_greatest(samples: np.ndarray) -> np.ndarray:
    """Return every run's value at the load with the greatest mean of the other runs; samples are by load and run.

    The largest of several noisy means is too large on average; a run that does not choose its own load has no such
    bias.

    >>> each_greatest(np.array([[1.0, 1.0, 1.0], [2.0, 2.2, 2.4], [1.0, 1.0, 3.0]]))  # the last 3 is not selected
    array([2. , 2.2, 2.4])
    """
    count = samples.shape[1]
    return np.array([samples[int(np.argmax(np.delete(samples, k, axis=1).mean(1))), k] for k in range(count)])


def greatest(samples: np.ndarray) -> tuple[Estimate, int]:
    """Return the mean of `each_greatest` with its interval, and the index of the load with the greatest mean."""
    return mean(np.round(each_greatest(samples), 12), CONFIDENCE), int(np.argmax(samples.mean(1)))


def greatest_power(data: xr.Dataset, label: str, bottleneck: float, name: str = "power") -> tuple[Estimate, float]:
    """Return log10 of the greatest power with its interval, and the load at which it is reached."""
    samples = data[f"{name}_samples"].sel(label=label, bottleneck=bottleneck).transpose("load", "replication")
    log = np.log10(np.maximum(np.nan_to_num(samples.values), 1.0))  # no completed file means no power
    found, place = greatest(log)
    return found, float(data["load"][place])


def greatest_of_each(data: xr.Dataset, count: int) -> list[tuple[np.ndarray, int]]:
    """Return for competitors ``power_0``, ``power_1``, ... the logarithm of the greatest power in each run, by load.

    The index of the load with the greatest mean is beside it.
    """
    found = []
    for k in range(count):
        samples = data[f"power_{k}_samples"].transpose("load", "replication").values
        logs = np.log(np.maximum(np.nan_to_num(samples), 1e-9))  # no completed file means no power
        found.append((each_greatest(logs), int(np.argmax(logs.mean(1)))))
    return found


def ratio(one: np.ndarray, other: np.ndarray, confidence: float) -> Estimate:
    """Return the ratio of two competitors' greatest powers from their logarithms in each run, with its interval."""
    return mean(one - other, confidence).mapped(lambda x: float(np.exp(x)))


def ratio_text(one: xr.Dataset, digits: int) -> str:
    """Return a ratio with its interval as Markdown, emphasised where that excludes 1: **ahead** and *behind*."""
    found = Estimate(*(float(one[f"ratio{end}"]) for end in ("", "_lower", "_upper")))
    mark = "**" if found.lower > 1 else "*" if found.upper < 1 else ""
    return f"{mark}{found.value:.{digits}f}{mark} ({found.lower:.{digits}f} to {found.upper:.{digits}f})"


def _files(label: str, path: Path, load: float, connections: int, random: np.random.Generator) -> Network:
    """Return the dumbbell network with a given number of files, which arrive as in `dumbbell`."""
    one = COMPETITORS[label]
    net = bare_dumbbell(label, path)
    for start in np.cumsum(random.exponential(1.0 / (load * path.most_arrivals), connections)):
        net.flow(one.scheme, start=float(start), file=path.file, parameters=one.parameters, **connection(path))
    return net


def finished(label: str, path: Path, load: float, connections: float, rng: Any = None) -> dict[str, float]:
    """Simulate a run and count it as the paper does: a number of files over the time until the last is complete.

    Section 4.1.4 of the paper defines throughput as the bytes of k files over "the total elapsed time to finish k
    connections". Neither the warm-up nor the tail is left out, so the throughput of a short run is too low: by the time
    between the last arrival and the last completion.

    >>> seen = finished("BLT", Path(1000, 1000), 0.7, 100, 1)
    >>> 1e7 < seen["throughput"] < 1.25e8
    True
    """
    random = np.random.default_rng(rng)
    simulated = Simulation(_files(label, path, load, int(connections), random), rng=random)
    end = 1.1 * connections / (load * path.most_arrivals)
    while True:
        simulated.advance(end)
        done = results.transfers(simulated)
        if done.sizes["transfer"] == int(connections):
            break
        end += max(0.1 * end, path.round_trip)
    time = float((done.finish - done.start).mean())
    total = done.sizes["transfer"] * path.file / float(done.finish.max())
    return {"response_time": time, "throughput": total, "power": total / time}


def printed(
    label: str, bottleneck: float, load: float, *, connections: float, network: float, rng: Any
) -> dict[str, float]:
    """Run `finished` three times; return throughput of the longest run and mean response time (footnote 13)."""
    path = Path(network, bottleneck)
    three = [finished(label, path, load, connections, rng) for _ in range(3)]
    time = float(np.mean([one["response_time"] for one in three]))
    rate = min(one["throughput"] for one in three)
    return {"response_time": time, "throughput": rate, "power": rate / time}


def printed_powers(
    labels: Sequence[str],
    paths: Sequence[Path],
    loads: Sequence[float],
    *,
    connections: float,
    replications: int = 4,
    rng: int = 0,
    store: Any = None,
) -> xr.Dataset:
    """Run `printed` over schemes, bottlenecks and loads, and return the powers as `powers` does."""
    function = functools.partial(printed, connections=connections, network=paths[0].network)
    return _over(function, labels, paths, loads, replications=replications, rng=rng, store=store)


def losing_together(label: str, path: Path, load: float, round_trips: int = 300, rng: Any = None) -> dict[str, float]:
    """Count the connections that lose packets in the same round trip, in round trips with losses.

    Returns
    -------
    dict of str to float
        ``losing``: connections that lose something in a round trip in which something is lost; ``active``: connections
        not complete at its end, or losing in it; ``share``: mean ratio of both. NaN without losses.

    Examples
    --------
    >>> found = losing_together("BLT", Path(150, 30), 0.5, 40, rng=1)
    >>> 1 <= found["losing"] <= found["active"]
    True
    """
    simulated = Simulation(dumbbell(label, path, load), rng=rng)
    start = dropped = np.zeros(0, np.int64)
    losing, active = [], []
    for trip in range(round_trips):
        simulated.advance((trip + 1) * path.round_trip)
        flows = simulated.state.flows
        known = np.zeros(len(flows), np.int64)
        same = flows["start"][: len(start)] == start  # a row of the table may now belong to a new connection
        known[: len(start)][same] = dropped[same]
        start, dropped = flows["start"].copy(), flows["dropped"].copy()
        connection = flows["template"] != records.NONE
        hit = connection & (dropped > known)
        if hit.any():
            losing.append(int(hit.sum()))
            active.append(int((hit | connection & (flows["finish"] == records.NEVER)).sum()))
    if not losing:
        return dict.fromkeys(("losing", "active", "share"), math.nan)
    return {
        "losing": float(np.mean(losing)),
        "active": float(np.mean(active)),
        "share": float(np.mean(np.divide(losing, active))),
    }


def departures(label: str) -> np.ndarray:
    """Return when a source sends each packet of a file over the reference network without losses [s] (figure 3)."""
    log, path = Log(2 * STREAM), SETS["reference"][2]
    net = Network().link("a", "b", rate=np.inf, discipline=log.discipline).link("b", "a", rate=np.inf)
    net.link("b", "c", rate=path.capacity, delay=path.round_trip / 2)
    net.link("c", "b", rate=path.capacity, delay=path.round_trip / 2)
    given = {"delayed_ack": 1.0} if label == "TCP" else {}  # every packet is acknowledged
    net.flow(STREAMS[label], path=["a", "b", "c"], packet=PACKET, file=STREAM * PACKET, parameters=given,
             access_rate=path.network * MBIT)  # fmt: skip
    simulation = Simulation(net)
    simulation.advance(1.0)
    return np.asarray(log.lines[:STREAM, 0] * 1e-9)


def sweep_size(label: str, name: str, small: bool = False) -> dict[str, Any]:
    """Return loads, replications and length of a scheme's sweep of a set of networks, as arguments of `powers`.

    On short and slow paths BLT's greatest powers are at loads of 0.5 and less, and it sends most packets beyond 0.6.
    """
    if small:
        loads = {"reference": (0.1, 0.4, 0.6, 0.85, 0.95), "1 Gbit/s": (0.4, 0.6, 0.85)}.get(name, (0.35, 0.6))
        return {"loads": loads, "replications": 3, "packets": 2e4 if SETS[name][0].file < 1e6 else 6e4,
                "round_trips": 25.0}  # fmt: skip
    last = {"reference": 0.95, "10 kB": 0.95, "1 Gbit/s": 0.9}.get(name, 0.8)
    if label.startswith("BLT"):
        last = {"3 ms": 0.6, "1.8 ms": 0.6, "15 Mbit/s": 0.6, "1 MB": 0.7}.get(name, last)
    size = {"replications": 8, "packets": 2e5} if SETS[name][0].file == 1e6 else {"replications": 6, "packets": 1.5e5}
    return {"loads": tuple(load for load in LOADS if load <= last), "round_trips": ROUND_TRIPS, **size}


def counted_size(small: bool = False) -> dict[str, Any]:
    """Return loads, replications and files of the runs that are counted as in the paper."""
    if small:
        return {"loads": (0.4, 0.72), "replications": 3, "connections": FILES}
    return {"loads": (0.4, 0.5, 0.6, 0.72, 0.8, 0.9), "replications": 10, "connections": FILES}


def point_size(file: float, small: bool = False) -> dict[str, Any]:
    """Return replications and length of the runs at a single point."""
    if small:
        return {"replications": 3, "packets": 2e4 if file < 1e6 else 6e4, "round_trips": 25.0}
    return {"replications": 10, "packets": 2e5 if file < 1e6 else 3e5, "round_trips": 60.0}


def scale_text(context: Context, name: str = "reference") -> str:
    """Return the scale of a sweep as text, for a row of the table."""
    sizes = {label: sweep_size(label, name, context.small) for label in ("TCP", "BLT")}
    ends = " and ".join(dict.fromkeys(f"{size['loads'][-1]:g}" for size in sizes.values()))
    size = sizes["TCP"]
    return (
        f"{size['replications']} runs of {size['packets']:.2g} packets or more at each load up to {ends}"
        f"{' (TCP and BLT)' if ' ' in ends else ''}, seed {context.seed}"
    )


def point_text(context: Context, file: float = 1e5) -> str:
    """Return the scale of the runs at a single point as text, for a row of the table."""
    size = point_size(file, context.small)
    return f"{size['replications']} runs of {size['packets']:.2g} packets or more at each load, seed {context.seed}"


def counted_text(context: Context) -> str:
    """Return the scale of the runs counted as in the paper as text, for a row of the table."""
    size = counted_size(context.small)
    return f"{size['replications']} times three runs of {FILES} files at each load, seed {context.seed}"


@functools.lru_cache(maxsize=256)
def swept(context: Context, label: str, name: str) -> xr.Dataset:
    """Simulate a scheme over the bottlenecks of a set of networks at all loads."""
    return powers([label], SETS[name], rng=context.seed, store=context.place(f"{name} {label}"),
                  **sweep_size(label, name, context.small))  # fmt: skip


@functools.lru_cache(maxsize=256)
def at_load(context: Context, label: str, path: Path, load: float) -> dict[str, np.ndarray]:
    """Simulate one point; return every quantity with a value from each run."""
    data = powers([label], [path], [load], rng=context.seed, **point_size(path.file, context.small))
    return {name: data[f"{name}_samples"].values.ravel() for name in QUANTITIES}


@functools.lru_cache(maxsize=64)
def as_printed(context: Context, label: str, name: str, k: int | None = None) -> xr.Dataset:
    """Simulate a set of networks, or its k-th, in runs of `FILES` files, counted as in footnote 13."""
    paths = SETS[name] if k is None else SETS[name][k : k + 1]
    place = context.place(f"printed {name} {label}" if k is None else f"printed {name} {label} {k}")
    return printed_powers([label], paths, rng=context.seed, store=place, **counted_size(context.small))

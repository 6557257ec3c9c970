"""Kim and Farber, BLT: figures 1 to 3 and 5 to 31 simulated, table 1, the plane of figure 14, and their outlook.

``blt_tables.md`` has the numbers. Run with ``python -m figures.blt``; it takes a quarter of an hour on two cores.
``--store DIRECTORY`` keeps finished runs, so that it can be interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from figures.blt import drawing, runs, under_load
from figures.blt import tables as blt_tables
from figures.blt.drawing import LABELS, REFERENCE, TRACE
from figures.blt.networks import BOTTLENECK, COMPETITORS, PACKET, SETS, dumbbell
from figures.blt.networks import Path as Network
from figures.blt.table_1 import TCP_LITERAL
from figures.claims import Context
from figures.data import gathered
from figures.writing import CUT, Part, Picture
from longfat.laws import blt as laws
from longfat.sim import run
from longfat.sim.network import traffic

BARS = f"bars: 95 % intervals, {CUT}"
OUTLOOK = ("BLT", "TCP", "BLT, corrected switch")  # competitors in the situations that the paper leaves to the future
CROSS = 0.3  # load of cross traffic [capacities]
#: Loads, replications and length of runs by which no claim is judged.
SIZE: dict[str, Any] = {
    "loads": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9), "replications": 3, "packets": 1e5, "round_trips": 60.0,
}  # fmt: skip
CORRECTED = {"reference", "1 Gbit/s", "3 ms"}  # sets that are also simulated with the corrected switch


def simulated(
    context: Context, name: str, labels: Sequence[str], networks: Sequence[Network], rng: int, **more: Any
) -> xr.Dataset:
    """Run `figures.blt.runs.powers` with the settings of `SIZE`; finished runs are stored under a name."""
    return runs.powers(labels, networks, rng=rng, store=context.place(name), **(SIZE | more))


def sets(context: Context) -> dict[str, xr.Dataset]:
    """Return the powers of every set of bottlenecks, from the runs of the claims."""
    found = {}
    for name in SETS:
        labels = LABELS if name in CORRECTED else LABELS[:2]
        parts = [runs.swept(context, label, name) for label in labels]
        found[name] = xr.concat(parts, "label", join="outer")  # BLT has fewer loads on short paths
    return found


def tyrant(context: Context) -> xr.Dataset:
    """Simulate figures 28 and 29."""
    labels = ("TCP", "Bully-Tyrant", "BLT", "BLT, corrected switch")
    return simulated(context, "tyrant", labels, [REFERENCE], 20, loads=runs.LOADS, packets=3e5,
                     round_trips=runs.ROUND_TRIPS)  # fmt: skip


def interpretations(context: Context) -> dict[str, xr.Dataset]:
    """Simulate table 1 under every interpretation: in steady state, and counted as in the paper."""
    labels = [name for name in COMPETITORS if name not in (*LABELS, "Bully-Tyrant")]
    found = {}
    for k, name in enumerate(("reference", "1 Gbit/s")):
        found[name] = simulated(context, f"interpretations {name}", labels, SETS[name], 30 + k)
        counted = [runs.as_printed(context, label, name) for label in ("BLT", "TCP", TCP_LITERAL)]
        found[f"{name}, counted"] = xr.concat(counted, "label")
    return found


def streams() -> xr.Dataset:
    """Return the times at which a source sends each packet of a file (figure 3), from the runs of the claim."""
    times = [runs.departures(scheme) for scheme in runs.STREAMS]
    grid = {"scheme": list(runs.STREAMS), "packet": list(range(runs.STREAM))}
    return xr.Dataset({"departure": (tuple(grid), times, {"units": "s"})}, grid)


def queues(rng: int = 8) -> xr.Dataset:
    """Simulate figure 8: the queue length over time at half of the capacity."""
    rows = []
    for label in ("TCP", "BLT"):
        net = dumbbell(label, REFERENCE, 0.5)
        trace = run(net, duration=TRACE, sample_every=0.002, rng=rng, progress=False).queue_trace
        rows.append(trace.sel(link=BOTTLENECK, drop=True))
    return xr.Dataset({"queue": xr.concat(rows, xr.DataArray(["TCP", "BLT"], dims="label"))})


def buffers(context: Context) -> dict[float, xr.Dataset]:
    """Simulate buffers of several sizes, over BW_b D/3."""
    return {
        one: simulated(context, f"buffers {one:g}", OUTLOOK, [Network(150, 30, buffers=one)], 40 + k)
        for k, one in enumerate((0.5, 1, 2, 4, 8))
    }


def cross(context: Context) -> dict[str, xr.Dataset]:
    """Simulate files beside uncontrolled traffic of 0.3 of the capacity.

    The traffic is Poisson, or thirty Pareto on-off sources with H = 0.8.
    """
    rate = CROSS * REFERENCE.capacity / 30
    kinds: dict[str, dict[str, Any]] = {
        "Poisson": {"cross": traffic.poisson(30 * rate), "sources": 1},
        "self-similar": {"cross": traffic.self_similar(3 * rate, 0.8, "0.1 s", "0.2 s"), "sources": 30},
    }
    few = tuple(load for load in SIZE["loads"] if load < 1 - CROSS)
    return {
        kind: simulated(context, f"cross {kind}", OUTLOOK, [REFERENCE], 50 + k, loads=few, **options)
        for k, (kind, options) in enumerate(kinds.items())
    }


def interactive(context: Context) -> xr.Dataset:
    """Simulate small files, 0.05 of the capacity, beside large ones."""
    return simulated(context, "interactive", (*OUTLOOK, "Bully-Tyrant"), [REFERENCE], 60, interactive=0.05)


def fairness(context: Context) -> dict[tuple[str, float], dict[str, tuple[list[float], list[float]]]]:
    """Return loads and fairness indices of each bottleneck that a claim of the paper names, from the claims' runs.

    The key is the set of networks and the bottleneck [Mbit/s]; a value has loads and indices for each competitor.
    """
    rows = {}
    for name, ks, loads in (("reference", (0, 1, 2), under_load.LOADS), ("1 Gbit/s", (1, 2), under_load.FAST_LOADS)):
        for k in ks:
            path = SETS[name][k]
            rows[name, path.bottleneck] = {
                label: (
                    list(loads),
                    [float(runs.at_load(context, label, path, load)["fairness"].mean()) for load in loads],
                )
                for label in (*LABELS, TCP_LITERAL)
            }
    return rows


def greatest(data: xr.Dataset) -> xr.Dataset:
    """Return log10 of the greatest powers with intervals, and their loads, along labels and bottlenecks."""
    grid = {"label": data.label.values.tolist(), "bottleneck": data.bottleneck.values.tolist()}
    found = {place: runs.greatest_power(data, *place) for place in product(*grid.values())}
    made = gathered({place: {"power": power} for place, (power, _) in found.items()}, grid)
    loads = np.reshape([load for _, load in found.values()], made.power.shape)
    return made.assign(load=(made.power.dims, loads)).assign_coords(bottleneck=data.bottleneck)


def plane() -> xr.Dataset:
    """Return the data of figure 14: BLT's estimated advantage for 200 packets, and the buffer [packets]."""
    rate = xr.DataArray(np.geomspace(1e6, 1e10, 161), dims="rate", attrs={"units": "bit/s"})
    delay = xr.DataArray(np.geomspace(1e-4, 0.3, 141), dims="delay", attrs={"units": "s"})
    bandwidth_delay_product = rate / 8 * delay / 1e5
    advantage = laws.power_advantage(bandwidth_delay_product.values, 200)
    return xr.Dataset(
        {"advantage": (bandwidth_delay_product.dims, advantage), "buffer": rate / 8 * delay / 3 / PACKET},
        coords={"rate": rate, "delay": delay},
    )


def simulate(store: str | Path | None = None) -> dict[str, Any]:
    """Run everything that the pictures and tables show, at the scale of the scoreboard; finished runs are stored."""
    context = Context(1e7, 0, None if store is None else Path(store))
    found, other, large, beside = sets(context), interpretations(context), buffers(context), cross(context)
    data: dict[str, Any] = {
        "sets": found, "greatest": {name: greatest(one) for name, one in found.items()}, "tyrant": tyrant(context),
        "concepts": streams(), "queues": queues(), "interpretations": other,
        "plane": plane().isel(rate=slice(None, None, 8), delay=slice(None, None, 7)),
        "buffers": xr.concat([greatest(one) for one in large.values()], xr.DataArray(
            list(large), dims="buffers", attrs={"units": "BW_b D/3"})),
        "cross": xr.concat(beside.values(), xr.DataArray(list(beside), dims="cross")),
        "interactive": interactive(context),
        "greatest_interpretations": {name: greatest(one) for name, one in other.items()},
        "fairness": fairness(context),
    }  # fmt: skip
    sent = {
        **found, "tyrant": data["tyrant"],
        **{f"interpretations {name}": other[name] for name in ("reference", "1 Gbit/s")},
        **{f"buffers {size:g}": one for size, one in large.items()},
        **{f"cross {kind}": one for kind, one in beside.items()}, "interactive": data["interactive"],
    }  # fmt: skip
    counts = {name: float(one.sent_samples.sum()) for name, one in sent.items()}
    return data | {"blt_tables.md": blt_tables.tables(data, counts)}


def powers(caption: str, columns: dict[str, str]) -> Picture:
    """Return a picture of power and fairness with a column for each of these networks, whose titles are given."""
    return Picture(
        caption, lambda found, axes: drawing.draw_powers(found, columns, axes), "sets", (2, len(columns)),
        (4.9 * len(columns), 8.4), f"Powers and fairness; {BARS}",
    )  # fmt: skip


PICTURES = {
    "blt_1_2": Picture(
        "Figures 1 and 2: the windows that a BLT stream stands for, and those that are sent, each packet once.",
        lambda _, axes: drawing.draw_1_2(axes), "", (1, 2), (9, 3), "Windows of 1, 2, 4, 8 and 16 packets",
    ),
    "blt_3": Picture(
        "Figure 3: when TCP in slow start and BLT send the 127 packets of a file, and in which window.",
        drawing.draw_3, "concepts", (1, 2), (9, 4),
        f"{runs.STREAM} packets of {PACKET} bytes over 150 Mbit/s and 30 ms",
    ),
    "blt_5": Picture(
        "Figure 5: throughput, response time and power over the load, for TCP and BLT; the greatest power is the knee.",
        lambda data, axes: drawing.draw_5(data["reference"], axes), "sets", (1, 3), (12, 4),
        f"The reference network with a bottleneck of {drawing.MIDDLE} Mbit/s; dotted: load of the greatest power; "
        "bars: 95 % intervals",
    ),
    "blt_6_7": Picture(
        "Response times and utilisation over arrivals, reference network.",
        lambda data, axes: drawing.draw_6_7(data["reference"], axes), "sets", (1, 2), (10, 4.4),
        f"Kim and Farber, figures 6 and 7, simulated; {BARS}",
    ),
    "blt_8": Picture(
        "Queue length at the bottleneck over time: TCP and BLT at half of the capacity.",
        drawing.draw_8, "queues", (2, 1), (10, 4.6),
        "Figure 8, simulated: buffer of 75 packets, 30 of 150 Mbit/s, half of the capacity offered",
    ),
    "blt_9": Picture(
        "Throughput of completed files over arrivals.",
        lambda data, ax: drawing.draw_9(data["reference"], ax), "sets", (1, 1), (6.4, 4.8),
        "Figure 9, simulated: reference network",
    ),
    "blt_10_13": powers(
        "Powers of BLT and TCP over the load with their upper bounds (first-come service), and fairness.",
        {"reference": "Figures 10 and 11", "1 Gbit/s": "Figures 12 and 13"},
    ),
    "blt_14": Picture(
        "The bandwidth-delay plane: BLT's estimated advantage in power, the networks simulated, and the buffer.",
        lambda data, ax: drawing.draw_14(data["plane"], data["greatest"], ax), "", (1, 1), (8, 6.6),
    ),
    "blt_15_20": powers(
        "Powers and fairness on short and on slow paths.",
        {"3 ms": "Figures 15 and 16", "1.8 ms": "Figures 17 and 18", "15 Mbit/s": "Figures 19 and 20"},
    ),
    "blt_21_24": powers(
        "Powers and fairness with files of 1 MB.", {"1 MB": "Figures 21 and 22", "1 MB, 1 Gbit/s": "Figures 23 and 24"}
    ),
    "blt_25_27": Picture(
        "Powers and fairness with files of 10 kB.",
        lambda data, axes: drawing.draw_25_27(data["10 kB"], axes), "sets", (1, 3), (13, 4.4),
        f"Files of 10 kB; {BARS}",
    ),
    "blt_28_29": Picture(
        "The Bully-Tyrant, which gives all its packets the same priority.",
        drawing.draw_28_29, "tyrant", (1, 2), (10, 4.4), f"Bully-Tyrant; {BARS}",
    ),
    "blt_30_31": Picture(
        "Greatest powers over the bottleneck, ours and printed.", drawing.draw_30_31, "greatest", (1, 2), (12, 4.8),
        "Greatest powers, files of 100 kB; bars: 95 % intervals",
    ),
    "blt_interpretations": Picture(
        "Greatest power, simulated over printed (table 1), under each interpretation of what the text leaves open: "
        "those of BLT come near, those of TCP mostly give more than printed.",
        lambda data, axes: drawing.draw_interpretations(data["greatest"], data["greatest_interpretations"], axes), "",
        (1, 2), (10, 6.4),
    ),
    "blt_outlook": Picture(
        "Larger buffers, self-similar cross traffic, and small files beside large ones.",
        lambda data, axes: drawing.draw_outlook(data["buffers"], data["cross"], data["interactive"], axes), "",
        (1, 3), (14, 4.8), f"What the paper leaves to the future: 30 of 150 Mbit/s, 30 ms, 100 kB; {BARS}",
    ),
}  # fmt: skip
SWEEP, BEST = [("label", "bottleneck", "load")], [("label", "bottleneck")]
DIMS = {
    "sets": dict.fromkeys(SETS, SWEEP), "greatest": dict.fromkeys(SETS, BEST),
    "greatest_interpretations": {
        f"{name}{end}": BEST for name in ("reference", "1 Gbit/s") for end in ("", ", counted")
    },
    "tyrant": SWEEP, "concepts": [("scheme", "packet")], "queues": [("label", "time")],
    "buffers": [("buffers", "label", "bottleneck")],
    "cross": [("cross", "label", "bottleneck", "load")], "interactive": SWEEP,
}  # fmt: skip
PART = Part(
    "figures.blt", simulate, DIMS, PICTURES, prefix="blt_", completed=lambda data: data | {"plane": plane()},
)  # fmt: skip

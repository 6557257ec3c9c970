"""Kim and Farber, BLT: table 1 and figures 6 to 13 and 15 to 31 simulated, the plane of figure 14, and their outlook.

``blt_6_7``: response times and utilisation, ``blt_8``: queues, ``blt_9``: throughput. ``blt_10_13``, ``blt_15_20``,
``blt_21_24``, ``blt_25_27``: power with its upper bound, and fairness, a column for each network. ``blt_14``: the
bandwidth-delay plane with the estimate of BLT's advantage. ``blt_28_29``: the Bully-Tyrant. ``blt_30_31``: greatest
powers. ``blt_interpretations``: table 1 under every interpretation of what the text leaves open. ``blt_outlook``:
larger buffers, self-similar cross traffic, interactive traffic. ``blt_tables.md``: the numbers.

Run with ``python -m figures.blt``; it takes a quarter of an hour on two cores, with ``--quick`` some minutes. ``--store
DIRECTORY`` keeps finished runs, so that it can be interrupted. ``--redraw`` draws the pictures from the stored numbers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from figures.blt import drawing, measured, runs, under_load
from figures.blt import tables as blt_tables
from figures.blt.drawing import LABELS, REFERENCE, TRACE
from figures.blt.scenarios import BOTTLENECK, COMPETITORS, PACKET, SETS, dumbbell
from figures.blt.scenarios import Path as Network
from figures.claims import Context
from figures.writing import CUT, Part, panels, stem
from longfat.base.files import AtomicFiles
from longfat.laws import blt as laws
from longfat.sim import run
from longfat.sim.network import traffic

CAPTIONS = {
    "blt_6_7": "Response times and utilisation over arrivals, reference network.",
    "blt_8": "Queue length at the bottleneck over time: TCP and BLT at half of the capacity.",
    "blt_9": "Throughput of completed files over arrivals.",
    "blt_10_13": "Powers of BLT and TCP over the load with their upper bounds (first-come service), and fairness.",
    "blt_14": "The bandwidth-delay plane: BLT's estimated advantage in power, the networks simulated, and the buffer.",
    "blt_15_20": "Powers and fairness on short and on slow paths.",
    "blt_21_24": "Powers and fairness with files of 1 MB.",
    "blt_25_27": "Powers and fairness with files of 10 kB.",
    "blt_28_29": "The Bully-Tyrant, which gives all its packets the same priority.",
    "blt_30_31": "Greatest powers over the bottleneck, ours and printed.",
    "blt_interpretations": "Table 1 under every interpretation of what the text leaves open.",
    "blt_outlook": "Larger buffers, self-similar cross traffic, and small files beside large ones.",
}
FIGURES = {  # columns of power and fairness
    "10_13": {"reference": "Figures 10 and 11", "1 Gbit/s": "Figures 12 and 13"},
    "15_20": {"3 ms": "Figures 15 and 16", "1.8 ms": "Figures 17 and 18", "15 Mbit/s": "Figures 19 and 20"},
    "21_24": {"1 MB": "Figures 21 and 22", "1 MB, 1 Gbit/s": "Figures 23 and 24"},
}
BARS = f"bars: 95 % intervals, {CUT}"
CROSS = 0.3  # load of cross traffic [capacities]


@dataclass(frozen=True)
class Scale:
    """Scale of the simulations."""

    loads: tuple[float, ...]  # capacities
    packets: float  # least number in each run
    round_trips: float  # least length of each run
    light: tuple[float, float]  # packets and round trips of the comparisons
    replications: int
    interpretations: tuple[str, ...]  # competitors for table 1
    buffers: tuple[float, ...]  # of BW_b D/3
    few: tuple[float, ...]  # loads of the comparisons
    files: int = measured.FILES  # in a run that is counted until the last file is complete


#: Of the sets and of the runs counted as in the paper, `figures.blt.measured` gives the full size, so
#: that pictures, tables and scoreboard show the same runs.
FULL = Scale(
    measured.LOADS, 3e5, runs.ROUND_TRIPS,
    (1e5, 60.0), 3, tuple(name for name in COMPETITORS if name not in (*LABELS, "Bully-Tyrant")),
    (0.5, 1, 2, 4, 8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
)  # fmt: skip
QUICK = Scale(
    (0.1, 0.4, 0.6, 0.85), 2e4, 20.0, (2e4, 20.0), 3, ("TCP, every duplicate", "TCP, ns timer"), (1, 4), (0.3, 0.6)
)
CORRECTED = {"reference", "1 Gbit/s", "3 ms"}  # sets that are also simulated with the corrected switch
SMALL = {"reference", "1 Gbit/s", "3 ms", "10 kB"}  # sets of a `QUICK` run


class Sweeps:
    """Simulations of the sets at one scale, stored in a directory if one is given; counts packets and seconds."""

    def __init__(self, scale: Scale, store: str | Path | None = None) -> None:
        self.scale, self.store = scale, None if store is None else Path(store)
        self.packets: dict[str, float] = {}
        self.seconds: dict[str, float] = {}

    def powers(self, name: str, labels: tuple[str, ...], networks: list[Network], rng: int, **more: Any) -> xr.Dataset:
        """Run `figures.blt.runs.powers` at this scale."""
        scale = self.scale
        loads = more.pop("loads", scale.loads)
        packets, round_trips = (scale.packets, scale.round_trips) if loads is scale.loads else scale.light
        size = {"loads": loads, "packets": packets, "round_trips": round_trips, "replications": scale.replications}
        return self._powers(name, self._place(name), labels, networks, rng, **(size | more))

    def set_of(self, name: str, labels: tuple[str, ...]) -> xr.Dataset:
        """Simulate a set of networks; at full scale the runs of the scoreboard with seed 0."""
        scale = self.scale
        size = {"loads": scale.loads, "packets": scale.packets, "round_trips": scale.round_trips,
                "replications": scale.replications}  # fmt: skip
        parts = [
            self._powers(
                name, self._place(f"{name} {label}"), (label,), SETS[name], 0,
                **(measured.sweep_size(label, name) if scale is FULL else size),
            )
            for label in labels
        ]  # fmt: skip
        return xr.concat(parts, "label", join="outer")  # BLT has fewer loads on short paths

    def printed(self, name: str, labels: tuple[str, ...]) -> xr.Dataset:
        """Simulate a set of networks counted as in the paper; at full scale the runs of the scoreboard with seed 0."""
        scale = self.scale
        size = {"loads": scale.few, "connections": scale.files, "replications": scale.replications}
        if scale is FULL:
            size = measured.counted_size()
        parts = [
            runs.printed_powers([label], SETS[name], rng=0, store=self._place(f"printed {name} {label}"), **size)
            for label in labels
        ]
        return xr.concat(parts, "label")

    def _powers(
        self, name: str, place: Path | None, labels: tuple[str, ...], networks: list[Network], rng: int, **size: Any
    ) -> xr.Dataset:
        begun = time.perf_counter()
        data = runs.powers(labels, networks, rng=rng, store=place, **size)
        self.packets[name] = self.packets.get(name, 0.0) + float(data.sent_samples.sum())
        if self.store is None:  # the time of stored runs is not known
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun
        return data

    def _place(self, name: str) -> Path | None:
        return None if self.store is None else self.store / stem(name)


def sets(sweeps: Sweeps) -> dict[str, xr.Dataset]:
    """Simulate the powers of every set of bottlenecks."""
    found = {}
    for name in SETS:
        if sweeps.scale is FULL or name in SMALL:
            found[name] = sweeps.set_of(name, LABELS if name in CORRECTED else LABELS[:2])
    return found


def tyrant(sweeps: Sweeps) -> xr.Dataset:
    """Simulate figures 28 and 29."""
    return sweeps.powers("tyrant", ("TCP", "Bully-Tyrant", "BLT", "BLT, corrected switch"), [REFERENCE], 20)


def interpretations(sweeps: Sweeps) -> dict[str, xr.Dataset]:
    """Simulate table 1 under every interpretation: in steady state, and counted as in the paper."""
    found = {}
    for k, name in enumerate(("reference", "1 Gbit/s")):
        variants = sweeps.powers(
            f"interpretations {name}", sweeps.scale.interpretations, SETS[name], 30 + k, loads=sweeps.scale.few
        )
        found[name] = variants
        found[f"{name}, counted"] = sweeps.printed(name, ("BLT", "TCP", measured.TCP_LITERAL))
    return found


def queues(rng: int = 8) -> xr.Dataset:
    """Simulate figure 8: the queue length over time at half of the capacity."""
    rows = []
    for label in ("TCP", "BLT"):
        net = dumbbell(label, REFERENCE, 0.5)
        trace = run(net, duration=TRACE, sample_every=0.002, rng=rng, progress=False).queue_trace
        rows.append(trace.sel(link=BOTTLENECK, drop=True))
    joined = xr.concat(rows, xr.DataArray(["TCP", "BLT"], dims="label"))
    return joined.rename("queue").to_dataset()


def buffers(sweeps: Sweeps) -> xr.Dataset:
    """Simulate the greatest power over the buffer size."""
    rows = []
    for k, size in enumerate(sweeps.scale.buffers):
        labels = ("BLT", "TCP", "BLT, corrected switch")
        one = sweeps.powers(
            f"buffers {size:g}", labels, [Network(150, 30, buffers=size)], 40 + k, loads=sweeps.scale.few
        )
        rows.append(_greatest(one))
    return xr.concat(rows, xr.DataArray(list(sweeps.scale.buffers), dims="buffers", attrs={"units": "BW_b D/3"}))


def cross(sweeps: Sweeps) -> xr.Dataset:
    """Simulate files beside uncontrolled traffic of 0.3 of the capacity.

    The traffic is Poisson, or thirty Pareto on-off sources with H = 0.8.
    """
    rate = CROSS * REFERENCE.capacity / 30
    kinds = {
        "Poisson": {"cross": traffic.poisson(30 * rate), "sources": 1},
        "self-similar": {"cross": traffic.self_similar(3 * rate, 0.8, "0.1 s", "0.2 s"), "sources": 30},
    }
    labels = ("BLT", "TCP", "BLT, corrected switch")
    few = tuple(load for load in sweeps.scale.few if load < 1 - CROSS)
    rows = [
        sweeps.powers(f"cross {kind}", labels, [REFERENCE], 50 + k, loads=few, **options)
        for k, (kind, options) in enumerate(kinds.items())
    ]
    return xr.concat(rows, xr.DataArray(list(kinds), dims="cross"))


def interactive(sweeps: Sweeps) -> xr.Dataset:
    """Simulate small files, 0.05 of the capacity, beside large ones."""
    labels = ("BLT", "TCP", "BLT, corrected switch", "Bully-Tyrant")
    return sweeps.powers("interactive", labels, [REFERENCE], 60, loads=sweeps.scale.few, interactive=0.05)


def fairness(scale: Scale) -> dict[tuple[str, float], dict[str, tuple[list[float], list[float]]]]:
    """Return loads and fairness indices of every bottleneck of which the paper has a claim, from the scoreboard's runs.

    The key is the set of networks and the bottleneck [Mbit/s]; a value has loads and indices for each competitor.
    """
    context = Context(1e7 if scale is FULL else 1e5, 0)
    rows = {}
    for name, ks, loads in (("reference", (0, 1, 2), under_load.LOADS), ("1 Gbit/s", (1, 2), under_load.FAST_LOADS)):
        for k in ks:
            rows[name, SETS[name][k].bottleneck] = {
                label: (
                    list(loads),
                    [float(measured.at_load(context, label, SETS[name][k], load)["fairness"].mean()) for load in loads],
                )
                for label in (*LABELS, measured.TCP_LITERAL)
            }
    return rows


def _greatest(data: xr.Dataset) -> xr.Dataset:
    """Return log10 of the greatest powers with intervals, and their loads, along labels and bottlenecks."""
    rows = {(str(label), float(b)): runs.greatest_power(data, str(label), float(b))
            for label in data.label.values for b in data.bottleneck.values}  # fmt: skip
    shape = (data.sizes["label"], data.sizes["bottleneck"])

    def field(get: Any) -> Any:
        return (("label", "bottleneck"), np.array([get(one) for one in rows.values()]).reshape(shape))

    made = {
        "power": field(lambda one: one[0].mean), "power_lower": field(lambda one: one[0].lower),
        "power_upper": field(lambda one: one[0].upper), "load": field(lambda one: one[1]),
    }  # fmt: skip
    return xr.Dataset(made, coords={"label": data.label, "bottleneck": data.bottleneck})


def greatest(found: dict[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Return the greatest powers of every set."""
    return {name: _greatest(data) for name, data in found.items()}


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


def simulate(scale: Scale = FULL, store: str | Path | None = None) -> dict[str, Any]:
    """Run everything that the pictures and tables show.

    Parameters
    ----------
    scale : Scale
        Scale of the simulations; `QUICK` for a test.
    store : str or Path, optional
        Directory for finished runs.
    """
    sweeps = Sweeps(scale, store)
    found, other = sets(sweeps), interpretations(sweeps)
    data: dict[str, Any] = {
        "sets": found, "greatest": greatest(found), "tyrant": tyrant(sweeps), "queues": queues(),
        "plane": plane().isel(rate=slice(None, None, 8), delay=slice(None, None, 7)), "interpretations": other,
        "buffers": buffers(sweeps), "cross": cross(sweeps), "interactive": interactive(sweeps),
        "greatest_interpretations": greatest(other), "fairness": fairness(sweeps.scale),
    }  # fmt: skip
    text = blt_tables.tables(
        found, data["greatest"], data["greatest_interpretations"], data, sweeps.packets, sweeps.seconds
    )
    return data | {"blt_tables.md": text}


def draw(files: AtomicFiles, data: dict[str, Any]) -> None:
    """Draw every picture."""
    found, tops, other = (data[name] for name in ("sets", "greatest", "greatest_interpretations"))
    pictures: dict[str, tuple[tuple[int, int], tuple[float, float], Any, str]] = {
        "6_7": ((1, 2), (10, 4.4), lambda ax: drawing.draw_6_7(found["reference"], ax),
                f"Kim and Farber, figures 6 and 7, simulated; {BARS}"),
        "8": ((2, 1), (10, 4.6), lambda ax: drawing.draw_8(data["queues"], ax),
              "Figure 8, simulated: buffer of 75 packets, 30 of 150 Mbit/s, half of the capacity offered"),
        "9": ((1, 1), (6.4, 4.8), lambda ax: drawing.draw_9(found["reference"], ax),
              "Figure 9, simulated: reference network"),
        **{
            name: ((2, len(columns)), (4.9 * len(columns), 8.4),
                   lambda ax, columns=columns: drawing.draw_powers(found, columns, ax), f"Powers and fairness; {BARS}")
            for name, columns in FIGURES.items() if set(columns) & set(found)
        },
        "25_27": ((1, 3), (13, 4.4), lambda ax: drawing.draw_25_27(found["10 kB"], ax), f"Files of 10 kB; {BARS}"),
        "14": ((1, 1), (8, 6.6), lambda ax: drawing.draw_14(data["plane"], tops, ax), ""),
        "28_29": ((1, 2), (10, 4.4), lambda ax: drawing.draw_28_29(data["tyrant"], ax), f"Bully-Tyrant; {BARS}"),
        "30_31": ((1, 2), (12, 4.8), lambda ax: drawing.draw_30_31(tops, ax),
                  "Greatest powers, files of 100 kB; bars: 95 % intervals"),
        "interpretations": ((1, 1), (9, 6.4), lambda ax: drawing.draw_interpretations(tops, other, ax), ""),
        "outlook": ((1, 3), (14, 4.8),
                    lambda ax: drawing.draw_outlook(data["buffers"], data["cross"], data["interactive"], ax),
                    f"What the paper leaves to the future: 30 of 150 Mbit/s, 30 ms, 100 kB; {BARS}"),
    }  # fmt: skip
    for name, (shape, size, drawn, title) in pictures.items():
        panels(files, f"blt_{name}", shape, size, drawn, title)


SWEEP, BEST = [("label", "bottleneck", "load")], [("label", "bottleneck")]
DIMS = {
    "sets": dict.fromkeys(SETS, SWEEP), "greatest": dict.fromkeys(SETS, BEST),
    "greatest_interpretations": {
        f"{name}{end}": BEST for name in ("reference", "1 Gbit/s") for end in ("", ", counted")
    },
    "tyrant": SWEEP, "queues": [("label", "time")], "buffers": [("buffers", "label", "bottleneck")],
    "cross": [("cross", "label", "bottleneck", "load")], "interactive": SWEEP,
}  # fmt: skip
PART = Part(
    "figures.blt", simulate, DIMS, draw, prefix="blt_", quick={"scale": QUICK},
    completed=lambda data: data | {"plane": plane()},
)  # fmt: skip

"""Kim and Farber, BLT: table 1 and figures 6 to 13 and 15 to 31 simulated, the plane of figure 14, and their outlook.

``blt_6_7``: response times and utilisation, ``blt_8``: queues, ``blt_9``: throughput. ``blt_10_13``, ``blt_15_20``,
``blt_21_24``, ``blt_25_27``: powers and fairness, a column for each network, the ceiling drawn in. ``blt_14``: the
bandwidth-delay plane with the estimate of BLT's advantage. ``blt_28_29``: the bully-tyrant. ``blt_30_31``: greatest
powers. ``blt_readings``: table 1 under every reading of the text. ``blt_outlook``: larger buffers, self-similar cross
traffic, interactive traffic. ``blt_tables.md``: the numbers. Run with ``python -m figures.blt``; it takes half an hour
on two cores, with ``--quick`` some minutes. ``--store DIRECTORY`` keeps finished runs, so that it can be interrupted.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from figures import blt_tables
from figures.writing import HERE, save, whole_figures
from longfat.laws import blt as laws
from longfat.laws import power
from longfat.sim import run, traffic
from longfat.verify.published import blt_runs as runs
from longfat.verify.published.blt_measured import PRINTED
from longfat.verify.published.blt_scenarios import BOTTLENECK, EVERYBODY, MBIT, PACKET, SETS, dumbbell
from longfat.verify.published.blt_scenarios import Path as Network

LABELS = ("BLT", "TCP", "BLT, corrected switch")
COLOURS = {"BLT": "C0", "TCP": "C1", "BLT, corrected switch": "C2", "Bully-Tyrant": "C3"}
TITLES = {
    "reference": "reference: 150 Mbit/s, 30 ms, 100 kB", "1 Gbit/s": "1 Gbit/s, 30 ms, 100 kB",
    "3 ms": "150 Mbit/s, 3 ms, 100 kB", "1.8 ms": "150 Mbit/s, 1.8 ms, 100 kB",
    "15 Mbit/s": "15 Mbit/s, 30 ms, 100 kB", "1 MB": "150 Mbit/s, 30 ms, 1 MB",
    "1 MB, 1 Gbit/s": "1 Gbit/s, 30 ms, 1 MB", "10 kB": "150 Mbit/s, 30 ms, 10 kB",
}  # fmt: skip
FIGURES = {  # columns of power and fairness
    "10_13": {"reference": "figures 10 and 11", "1 Gbit/s": "figures 12 and 13"},
    "15_20": {"3 ms": "figures 15 and 16", "1.8 ms": "figures 17 and 18", "15 Mbit/s": "figures 19 and 20"},
    "21_24": {"1 MB": "figures 21 and 22", "1 MB, 1 Gbit/s": "figures 23 and 24"},
}
REFERENCE = Network(150.0, 30.0)
BARS = "bars: 90 % intervals of three runs"
CROSS = 0.3  # load of cross traffic [capacities]
TRACE = 4.0  # s of figure 8
EQUAL = "0.75"  # grey of lines of one product


@dataclass(frozen=True)
class Scale:
    """How much is simulated."""

    loads: tuple[float, ...]  # capacities
    packets: float  # of each run
    round_trips: float
    light: tuple[float, float]  # the same two for what is compared beside
    replications: int
    readings: tuple[str, ...]  # of table 1
    buffers: tuple[float, ...]  # of BW_b D/3
    few: tuple[float, ...]  # loads of it
    files: int = 200  # of a run that is counted to the last file


FULL = Scale(
    (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95), 3e5, runs.ROUND_TRIPS,
    (1e5, 60.0), 3, tuple(name for name in EVERYBODY if name not in (*LABELS, "Bully-Tyrant")),
    (0.5, 1, 2, 4, 8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
)  # fmt: skip
QUICK = Scale(
    (0.1, 0.4, 0.6, 0.85), 2e4, 20.0, (2e4, 20.0), 3, ("TCP, every duplicate", "TCP, ns timer"), (1, 4), (0.3, 0.6)
)
CORRECTED = {"reference", "1 Gbit/s", "3 ms"}  # the sets with the corrected switch beside
SMALL = {"reference", "1 Gbit/s", "3 ms", "10 kB"}  # the sets that `QUICK` takes


class Sweeps:
    """Runs of the sets at one scale, kept in a directory if there is one; counts packets and seconds."""

    def __init__(self, scale: Scale, store: str | Path | None = None) -> None:
        self.scale, self.store = scale, None if store is None else Path(store)
        self.packets: dict[str, float] = {}
        self.seconds: dict[str, float] = {}

    def powers(self, name: str, labels: tuple[str, ...], networks: list[Network], rng: int, **more: Any) -> xr.Dataset:
        """`longfat.verify.published.blt_runs.powers`."""
        begun, scale = time.perf_counter(), self.scale
        loads = more.pop("loads", scale.loads)
        packets, round_trips = (scale.packets, scale.round_trips) if loads is scale.loads else scale.light
        data = runs.powers(
            labels, networks, loads, packets=packets, round_trips=round_trips,
            replications=scale.replications, rng=rng, store=self._place(name), **more,
        )  # fmt: skip
        self.packets[name] = float(data.sent_samples.sum())
        if self.store is None:  # stored runs take no time
            self.seconds[name] = time.perf_counter() - begun
        return data

    def printed(self, name: str, labels: tuple[str, ...], networks: list[Network], rng: int) -> xr.Dataset:
        """`longfat.verify.published.blt_runs.printed_powers`."""
        return runs.printed_powers(
            labels, networks, self.scale.few, connections=self.scale.files, replications=self.scale.replications,
            rng=rng, store=self._place(name),
        )  # fmt: skip

    def _place(self, name: str) -> Path | None:
        return None if self.store is None else self.store / name.replace("/", "_").replace(", ", "_").replace(" ", "_")


def sets(sweeps: Sweeps) -> dict[str, xr.Dataset]:
    """Powers of every set of bottlenecks."""
    found = {}
    for k, (name, networks) in enumerate(SETS.items()):
        if sweeps.scale is FULL or name in SMALL:
            found[name] = sweeps.powers(name, LABELS if name in CORRECTED else LABELS[:2], networks, k)
    return found


def tyrant(sweeps: Sweeps) -> xr.Dataset:
    """Figures 28 and 29."""
    return sweeps.powers("tyrant", ("TCP", "Bully-Tyrant", "BLT", "BLT, corrected switch"), [REFERENCE], 20)


def readings(sweeps: Sweeps) -> dict[str, xr.Dataset]:
    """Table 1 under what the text leaves open: variants in the steady state, and files counted to the last of 200."""
    found = {}
    for k, name in enumerate(("reference", "1 Gbit/s")):
        variants = sweeps.powers(f"readings {name}", sweeps.scale.readings, SETS[name], 30 + k, loads=sweeps.scale.few)
        found[name] = variants
        found[f"{name}, 200 files"] = sweeps.printed(
            f"printed {name}", ("BLT", "TCP", "TCP, every duplicate"), SETS[name], 32 + k
        )
    return found


def queues(rng: int = 8) -> xr.Dataset:
    """Figure 8: packets waiting, at half of the capacity."""
    rows = []
    for label in ("TCP", "BLT"):
        net = dumbbell(label, REFERENCE, 0.5)
        trace = run(net, duration=TRACE, sample_every=0.002, rng=rng, progress=False).queue_trace
        rows.append(trace.sel(link=BOTTLENECK, drop=True))
    joined = xr.concat(rows, xr.DataArray(["TCP", "BLT"], dims="label"))
    return joined.rename("queue").to_dataset()


def buffers(sweeps: Sweeps) -> xr.Dataset:
    """Greatest power over the buffer."""
    rows = []
    for k, size in enumerate(sweeps.scale.buffers):
        labels = ("BLT", "TCP", "BLT, corrected switch")
        one = sweeps.powers(
            f"buffers {size:g}", labels, [Network(150, 30, buffers=size)], 40 + k, loads=sweeps.scale.few
        )
        rows.append(_greatest(one))
    return xr.concat(rows, xr.DataArray(list(sweeps.scale.buffers), dims="buffers", attrs={"units": "BW_b D/3"}))


def cross(sweeps: Sweeps) -> xr.Dataset:
    """Files beside uncontrolled traffic of 0.3 of the capacity: Poisson, or thirty Pareto on-off sources, H = 0.8."""
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
    """Small files, 0.05 of the capacity, beside big ones."""
    labels = ("BLT", "TCP", "BLT, corrected switch", "Bully-Tyrant")
    return sweeps.powers("interactive", labels, [REFERENCE], 60, loads=sweeps.scale.few, interactive=0.05)


def _greatest(data: xr.Dataset) -> xr.Dataset:
    """log10 of greatest powers with intervals, and the loads, along labels and bottlenecks."""
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
    """Of every set."""
    return {name: _greatest(data) for name, data in found.items()}


def plane() -> xr.Dataset:
    """Figure 14: the estimated advantage over rate and delay, files of 200 packets, and the buffer [packets]."""
    rate = xr.DataArray(np.geomspace(1e6, 1e10, 161), dims="rate", attrs={"units": "bit/s"})
    delay = xr.DataArray(np.geomspace(1e-4, 0.3, 141), dims="delay", attrs={"units": "s"})
    product = rate / 8 * delay / 1e5
    advantage = laws.power_advantage(product.values, 200)
    return xr.Dataset(
        {"advantage": (product.dims, advantage), "buffer": rate / 8 * delay / 3 / PACKET},
        coords={"rate": rate, "delay": delay},
    )


def _bars(ax: Any, row: xr.Dataset, name: str, x: Any, **style: Any) -> None:
    mean, low, high = (row[name + end].values for end in ("", "_lower", "_upper"))
    ax.errorbar(x, mean, [np.maximum(mean - low, 0), np.maximum(high - mean, 0)], **style)


def _look(label: str, k: int = 0) -> dict[str, Any]:
    return {"color": COLOURS[label], "marker": "os^"[k], "ls": ("-", "--", ":")[k], "ms": 3.5, "lw": 1.1}


def _log_ticks(ax: Any) -> None:
    ax.set(xscale="log", yscale="log")


def _below(figure: Any, handles: list[Any], ncols: int = 4) -> None:
    figure.legend(handles=handles, loc="outside lower center", ncols=ncols)


def draw_6_7(data: xr.Dataset, axes: Any) -> None:
    """Response times and utilisation over arrivals, BW_b = 30 Mbit/s."""
    left, right = axes
    for label in LABELS:
        row = data.sel(label=label, bottleneck=30.0)
        x = row["load"] * REFERENCE.most_arrivals
        _bars(left, row, "response_time", x, **_look(label), label=label)
        _bars(right, row, "utilisation", x, **_look(label), label=label)
    left.set(yscale="log", ylabel="response time R [s]", title="Figure 6")
    right.plot([0, 37.5], [0, 1], color="0.5", lw=0.8, ls=":", label="files alone")
    right.set(ylabel="utilisation of the bottleneck [1]", title="Figure 7", ylim=(0, 1))
    for ax in axes:
        ax.set_xlabel("arrivals [connections/s]")
        ax.legend()


def draw_8(data: xr.Dataset, axes: Any) -> None:
    """Queues over time."""
    for ax, label in zip(axes, data.label.values, strict=True):
        row = data.queue.sel(label=label)
        ax.plot(row.time, row, color=COLOURS[str(label)], lw=0.7)
        ax.set(ylabel="packets waiting", title=str(label), ylim=(0, 78), xlim=(0, TRACE))
    axes[-1].set_xlabel("time [s]")


def draw_9(data: xr.Dataset, ax: Any) -> None:
    """Throughput over arrivals."""
    for label in ("BLT", "TCP"):
        for k, mbit in enumerate(data.bottleneck.values):
            row = data.sel(label=label, bottleneck=mbit)
            x = row["load"] * mbit * MBIT / 1e5
            ax.plot(x, row.throughput / MBIT, **_look(label, k), label=f"{label}, {mbit:g} Mbit/s")
    _log_ticks(ax)
    ax.set(xlabel="arrivals [connections/s]", ylabel="throughput [Mbit/s]")
    ax.legend(ncols=2)


def draw_powers(found: dict[str, xr.Dataset], columns: dict[str, str], axes: Any) -> None:
    """Power, with its ceiling, above fairness."""
    import matplotlib.lines as lines

    for (name, title), (above, below) in zip(columns.items(), np.reshape(axes, (2, -1)).T, strict=True):
        if name not in found:
            continue
        data = found[name]
        for k, path in enumerate(SETS[name]):
            for label in map(str, data.label.values):
                row = data.sel(label=label, bottleneck=path.bottleneck)
                x = row["load"] * path.most_arrivals
                _bars(above, row, "power", x, **_look(label, k))
                _bars(below, row, "fairness", x, **_look(label, k))
            top = float(power.first_come_ceiling(path.capacity, path.file, path.round_trip))
            above.axhline(top, color="0.4", lw=0.9, ls=("-", "--", ":")[k])
        for ax in (above, below):
            ax.set(xscale="log", xlabel="arrivals [connections/s]")
        above.set(yscale="log", ylabel=r"power $\Theta/R$ [B/s$^2$]", title=f"{title}: {TITLES[name]}")
        below.set(ylabel="fairness of files [1]", ylim=(0, 1.02))
    handles = [lines.Line2D([], [], color=COLOURS[label], label=label) for label in LABELS]
    handles += [
        lines.Line2D([], [], color="0.2", marker="os^"[k], ms=3.5, ls=("-", "--", ":")[k], label=f"$BW_b/BW_N$ = {one}")
        for k, one in enumerate(("1/5", "3/5", "1"))
    ]
    handles.append(lines.Line2D([], [], color="0.4", lw=0.9, label="ceiling, in order of arrival"))
    _below(np.ravel(axes)[0].figure, handles, 7 if len(columns) > 2 else 4)


def draw_25_27(data: xr.Dataset, axes: Any) -> None:
    """10 kB: power, power without the last acknowledgment's way, fairness."""
    names = {
        "power": "Figure 25: power",
        "power_without_ack": r"Figure 26: $\Theta/(R - D/2)$",
        "fairness": "Figure 27",
    }
    for ax, (name, title) in zip(axes, names.items(), strict=True):
        for k, path in enumerate(SETS["10 kB"]):
            for label in ("BLT", "TCP"):
                row = data.sel(label=label, bottleneck=path.bottleneck)
                _bars(ax, row, name, row["load"] * path.most_arrivals, **_look(label, k),
                      label=f"{label}, {path.bottleneck:g} Mbit/s")  # fmt: skip
        ax.set(xscale="log", xlabel="arrivals [connections/s]", title=title)
        ax.set_ylabel("fairness of files [1]" if name == "fairness" else r"[B/s$^2$]")
        ax.set(**({"ylim": (0, 1.02)} if name == "fairness" else {"yscale": "log"}))
    axes[0].legend()


def draw_14(data: xr.Dataset, found: dict[str, xr.Dataset], ax: Any) -> None:
    """The plane: contours of the estimate, lines of one product, and the experiments with what they gave."""
    levels = [1.1, 1.5, 2, 3, 4, 5, 6, 7]
    x, y = data.rate / 1e6, 1e3 * data.delay
    field = ax.contourf(x, y, data.advantage.T, levels=[1, *levels, 8], cmap="Blues", alpha=0.75)
    ax.clabel(ax.contour(x, y, data.advantage.T, levels=levels, colors="C0", linewidths=0.7), fontsize="x-small")
    small = data.buffer.T < 1
    ax.contourf(x, y, small, levels=[0.5, 1.5], colors="none", hatches=["///"])
    for product in (1e4, 1e5, 1e6, 1e7):
        ax.plot(x, 8e3 * product / (1e6 * x), color=EQUAL, ls=":", lw=0.9)
    for name, one in found.items():
        if TITLES[name].endswith("100 kB"):
            for path in SETS[name]:
                both = one.power.sel(bottleneck=path.bottleneck)
                factor = 10 ** float(both.sel(label="BLT") - both.sel(label="TCP"))
                ax.plot(path.bottleneck, 1e3 * path.round_trip, "o", color="C3" if factor > 1 else "k", ms=4)
                ax.annotate(f"{factor:.1f}", (path.bottleneck, 1e3 * path.round_trip), (3, 3),
                            textcoords="offset points", fontsize="small")  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="bottleneck [Mbit/s]", ylabel="round trip D [ms]", ylim=(0.1, 300))
    ax.set_title("Figure 14: greatest power of BLT over TCP's, files of 100 kB.\nShaded: estimate without losses; "
                 "points: simulated; hatched: no packet fits into BW D/3")  # fmt: skip
    ax.figure.colorbar(field, ax=ax, label="estimated advantage [1]")


def draw_28_29(data: xr.Dataset, axes: Any) -> None:
    """The bully-tyrant beside the others."""
    for ax, name in zip(axes, ("power", "fairness"), strict=True):
        for label in data.label.values:
            row = data.sel(label=label, bottleneck=30.0)
            _bars(ax, row, name, row["load"] * REFERENCE.most_arrivals, **_look(str(label)), label=str(label))
        ax.set(xscale="log", xlabel="arrivals [connections/s]")
    axes[0].set(yscale="log", ylabel=r"power [B/s$^2$]", title="Figure 28")
    axes[1].set(ylabel="fairness of files [1]", title="Figure 29", ylim=(0, 1.02))
    axes[0].legend()


def draw_30_31(found: dict[str, xr.Dataset], axes: Any) -> None:
    """Greatest powers, log scale and at 1 Gbit/s in plain numbers."""
    left, right = axes
    names = [name for name in found if TITLES[name].endswith("100 kB")]
    for k, name in enumerate(names):
        one = found[name]
        for label in ("BLT", "TCP"):
            row = one.sel(label=label)
            place = 4 * k + np.arange(3)
            _bars(left, row, "power", place, **_look(label), label=label if k == 0 else None)
        top = [np.log10(power.first_come_ceiling(p.capacity, p.file, p.round_trip)) for p in SETS[name]]
        left.plot(4 * k + np.arange(3), top, "_", color="0.4", ms=12, label="ceiling" if k == 0 else None)
    left.set_xticks([4 * k + 1 for k in range(len(names))], [f"{n}\n1/5, 3/5, 1" for n in names], fontsize="small")
    left.set(ylabel=r"log$_{10}$ of the greatest power [B/s$^2$]", title="Figure 30")
    left.legend()
    one = found["1 Gbit/s"]
    for label in ("BLT", "TCP"):
        right.plot(one.bottleneck, 10 ** one.power.sel(label=label), **_look(label), label=label)
    right.plot([200, 600, 1000], 10 ** np.array(PRINTED["BLT", "1 Gbit/s"]), "x", color="C0", label="printed")
    right.plot([200, 600, 1000], 10 ** np.array(PRINTED["TCP", "1 Gbit/s"]), "x", color="C1", label="printed")
    right.set(
        xlabel="bottleneck [Mbit/s]", ylabel=r"greatest power [B/s$^2$]", title="Figure 31: 1 Gbit/s", ylim=(0, None)
    )
    right.legend()


def draw_readings(found: dict[str, xr.Dataset], data: dict[str, xr.Dataset], ax: Any) -> None:
    """Differences from the printed cells in log10, a row for every reading."""
    rows = blt_tables.all_readings(found, data)
    for y, cells in enumerate(rows.values()):
        for k, (_, (ours, value)) in enumerate(cells.items()):
            ax.plot(ours - value, -y, "os^osv"[k], ms=5, color="C0" if k < 3 else "C3", mfc=None if k < 3 else "none")
    ax.set_yticks([-y for y in range(len(rows))], list(rows))
    ax.axvspan(-0.2, 0.2, color="0.9", zorder=0)
    ax.axvline(0, color="0.5", lw=0.8)
    ax.set(xlabel="log$_{10}$ of greatest power less the printed one", xlim=(-0.7, 0.7))
    for k, (what, colour) in enumerate((("150 Mbit/s", "C0"), ("1 Gbit/s", "C3"))):
        ax.plot([], [], "o", color=colour, mfc=None if k == 0 else "none", label=what)
    ax.legend(loc="lower left")
    ax.set_title("Table 1 under every reading; BW_b/BW_N = 1/5, 3/5, 1: circle, square, triangle")


def draw_outlook(large: xr.Dataset, beside: xr.Dataset, small: xr.Dataset, axes: Any) -> None:
    """Buffers, cross traffic, interactive traffic."""
    first, second, third = axes
    for label in large.label.values:
        row = large.sel(label=label).isel(bottleneck=0)
        _bars(first, row, "power", large.buffers, **_look(str(label)), label=str(label))
    first.set(
        xscale="log", xlabel="buffer [BW_b D/3]", ylabel=r"log$_{10}$ of the greatest power", title="Larger buffers"
    )
    first.legend()
    for k, kind in enumerate(beside.cross.values):
        for label in beside.label.values:
            row = beside.sel(cross=kind, label=label).isel(bottleneck=0)
            _bars(second, row, "power", row["load"], **_look(str(label), k), label=f"{label}, {kind}")
    second.set(yscale="log", xlabel="load of files [capacities]", ylabel=r"power [B/s$^2$]",
               title="Beside uncontrolled traffic of 0.3")  # fmt: skip
    second.legend(fontsize="x-small")
    for label in small.label.values:
        row = small.sel(label=label).isel(bottleneck=0)
        _bars(third, row, "small_transfer_time", row["load"], **_look(str(label)), label=str(label))
    third.set(yscale="log", xlabel="load of 100 kB files [capacities]", ylabel="response time of 2 kB files [s]",
              title="Interactive files beside big ones")  # fmt: skip
    third.legend()


def write(directory: str | Path = HERE, scale: Scale = FULL, store: str | Path | None = None) -> dict[str, Any]:
    """Simulate, draw and write every picture with its data, and the tables.

    Parameters
    ----------
    directory : str or Path
        Where.
    scale : Scale
        How much; `QUICK` to see that all works.
    store : str or Path, optional
        Directory for finished runs.
    """
    import matplotlib.pyplot as plt

    sweeps = Sweeps(scale, store)
    found = sets(sweeps)
    tops = greatest(found)
    data: dict[str, Any] = {
        "sets": found, "greatest": tops, "tyrant": tyrant(sweeps), "queues": queues(), "plane": plane(),
        "readings": readings(sweeps), "buffers": buffers(sweeps), "cross": cross(sweeps),
        "interactive": interactive(sweeps),
    }  # fmt: skip
    read = {name: _greatest(one) for name, one in data["readings"].items()}
    data["greatest_readings"] = read
    pictures: dict[str, tuple[tuple[int, int], tuple[float, float], Any, str]] = {
        "6_7": ((1, 2), (10, 4.4), lambda ax: draw_6_7(found["reference"], ax), f"Kim and Farber, simulated: {BARS}"),
        "8": ((2, 1), (10, 4.6), lambda ax: draw_8(data["queues"], ax),
              "Figure 8, simulated: buffer of 75 packets, 30 of 150 Mbit/s, half of the capacity offered"),
        "9": ((1, 1), (6.4, 4.8), lambda ax: draw_9(found["reference"], ax), "Figure 9, simulated: reference network"),
        **{
            name: ((2, len(columns)), (4.9 * len(columns), 8.4),
                   lambda ax, columns=columns: draw_powers(found, columns, ax), f"Powers and fairness; {BARS}")
            for name, columns in FIGURES.items() if set(columns) & set(found)
        },
        "25_27": ((1, 3), (13, 4.4), lambda ax: draw_25_27(found["10 kB"], ax), f"Files of 10 kB; {BARS}"),
        "14": ((1, 1), (8, 6), lambda ax: draw_14(data["plane"], tops, ax), ""),
        "28_29": ((1, 2), (10, 4.4), lambda ax: draw_28_29(data["tyrant"], ax), f"Bully-Tyrant; {BARS}"),
        "30_31": ((1, 2), (12, 4.8), lambda ax: draw_30_31(tops, ax), "Greatest powers, files of 100 kB"),
        "readings": ((1, 1), (9, 6.4), lambda ax: draw_readings(tops, read, ax), ""),
        "outlook": ((1, 3), (14, 4.6),
                    lambda ax: draw_outlook(data["buffers"], data["cross"], data["interactive"], ax),
                    f"What the paper leaves to the future: 30 of 150 Mbit/s, 30 ms, 100 kB; {BARS}"),
    }  # fmt: skip
    with whole_figures(directory) as files:
        for name, (shape, size, draw, title) in pictures.items():
            figure, axes = plt.subplots(*shape, figsize=size)
            draw(axes)
            if title:
                figure.suptitle(title, fontsize="medium", ha="left", x=0.01)
            save(files, figure, f"blt_{name}")
        for name, one in found.items():
            one.to_netcdf(files.path(f"blt_{name.replace('/', '_').replace(', ', '_').replace(' ', '_')}.nc"))
        text = blt_tables.tables(found, tops, read, data, sweeps.packets, sweeps.seconds)
        files.path("blt_tables.md").write_text(text, encoding="utf-8")
    return data


if __name__ == "__main__":
    arguments = sys.argv[1:]
    kept = arguments[arguments.index("--store") + 1] if "--store" in arguments else None
    write(scale=QUICK if "--quick" in arguments else FULL, store=kept)

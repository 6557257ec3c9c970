"""Pictures of BLT, TCP and the Bully-Tyrant: what `figures.blt` has simulated."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from figures import blt_tables
from figures.writing import bars
from longfat.laws import power
from longfat.verify.published.blt_measured import PRINTED
from longfat.verify.published.blt_scenarios import MBIT, SETS
from longfat.verify.published.blt_scenarios import Path as Network

LABELS = ("BLT", "TCP", "BLT, corrected switch")
COLOURS = {"BLT": "C0", "TCP": "C1", "BLT, corrected switch": "C2", "Bully-Tyrant": "C3"}
TITLES = {
    "reference": "reference: 150 Mbit/s, 30 ms, 100 kB", "1 Gbit/s": "1 Gbit/s, 30 ms, 100 kB",
    "3 ms": "150 Mbit/s, 3 ms, 100 kB", "1.8 ms": "150 Mbit/s, 1.8 ms, 100 kB",
    "15 Mbit/s": "15 Mbit/s, 30 ms, 100 kB", "1 MB": "150 Mbit/s, 30 ms, 1 MB",
    "1 MB, 1 Gbit/s": "1 Gbit/s, 30 ms, 1 MB", "10 kB": "150 Mbit/s, 30 ms, 10 kB",
}  # fmt: skip
REFERENCE = Network(150.0, 30.0)
TRACE = 4.0  # s of figure 8
EQUAL = "0.75"  # grey of lines of one product


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
        bars(left, x, row, "response_time", **_look(label), label=label)
        bars(right, x, row, "utilisation", **_look(label), label=label)
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
                bars(above, x, row, "power", **_look(label, k))
                bars(below, x, row, "fairness", **_look(label, k))
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
                bars(ax, row["load"] * path.most_arrivals, row, name, **_look(label, k),
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
            bars(ax, row["load"] * REFERENCE.most_arrivals, row, name, **_look(str(label)), label=str(label))
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
            bars(left, place, row, "power", **_look(label), label=label if k == 0 else None)
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
        bars(first, large.buffers, row, "power", **_look(str(label)), label=str(label))
    first.set(
        xscale="log", xlabel="buffer [BW_b D/3]", ylabel=r"log$_{10}$ of the greatest power", title="Larger buffers"
    )
    first.legend()
    for k, kind in enumerate(beside.cross.values):
        for label in beside.label.values:
            row = beside.sel(cross=kind, label=label).isel(bottleneck=0)
            bars(second, row["load"], row, "power", **_look(str(label), k), label=f"{label}, {kind}")
    second.set(yscale="log", xlabel="load of files [capacities]", ylabel=r"power [B/s$^2$]",
               title="Beside uncontrolled traffic of 0.3")  # fmt: skip
    second.legend(fontsize="x-small")
    for label in small.label.values:
        row = small.sel(label=label).isel(bottleneck=0)
        bars(third, row["load"], row, "small_transfer_time", **_look(str(label)), label=str(label))
    third.set(yscale="log", xlabel="load of 100 kB files [capacities]", ylabel="response time of 2 kB files [s]",
              title="Interactive files beside big ones")  # fmt: skip
    third.legend()

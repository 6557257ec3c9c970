"""Pictures of BLT, TCP and the Bully-Tyrant, drawn from the data of `figures.blt`."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from figures.blt import tables as blt_tables
from figures.blt.networks import MBIT, SETS
from figures.blt.networks import Path as Network
from figures.blt.runs import STREAM, STREAMS
from figures.blt.table_1 import PRINTED, ceiling
from figures.blt.table_1 import RATIO_NAMES as RATIOS
from figures.writing import bars
from longfat.laws import blt as laws
from longfat.laws import power
from longfat.plot.axes import log_ticks

LABELS = ("BLT", "TCP", "BLT, corrected switch")
COLOURS = {"BLT": "C0", "TCP": "C1", "BLT, corrected switch": "C2", "Bully-Tyrant": "C3"}
TITLES = {
    "reference": "150 Mbit/s, 30 ms, 100 kB", "1 Gbit/s": "1 Gbit/s, 30 ms, 100 kB",
    "3 ms": "150 Mbit/s, 3 ms, 100 kB", "1.8 ms": "150 Mbit/s, 1.8 ms, 100 kB",
    "15 Mbit/s": "15 Mbit/s, 30 ms, 100 kB", "1 MB": "150 Mbit/s, 30 ms, 1 MB",
    "1 MB, 1 Gbit/s": "1 Gbit/s, 30 ms, 1 MB", "10 kB": "150 Mbit/s, 30 ms, 10 kB",
}  # fmt: skip
REFERENCE = Network(150.0, 30.0)
TRACE = 4.0  # s of figure 8
MIDDLE = 90  # Mbit/s, the middle one of the reference networks
CEILING = "0.4"  # grey of the upper bound of the power
EQUAL = "0.6"  # grey of lines of one bandwidth-delay product
ROUNDED = 0.05  # greatest difference in log10 of values that are equal as printed, to one digit
MARKERS, DASHES = "os^", ("-", "--", ":")  # by bottleneck


def _look(label: str, k: int = 0) -> dict[str, Any]:
    return {"color": COLOURS[label], "marker": MARKERS[k], "ls": DASHES[k], "ms": 3.5, "lw": 1.1}


def _below(figure: Any, handles: list[Any], ncols: int = 4) -> None:
    figure.legend(handles=handles, loc="outside lower center", ncols=ncols)


def windows() -> np.ndarray:
    """Return the window of each packet: 1, 2, 4, ... packets, as in slow start (Kim and Farber, section 3.3.1)."""
    return np.floor(np.log2(np.arange(STREAM) + 1)).astype(int)


def draw_3(data: xr.Dataset, axes: Any) -> None:
    """Draw the packets over time, a colour for each window."""
    for ax, scheme in zip(axes, STREAMS, strict=True):
        window = windows()
        for k in range(window.max() + 1):
            mine = window == k
            ax.plot(
                1e3 * data.departure.sel(scheme=scheme)[mine], np.arange(STREAM)[mine], ls="", ms=3,
                marker="osv^D*P"[k], color=f"C{k}", label=f"{mine.sum()}",
            )  # fmt: skip
        ax.set(xlabel="time [ms]", title=scheme, xlim=(-5, 195))
    axes[0].set_ylabel("packet")
    axes[0].legend(title="packets of the window", fontsize="x-small", ncols=2, loc="upper left")


def draw_1_2(axes: Any) -> None:
    """Draw the windows that a stream stands for, all of which begin with the same packet, and those that are sent."""
    sizes = [2**k for k in range(5)]
    starts = np.cumsum([0, *sizes[:-1]])
    titles = "Figure 1: the windows that a stream stands for", "Figure 2: the windows as they are sent"
    for ax, begins, title in zip(axes, (np.zeros(5, int), starts), titles, strict=True):
        for k, (first, size) in enumerate(zip(begins, sizes, strict=True)):
            ax.barh([k] * size, [0.9] * size, left=np.arange(first, first + size) + 0.05, color=f"C{k}")
        ax.set(title=title, xlabel="packet, counted from the first of the stream", xlim=(0, 31), ylim=(4.6, -0.6))
        ax.set_yticks(range(5), [f"{k}" for k in range(5)])
    axes[0].set_ylabel("window, and priority")


def draw_5(data: xr.Dataset, axes: Any) -> None:
    """Draw throughput, response time and power over the load."""
    scales = {"throughput": (8e-6, "throughput [Mbit/s]"), "response_time": (1e3, "response time [ms]"),
              "power": (1e-6, "power [10$^6$ bytes/s$^2$]")}  # fmt: skip
    for ax, (name, (scale, words)) in zip(axes, scales.items(), strict=True):
        for k, label in enumerate(STREAMS):
            one = data.sel(label=label, bottleneck=MIDDLE)
            bars(
                ax, one["load"].values, one, name, scale, color=f"C{k}", marker=MARKERS[k], ms=4, capsize=2, label=label
            )
            knee = float(one["load"][int(np.argmax(one.power.values))])
            ax.axvline(knee, color=f"C{k}", ls=":", lw=1, label=f"{label}, knee")
        ax.set(xlabel="offered load [1]", ylabel=words, yscale="log" if name == "response_time" else "linear")
        if name != "response_time":
            ax.set_ylim(0, None)
    axes[0].legend(loc="upper left")


def draw_6_7(data: xr.Dataset, axes: Any) -> None:
    """Draw response times and utilisation over arrivals, with BW_b = 30 Mbit/s."""
    left, right = axes
    for label in LABELS:
        row = data.sel(label=label, bottleneck=30.0)
        x = row["load"] * REFERENCE.most_arrivals
        bars(left, x, row, "response_time", **_look(label), label=label)
        bars(right, x, row, "utilisation", **_look(label), label=label)
    left.set(yscale="log", ylabel="response time R [s]", title="Figure 6")
    right.plot([0, 37.5], [0, 1], color="0.5", lw=0.8, ls=":", label="files alone")
    right.set(ylabel="utilisation of the bottleneck [1]", title="Figure 7", ylim=(0, 1.02))
    for ax in axes:
        ax.set(xlabel="arrivals [connections/s]", xlim=(0, None))
        ax.legend()


def draw_8(data: xr.Dataset, axes: Any) -> None:
    """Draw the queue lengths over time."""
    for ax, label in zip(axes, data.label.values, strict=True):
        row = data.queue.sel(label=label)
        ax.plot(row.time, row, color=COLOURS[str(label)], lw=0.7)
        ax.set(ylabel="queue length [packets]", title=str(label), ylim=(0, 78), xlim=(0, TRACE))
    axes[-1].set_xlabel("time [s]")


def draw_9(data: xr.Dataset, ax: Any) -> None:
    """Draw throughput over arrivals."""
    for label in ("BLT", "TCP"):
        for k, mbit in enumerate(data.bottleneck.values):
            row = data.sel(label=label, bottleneck=mbit)
            x = row["load"] * mbit * MBIT / 1e5
            ax.plot(x, row.throughput / MBIT, **_look(label, k), label=f"{label}, {mbit:g} Mbit/s")
    ax.set(xscale="log", yscale="log", xlabel="arrivals [connections/s]", ylabel="throughput [Mbit/s]")
    log_ticks(ax.xaxis)
    log_ticks(ax.yaxis)
    ax.legend(ncols=2)


def draw_powers(found: dict[str, xr.Dataset], columns: dict[str, str], axes: Any) -> None:
    """Draw power with its upper bound, and fairness below it."""
    for (name, title), (above, below) in zip(columns.items(), np.reshape(axes, (2, -1)).T, strict=True):
        data = found[name]
        for k, path in enumerate(SETS[name]):
            for label in map(str, data.label.values):
                row = data.sel(label=label, bottleneck=path.bottleneck)
                x = row["load"] * path.most_arrivals
                bars(above, x, row, "power", **_look(label, k))
                bars(below, x, row, "fairness", **_look(label, k))
            top = float(power.first_come_ceiling(path.capacity, path.file, path.round_trip))
            above.axhline(top, color=CEILING, lw=0.9, ls=DASHES[k])
        for ax in (above, below):
            ax.set(xscale="log", xlabel="arrivals [connections/s]")
            log_ticks(ax.xaxis)
        above.set(yscale="log", ylabel=r"power $\Theta/R$ [B/s$^2$]", title=f"{title}: {TITLES[name]}")
        log_ticks(above.yaxis)
        below.set(ylabel="fairness of files [1]", ylim=(0, 1.02))
    drawn = [label for label in LABELS if any(label in found[name].label for name in columns)]
    handles = [Line2D([], [], color=COLOURS[label], label=label) for label in drawn]
    handles += [Line2D([], [], alpha=0, label=" ")] * (3 - len(drawn))  # a column each
    handles += [
        Line2D([], [], color="0.2", marker=MARKERS[k], ms=3.5, ls=DASHES[k], label=f"$BW_b/BW_N$ = {one}")
        for k, one in enumerate(RATIOS)
    ]
    handles += [
        Line2D([], [], color=CEILING, lw=0.9, ls=DASHES[k], label=f"upper bound, first-come service, {one}")
        for k, one in enumerate(RATIOS)
    ]
    _below(np.ravel(axes)[0].figure, handles, 3)


def draw_25_27(data: xr.Dataset, axes: Any) -> None:
    """Draw files of 10 kB: power, power without the return delay of the last acknowledgment, fairness."""
    names = {
        "power": "Figure 25: power",
        "power_without_ack": r"Figure 26: $\Theta/(R - D/2)$",
        "fairness": "Figure 27: fairness",
    }
    for ax, (name, title) in zip(axes, names.items(), strict=True):
        for k, path in enumerate(SETS["10 kB"]):
            for label in ("BLT", "TCP"):
                row = data.sel(label=label, bottleneck=path.bottleneck)
                bars(ax, row["load"] * path.most_arrivals, row, name, **_look(label, k),
                      label=f"{label}, {path.bottleneck:g} Mbit/s")  # fmt: skip
        ax.set(xscale="log", xlabel="arrivals [connections/s]", title=title)
        ax.set_ylabel("fairness of files [1]" if name == "fairness" else r"power [B/s$^2$]")
        ax.set(**({"ylim": (0, 1.02)} if name == "fairness" else {"yscale": "log"}))
        log_ticks(ax.xaxis)
    axes[0].legend()


def draw_14(data: xr.Dataset, found: dict[str, xr.Dataset], ax: Any) -> None:
    """Draw the bandwidth-delay plane: contours of the estimate, lines of one BDP, and simulated points."""
    levels = [1.1, 1.5, 2, 3, 4, 5, 6, 7]
    x, y = data.rate / 1e6, 1e3 * data.delay
    field = ax.contourf(x, y, data.advantage.T, levels=[1, *levels, 8], cmap="Blues", alpha=0.75)
    lines = ax.contour(x, y, data.advantage.T, levels=levels, colors="C0", linewidths=0.7)
    small = data.buffer.T < 1
    ax.contourf(x, y, small, levels=[0.5, 1.5], colors="none", hatches=["///"])
    for bdp in (1e4, 1e5, 1e6, 1e7):
        ax.plot(x, 8e3 * bdp / (1e6 * x), color=EQUAL, ls=":", lw=0.9)
    for name, one in found.items():
        if TITLES[name].endswith("100 kB"):
            for path in SETS[name]:
                both = one.power.sel(bottleneck=path.bottleneck)
                factor = 10 ** float(both.sel(label="BLT") - both.sel(label="TCP"))
                ax.plot(path.bottleneck, 1e3 * path.round_trip, "o", color="C3" if factor > 1 else "k", ms=4)
                below = name == "1 Gbit/s"  # beside the reference's, which are above
                ax.annotate(f"{factor:.1f}", (path.bottleneck, 1e3 * path.round_trip), (0, -5 if below else 5),
                            textcoords="offset points", fontsize="small", ha="center",
                            va="top" if below else "bottom")  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="bottleneck $BW_b$ [Mbit/s]", ylabel="round trip D [ms]",
           xlim=(float(x[0]), float(x[-1])), ylim=(0.1, 300))  # fmt: skip
    # Contour labels stand where contours cross D = rate/1000, away from the points.
    bdps = np.geomspace(1e3, 1e8, 2000)  # bytes; 0.125 x^2 on that line
    along = np.sqrt(8 * np.interp(levels, laws.power_advantage(bdps / 1e5, 200), bdps))
    words = ax.clabel(lines, levels, fontsize="x-small", colors="black", manual=[(one, one / 1e3) for one in along])
    for text in words:
        text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    ax.set_title("Figure 14: greatest power of BLT over TCP's, files of 100 kB. Points: simulated. Shaded: estimate\n"
                 "without losses; on paths of 1.8 and 3 ms TCP also waits for timeouts, which the estimate leaves out",
                 fontsize="small")  # fmt: skip
    ax.figure.colorbar(field, ax=ax, label="estimated advantage [1]", ticks=[1, *levels, 8])
    look: dict[str, Any] = {"marker": "o", "ls": "", "ms": 4}
    handles: list[Any] = [
        Line2D([], [], color="C3", label="simulated: BLT has more power", **look),
        Line2D([], [], color="k", label="simulated: TCP has more power", **look),
        Line2D([], [], color=EQUAL, ls=":", lw=0.9, label="$BW_b\\,D$ = 10 kB, 100 kB, 1 MB, 10 MB"),
        Patch(facecolor="none", edgecolor="black", hatch="///", label="no packet fits into $BW_b\\,D/3$"),
    ]
    _below(ax.figure, handles, 2)


def draw_28_29(data: xr.Dataset, axes: Any) -> None:
    """Draw power and fairness of the Bully-Tyrant and the other schemes."""
    for ax, name in zip(axes, ("power", "fairness"), strict=True):
        for label in data.label.values:
            row = data.sel(label=label, bottleneck=30.0)
            bars(ax, row["load"] * REFERENCE.most_arrivals, row, name, **_look(str(label)), label=str(label))
        ax.set(xscale="log", xlabel="arrivals [connections/s]")
        log_ticks(ax.xaxis)
    axes[0].set(yscale="log", ylabel=r"power [B/s$^2$]", title="Figure 28")
    axes[1].set(ylabel="fairness of files [1]", title="Figure 29", ylim=(0, 1.02))
    axes[0].legend()


def draw_30_31(found: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw the greatest powers, on a logarithmic scale and, for 1 Gbit/s, on a linear one."""
    left, right = axes
    names = [name for name in found if TITLES[name].endswith("100 kB")]
    for k, name in enumerate(names):
        one = found[name]
        for label in ("BLT", "TCP"):
            row = one.sel(label=label)
            place = 4 * k + np.arange(3)
            bars(left, place, row, "power", **_look(label), label=label if k == 0 else None)
        top = [ceiling(path) for path in SETS[name]]
        left.plot(4 * k + np.arange(3), top, "_", color="0.4", ms=12, label="upper bound" if k == 0 else None)
    left.set_xticks([4 * k + 1 for k in range(len(names))], [f"{n}\n1/5, 3/5, 1" for n in names], fontsize="small")
    left.set(ylabel=r"log$_{10}$ of the greatest power [B/s$^2$]", title="Figure 30",
             xlabel="network, and its three ratios $BW_b/BW_N$")  # fmt: skip
    left.legend()
    one = found["1 Gbit/s"]
    for label in ("BLT", "TCP"):
        plain = 10 ** one.sel(label=label) / 1e9
        bars(right, one.bottleneck, plain, "power", **_look(label), label=label)
        printed = 10 ** np.array(PRINTED[label, "1 Gbit/s"], dtype=float) / 1e9
        right.plot([200, 600, 1000], printed, "x", color=COLOURS[label], label=f"{label}, printed")
    right.set(
        xlabel="bottleneck [Mbit/s]", ylabel=r"greatest power [10$^9$ B/s$^2$]", title="Figure 31: 1 Gbit/s",
        ylim=(0, None),
    )  # fmt: skip
    right.legend()


def draw_interpretations(found: dict[str, xr.Dataset], data: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw simulated powers over the printed ones: a row for each interpretation, a panel for each network."""
    rows = blt_tables.all_interpretations(found, data)
    off = {name: [ours - printed for ours, printed in cells.values()] for name, cells in rows.items()}
    # BLT above TCP, and in both the interpretation first whose worst cell is nearest.
    names = sorted(rows, key=lambda name: (name.startswith("TCP"), max(map(abs, off[name]))))
    equal = [name for name in names if max(map(abs, off[name])) <= ROUNDED]
    for j, (ax, network) in enumerate(zip(axes, ("150 Mbit/s", "1 Gbit/s"), strict=True)):
        for y, name in enumerate(names):
            for k, value in enumerate(10 ** np.array(off[name][3 * j : 3 * j + 3])):
                ax.plot(value, -y, MARKERS[k], ms=5, color=f"C{k}")
        ax.axvspan(10**-ROUNDED, 10**ROUNDED, color="0.9", zorder=0, label="equal as rounded")
        ax.set(xscale="log", xlim=(0.6, 4), xlabel="power, simulated over printed [1]", title=network)
        ax.set_yticks([-y for y in range(len(names))], names if j == 0 else [])
        log_ticks(ax.xaxis)
    handles = [
        Line2D([], [], color=f"C{k}", marker=marker, lw=0, label=f"$BW_b/BW_N$ = {ratio}")
        for k, (marker, ratio) in enumerate(zip(MARKERS, RATIOS, strict=True))
    ]
    _below(axes[0].figure, [*handles, axes[0].patches[0]], 4)
    title = f"{len(equal)} of {len(rows)} interpretations give all six printed powers of table 1"
    axes[0].figure.suptitle(title, fontsize="medium", ha="left", x=0.01)


def draw_outlook(large: xr.Dataset, beside: xr.Dataset, small: xr.Dataset, axes: Any) -> None:
    """Draw the effects of buffers, cross traffic and interactive traffic."""
    first, second, third = axes
    for label in large.label.values:
        row = large.sel(label=label).isel(bottleneck=0)
        bars(first, large.buffers, row, "power", **_look(str(label)), label=str(label))
    first.set(
        xscale="log", xlabel="buffer [$BW_b\\,D/3$]", ylabel=r"log$_{10}$ of the greatest power [B/s$^2$]",
        title="Larger buffers",
    )  # fmt: skip
    log_ticks(first.xaxis)
    for k, kind in enumerate(beside.cross.values):
        for label in beside.label.values:
            row = beside.sel(cross=kind, label=label).isel(bottleneck=0)
            bars(second, row["load"], row, "power", **_look(str(label), k))
    second.set(yscale="log", xlabel="load of files [capacities]", ylabel=r"power [B/s$^2$]",
               title="Beside uncontrolled traffic, load 0.3")  # fmt: skip
    log_ticks(second.yaxis)
    for label in small.label.values:
        row = small.sel(label=label).isel(bottleneck=0)
        bars(third, row["load"], row, "small_transfer_time", **_look(str(label)), label=str(label))
    third.set(yscale="log", xlabel="load of 100 kB files [capacities]", ylabel="response time of 2 kB files [s]",
              title="Interactive files beside large ones")  # fmt: skip
    handles = [Line2D([], [], label=str(label), **_look(str(label))) for label in small.label.values]
    handles += [Line2D([], [], color="0.4", marker=MARKERS[k], ls=DASHES[k], ms=3.5, lw=1.1, label=f"beside {kind}")
                for k, kind in enumerate(("Poisson traffic", "self-similar traffic"))]  # fmt: skip
    _below(third.figure, handles, len(handles))

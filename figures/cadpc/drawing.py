"""Pictures of CADPC and its competitors, drawn from the data of `figures.cadpc`."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from figures.cadpc.networks import MBIT, PERIOD
from figures.writing import CUT, bars

BARS = "bars: 95 % intervals"
CUT_BARS = f"{BARS}, {CUT}"
COLOURS = dict(
    zip(
        ("CADPC", "Reno", "SACK", "Vegas", "RAP", "GAIMD", "TFRC", "TEAR", "XCP"),
        ("C0", "C1", "C2", "C3", "C4", "C5", "0.45", "0.65", "C6"),
        strict=True,
    )
)
MARKERS = dict(zip(COLOURS, "osD^v<>PX", strict=True))
PANELS = {  # of figure 3
    "throughput": "throughput [capacities]",
    "loss": "packet loss [1]",
    "mean_queue": "mean queue [packets]",
    "jain_index": "Jain index of the flows' goodputs [1]",
}


def spread(rates: xr.DataArray, span: int = 10) -> xr.DataArray:
    """Return the largest over the smallest rate of the flows that have started, over ``span`` samples."""
    smooth = rates.rolling(time=span).mean().dropna("time")
    ratio: xr.DataArray = smooth.max("flow") / smooth.min("flow").where(smooth.min("flow") > 0)
    return ratio


def _look(label: str) -> dict[str, Any]:
    first = label.split(",")[0]
    other = {"ls": "--", "mfc": "none"} if "," in label else {}
    return {"color": COLOURS[first], "marker": MARKERS[first], "ms": 4.5, "lw": 1.1, "label": label} | other


def draw_1(data: xr.Dataset, axes: Any) -> None:
    """Draw bytes over time, a panel for each bottleneck."""
    for ax, mbit in zip(axes, data.bottleneck.values, strict=True):
        for label in data.scheme.values:
            row = data.received.sel(scheme=label, bottleneck=mbit) / 1e6
            for k, flow in enumerate(row.flow.values):
                style = {"color": COLOURS[label], "lw": 0.9, "ls": "-" if label == "CADPC" else "--"}
                ax.plot(row.time, row.sel(flow=flow), **style, label=label if k == 0 else None)
        ax.plot(row.time, mbit * MBIT / 1e6 * row.time / 11, color="0.4", lw=0.8, ls=":", label="1/11 of the capacity")
        ax.set(xlabel="time [s]", title=f"{mbit:g} Mbit/s", xlim=(0, 160), ylim=(0, None))
        ax.legend()
    axes[0].set_ylabel("bytes transferred, each flow [MB]")


def draw_2(data: xr.Dataset, axes: Any) -> None:
    """Draw rates: starts apart (left), unequal periods with equal starts (middle), and rate ratios (right)."""
    left, middle, right = axes
    for k, flow in enumerate(data.flow.values):
        grey = {"color": str(0.1 + 0.07 * k), "lw": 1}
        left.plot(data.time_staggered, data.staggered.sel(flow=flow) / MBIT, **grey)
        middle.plot(data.time, data.periods_together.sel(flow=flow) / MBIT, **grey)
    for ax in (left, middle):
        ax.axhline(10 / 11, color="C1", lw=1, ls="--", label="10/11 Mbit/s")
        ax.plot([], [], color="0.1", lw=1, label="flow 1")
        ax.plot([], [], color=str(0.1 + 0.07 * (data.sizes["flow"] - 1)), lw=1, label=f"flow {data.sizes['flow']}")
        ax.set(xlabel="time [s]", ylabel="rate of a flow [Mbit/s]", ylim=(0, None))
        ax.legend()
    left.set_title("Figure 2, left: starts 10 s apart")
    middle.set(title="Figure 2, right: flow i updates every 4 (i + 1) round trips", xlim=(0, 600))
    middle.axvline(160, color="0.5", lw=0.8)
    middle.text(166, 0.1, "160 s", fontsize="small")
    for name, label in (("periods_together", "starts together"), ("periods_apart", "starts 4 s apart")):
        ratio = spread(data[name])
        ratio = ratio.sel(time=slice(80, None))
        right.plot(ratio.time, ratio, label=label)
    right.axvline(160, color="0.5", lw=0.8)
    right.text(175, 1.0, "160 s", fontsize="small")
    right.set(xlabel="time [s]", ylabel="largest over smallest rate [1]", yscale="log", ylim=(0.95, None))
    ticks = (1, 2, 5, 10, 20, 50, 100, 200)
    right.set_yticks(ticks, map(str, ticks))
    right.set_yticks([], minor=True)
    right.set_title("Ratio of rates averaged over 40 s")
    right.legend()


def _limits(ax: Any, name: str) -> None:
    """Set axis limits so that impossible values are not shown and markers at 0 are complete."""
    if name in ("mean_queue", "loss"):
        ax.set_ylim(-0.02 * ax.get_ylim()[1], None)
    elif name == "jain_index":
        ax.set_ylim(None, 1.02)


def draw_panels(data: xr.Dataset, axes: Any, along: str, scale: float, xlabel: str) -> None:
    """Draw throughput, loss, queue and fairness over one coordinate."""
    for ax, (name, label) in zip(np.ravel(axes), PANELS.items(), strict=True):
        for scheme in data.scheme.values:
            row = data.sel(scheme=scheme)
            bars(ax, scale * row[along], row, name, **_look(str(scheme)))
        ax.set(xlabel=xlabel, ylabel=label, xscale="log")
        if name == "loss":
            ax.set_yscale("symlog", linthresh=1e-4)
            ax.set_ylim(-1e-5, 0.5)
        else:
            _limits(ax, name)
        ticks = scale * data[along].values
        ax.set_xticks(ticks, [f"{one:g}" for one in ticks])
        ax.set_xticks([], minor=True)
    _legend_below(np.ravel(axes)[0])


def _legend_below(ax: Any) -> None:
    handles, labels = ax.get_legend_handles_labels()
    ax.figure.legend(handles, labels, loc="outside lower center", ncols=5)


def draw_queues(data: xr.Dataset, axes: Any) -> None:
    """Draw the same four quantities for each queue discipline, schemes side by side."""
    names = {"fifo": "drop-tail", "red": "RED", "rem": "REM", "avq": "AVQ"}
    for ax, (name, label) in zip(np.ravel(axes), PANELS.items(), strict=True):
        for k, scheme in enumerate(data.scheme.values):
            row = data.sel(scheme=scheme)
            place = np.arange(data.sizes["queue"]) + 0.09 * (k - (data.sizes["scheme"] - 1) / 2)
            bars(ax, place, row, name, **_look(str(scheme)) | {"ls": ""})
        ax.set_xticks(range(data.sizes["queue"]), [names[str(one)] for one in data.queue.values])
        ax.set(xlabel="queue discipline of the bottleneck", ylabel=label)
        _limits(ax, name)
    _legend_below(np.ravel(axes)[0])


def draw_web(data: xr.Dataset, axes: Any) -> None:
    """Draw throughput, losses and queue over the load of the background."""
    labels = {
        "throughput": PANELS["throughput"], "loss": PANELS["loss"], "others_loss": "loss of the background [1]",
        "mean_queue": PANELS["mean_queue"],
    }  # fmt: skip
    for ax, (name, label) in zip(np.ravel(axes), labels.items(), strict=True):
        for scheme in data.scheme.values:
            row = data.sel(scheme=scheme)
            bars(ax, row.web, row, name, **_look(str(scheme)))
        ax.set(xlabel="load of web-like traffic [capacities]", ylabel=label)
        ax.set_ylim(-0.02 * ax.get_ylim()[1], None)
    first = np.ravel(axes)[0]
    first.plot(data.web, 1 - data.web, color="0.4", lw=0.8, ls=":", label="remaining capacity")
    first.plot(data.web, (1 - data.web) * 10 / 11, color="0.4", lw=0.8, ls="--", label="10/11 of it")
    _legend_below(first)


def draw_snmp(data: xr.Dataset, ax: Any) -> None:
    """Draw throughput over the time between updates of the byte counter."""
    for k, clock in enumerate(data.clock.values):
        row = data.sel(clock=clock)
        look: dict[str, Any] = {"color": f"C{k}", "marker": "os"[k], "ms": 5, "label": f"timestamp: {clock}"}
        bars(ax, row.refresh, row, "throughput", **look)
    ax.axhline(10 / 11, color="0.4", lw=0.8, ls=":", label="10/11")
    ax.axvline(PERIOD, color="0.7", lw=0.8)
    ax.text(PERIOD + 0.03, 0.67, "4 round trips", fontsize="small")
    ax.set(xlabel="time between updates of the byte counter [s]", ylabel=PANELS["throughput"], ylim=(0.65, 1.0))
    ax.set_title("CADPC with byte counters read through SNMP: ten flows, 10 Mbit/s, 300 ms; " + BARS)
    ax.legend(loc="lower left")


def draw_changes(data: xr.Dataset, axes: Any) -> None:
    """Draw rates over time together with the equilibria of the laws."""
    first, second, third = axes
    for ax, name in zip(axes, ("path_change", "mixing", "parking_lot"), strict=True):
        for flow in data[f"flow_{name}"].values:
            group = str(flow).rsplit("-", 1)[0]
            colour = {"flow": "C0", "group1": "C1", "group2": "C0", "long": "C3", "first": "C0", "second": "C2"}[group]
            ax.plot(data[f"time_{name}"], data[name].sel({f"flow_{name}": flow}), color=colour, lw=1)
        ax.set(xlabel="time [s]", ylim=(0, None))
    first.set_title("Cross traffic takes half of the path, 60 to 110 s")
    for level in (1 / 11, 0.5 / 11):
        first.axhline(level, color="0.4", lw=0.8, ls=":")
    first.plot([], [], color="C0", label="ten flows")
    first.set_ylabel("rate of a flow [capacities]")
    second.set_title("Two converged groups share a link from 150 s on")
    second.axhline(1 / 11, color="0.4", lw=0.8, ls=":")
    second.plot([], [], color="C1", label="first group")
    second.plot([], [], color="C0", label="second group")
    third.set_title("Two bottlenecks: 1/5 and 2/5")
    for name, colour in (("over both links", "C3"), ("over the first", "C0"), ("over the second", "C2")):
        third.plot([], [], color=colour, label=name)
    for level in (0.2, 0.4):
        third.axhline(level, color="0.4", lw=0.8, ls=":")
    for ax in axes:
        ax.plot([], [], color="0.4", lw=0.8, ls=":", label="law")
        ax.legend()

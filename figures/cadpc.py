"""Welzl, CADPC: figures 1, 2 and 3, table II, and the scenarios that the paper only names, all simulated.

``cadpc_1``: bytes transferred by ten CADPC or Reno flows. ``cadpc_2``: starts one after the other; unequal update
periods. ``cadpc_3``: fifty flows over bottlenecks of 1 to 100 Mbit/s, every competitor. ``cadpc_changes``: a path
that changes, converged groups that mix, two bottlenecks. ``cadpc_delay``, ``cadpc_queues``, ``cadpc_web``: delays,
marking queues, web-like background. ``cadpc_snmp``: byte counters that are read through SNMP. Run with
``python -m figures.cadpc``; it takes some minutes, with ``--quick`` half a minute.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from figures.writing import HERE, save, whole_figures
from longfat.laws import cadpc as laws
from longfat.sim.statistics import replications as interval
from longfat.verify.published import cadpc_runs as runs
from longfat.verify.published import cadpc_scenarios as scenarios
from longfat.verify.published.cadpc_runs import QUANTITIES, measured
from longfat.verify.published.cadpc_scenarios import CAPACITY, MBIT, PERIOD, ROUND_TRIP

COLOURS = dict(
    zip(
        ("CADPC", "Reno", "SACK", "Vegas", "RAP", "GAIMD", "TFRC", "TEAR", "XCP"),
        ("C0", "C1", "C2", "C3", "C4", "C5", "0.45", "0.65", "C6"),
        strict=True,
    )
)
MARKERS = dict(zip(COLOURS, "osD^v<>PX", strict=True))
PANELS = {  # of figure 3
    "throughput": "throughput [of the capacity]",
    "loss": "packet loss [1]",
    "mean_queue": "mean queue [packets]",
    "jain_index": "Jain index of the flows' goodputs [1]",
}
QUEUES = ("fifo", "red", "rem", "avq")
BIG_BUFFER = round(CAPACITY * ROUND_TRIP / 1000)  # packets: a round trip's worth, which XCP is made for
BARS = "bars: 95 % intervals"


@dataclass(frozen=True)
class Scale:
    """How much is simulated."""

    replications: int
    bottlenecks: tuple[float, ...]  # Mbit/s
    delays: tuple[float, ...]  # s, of each line
    webs: tuple[float, ...]  # capacities
    users: tuple[int, ...]
    refreshes: tuple[float, ...]  # s
    equal_after: float  # s, the run of figure 2, right
    who: int  # of the competitors, so many


FULL = Scale(
    3, (1, 2, 5, 10, 20, 50, 100), (0.005, 0.01, 0.02, 0.05, 0.1, 0.2), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    (1, 2, 5, 10, 20, 50), (0.0, 0.1, 0.3, 1.0, 2.0, 3.0), 1200.0, 8,
)  # fmt: skip
QUICK = Scale(3, (1, 5, 20), (0.01, 0.05), (0.0, 0.5), (1, 10), (0.0, 1.0), 800.0, 4)


def _gathered(found: dict[tuple[Any, ...], dict[str, np.ndarray]], dims: dict[str, Any]) -> xr.Dataset:
    """Runs at every point of a grid as means with ``_lower`` and ``_upper``."""
    shape = tuple(len(values) for values in dims.values())
    data = {}
    for name, (unit, about) in QUANTITIES.items():
        ends = np.array([interval(one[name]) for one in found.values()])
        for i, end in enumerate(("", "_lower", "_upper")):
            data[name + end] = (tuple(dims), ends[:, i].reshape(shape), {"units": unit, "long_name": about})
    return xr.Dataset(data, coords=dims)


def _trace(net: Any, duration: float, every: float, rng: int) -> xr.Dataset:
    return runs.observe(net, duration=duration, sample_every=every, replications=1, rng=rng)[0]


def _named(trace: xr.DataArray) -> xr.DataArray:
    """Flows without what is in the background, numbered."""
    keep = [not str(name).startswith("other") for name in trace.flow.values]
    return trace.isel(flow=keep)


def figure_1(rng: int = 1, mbits: tuple[float, ...] = (10, 100)) -> xr.Dataset:
    """Bytes that ten flows of CADPC or of Reno have transferred.

    Parameters
    ----------
    rng : int
        Seed.
    mbits : tuple of float
        Bottlenecks [Mbit/s].
    """
    rows = []
    for label in ("CADPC", "Reno"):
        row = [_trace(scenarios.dumbbell(label, 10, m * MBIT), 160, 1.0, rng).received_trace for m in mbits]
        rows.append(xr.concat(row, xr.DataArray(list(mbits), dims="bottleneck", attrs={"units": "Mbit/s"})))
    joined = xr.concat(rows, xr.DataArray(["CADPC", "Reno"], dims="scheme"))
    return joined.rename("received").to_dataset()


def figure_2(scale: Scale = FULL, rng: int = 2) -> xr.Dataset:
    """Rates over time [bytes/s]: starts 10 s apart; update periods of 4, 8, ... round trips from two starts."""
    staggered = runs.rates(_trace(scenarios.dumbbell("CADPC", 10, stagger=10.0), 300, PERIOD / 2, rng), PERIOD)
    found = {"staggered": staggered.rename(time="time_staggered")}
    for equal, name in ((True, "periods_together"), (False, "periods_apart")):
        found[name] = runs.rates(_trace(scenarios.unequal_periods(equal), scale.equal_after, 2.0, rng), 4.0)
    return xr.Dataset({name: one.assign_coords(flow=np.arange(1, 11)) for name, one in found.items()})


def spread(rates: xr.DataArray, span: int = 10) -> xr.DataArray:
    """Largest over smallest rate of the flows that have begun, over ``span`` samples."""
    smooth = rates.rolling(time=span).mean().dropna("time")
    ratio: xr.DataArray = smooth.max("flow") / smooth.min("flow").where(smooth.min("flow") > 0)
    return ratio


def figure_3(scale: Scale = FULL, rng: int = 3) -> xr.Dataset:
    """Fifty flows of every kind, 160 s, over bottlenecks; last, CADPC with starts 1 s apart, counted from 80 s on."""
    labels = scenarios.competitors()[: scale.who]
    found = {}
    for label in [*labels, "CADPC, starts 1 s apart"]:
        for mbit in scale.bottlenecks:
            more = {} if label in labels else {"stagger": 1.0, "warm_up": 80.0}
            found[label, mbit] = measured(
                label.split(",")[0], 50, mbit * MBIT, replications=scale.replications, rng=rng, **more
            )
    return _gathered(found, {"scheme": [*labels, "CADPC, starts 1 s apart"], "bottleneck": list(scale.bottlenecks)})


def delays(scale: Scale = FULL, rng: int = 4) -> xr.Dataset:
    """Fifty flows over 10 Mbit/s, the delay of each line varied."""
    labels = scenarios.competitors()[: scale.who]
    found = {
        (label, delay): measured(label, 50, link_delay=delay, replications=scale.replications, rng=rng)
        for label in labels
        for delay in scale.delays
    }
    return _gathered(found, {"scheme": labels, "delay": list(scale.delays)})


def managed_queues(scale: Scale = FULL, rng: int = 5) -> xr.Dataset:
    """Fifty flows over 10 Mbit/s: drop-tail, RED, REM and AVQ, the latter marking."""
    labels = scenarios.competitors()[: scale.who]
    found = {
        (label, name): measured(label, 50, discipline=name, replications=scale.replications, rng=rng)
        for label in labels
        for name in QUEUES
    }
    return _gathered(found, {"scheme": labels, "queue": list(QUEUES)})


def web(scale: Scale = FULL, rng: int = 6) -> xr.Dataset:
    """Ten flows beside twenty web-like sources, the load of these varied; 80 to 320 s."""
    labels = ["CADPC", "SACK", "XCP"]
    found = {
        (label, load): measured(
            label, 10, web=load, duration=320.0, warm_up=80.0, replications=scale.replications, rng=rng
        )
        for label in labels
        for load in scale.webs
    }
    return _gathered(found, {"scheme": labels, "web": list(scale.webs)})


def snmp(scale: Scale = FULL, rng: int = 7) -> xr.Dataset:
    """Ten CADPC flows; the router brings its counter up to date now and then. Time of the request or of the refresh."""
    clocks = {"time of the request": False, "time of the refresh": True}
    found = {}
    for name, coarse in clocks.items():
        for refresh in scale.refreshes:
            found[name, refresh] = measured(
                "CADPC", 10, warm_up=80.0, duration=240.0, counter_refresh=refresh, coarse_clock=coarse,
                replications=scale.replications, rng=rng,
            )  # fmt: skip
    data = _gathered(found, {"clock": list(clocks), "refresh": list(scale.refreshes)})
    # The bottleneck does not answer, lines of 1000 Mbit/s do. A short run: it is offered up to a hundred times as much.
    blind = measured("CADPC", 10, warm_up=15.0, duration=25.0, stamps=False, replications=1, rng=rng)
    return data.assign_attrs(silent_loss=float(blind["loss"].mean()), silent_queue=float(blind["mean_queue"].mean()))


def changes(rng: int = 8) -> xr.Dataset:
    """Rates over time [capacities]: a path that changes, converged groups that mix, two bottlenecks."""
    nets = {
        "path_change": (scenarios.path_change(), 210, 2.4),
        "mixing": (scenarios.mixing(), 400, 2.4),
        "parking_lot": (scenarios.parking_lot(), 160, 2.4),
    }
    found = {}
    for name, (net, duration, bin) in nets.items():
        one = _named(runs.rates(_trace(net, duration, 0.6, rng), bin)) / CAPACITY
        found[name] = one.rename(time=f"time_{name}", flow=f"flow_{name}")
    return xr.Dataset(found)


def two_mechanisms(scale: Scale = FULL, rng: int = 9) -> xr.Dataset:
    """Table II: CADPC, and XCP with 50 packets of buffer and with a round trip's worth; 80 to 160 s."""
    rows = {"CADPC": ("CADPC", 50), "XCP": ("XCP", 50), "XCP, large buffer": ("XCP", BIG_BUFFER)}
    found = {}
    for name, (label, buffer) in rows.items():
        for n in scale.users:
            found[name, n] = measured(
                label, n, warm_up=80.0, buffer=buffer, replications=scale.replications, rng=rng
            )  # fmt: skip
    return _gathered(found, {"mechanism": list(rows), "users": list(scale.users)})


def table_2(data: xr.Dataset, background: xr.Dataset) -> str:
    """Table II as Markdown, every cell measured.

    Parameters
    ----------
    data : xarray.Dataset
        Of `two_mechanisms`.
    background : xarray.Dataset
        Of `web`.
    """

    def cell(row: xr.Dataset, name: str, scale: float = 1.0, digits: int = 3) -> str:
        mean, low, high = (scale * float(row[name + end]) for end in ("", "_lower", "_upper"))
        if high - low < 10.0**-digits:
            return f"{mean:.{digits}f}"
        return f"{mean:.{digits}f} ({max(0.0, low):.{digits}f} .. {high:.{digits}f})"

    names = [str(name) for name in data.mechanism.values]
    here = data.sel(users=10)
    lines = [
        "# Welzl, table II: differences between XCP and CADPC, measured",
        "",
        "10 Mbit/s, round trip 300 ms, drop-tail, seconds 80 to 160; 95 % intervals in brackets where they show.",
        f"Buffers: 50 packets as in the other figures, and {BIG_BUFFER} packets, a round trip's worth.",
        "",
        "| property | published: XCP | published: CADPC | " + " | ".join(names) + " |",
        "| --- " * (3 + len(names)) + "|",
    ]
    requests = [cell(here.sel(mechanism=name), "examined", digits=1) for name in names[:1]]
    examined = requests + [cell(here.sel(mechanism=name), "offered", digits=0) for name in names[1:]]
    lines.append(
        "| packets that a router examines, 10 users [packets/s] | every packet | one every 4 round trips | "
        + " | ".join(examined) + " |"
    )  # fmt: skip
    feedback = [cell(here.sel(mechanism=name), "feedback", digits=0) for name in names]
    lines.append(
        "| bytes of feedback, 10 users [bytes/s] | in payload packets | extra signaling | "
        + " | ".join(feedback) + " |"
    )  # fmt: skip
    for n in data.users.values:
        cells = [cell(data.sel(mechanism=name, users=n), "throughput") for name in names]
        lines.append(f"| utilisation, {n} users [1] | 1 | {laws.equilibrium_traffic(int(n)):.3f} | "
                     + " | ".join(cells) + " |")  # fmt: skip
    lines += [
        "",
        "XCP's feedback is the acknowledgments that carry it, 40 bytes each; CADPC's the answers of 32 bytes. Headers",
        "in XCP's payload cost nothing here. XCP alone, with 50 packets, at times overruns them and starts again.",
        "",
        "## Web-like background traffic",
        "",
        "Ten flows, buffer of 50 packets, twenty on-off sources with Pareto durations (mean 1 s and 2 s, shape 1.5).",
        "",
        "| load [capacities] | published | mechanism | throughput [capacities] | loss [%] | loss of the background [%] "
        "| mean queue [packets] |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    said = {"CADPC": "does not work well", "XCP": "works well", "SACK": ""}
    for load in background.web.values:
        for name in background.scheme.values:
            row = background.sel(scheme=name, web=load)
            lines.append(
                f"| {load:g} | {said[str(name)]} | {name} | {cell(row, 'throughput')} | {cell(row, 'loss', 100, 2)} "
                f"| {cell(row, 'others_loss', 100, 2)} | {cell(row, 'mean_queue', 1, 1)} |"
            )
    return "\n".join(lines) + "\n"


def _bars(ax: Any, x: Any, row: xr.Dataset, name: str, **style: Any) -> None:
    mean, low, high = (row[name + end].values for end in ("", "_lower", "_upper"))
    ax.errorbar(x, mean, [mean - low, high - mean], **style)


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
    """Draw rates: left starts apart, middle unequal periods from equal starts, right how unequal they are."""
    left, middle, right = axes
    for k, flow in enumerate(data.flow.values):
        grey = {"color": str(0.1 + 0.07 * k), "lw": 1}
        left.plot(data.time_staggered, data.staggered.sel(flow=flow) / MBIT, **grey)
        middle.plot(data.time, data.periods_together.sel(flow=flow) / MBIT, **grey)
    for ax in (left, middle):
        ax.axhline(10 / 11, color="C1", lw=1, ls="--", label="10/11 Mbit/s")
        ax.set(xlabel="time [s]", ylabel="rate of a flow [Mbit/s]", ylim=(0, None))
        ax.legend()
    left.set_title("Left: starts 10 s apart")
    middle.set(title="Right: flow i asks every 4 (i + 1) round trips", xlim=(0, 600))
    middle.axvline(160, color="0.5", lw=0.8)
    middle.text(166, 0.1, "160 s", fontsize="small")
    for name, label in (("periods_together", "starts together"), ("periods_apart", "starts 4 s apart")):
        ratio = spread(data[name])
        ratio = ratio.sel(time=slice(80, None))
        right.plot(ratio.time, ratio, label=label)
    right.axvline(160, color="0.5", lw=0.8)
    right.set(xlabel="time [s]", ylabel="largest over smallest rate [1]", yscale="log", ylim=(0.95, None))
    right.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    right.set_yticks([], minor=True)
    right.set_title("The same, how unequal (over 40 s)")
    right.legend()


def _limits(ax: Any, name: str) -> None:
    """No values are shown that cannot be, whatever the intervals say."""
    if name in ("mean_queue", "loss"):
        ax.set_ylim(0, None)
    elif name == "jain_index":
        ax.set_ylim(None, 1.02)


def draw_panels(data: xr.Dataset, axes: Any, along: str, scale: float, xlabel: str) -> None:
    """Draw throughput, loss, queue and fairness over one coordinate."""
    for ax, (name, label) in zip(np.ravel(axes), PANELS.items(), strict=True):
        for scheme in data.scheme.values:
            row = data.sel(scheme=scheme)
            _bars(ax, scale * row[along], row, name, **_look(str(scheme)))
        ax.set(xlabel=xlabel, ylabel=label, xscale="log")
        if name == "loss":
            ax.set_yscale("symlog", linthresh=1e-4)
            ax.set_ylim(0, 0.5)
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
    """Draw the same four quantities for each queue, schemes side by side."""
    names = {"fifo": "drop-tail", "red": "RED", "rem": "REM", "avq": "AVQ"}
    for ax, (name, label) in zip(np.ravel(axes), PANELS.items(), strict=True):
        for k, scheme in enumerate(data.scheme.values):
            row = data.sel(scheme=scheme)
            place = np.arange(data.sizes["queue"]) + 0.09 * (k - (data.sizes["scheme"] - 1) / 2)
            _bars(ax, place, row, name, **_look(str(scheme)) | {"ls": ""})
        ax.set_xticks(range(data.sizes["queue"]), [names[str(one)] for one in data.queue.values])
        ax.set(xlabel="queue of the bottleneck", ylabel=label)
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
            _bars(ax, row.web, row, name, **_look(str(scheme)))
        ax.set(xlabel="load of web-like traffic [of the capacity]", ylabel=label, ylim=(0, None))
    first = np.ravel(axes)[0]
    first.plot(data.web, 1 - data.web, color="0.4", lw=0.8, ls=":", label="what it leaves")
    first.plot(data.web, (1 - data.web) * 10 / 11, color="0.4", lw=0.8, ls="--", label="10/11 of that")
    _legend_below(first)


def draw_snmp(data: xr.Dataset, ax: Any) -> None:
    """Draw throughput over the time between refreshes of the byte counter."""
    for k, clock in enumerate(data.clock.values):
        row = data.sel(clock=clock)
        look = {"color": f"C{k}", "marker": "os"[k], "ms": 5, "label": f"stamped with the {clock}"}
        _bars(ax, row.refresh, row, "throughput", **look)
    ax.axhline(10 / 11, color="0.4", lw=0.8, ls=":", label="10/11")
    ax.axvline(PERIOD, color="0.7", lw=0.8)
    ax.text(PERIOD + 0.03, 0.67, "4 round trips", fontsize="small")
    ax.set(xlabel="time between refreshes of the byte counter [s]", ylabel=PANELS["throughput"], ylim=(0.65, 1.05))
    ax.set_title("CADPC on counters read through SNMP: ten flows, 10 Mbit/s, 300 ms; " + BARS)
    ax.legend(loc="lower left")


def draw_changes(data: xr.Dataset, axes: Any) -> None:
    """Draw rates over time beside the equilibria."""
    first, second, third = axes
    for ax, name in zip(axes, ("path_change", "mixing", "parking_lot"), strict=True):
        for flow in data[f"flow_{name}"].values:
            group = str(flow).rsplit("-", 1)[0]
            colour = {"flow": "C0", "group1": "C1", "group2": "C0", "long": "C3", "first": "C0", "second": "C2"}[group]
            ax.plot(data[f"time_{name}"], data[name].sel({f"flow_{name}": flow}), color=colour, lw=1)
        ax.set(xlabel="time [s]", ylim=(0, None))
    first.set_title("Half of the path is taken, 60 to 110 s")
    for level in (1 / 11, 0.5 / 11):
        first.axhline(level, color="0.4", lw=0.8, ls=":")
    first.set_ylabel("rate of a flow [of the capacity]")
    second.set_title("Groups at rest on two lines share one from 150 s on")
    second.axhline(1 / 11, color="0.4", lw=0.8, ls=":")
    second.plot([], [], color="C1", label="first group")
    second.plot([], [], color="C0", label="second group")
    third.set_title("Two bottlenecks: 1/5 and 2/5")
    for name, colour in (("over both", "C3"), ("on the first", "C0"), ("on the second", "C2")):
        third.plot([], [], color=colour, label=name)
    for level in (0.2, 0.4):
        third.axhline(level, color="0.4", lw=0.8, ls=":")
    for ax in (second, third):
        ax.legend()


def write(directory: str | Path = HERE, scale: Scale = FULL) -> dict[str, Any]:
    """Simulate, draw and write every picture with its data, and table II.

    Parameters
    ----------
    directory : str or Path
        Where.
    scale : Scale
        How much; `QUICK` to see that all works.
    """
    import matplotlib.pyplot as plt

    data: dict[str, xr.Dataset] = {
        "1": figure_1(mbits=(10, 100) if scale is FULL else (10, 30)), "2": figure_2(scale), "3": figure_3(scale),
        "changes": changes(), "delay": delays(scale), "queues": managed_queues(scale), "web": web(scale),
        "snmp": snmp(scale), "table_2": two_mechanisms(scale),
    }  # fmt: skip
    fifty = f"fifty flows of one kind, 160 s; {BARS} of {scale.replications} runs"
    pictures: dict[str, tuple[tuple[int, int], tuple[float, float], Any, str]] = {
        "1": ((1, 2), (10, 4.6), draw_1, "Welzl, figure 1, simulated: ten CADPC or ten Reno flows, dashed"),
        "2": ((1, 3), (13, 4.4), draw_2, "Welzl, figure 2, simulated: ten CADPC flows over 10 Mbit/s, 300 ms"),
        "3": ((2, 2), (10.4, 8.2), lambda d, ax: draw_panels(d, ax, "bottleneck", 1, "bottleneck [Mbit/s]"),
              f"Welzl, figure 3, simulated: {fifty}"),
        "changes": ((1, 3), (13, 4.4), draw_changes, "CADPC: changes of the path, mixing, parking lot; dotted: law"),
        "delay": ((2, 2), (10.4, 8.2),
                  lambda d, ax: draw_panels(d, ax, "delay", 6e3, "round-trip time without queueing [ms]"),
                  f"CADPC and its competitors over the delay: 10 Mbit/s, {fifty}"),
        "queues": ((2, 2), (10.4, 8.2), draw_queues,
                   f"CADPC and its competitors with marking queues: 10 Mbit/s, {fifty}"),
        "web": ((2, 2), (10.4, 7.6), draw_web, f"Ten flows beside web-like traffic, 10 Mbit/s, {BARS}"),
        "snmp": ((1, 1), (7.6, 4.8), draw_snmp, ""),
    }  # fmt: skip
    with whole_figures(directory) as files:
        for name, (shape, size, draw, title) in pictures.items():
            figure, axes = plt.subplots(*shape, figsize=size)
            draw(data[name], axes)
            if title:
                figure.suptitle(title, fontsize="medium", ha="left", x=0.01)
            save(files, figure, f"cadpc_{name}")
        for name, one in data.items():
            one.to_netcdf(files.path(f"cadpc_{name}.nc"))
        text = table_2(data["table_2"], data["web"])
        files.path("cadpc_table_2.md").write_text(text, encoding="utf-8")
    return data


if __name__ == "__main__":
    write(scale=QUICK if "--quick" in sys.argv[1:] else FULL)

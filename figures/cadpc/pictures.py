"""Welzl, CADPC: figures 1, 2 and 3, table II, and the scenarios that the paper only names, all simulated.

Run with ``python -m figures.cadpc``; it takes some minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from figures.cadpc import networks, runs
from figures.cadpc.comparisons import WEB
from figures.cadpc.networks import BIG_BUFFER, CAPACITY, MBIT, PERIOD
from figures.cadpc.runs import QUANTITIES, at, late, measured, words
from figures.claims import Context
from figures.data import gathered
from figures.rule import Estimate, mean
from figures.writing import CUT, Part, Picture, bars
from longfat.base.text_tables import markdown
from longfat.laws import cadpc as laws

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
QUEUES = ("fifo", "red", "rem", "avq")
SIZES = {"": networks.BUFFER, ", large buffer": BIG_BUFFER}  # buffers of table II


REPLICATIONS = 3
BOTTLENECKS = (1, 2, 5, 10, 20, 50, 100)  # Mbit/s
DELAYS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # s, of each link
WEBS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)  # capacities
USERS = (1, 2, 5, 10, 20, 50)
REFRESHES = (0.0, 0.1, 0.3, 1.0, 2.0, 3.0)  # s
EQUAL_AFTER = 1200.0  # s, length of the run of figure 2, right
TABLE = Context(1e7, 0)  # of table II and web-like traffic, as in the scoreboard


def _gathered(found: dict[tuple[Any, ...], dict[str, np.ndarray]], grid: dict[str, Any]) -> xr.Dataset:
    """Return runs at every point of a grid as means with ``_lower`` and ``_upper``."""
    about = {name: {"units": unit, "long_name": words} for name, (unit, words) in QUANTITIES.items()}
    means = {place: {name: mean(values) for name, values in one.items()} for place, one in found.items()}
    return gathered(means, grid, about)


def _fifty(rng: int, name: str, argument: str, values: Sequence[Any]) -> xr.Dataset:
    """Simulate fifty flows of every scheme over 10 Mbit/s, over the values of an argument of `measured`."""
    labels = networks.competitors()
    more: dict[str, Any] = {"replications": REPLICATIONS, "rng": rng}
    found = {(label, one): measured(label, 50, **{argument: one}, **more) for label in labels for one in values}
    return _gathered(found, {"scheme": labels, name: list(values)})


def _trace(net: Any, duration: float, every: float, rng: int) -> xr.Dataset:
    return runs.observe(net, duration=duration, sample_every=every, replications=1, rng=rng)[0]


def figure_1(mbits: tuple[float, ...] = (10, 100)) -> xr.Dataset:
    """Simulate the bytes that ten flows of CADPC or of Reno transfer over time, over bottlenecks [Mbit/s]."""
    rows = []
    for label in ("CADPC", "Reno"):
        row = [_trace(networks.dumbbell(label, 10, m * MBIT), 160, 1.0, rng=1).received_trace for m in mbits]
        rows.append(xr.concat(row, xr.DataArray(list(mbits), dims="bottleneck", attrs={"units": "Mbit/s"})))
    return xr.Dataset({"received": xr.concat(rows, xr.DataArray(["CADPC", "Reno"], dims="scheme"))})


def figure_2() -> xr.Dataset:
    """Simulate rates over time [bytes/s]: starts 10 s apart; update periods of 4, 8, ... round trips.

    The flows with different periods start together, or 4 s apart.
    """
    staggered = runs.rates(_trace(networks.dumbbell("CADPC", 10, stagger=10.0), 300, PERIOD / 2, rng=2), PERIOD)
    found = {"staggered": staggered.rename(time="time_staggered")}
    for equal, name in ((True, "periods_together"), (False, "periods_apart")):
        found[name] = runs.rates(_trace(networks.unequal_periods(equal), EQUAL_AFTER, 2.0, rng=2), 4.0)
    return xr.Dataset({name: one.assign_coords(flow=np.arange(1, 11)) for name, one in found.items()})


def figure_3() -> xr.Dataset:
    """Simulate fifty flows of every scheme for 160 s over several bottlenecks.

    The last row is CADPC with starts 1 s apart, counted from 80 s on.
    """
    labels = networks.competitors()
    found = {}
    for label in [*labels, "CADPC, starts 1 s apart"]:
        for mbit in BOTTLENECKS:
            more = {} if label in labels else {"stagger": 1.0, "warm_up": 80.0}
            found[label, mbit] = measured(
                label.split(",")[0], 50, mbit * MBIT, replications=REPLICATIONS, rng=3, **more
            )  # fmt: skip
    return _gathered(found, {"scheme": [*labels, "CADPC, starts 1 s apart"], "bottleneck": list(BOTTLENECKS)})


def delays() -> xr.Dataset:
    """Simulate fifty flows over 10 Mbit/s with different link delays."""
    return _fifty(4, "delay", "link_delay", DELAYS)


def managed_queues() -> xr.Dataset:
    """Simulate fifty flows over 10 Mbit/s with drop-tail, RED, REM and AVQ; the latter three mark packets."""
    return _fifty(5, "queue", "discipline", QUEUES)


def web() -> xr.Dataset:
    """Simulate ten flows beside twenty web-like sources of different load, measured from 80 to 320 s.

    Every scheme has a buffer of 50 packets and of one bandwidth-delay product.
    """
    rows = {label + size: (label, buffer) for size, buffer in SIZES.items() for label in ("CADPC", "SACK", "XCP")}
    found = {
        (name, load): at(TABLE, label, 10, buffer=buffer, **WEB | {"web": load})
        for name, (label, buffer) in rows.items() for load in WEBS
    }  # fmt: skip
    return _gathered(found, {"scheme": list(rows), "web": list(WEBS)})


def snmp() -> xr.Dataset:
    """Simulate ten CADPC flows where the router updates its byte counter only at intervals.

    Replies carry the time of the request or of the update.
    """
    clocks = {"time of the request": False, "time of the refresh": True}
    found = {}
    for name, coarse in clocks.items():
        for refresh in REFRESHES:
            found[name, refresh] = measured(
                "CADPC", 10, warm_up=80.0, duration=240.0, counter_refresh=refresh, coarse_clock=coarse,
                replications=REPLICATIONS, rng=7,
            )  # fmt: skip
    return _gathered(found, {"clock": list(clocks), "refresh": list(REFRESHES)})


def changes() -> xr.Dataset:
    """Simulate rates over time [capacities]: a path that changes, converged groups that mix, two bottlenecks."""
    nets = {
        "path_change": (networks.path_change(), 210, 2.4),
        "mixing": (networks.mixing(), 400, 2.4),
        "parking_lot": (networks.parking_lot(), 160, 2.4),
    }
    found = {}
    for name, (net, duration, bin) in nets.items():
        one = runs.rates(_trace(net, duration, 0.6, rng=8), bin) / CAPACITY
        one = one.isel(flow=[not str(flow).startswith("other") for flow in one.flow.values])  # without the background
        found[name] = one.rename(time=f"time_{name}", flow=f"flow_{name}")
    return xr.Dataset(found)


def two_mechanisms() -> xr.Dataset:
    """Simulate table II: CADPC and XCP with a buffer of 50 packets and of one bandwidth-delay product; 80 to 160 s."""
    rows = {label + size: (label, buffer) for label in ("CADPC", "XCP") for size, buffer in SIZES.items()}
    found = {
        (name, n): late(TABLE, label, n, buffer=buffer) for name, (label, buffer) in rows.items() for n in USERS
    }  # fmt: skip
    return _gathered(found, {"mechanism": list(rows), "users": list(USERS)})


def table_2(data: xr.Dataset, background: xr.Dataset) -> str:
    """Return table II as Markdown, with every cell measured, from the results of `two_mechanisms` and `web`."""

    def cell(row: xr.Dataset, name: str, factor: float = 1.0, digits: int = 3) -> str:
        found = Estimate(*(float(row[name + end]) for end in ("", "_lower", "_upper")))
        return words(found, digits, factor, 0.0)

    names = [str(name) for name in data.mechanism.values]

    def line(what: str, xcp: str, cadpc: str, name: str, digits: int = 3, users: int = 10) -> list[str]:
        """Return a row with a quantity of every mechanism."""
        return [what, xcp, cadpc,
                *(cell(data.sel(mechanism=one, users=users), name, digits=digits) for one in names)]  # fmt: skip

    lines = [
        "# Welzl, table II: differences between XCP and CADPC, measured",
        "",
        "10 Mbit/s, round trip 300 ms, drop-tail, seconds 80 to 160; 95 % intervals in brackets if they are visible.",
        f"Buffers: {networks.BUFFER} packets as in the other figures, and {BIG_BUFFER} packets, one bandwidth-delay "
        "product (large buffer).",
        f"{runs.scale(TABLE)}, as for the rows of table II in [scoreboard.md](../scoreboard.md).",
        "",
    ]
    examined = [
        cell(data.sel(mechanism=name, users=10),
             *(("examined", 1.0, 1) if name.startswith("CADPC") else ("offered", 1.0, 0)))
        for name in names
    ]  # fmt: skip
    lines += markdown(["property", "published: XCP", "published: CADPC/PTP", *names], [
        line("packets without data, 10 users [packets/s]", "feedback in payload packets", "extra signaling",
             "examined", 1),
        line("bytes to the senders, 10 users [bytes/s]", "", "", "feedback", 0),
        ["packets that a router examines, 10 users [packets/s]", "every packet", "1 packet every 4 RTTs", *examined],
        *(line(f"utilisation, {n} users [1]", "1", f"{laws.equilibrium_traffic(int(n)):.3f}", "throughput", users=n)
          for n in data.users.values),
    ])  # fmt: skip
    lines += [
        "",
        "XCP's feedback is in its acknowledgments of 40 bytes, CADPC's in PTP replies of 32 bytes. Headers",
        "in XCP's data packets cost nothing here. A single XCP flow at times overflows 50 packets and restarts.",
        "",
        "## 'Web mice' background traffic",
        "",
        "Ten flows, twenty on-off sources with Pareto durations (mean 1 s and 2 s, shape 1.5), seconds 80 to 320. With",
        f"{networks.BUFFER} packets both mechanisms lose packets; with {BIG_BUFFER}, XCP does not, and CADPC does.",
        "",
    ]
    said = {"CADPC": "does not work well", "XCP": "works well", "SACK": ""}
    heads = ["load [capacities]", "published", "mechanism", "throughput [capacities]", "loss [%]",
             "loss of the background [%]", "mean queue [packets]"]  # fmt: skip
    rows = []
    for load in background.web.values:
        for name in map(str, background.scheme.values):
            row = background.sel(scheme=name, web=load)
            rows.append([
                f"{load:g}", said[name.split(",")[0]], name, cell(row, "throughput"), cell(row, "loss", 100, 2),
                cell(row, "others_loss", 100, 2), cell(row, "mean_queue", 1, 1),
            ])  # fmt: skip
    return "\n".join([*lines, *markdown(heads, rows)]) + "\n"


def simulate() -> dict[str, Any]:
    """Run everything that the pictures and table II show."""
    data = {
        "1": figure_1(), "2": figure_2(), "3": figure_3(), "changes": changes(), "delay": delays(),
        "queues": managed_queues(), "web": web(), "snmp": snmp(), "table_2": two_mechanisms(),
    }  # fmt: skip
    return data | {"cadpc_table_2.md": table_2(data["table_2"], data["web"])}


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


FIFTY = f"fifty flows of one kind, 160 s; {REPLICATIONS} runs, {CUT_BARS}"
PICTURES = {
    "cadpc_1": Picture(
        "Bytes transferred by ten flows: CADPC's flows are equal and use 10/11 of the link, Reno's are not.",
        draw_1, "1", (1, 2), (10, 4.6), "Welzl, figure 1, simulated: ten CADPC or ten Reno flows",
    ),
    "cadpc_2": Picture(
        "CADPC flows that start one after the other, and flows with different update periods that start together or "
        "one after the other.", draw_2, "2", (1, 3), (13, 4.4),
        "Welzl, figure 2, simulated: ten CADPC flows over 10 Mbit/s, 300 ms",
    ),
    "cadpc_3": Picture(
        "Fifty flows of CADPC and of each competitor over bottlenecks of 1 to 100 Mbit/s.",
        lambda data, axes: draw_panels(data, axes, "bottleneck", 1, "bottleneck [Mbit/s]"), "3",
        (2, 2), (10.4, 8.2), f"Welzl, figure 3, simulated: {FIFTY}",
    ),
    "cadpc_changes": Picture(
        "A path that changes, converged groups that mix, and two bottlenecks; dotted: the law.",
        draw_changes, "changes", (1, 3), (13, 4.4), "CADPC: changes of the path, mixing, parking lot",
    ),
    "cadpc_delay": Picture(
        "The same competitors over the round-trip time.",
        lambda data, axes: draw_panels(data, axes, "delay", 6e3, "round-trip time without queueing [ms]"),
        "delay", (2, 2), (10.4, 8.2), f"Over the delay, 10 Mbit/s: {FIFTY}",
    ),
    "cadpc_queues": Picture(
        "The same competitors with drop-tail, RED, REM and AVQ.",
        draw_queues, "queues", (2, 2), (10.4, 8.2), f"With marking queues, 10 Mbit/s: {FIFTY}",
    ),
    "cadpc_web": Picture(
        "Ten flows beside web-like traffic, with a buffer of 50 packets and of a bandwidth-delay product.",
        draw_web, "web", (2, 2), (10.4, 7.6),
        f"Ten flows beside web-like traffic, 10 Mbit/s, buffers of {networks.BUFFER} and {BIG_BUFFER} packets "
        f"(large); {CUT_BARS}",
    ),
    "cadpc_snmp": Picture(
        "CADPC with routers that update their byte counters only at intervals.",
        draw_snmp, "snmp", (1, 1), (7.6, 4.8),
    ),
}  # fmt: skip
DIMS = {
    "1": [("scheme", "bottleneck", "time", "flow")], "2": [("time", "flow"), ("time_staggered", "flow")],
    "3": [("scheme", "bottleneck")], "delay": [("scheme", "delay")], "queues": [("scheme", "queue")],
    "web": [("scheme", "web")], "snmp": [("clock", "refresh")],
    "changes": [(f"time_{name}", f"flow_{name}") for name in ("path_change", "mixing", "parking_lot")],
}  # fmt: skip
PART = Part("figures.cadpc", simulate, DIMS, PICTURES, prefix="cadpc_")

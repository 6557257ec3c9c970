"""Schemes and disciplines of today: utilisation, queueing delay, fairness, and network power.

Run with ``python -m figures.today``; it takes some minutes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.blt.networks import Path as Network
from figures.today import runs
from figures.writing import CUT, Part, Picture, bars
from longfat.plot.axes import log_ticks

MARKERS = "osv^DP"
POINTS: dict[str, Any] = {"ls": "", "capsize": 2, "ms": 4.5}
INTERVALS = f"95 % intervals of {runs.REPLICATIONS} runs"


def draw_buffer(data: xr.Dataset, ax: Any) -> None:
    """Draw the utilisation by one flow, CUBIC and SACK with their laws."""
    buffer = np.linspace(0.02, 1.05, 200)
    laws = {
        "cubic": lf.laws.cubic.utilisation_general(buffer, runs.PRODUCT, runs.ROUND_TRIP),
        "sack": lf.laws.tcp.aimd_utilisation(np.minimum(buffer, 1.0)),
    }
    for k, name in enumerate(runs.ALONE):
        if name in laws:
            ax.plot(buffer, laws[name], color=f"C{k}", label=f"{name}, law")
        look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "label": f"{name}, simulated"}
        bars(ax, runs.BUFFERS, data.isel(scheme=k), "utilisation", **look, **POINTS)
    ax.set(xlabel="buffer [bandwidth-delay products]", ylabel="utilisation [1]", ylim=(0.76, 1.01))
    ax.legend(loc="lower right")


def draw_delay(data: xr.Dataset, ax: Any) -> None:
    """Draw percentiles of the queueing delay, a place on the abscissa for each discipline."""
    place = np.arange(len(runs.QUEUES))
    for k, percentile in enumerate(runs.PERCENTILES):
        look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "label": f"{percentile}th percentile"}
        bars(ax, place + 0.12 * (k - 1), data, f"percentile_{percentile}", **look, **POINTS)
    words = [f"{name}\n{scheme}" for name, (_, scheme) in runs.QUEUES.items()]
    ax.set_xticks(place, words)
    ax.grid(visible=False, axis="x")
    ax.set(ylabel="queueing delay [ms]", yscale="log", ylim=(0.3, 200), xlim=(-0.5, len(place) - 0.5))
    log_ticks(ax.yaxis)
    ax.legend(loc="upper right")


def draw_fairness(data: xr.Dataset, axes: Any) -> None:
    """Draw the ratio of the goodputs under both disciplines."""
    ratio = np.linspace(1, 16, 100)
    # The queue, 20 ms when it is full, belongs to both round trips.
    whole = (ratio + 1) / 2
    titles = ("Drop-tail (dctcp: step marking)", "FQ-CoDel")
    for sharing, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        if sharing == 0:
            ax.plot(ratio, whole**2, color="0.3", label="ratio of round trips, squared")
            ax.plot(ratio, whole, color="0.3", ls=":", label="ratio of round trips")
        else:
            ax.axhline(1, color="0.3", ls="--", label="equal shares")
        for k, name in enumerate(runs.PAIRS):
            one = data.isel(pair=k, sharing=sharing)
            mean, low, high = (2.0 ** one[f"log_ratio{end}"].values for end in ("", "_lower", "_upper"))
            look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "label": name}
            place = np.array(runs.RATIOS) * 1.05 ** (k - 2.5)
            ax.errorbar(place, mean, [np.maximum(mean - low, 0), np.maximum(high - mean, 0)], **look, **POINTS)
        ax.set(
            xlabel="ratio of round-trip times without queue [1]", ylabel="ratio of goodputs [1]", xscale="log",
            yscale="log", title=title, ylim=(0.5, 300),
        )  # fmt: skip
        ax.set_xticks(runs.RATIOS, [str(one) for one in runs.RATIOS])
        ax.minorticks_off()
        log_ticks(ax.yaxis)
        ax.legend(loc="upper left")


def draw_power(data: xr.Dataset, axes: Any) -> None:
    """Draw network power and response time over the load."""
    network = Network()
    bound = lf.laws.power.first_come_ceiling(network.capacity, network.file, network.round_trip)
    axes[0].axhline(bound / 1e6, color="0.3", ls="--", label="upper bound, first come, first served")
    for k, name in enumerate(runs.POWERS):
        look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "ms": 4.5, "capsize": 2}
        bars(axes[0], runs.LOADS, data.isel(label=k), "power", scale=1e-6, **look)
        bars(axes[1], runs.LOADS, data.isel(label=k), "response_time", scale=1e3, label=name, **look)
    axes[0].set(xlabel="offered load [1]", ylabel="network power [MB/s²]", title="Throughput over response time")
    axes[1].set(xlabel="offered load [1]", ylabel="response time [ms]", yscale="log", title="Response time")
    log_ticks(axes[1].yaxis)
    axes[0].legend(loc="center left")
    axes[1].legend(loc="upper left")


PICTURES = {
    "today_buffer": Picture(
        "Utilisation by one flow over the buffer of a drop-tail link: laws, and the network simulator.",
        draw_buffer, "today_buffer", (1, 1), (7.2, 4.6),
        f"One flow, 300 packets in 50 ms; {INTERVALS}; cubic without fast convergence",
    ),
    "today_delay": Picture(
        "Queueing delay of ten flows under today's queue disciplines: median, 95th and 99th percentile.",
        draw_delay, "today_delay", (1, 1), (8.2, 4.6),
        f"Ten flows, 50 Mbit/s, 40 ms, buffer of 96 ms; {INTERVALS}",
    ),
    "today_fairness": Picture(
        "Ratio of the goodputs of two flows over the ratio of their round-trip times, under a drop-tail link (DCTCP: "
        "step marking) and under FQ-CoDel.", draw_fairness, "today_fairness", (1, 2), (11.5, 5.2),
        f"Two flows, 20 Mbit/s, the shorter path 20 ms, buffer 20 ms; lines: with a full queue; {INTERVALS}",
    ),
    "today_power": Picture(
        "Network power and response time of transfers over Kim and Farber's reference network.",
        draw_power, "today_power", (1, 2), (11.5, 4.8),
        f"Files of 100 kB, 30 Mbit/s, 30 ms, buffer 10 ms; {INTERVALS}, {CUT}",
    ),
}  # fmt: skip
DIMS = {name: [tuple(grid)] for name, (_, grid) in runs.SWEEPS.items()}
PART = Part("figures.today", lambda: {name: runs.sweep(name) for name in runs.SWEEPS}, DIMS, PICTURES)

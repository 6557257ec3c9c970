"""Prithviraj & Williamson, the virtual loss-load model: figures 2, 5, 7 and 8, tables 1 and 2, beside ours.

Figure 2 is drawn from the laws. Figure 5 is scenario 0, simulated, with the equilibrium of the laws. Figures 7 and 8
are scenario 1 under two interpretations of the paper's open rules: the formulas as printed, and the rules by which the
printed numbers are judged (`figures.loss_load.networks`). ``loss_load_tables.md`` has every printed number of scenario
1 and the effect of each rule. Run with ``python -m figures.loss_load``; it takes some minutes.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from figures.data import gathered
from figures.loss_load import runs
from figures.loss_load.networks import FAIR_START, KS, NEAREST, PACKET_TIME, PLAIN
from figures.loss_load.numbers import NUMBERS, one_at_a_time, tables, watched
from figures.writing import CUT, Part, Picture, bars
from longfat.laws import loss_load as laws

REPLICATIONS = 10
FACTORS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # section 3.4
INTERPRETATIONS = {"nearest": NEAREST, "plain": PLAIN}
PACKETS = 4000  # packets of 2 MB
ROUND_TRIP_0 = 0.004 + 2 * 20e-6 + 1e-4  # s: four times 1 ms, and the last packet's transmission on three links
MARKERS = dict(zip(KS, "osD^", strict=True))
ABOUT = {name: {"units": "s" if name.endswith("time") else "1"} for name in (
    "transfer_time", "fair_start_transfer_time", "loss", "late_loss", "fair_start_loss")}  # fmt: skip
OTHERS = (0.6, 0.6)  # rates of the other sources in figure 2, which the paper does not give


def figure_2(k: float = 5) -> xr.Dataset:
    """Return the loss-load curve of severity k and the raw throughput of a source beside two others of rate 0.6."""
    a, b = sum(OTHERS) - 1, sum(f ** (k + 1) for f in OTHERS)
    rate = np.linspace(0, 1, 501)
    best = float(laws.throughput_optimal_rate(a, b, k))
    return xr.Dataset(
        {
            "loss_probability": ("rate", np.asarray(laws.loss_probability(rate, a, b, k)), {"units": "1"}),
            "raw_throughput": ("rate", np.asarray(laws.raw_throughput(rate, a, b, k)), {"units": "1"}),
        },
        coords={"rate": ("rate", rate, {"units": "1"})},
        attrs={"k": k, "excess": a, "spread": b, "optimal_rate": best, "loss_there": float(laws.bounded_loss(k))},
    )


def law_0(k: Any, v: Any) -> tuple[Any, Any]:
    """Return the laws' transfer time [s] and loss [1] of scenario 0; each source gets half of the carried load."""
    loss = laws.equilibrium_loss(k, v)
    carried = laws.equilibrium_load(k, v) * (1 - loss)
    return 2 * PACKETS * PACKET_TIME / carried + ROUND_TRIP_0, loss


def figure_5() -> xr.Dataset:
    """Simulate scenario 0 over v, with k/(k + 1) in every row.

    The results are of whole transfers, after the start, and of sources that start at their fair share.
    """
    grid = {one: sorted({*FACTORS, float(laws.lossless_virtual_factor(one))}) for one in KS}
    found = {}
    for k, v in watched([(one, v) for one in KS for v in grid[one]], "figure 5"):
        plain, fair = (
            runs.two_sources(k, v, one, replications=REPLICATIONS, rng=5) for one in (PLAIN, FAIR_START)
        )  # fmt: skip
        found[k, v] = plain | {f"fair_start_{name}": fair[name] for name in ("transfer_time", "loss")}
    points = range(len(FACTORS) + 1)
    data = gathered(found, {"k": KS, "point": points}, ABOUT)
    v = np.array(list(grid.values()))
    time, loss = law_0(np.array(KS, float)[:, None], v)
    return data.assign_coords(v=(("k", "point"), v)).assign(
        law_transfer_time=(("k", "point"), np.asarray(time)), law_loss=(("k", "point"), np.asarray(loss))
    )


def figure_7(rng: int = 7) -> xr.Dataset:
    """Simulate the load of S1 in every millisecond of scenario 1, v = 1, for each interpretation and k."""
    found = []
    for interpretation in INTERPRETATIONS.values():
        row = [runs.observed(k, 1.0, interpretation, replications=1, rng=rng, longest=3.0) for k in KS]
        found.append(xr.concat([one.isel(replication=0) for one in row], "k"))
    names = xr.DataArray(list(INTERPRETATIONS), dims="interpretation", name="interpretation")
    return xr.concat(found, names).assign_coords(k=list(KS))


def figure_8() -> xr.Dataset:
    """Simulate transfer time and loss of connection 1 in scenario 1 over v, for each interpretation and k."""
    grid: dict[str, Any] = {"interpretation": list(INTERPRETATIONS), "k": KS, "v": FACTORS}
    found = {}
    for name, k, v in watched(product(*grid.values()), "figure 8"):
        found[name, k, v] = runs.cross_traffic(k, v, INTERPRETATIONS[name], replications=REPLICATIONS)
    return gathered(found, grid, ABOUT)


def draw_2(data: xr.Dataset, ax: Any) -> None:
    """Draw the loss-load curve and the raw throughput."""
    ax.plot(data.rate, data.loss_probability, label="loss probability P(f)")
    ax.plot(data.rate, data.raw_throughput, label="raw throughput (1 - P) f")
    best = data.attrs["optimal_rate"]
    ax.axvline(best, color="0.6", lw=0.8, zorder=0)
    ax.plot(best, data.attrs["loss_there"], "o", color="C0", ms=5)
    ax.annotate(f"f_t = {best:.3f}, P = 1/6", (best, data.attrs["loss_there"]), (-8, 14), textcoords="offset points",
                ha="right", fontsize="small")  # fmt: skip
    ax.set(xlabel="transmission rate f [capacities]", ylabel="probability, rate [1]", xlim=(0, 1), ylim=(0, 1.03))
    ax.set_title("Prithviraj & Williamson, figure 2: loss-load curve, k = 5\nbeside two sources of 0.6 C each")
    ax.legend(loc="upper left")


def draw_5(data: xr.Dataset, axes: Any) -> None:
    """Draw transfer time and loss of scenario 0: simulated points, and lines from the laws."""
    left, right = axes
    v = np.linspace(0.5, 1, 251)
    for i, k in enumerate(KS):
        row, colour = data.sel(k=k), f"C{i}"
        time, loss = law_0(float(k), v)
        left.plot(v, 1e3 * np.asarray(time), color=colour, lw=1)
        right.plot(v, loss, color=colour, lw=1)
        points: dict[str, Any] = {"color": colour, "ls": "", "marker": MARKERS[k], "ms": 5}
        bars(left, row.v, row, "transfer_time", 1e3, **points, label=f"k = {k}")
        bars(right, row.v, row, "loss", **points)
        bars(right, row.v, row, "late_loss", **points | {"mfc": "none", "ms": 7, "mew": 0.8})
    left.plot([], [], color="0.4", lw=1, label="laws, at equilibrium")
    left.axhline(804, color="0.6", ls=":", zorder=0)
    left.annotate("800 + 4 ms", (0.5, 804), va="bottom", fontsize="small", color="0.4")
    left.set(xlabel="virtual factor v [1]", ylabel="transfer time of connection 1 [ms]", title="(a)")
    left.legend(
        title="wide bars: some runs lose their last packets\nand have a timeout of 0.2 s", title_fontsize="x-small"
    )
    right.plot([], [], "o", color="0.4", ms=5, label="whole transfer")
    right.plot([], [], "o", color="0.4", ms=7, mfc="none", mew=0.8, label="after the first 100 ms")
    right.set(xlabel="virtual factor v [1]", ylabel="packet loss of connection 1 [1]", ylim=(-0.01, None), title="(b)")
    right.legend(loc="upper left")


def draw_7(data: xr.Dataset, axes: Any) -> None:
    """Draw the load of S1, declared and counted: a row for each k, a column for each interpretation."""
    for column, interpretation in enumerate(data.interpretation.values):
        for line, k in enumerate(KS):
            ax, row = axes[line][column], data.sel(interpretation=interpretation, k=k)
            binned = runs.load(row)
            ax.step(1e3 * binned.time, binned, where="post", lw=0.7, color="0.65")
            ax.step(1e3 * row.time, row.declared_load, where="post", lw=1, color=f"C{column}")
            ax.axhline(1, color="black", lw=0.6)
            ax.axhline(laws.equilibrium_load(k, 1.0), color="0.4", lw=0.6, ls=":")
            for edge in (500, 1000):
                ax.axvline(edge, color="0.6", lw=0.6, ls="--", zorder=0)
            ax.set(xlim=(0, 2000), ylim=(0, 4))
            ax.text(0.99, 0.9, f"k = {k}", transform=ax.transAxes, ha="right", va="top")
    axes[0][0].set_title("as the printed numbers are judged")
    axes[0][-1].set_title("formulas as printed")
    for ax in axes[-1]:
        ax.set_xlabel("time [ms]")
    axes[0][0].figure.supylabel("load at S1 [capacities]", fontsize="medium")


def draw_8(data: xr.Dataset, axes: Any) -> None:
    """Draw transfer time and loss of scenario 1, and the printed numbers."""
    for column, interpretation in enumerate(data.interpretation.values):
        for k, colour in zip(KS, ("C0", "C1", "C2", "C3"), strict=True):
            row = data.sel(interpretation=interpretation, k=k)
            points: dict[str, Any] = {"color": colour, "marker": MARKERS[k], "ms": 5, "lw": 1, "label": f"k = {k}"}
            bars(axes[0][column], row.v, row, "transfer_time", 1e3, **points)
            bars(axes[1][column], row.v, row, "loss", **points)
            for one in NUMBERS.values():
                if one.k == k and one.name in ("transfer_time", "loss"):
                    ax = axes[0 if one.name == "transfer_time" else 1][column]
                    ax.plot(one.v, one.number.value, "x", color=colour, ms=10, mew=2, zorder=5)
        axes[0][column].axhline(1444, color="0.6", ls=":", zorder=0, label="1444 ms")
        axes[1][column].set_xlabel("virtual factor v [1]")
        axes[0][column].plot([], [], "x", color="0.4", ms=10, mew=2, ls="", label="printed")
    titles = {"nearest": "as the printed numbers are judged", "plain": "formulas as printed"}
    for ax, interpretation in zip(axes[0], data.interpretation.values, strict=True):
        ax.set_title(titles[str(interpretation)])
    axes[0][0].set_ylabel("transfer time of connection 1 [ms]")
    axes[1][0].set_ylabel("packet loss of connection 1 [1]")
    axes[0][0].legend()


def simulate() -> dict[str, Any]:
    """Simulate figures 2, 5, 7 and 8, and the rows of the tables."""
    nearest, plain = (one_at_a_time(one, REPLICATIONS) for one in (NEAREST, PLAIN))
    return {
        "2": figure_2(), "5": figure_5(), "7": figure_7(), "8": figure_8(),
        "loss_load_tables.md": tables(nearest, plain, REPLICATIONS),
    }  # fmt: skip


PAPER = "Prithviraj & Williamson, figure"
PICTURES = {
    "loss_load_2": Picture(
        "Loss probability that a switch announces, and raw throughput, over a source's rate; k = 5.",
        draw_2, "2", (1, 1), (6.4, 4.4),
    ),
    "loss_load_5": Picture(
        "Two sources: transfer time and loss over the virtual factor v; lines: equilibrium of the laws.",
        draw_5, "5", (1, 2), (10.4, 4.8),
        f"{PAPER} 5, simulated: two sources that maximise throughput; bars: 95 % intervals, {CUT}",
    ),
    "loss_load_7": Picture(
        "Eleven sources: load at the switch, for four k, under two interpretations of the paper.",
        draw_7, "7", (len(KS), 2), (10.4, 8.4),
        f"{PAPER} 7, simulated: scenario 1, v = 1. Colour: sum of the rates; grey: packets in 10 ms; dotted: "
        "(k + 1)/k;\ndashed: 500 and 1000 ms, between which the paper gives the load",
        {"sharex": True, "sharey": True},
    ),
    "loss_load_8": Picture(
        "Eleven sources: transfer time and loss of connection 1 over v; crosses: printed values.",
        draw_8, "8", (2, 2), (10.4, 8), f"{PAPER} 8, simulated: scenario 1; bars: 95 % intervals, {CUT}",
        {"sharex": True, "sharey": "row"},
    ),
}  # fmt: skip
DIMS = {
    "5": [("k", "point")], "7": [("interpretation", "k"), ("interpretation", "k", "time")],
    "8": [("interpretation", "k", "v")],
}  # fmt: skip
PART = Part(
    "figures.loss_load", simulate, DIMS, PICTURES, prefix="loss_load_",
    completed=lambda data: data | {"2": figure_2()},
)  # fmt: skip

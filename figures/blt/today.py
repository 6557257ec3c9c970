"""BLT today: network power of files sent at once over that of CUBIC and BBR, on paths of today.

An estimate from the times without load is drawn beside the ratios; ``blt_today.md`` has the numbers. Run with ``python
-m figures.blt.today``; it takes half an hour on two cores; ``--store DIRECTORY`` keeps finished runs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import longfat as lf
from figures.blt.networks import MBIT
from figures.blt.runs import WARM_UP, greatest_of_each, of_files, ratio, ratio_text
from figures.writing import Part, Picture, bars
from longfat.base.text_tables import markdown
from longfat.plot.axes import log_ticks

PACKET = 1500  # bytes
REPLICATIONS = 5
CONFIDENCE = 0.99  # of each interval: there are 192 comparisons, of which about one may be wrong
PACKETS, TRANSFERS, ROUND_TRIPS = 4e4, 60, 60  # least length of a run
LOADS = (0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

#: Rate of the bottleneck [Mbit/s] and round-trip time [s]. Ours, because no document lists the paths of today.
PATHS = {
    "data centre": (10_000.0, 1e-4),
    "campus": (1000.0, 2e-3),
    "fibre": (1000.0, 0.01),
    "cable": (100.0, 0.02),
    "DSL": (20.0, 0.03),
    "mobile": (200.0, 0.04),
    "transatlantic": (1000.0, 0.08),
    "satellite": (100.0, 0.6),
}
SIZES = (1e4, 1e5, 1e6, 1e7)  # bytes
LARGEST = 20  # bandwidth-delay products: larger files are left out, because the estimate is below 1.1 there
FASTER = (1.0, 10.0)  # rate of each source's access link over that of the bottleneck
#: Scheme and queue discipline of every competitor.
LABELS = {
    "BLT": ("blt", "priority-discard"),
    "BLT, drop-tail": ("blt", "fifo"),
    "CUBIC": ("cubic", "fifo"),
    "CUBIC, FQ-CoDel": ("cubic", "fq-codel"),
    "BBR": ("bbr", "fifo"),
}
OURS = ("BLT", "BLT, drop-tail")
RIVALS = ("CUBIC", "CUBIC, FQ-CoDel", "BBR")
BESIDE = {
    "CUBIC, drop-tail": ("cubic", "fifo"),
    "BLT, drop-tail": ("blt", "fifo"),
    "BLT, priority discard": ("blt", "priority-discard"),
    "BLT, FQ-CoDel": ("blt", "fq-codel"),
    "CUBIC, FQ-CoDel": ("cubic", "fq-codel"),
}  # the other half of the files, and the queue discipline for both halves
MARKERS = "os^vDP*X"
COLOURS = [*(f"C{k}" for k in range(7)), "0.5"]
UNITS = {"power": "bytes/s^2", "response_time": "s", "loss": "1", "fairness": "1", "load": "1"}


@dataclass(frozen=True)
class Link:
    """The bottleneck of a path, with the files that cross it; its buffer is a bandwidth-delay product."""

    path: str
    size: float  # bytes
    faster: float  # rate of the access links over that of the bottleneck

    @property
    def capacity(self) -> float:
        """Rate [bytes/s]."""
        return PATHS[self.path][0] * MBIT

    @property
    def round_trip(self) -> float:
        """Round-trip time without queues [s]."""
        return PATHS[self.path][1]

    @property
    def product(self) -> float:
        """Bandwidth-delay product [bytes]."""
        return self.capacity * self.round_trip

    def duration(self, load: float) -> float:
        """Return the length of a run at a load [s]."""
        transfers = max(PACKETS * PACKET / self.size, TRANSFERS)
        return max(transfers * self.size / (load * self.capacity), ROUND_TRIPS * self.round_trip)

    def network(self, discipline: str) -> lf.sim.Network:
        """Return the bottleneck "a-b" without flows."""
        buffer = max(1, round(self.product / PACKET))
        return lf.sim.Network().link(
            "a", "b", rate=self.capacity, delay=self.round_trip / 2, buffer=buffer, discipline=discipline
        )

    def add(self, net: lf.sim.Network, scheme: str, load: float, name: str) -> None:
        """Let files of this size arrive at random."""
        net.flow(
            lf.sim.traffic.arrivals(load * self.capacity / self.size, scheme), name=name, path=["a", "b"],
            packet=PACKET, file=self.size, access_rate=self.faster * self.capacity, ack_path="ideal",
        )  # fmt: skip

    def run(self, net: lf.sim.Network, load: float, rng: Any) -> xr.Dataset:
        """Run the network for the length of a run at this load."""
        end = self.duration(load)
        return lf.sim.run(net, duration=end, warm_up=WARM_UP * end, rng=rng, progress=False)


def observe(load: float, *, path: str, size: float, faster: float, rng: Any) -> dict[str, float]:
    """Return power, response time, loss and fairness of every competitor, all with the same random arrivals.

    The names are those of `UNITS` with the competitor's place in `LABELS`.
    """
    link, seed = Link(path, size, faster), int(rng.integers(2**31))
    seen: dict[str, float] = {}
    for k, (scheme, discipline) in enumerate(LABELS.values()):
        net = link.network(discipline)
        link.add(net, scheme, load, "files")
        one = link.run(net, load, seed).sel(flow="files")
        found = of_files(one, size, (1 - WARM_UP) * link.duration(load))
        seen |= {f"{what}_{k}": found[what] for what in ("power", "response_time", "loss", "fairness")}
    return seen


def beside(other: str, load: float, rng: Any) -> dict[str, float]:
    """Return the response time of CUBIC's files, half of the load, beside another half; 100 kB on the cable path."""
    link, (scheme, discipline) = Link("cable", 1e5, 10.0), BESIDE[other]
    net = link.network(discipline)
    link.add(net, "cubic", load / 2, "cubic")
    link.add(net, scheme, load / 2, "other")
    data = link.run(net, load, rng)
    return {f"{name}_time": float(data.sel(flow=name).transfer_time) for name in ("cubic", "other")}


def greatest(store: str | Path | None = None) -> xr.Dataset:
    """Simulate the greatest powers, on every path, for every size and rate of the access links.

    Variables along ``path``, ``size``, ``faster`` and ``label``: the load of the greatest power, and response time,
    loss and fairness at this load. Along ``rival``: the ratio of BLT's greatest power to the rival's, with an interval.
    """
    rows = {}
    for path in PATHS:
        for size in SIZES:
            for faster in FASTER:
                if size > LARGEST * Link(path, size, faster).product:
                    continue
                place = None if store is None else Path(store) / f"{path} {size:g} {faster:g}"
                function = functools.partial(observe, path=path, size=size, faster=faster)
                data = lf.sweep(
                    function, {"load": LOADS}, replications=REPLICATIONS, rng=1, keep=True, store=place,
                    progress=False,
                )  # fmt: skip
                rows[path, size, faster] = summary(data)
                print(f"{path}, {size / 1e3:g} kB, access {faster:g} times as fast", flush=True)
    names = {"path": list(PATHS), "size": list(SIZES), "faster": list(FASTER)}
    one = next(iter(rows.values()))
    blank = xr.full_like(one, np.nan)
    places = [(path, size, faster) for path in PATHS for size in SIZES for faster in FASTER]
    flat = xr.concat([rows.get(place, blank) for place in places], "point")
    index = pd.MultiIndex.from_product(names.values(), names=list(names))
    found = flat.assign_coords(xr.Coordinates.from_pandas_multiindex(index, "point")).unstack("point")
    found = (
        found.transpose(*names, ...)
        .reindex(names)
        .assign_coords(label=list(LABELS), blt=list(OURS), rival=list(RIVALS))
    )
    for name, unit in UNITS.items():
        found[name].attrs["units"] = unit
    for end in ("", "_lower", "_upper"):
        found[f"ratio{end}"].attrs["units"] = "1"
    found["size"].attrs["units"] = "bytes"
    return found


def summary(data: xr.Dataset) -> xr.Dataset:
    """Return the greatest powers of one place, and the ratios of BLT's to the rivals' with intervals."""
    best, at = {}, {}
    for label, (logs, place) in zip(LABELS, greatest_of_each(data, len(LABELS)), strict=True):
        best[label], at[label] = logs, place
    found: dict[str, Any] = {
        name: ("label", [float(data[f"{name}_{k}"][at[label]]) for k, label in enumerate(LABELS)])
        for name in ("power", "response_time", "loss", "fairness")
    }
    found["load"] = ("label", [LOADS[place] for place in at.values()])
    spans = [[ratio(best[mine], best[rival], CONFIDENCE) for rival in RIVALS] for mine in OURS]
    for name, part in {"ratio": "value", "ratio_lower": "lower", "ratio_upper": "upper"}.items():
        found[name] = (("blt", "rival"), [[getattr(span, part) for span in row] for row in spans])
    return xr.Dataset(found)


def side_by_side(store: str | Path | None = None) -> xr.Dataset:
    """Simulate CUBIC's files beside others."""
    place = None if store is None else Path(store) / "beside"
    grid = {"other": list(BESIDE), "load": [0.2, 0.4, 0.6, 0.8]}
    data = lf.sweep(beside, grid, replications=REPLICATIONS, rng=2, store=place, progress=False)
    for name in ("cubic_time", "other_time"):
        data[name].attrs["units"] = "s"
    return data


def estimate(products: np.ndarray, packets: float, initial_window: int) -> np.ndarray:
    """Return the estimated ratio of BLT's power to that of slow start, from the times without load and losses."""
    slow = lf.laws.tcp.slow_start_transfer_time(packets, products, 1 / packets, initial_window)
    power = lf.laws.blt.power_with_unloaded_time
    return np.asarray(power(1.0, 1.0, 1 + products) / power(1.0, 1.0, slow))


def draw_ratios(data: xr.Dataset, axes: Any) -> None:
    """Draw the ratios over the bandwidth-delay product: a row for CUBIC and BBR, a column for the access links."""
    products = np.array([[Link(path, size, 1.0).product / size for size in SIZES] for path in PATHS])
    x = np.geomspace(products.min() / 1.5, products.max() * 1.5, 300)
    for row, rival in enumerate(("CUBIC", "BBR")):
        for column, faster in enumerate(FASTER):
            ax, one = axes[row][column], data.sel(rival=rival, faster=faster, blt="BLT")
            for k, path in enumerate(PATHS):
                bars(ax, products[k], one.sel(path=path), "ratio", ls="", capsize=2, ms=4.5, marker=MARKERS[k],
                     color=COLOURS[k], label=path)  # fmt: skip
            for packets, style in ((66, ":"), (6667, "--")):
                ax.plot(x, estimate(x, packets, 10), color="0.4", ls=style, label=f"estimate, {packets} packets")
            ax.axhline(1, color="0.4", lw=0.8, label="equal powers")
            words = "as fast as the link" if faster == 1 else f"{faster:g} times as fast"
            ax.set(
                xscale="log", yscale="log", ylim=(0.15, 12), title=f"against {rival}, access links {words}",
                ylabel="ratio of the greatest powers [1]",
            )  # fmt: skip
            log_ticks(ax.yaxis)
            if row:
                ax.set_xlabel("bandwidth-delay product over file size [1]")
    axes[1][1].legend(loc="lower right", ncols=2, fontsize="x-small")


def draw_beside(data: xr.Dataset, axes: Any) -> None:
    """Draw the response times of CUBIC's files and of the others."""
    for ax, name, words in zip(axes, ("cubic_time", "other_time"), ("CUBIC's half", "the other half"), strict=True):
        for k, other in enumerate(BESIDE):
            bars(
                ax, data["load"].values * 1.01 ** (k - 2), data.sel(other=other), name, scale=1e3, color=f"C{k}",
                marker=MARKERS[k], ms=4.5, capsize=2, label=other,
            )  # fmt: skip
        ax.set(xlabel="offered load of both halves [1]", ylabel="response time [ms]", yscale="log", title=words)
        log_ticks(ax.yaxis)
    axes[0].legend(loc="upper left", title="the other half, and the link")


def text(data: xr.Dataset) -> str:
    """Return the page with the numbers."""
    lines = [
        "# BLT on paths of today", "",
        "The greatest network power, throughput over response time, of Kim and Farber's BLT over that of CUBIC and of "
        "BBR. Files of one size arrive at random at one bottleneck whose buffer is a bandwidth-delay product. BLT has "
        "its switch (`priority-discard`); without it, at a drop-tail link, are the columns \"drop-tail\". "
        f"Brackets: {100 * CONFIDENCE:g} % intervals of {REPLICATIONS} runs; **ahead** and *behind* where "
        "an interval excludes 1. Waste: packets that BLT loses, of those that it sends, at its greatest power. "
        "CUBIC and BBR start with ten packets, so that a file of 10 kB is sent at once by all of them.", "",
    ]  # fmt: skip
    for faster in FASTER:
        words = "as fast as the bottleneck" if faster == 1 else f"{faster:g} times as fast as the bottleneck"
        rows = []
        for path in PATHS:
            for size in SIZES:
                one = data.sel(path=path, size=size, faster=faster)
                if bool(one["load"].isnull().all()):
                    continue
                cells = [ratio_text(one.sel(blt="BLT", rival=rival), 3) for rival in RIVALS]
                loss = [f"{100 * float(one.loss.sel(label=label)):.2g} %" for label in OURS]
                plain = ratio_text(one.sel(blt="BLT, drop-tail", rival="CUBIC"), 3)
                product = Link(path, size, faster).product / size
                rows.append([path, f"{size / 1e3:g} kB", f"{product:.3g}", *cells, loss[0], plain, loss[1]])
        heads = (
            "path", "file", "BDP/file", "over CUBIC", "over CUBIC, FQ-CoDel", "over BBR", "waste",
            "drop-tail over CUBIC", "waste",
        )  # fmt: skip
        lines += [f"## Access links {words}", "", *markdown(heads, rows), ""]
    return "\n".join(lines)


def simulate(store: str | Path | None = None) -> dict[str, xr.Dataset]:
    """Simulate everything that the pictures show."""
    return {"blt_today": greatest(store), "blt_today_beside": side_by_side(store)}


PICTURES = {
    "blt_today": Picture(
        "Greatest network power of BLT over that of CUBIC and of BBR, on paths of today.",
        draw_ratios, "blt_today", (2, 2), (11, 8.4),
        f"BLT with its switch; files of 10 kB to 10 MB; bars: {100 * CONFIDENCE:g} % intervals of {REPLICATIONS} runs",
    ),
    "blt_today_beside": Picture(
        "Response times of CUBIC's files at a link where the other half of the files is sent at once.",
        draw_beside, "blt_today_beside", (1, 2), (11, 4.8),
        f"Files of 100 kB, 100 Mbit/s, 20 ms, access links of 1 Gbit/s; bars: 95 % intervals of {REPLICATIONS} runs",
    ),
}  # fmt: skip
PLACE = ("path", "size", "faster")
DIMS = {"blt_today": [(*PLACE, "label"), (*PLACE, "blt", "rival")], "blt_today_beside": [("other", "load")]}
PART = Part(
    "figures.blt.today", simulate, DIMS, PICTURES,
    completed=lambda data: data | {"blt_today.md": text(data["blt_today"])},
)  # fmt: skip

if __name__ == "__main__":
    PART.main()

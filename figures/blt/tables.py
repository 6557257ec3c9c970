"""Tables for Kim and Farber's figures: table 1 cell by cell, greatest powers, interpretations, simulation effort."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from figures.blt.networks import MBIT, SETS
from figures.blt.runs import FILES
from figures.blt.table_1 import INCREASES, PRINTED, RATIO_NAMES, TCP_LITERAL, ceiling
from figures.rule import Estimate
from longfat.base.text_tables import markdown
from longfat.laws import blt as laws

NETWORKS = ("reference", "1 Gbit/s")
CORRECTED = "BLT, corrected switch"
COUNTED = ", counted"  # as in the paper: files over the time until the last is complete


def all_interpretations(
    found: dict[str, xr.Dataset], other: dict[str, xr.Dataset]
) -> dict[str, dict[Any, tuple[float, float]]]:
    """Return our log10 and the printed one for every interpretation, at every bottleneck of both networks."""
    rows: dict[str, dict[Any, tuple[float, float]]] = {}
    for name in NETWORKS:
        for part, end in (
            (found[name], ""),
            (other[name], ""),
            (other[name + COUNTED], f", {FILES} files to the last"),
        ):
            for label in part.label.values:
                scheme = "BLT" if str(label).startswith("BLT") else "TCP"
                cells = rows.setdefault(f"{label}{end}", {})
                for k in range(3):
                    cells[name, k] = (float(part.power.sel(label=label)[k]), float(PRINTED[scheme, name][k]))
    return rows


def _cell(one: xr.Dataset, label: str, k: int, digits: int = 2) -> str:
    row = one.sel(label=label).isel(bottleneck=k)
    return Estimate(float(row.power), float(row.power_lower), float(row.power_upper)).text(digits)


def table_1(found: dict[str, xr.Dataset], other: dict[str, xr.Dataset]) -> list[str]:
    """Return table 1: printed, ours in steady state, and counted as in the paper."""
    cells = [
        [label, ratio, words, PRINTED[label, name][k], _cell(found[name], label, k),
         f"{float(found[name]['load'].sel(label=label)[k]):g}",
         _cell(found[name], CORRECTED, k) if label == "BLT" else "", f"{ceiling(SETS[name][k]):.2f}",
         f"{_estimate(label, SETS[name][k]):.2f}", _cell(other[name + COUNTED], label, k)]
        for label in ("BLT", "TCP") for k, ratio in enumerate(RATIO_NAMES)
        for name, words in zip(NETWORKS, ("150 Mbit/s", "1 Gbit/s"), strict=True)
    ]  # fmt: skip
    increases = []
    for label, printed in INCREASES.items():
        for k, ratio in enumerate(RATIO_NAMES):
            rises = [float(b.power.sel(label=label)[k] - a.power.sel(label=label)[k])
                     for a, b in ((found["reference"], found["1 Gbit/s"]),
                                  (other["reference" + COUNTED], other["1 Gbit/s" + COUNTED]))]  # fmt: skip
            increases.append([label, ratio, printed[k], *(f"{rise:.2f}" for rise in rises)])
    last = f"{FILES} files, to the last"
    heads = ["scheme", "BW_b/BW_N", "BW_N", "printed", "ours, steady state", "at load", "corrected switch",
             "upper bound", "estimate without losses", last]  # fmt: skip
    return [*markdown(heads, cells), "",
            *markdown(["scheme", "BW_b/BW_N", "increase, printed", "ours", last], increases)]  # fmt: skip


def _estimate(label: str, path: Any) -> float:
    """Return log10 of the power with the unloaded response time and an infinite buffer."""
    packets, own = path.file / 500, 500 / (path.network * MBIT)
    between = 500 / path.capacity
    alone = float(laws.unloaded_transfer_time(packets, path.round_trip, own, between, own))
    if label == "TCP":  # by the ratio of the estimates
        bandwidth_delay_product = path.capacity * path.round_trip / path.file
        scale = float(np.log10(laws.power_advantage(bandwidth_delay_product, packets)))
    else:
        scale = 0.0
    return float(np.log10(laws.power_with_unloaded_time(path.capacity, path.file, alone))) - scale


def tables(data: dict[str, Any], sent: dict[str, float]) -> str:
    """Return all tables as Markdown; ``sent`` has the packets of each kind of run."""
    found, tops, other = (data[name] for name in ("sets", "greatest", "greatest_interpretations"))
    lines = [
        "# Kim and Farber, BLT: table 1 and related results",
        "",
        "log10 of the greatest network power [B/s^2], 95 % intervals; each run is evaluated at the load that the other",
        "runs select, so that choosing the greatest of several means has no bias. Steady state: the first fifth of a "
        "run",
        "is not counted, and throughput is files completed over time. To the last: throughput of files over the time",
        "until the last is complete, of the longest of three runs, as in the paper (footnote 13). Their number,",
        f"{FILES}, is fitted to one number, the 605 Mbit/s of section 4.3.1. Upper bound: of any first-come service. "
        "Table 1, the",
        "ratios and the fairness come from the runs of the scoreboard with seed 0.",
        "",
        *table_1(tops, other),
        "",
        "## Interpretations of what the text leaves open",
        "",
        "log10 of our power over the printed one at BW_b/BW_N = 1/5, 3/5, 1 of 150 Mbit/s, then of 1 Gbit/s.",
        "",
    ]
    differences = []
    for label, cells in all_interpretations(tops, other).items():
        gaps = [ours - value for ours, value in cells.values()]
        differences.append([label, ", ".join(f"{gap:+.2f}" for gap in gaps), f"{max(map(abs, gaps)):.2f}"])
    lines += [*markdown(["interpretation", "differences", "largest"], differences), "",
              "## Greatest powers of all networks", ""]  # fmt: skip
    greatest = []
    for name, one in tops.items():
        for k, path in enumerate(SETS[name]):
            both = one.power.sel(label=["BLT", "TCP"])[:, k].values
            load = one["load"].sel(label=["BLT", "TCP"])[:, k].values
            corrected = _cell(one, CORRECTED, k) if CORRECTED in one.label else ""
            greatest.append([
                name, f"{path.bottleneck:g}", _cell(one, "BLT", k), f"{load[0]:g}", _cell(one, "TCP", k),
                f"{load[1]:g}", f"{10 ** (both[0] - both[1]):.1f}", corrected, f"{ceiling(path):.2f}",
            ])  # fmt: skip
    heads = ["network", "BW_b [Mbit/s]", "BLT", "at load", "TCP", "at load", "BLT over TCP", "corrected switch",
             "upper bound"]  # fmt: skip
    lines += [*markdown(heads, greatest), "", "## The corrected switch and fairness", "",
              "Jain's index of the rates of files.", ""]  # fmt: skip
    fair = []
    for (name, bottleneck), rows in data["fairness"].items():
        indices = [
            ", ".join(f"{index:.3f}" for index in rows[label][1]) for label in ("BLT", CORRECTED, "TCP", TCP_LITERAL)
        ]
        loads = ", ".join(f"{load:.2f}" for load in next(iter(rows.values()))[0])
        fair.append([name, f"{bottleneck:g}", loads, *indices])
    heads = ["network", "BW_b [Mbit/s]", "loads", "BLT, published switch", "corrected switch", "TCP",
             "TCP, every duplicate a loss"]  # fmt: skip
    counts = [[name, f"{count / 1e6:.1f}"] for name, count in sent.items()]
    lines += [*markdown(heads, fair), "", *_outlook(data), "", "## What was simulated", "",
              *markdown(["runs of", "packets sent [millions]"], counts)]  # fmt: skip
    both = sum(float(found[name].sent_samples.sel(label=["BLT", "TCP"]).sum()) for name in NETWORKS)
    lines += ["", f"Table 1 alone, two schemes: {both / 1e6:.0f} million packets."]
    return "\n".join(lines) + "\n"


def _outlook(data: dict[str, Any]) -> list[str]:
    large, beside, small = data["buffers"], data["cross"], data["interactive"]
    names = [str(label) for label in large.label.values]
    powers = [
        [f"{size:g}", *(_cell(large.sel(buffers=size), name, 0) for name in names)] for size in large.buffers.values
    ]
    others = [str(label) for label in beside.label.values]
    crossed = [
        [f"{load:g}", kind, *(f"{float(np.log10(beside.power.sel(load=load, cross=kind, label=name)[0])):.2f}"
                              for name in others)]
        for load in beside["load"].values for kind in beside.cross.values
    ]  # fmt: skip
    all_names = [str(label) for label in small.label.values]
    times = [
        [f"{load:g}", *(f"{1e3 * float(small.small_transfer_time.sel(load=load, label=name)[0]):.1f}"
                        for name in all_names)]
        for load in small["load"].values
    ]  # fmt: skip
    return [
        "## Larger buffers: log10 of the greatest power, 30 of 150 Mbit/s, 30 ms, 100 kB", "",
        *markdown(["buffer [BW_b D/3]", *names], powers), "",
        "## Beside uncontrolled traffic of 0.3 of the capacity: log10 of power", "",
        *markdown(["load of files", "traffic", *others], crossed), "",
        "## Files of 2 kB, 0.05 of the capacity, beside those of 100 kB: mean response time [ms]", "",
        *markdown(["load of 100 kB files", *all_names], times),
    ]  # fmt: skip

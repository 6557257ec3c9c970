"""Tables for Kim and Farber's figures: table 1 cell by cell, greatest powers, interpretations, simulation effort."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from figures.blt.networks import MBIT, SETS
from figures.blt.runs import FILES
from figures.blt.table_1 import INCREASES, PRINTED, RATIO_NAMES, TCP_LITERAL, ceiling
from figures.rule import Estimate
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
    lines = [
        "| scheme | BW_b/BW_N | BW_N | printed | ours, steady state | at load | corrected switch | upper bound "
        f"| estimate without losses | {FILES} files, to the last |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for label in ("BLT", "TCP"):
        for k, ratio in enumerate(RATIO_NAMES):
            for name, words in zip(NETWORKS, ("150 Mbit/s", "1 Gbit/s"), strict=True):
                path, load = SETS[name][k], float(found[name]["load"].sel(label=label)[k])
                corrected = _cell(found[name], CORRECTED, k) if label == "BLT" else ""
                lines.append(
                    f"| {label} | {ratio} | {words} | {PRINTED[label, name][k]} | {_cell(found[name], label, k)} "
                    f"| {load:g} | {corrected} | {ceiling(SETS[name][k]):.2f} | {_estimate(label, path):.2f} "
                    f"| {_cell(other[name + COUNTED], label, k)} |"
                )
    lines += ["", f"| scheme | BW_b/BW_N | increase, printed | ours | {FILES} files, to the last |",
              "| --- | --- | --- | --- | --- |"]  # fmt: skip
    for label, printed in INCREASES.items():
        for k, ratio in enumerate(RATIO_NAMES):
            rises = [float(b.power.sel(label=label)[k] - a.power.sel(label=label)[k])
                     for a, b in ((found["reference"], found["1 Gbit/s"]),
                                  (other["reference" + COUNTED], other["1 Gbit/s" + COUNTED]))]  # fmt: skip
            lines.append(f"| {label} | {ratio} | {printed[k]} | {rises[0]:.2f} | {rises[1]:.2f} |")
    return lines


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
        "| interpretation | differences | largest |",
        "| --- | --- | --- |",
    ]
    for label, cells in all_interpretations(tops, other).items():
        gaps = [ours - value for ours, value in cells.values()]
        lines.append(f"| {label} | {', '.join(f'{gap:+.2f}' for gap in gaps)} | {max(map(abs, gaps)):.2f} |")
    lines += [
        "",
        "## Greatest powers of all networks",
        "",
        "| network | BW_b [Mbit/s] | BLT | at load | TCP | at load | BLT over TCP | corrected switch | upper bound |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in tops.items():
        for k, path in enumerate(SETS[name]):
            both = one.power.sel(label=["BLT", "TCP"])[:, k].values
            load = one["load"].sel(label=["BLT", "TCP"])[:, k].values
            corrected = _cell(one, CORRECTED, k) if CORRECTED in one.label else ""
            lines.append(
                f"| {name} | {path.bottleneck:g} | {_cell(one, 'BLT', k)} | {load[0]:g} | {_cell(one, 'TCP', k)} "
                f"| {load[1]:g} | {10 ** (both[0] - both[1]):.1f} | {corrected} "
                f"| {ceiling(SETS[name][k]):.2f} |"
            )
    lines += [
        "",
        "## The corrected switch and fairness",
        "",
        "Jain's index of the rates of files.",
        "",
        "| network | BW_b [Mbit/s] | loads | BLT, published switch | corrected switch | TCP "
        "| TCP, every duplicate a loss |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (name, bottleneck), rows in data["fairness"].items():
        indices = [
            ", ".join(f"{index:.3f}" for index in rows[label][1]) for label in ("BLT", CORRECTED, "TCP", TCP_LITERAL)
        ]
        loads = ", ".join(f"{load:.2f}" for load in next(iter(rows.values()))[0])
        lines.append(f"| {name} | {bottleneck:g} | {loads} | " + " | ".join(indices) + " |")
    lines += ["", *_outlook(data), "", "## What was simulated", "",
              "| runs of | packets sent [millions] |", "| --- | --- |"]  # fmt: skip
    lines += [f"| {name} | {count / 1e6:.1f} |" for name, count in sent.items()]
    both = sum(float(found[name].sent_samples.sel(label=["BLT", "TCP"]).sum()) for name in NETWORKS)
    lines += ["", f"Table 1 alone, two schemes: {both / 1e6:.0f} million packets."]
    return "\n".join(lines) + "\n"


def _outlook(data: dict[str, Any]) -> list[str]:
    large, beside, small = data["buffers"], data["cross"], data["interactive"]
    names = [str(label) for label in large.label.values]
    lines = ["## Larger buffers: log10 of the greatest power, 30 of 150 Mbit/s, 30 ms, 100 kB", "",
             "| buffer [BW_b D/3] | " + " | ".join(names) + " |", "| --- " * (1 + len(names)) + "|"]  # fmt: skip
    for size in large.buffers.values:
        one = large.sel(buffers=size)
        lines.append(f"| {size:g} | " + " | ".join(_cell(one, name, 0) for name in names) + " |")
    names = [str(label) for label in beside.label.values]
    lines += ["", "## Beside uncontrolled traffic of 0.3 of the capacity: log10 of power", "",
              "| load of files | traffic | " + " | ".join(names) + " |", "| --- " * (2 + len(names)) + "|"]  # fmt: skip
    for load in beside["load"].values:
        for kind in beside.cross.values:
            row = beside.sel(load=load, cross=kind).isel(bottleneck=0)
            cells = [f"{float(np.log10(row.power.sel(label=name))):.2f}" for name in names]
            lines.append(f"| {load:g} | {kind} | " + " | ".join(cells) + " |")
    names = [str(label) for label in small.label.values]
    lines += ["", "## Files of 2 kB, 0.05 of the capacity, beside those of 100 kB: mean response time [ms]", "",
              "| load of 100 kB files | " + " | ".join(names) + " |", "| --- " * (1 + len(names)) + "|"]  # fmt: skip
    for load in small["load"].values:
        row = small.sel(load=load).isel(bottleneck=0)
        cells = [f"{1e3 * float(row.small_transfer_time.sel(label=name)):.1f}" for name in names]
        lines.append(f"| {load:g} | " + " | ".join(cells) + " |")
    return lines

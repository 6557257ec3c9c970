"""Curves of throughput efficiency against the window, by laws and simulated, along `loss` and `window`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.laws import selective_repeat as laws

if TYPE_CHECKING:
    from longfat.design.windows import Path

CURVES = {
    "law": laws.throughput_efficiency,
    "as_printed": laws.throughput_efficiency.as_printed,
    "many_rounds": laws.throughput_efficiency_many_rounds,
}


#: Suffixes of a simulated variable's name, for its mean and confidence limits -> suffixes of its description.
ENDS = {"": "", "_lower": ", lower limit", "_upper": ", upper limit"}


def attrs(unit: str, description: str) -> dict[str, str]:
    """Return unit and long name as attributes of a variable; an empty unit is left out."""
    return {"units": unit, "long_name": description} if unit else {"long_name": description}


def with_limits(name: str, text: str, unit: str = "1") -> dict[str, tuple[str, str]]:
    """Return unit and meaning of a simulated quantity and of its two confidence limits, by variable name."""
    return {f"{name}{end}": (unit, f"{text}, simulated{said}") for end, said in ENDS.items()}


def along_loss(rows: Sequence[Mapping[str, Any]], declared: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the declared variables that the rows contain, along ``loss``; there is one row for each loss."""
    known = {name: about for name, about in declared.items() if name in rows[0]}
    return {name: ("loss", [row[name] for row in rows], attrs(*about)) for name, about in known.items()}


def curves(
    path: Path, losses: list[float], points: int, seed: Any, confidence: float, progress: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return variables and coordinates of curves by laws and simulation, for windows up to 4 acknowledgment delays."""
    ack = path.ack_segments
    widest = max(4 * ack, 4.0)
    windows = np.unique(np.round(np.linspace(1, widest, points))).astype(int)
    # The law is evaluated on a dense grid, which has the windows on both sides of each jump of the law.
    dense = np.concatenate([np.linspace(1, widest, 201), [1 + 1e-9, ack + 1, (2 * ack + 1) * (1 - 1e-12), 2 * ack + 1]])
    dense = np.unique(dense[dense >= 1])
    coordinates = {
        "window": ("window", windows, attrs("segments", "window simulated")),
        "law_window": ("law_window", dense, attrs("segments", "window")),
    }
    variables = {}
    for dim, grid in (("window", windows.astype(float)), ("law_window", dense)):
        for name, one in CURVES.items():
            # Replace a loss outside the domain of this law by NaN, so that the law returns NaN.
            rates = [loss if one.symbols["loss"].interval.contains(loss) else math.nan for loss in losses]
            values = one(grid[None, :], np.asarray(rates)[:, None], path.segment_packets, ack)
            label = ("curve_" if dim == "window" else "dense_") + name
            variables[label] = (("loss", dim), values, attrs("1", f"throughput efficiency, {name.replace('_', ' ')}"))
    runs = [path.simulate(loss, windows.tolist(), seed, confidence, 5e4, progress) for loss in losses]
    for name, about in with_limits("curve_simulated", "throughput efficiency").items():
        values = np.stack([run[name.replace("curve_simulated", "throughput_efficiency")].values for run in runs])
        variables[name] = (("loss", "window"), values, attrs(*about))
    return variables, coordinates

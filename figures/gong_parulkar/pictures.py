"""Figures of Gong & Parulkar, WUCS-92-38: figure 14, throughput efficiency, analysis against simulation.

The paper gives neither rate nor round-trip time. Taken here: 150 Mbit/s, 20 ms, segments of 16 packets of
1024 B, so w_a = 23.08; 10^7 packets a point, as in the paper. Run with ``python -m figures.gong_parulkar``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from figures.gong_parulkar.runs import PATH
from figures.writing import Part, Picture
from longfat.laws.selective_repeat import throughput_efficiency, throughput_efficiency_many_rounds
from longfat.segments import simulate

VALIDITY = throughput_efficiency.validity
assert VALIDITY is not None  # an accuracy is stated
ACCURACY = VALIDITY.accuracy
LOSSES = [1e-4, 1e-3, 1e-2]
WINDOWS = [1, *range(2, 23, 2), 23, 24, 25, *range(26, 47, 2), 47, 48, 50, 54, 58, 62]  # more at w_a and 2 w_a


def figure_14(packets: float = 1e7, rng: int = 14) -> xr.Dataset:
    """Return law, printed law and simulation for the curves in figure 14, from ``packets`` packets at each point."""
    data = simulate(
        window=WINDOWS,
        loss=LOSSES,
        segment_packets=PATH.segment_packets,
        ack_segments=PATH.simulated_ack_segments,
        segments=round(packets / PATH.segment_packets),
        rng=rng,
    )
    ack = data.attrs["ack_segments"]
    dense = np.unique(np.concatenate([np.linspace(1, max(WINDOWS), 600), [ack + 1, 2 * ack + 1 - 1e-9, 2 * ack + 1]]))
    data = data.assign_coords(law_window=("law_window", dense, {"units": "segments"}))
    laws = {
        "law": throughput_efficiency,
        "printed": throughput_efficiency.as_printed,
        "ours": throughput_efficiency_many_rounds,
    }
    for name, one in laws.items():
        for dim, windows in (("window", np.array(WINDOWS, float)), ("law_window", dense)):
            values = one(windows[None, :], np.array(LOSSES)[:, None], PATH.segment_packets, ack)
            data[f"{name}_at_{dim}"] = (("loss", dim), values, {"units": "1"})
    return data


def draw_14(data: xr.Dataset, axes: Any) -> None:
    """Draw figure 14 into two axes: efficiencies above, differences from the simulation below."""
    above, below = axes
    for index, p in enumerate(data.loss.values):
        row, colour = data.sel(loss=p), f"C{index}"
        above.plot(row.law_window, row.law_at_law_window, color=colour, label=f"p = {p:g}")
        above.plot(row.law_window, row.printed_at_law_window, color=colour, ls=":")
        above.plot(row.law_window, row.ours_at_law_window, color=colour, ls=(0, (6, 1, 1, 1)), lw=0.9)
        value, half = row.throughput_efficiency, row.throughput_efficiency_upper - row.throughput_efficiency
        above.errorbar(row.window, value, half, color=colour, ls="", marker="o", ms=3.5, lw=1)
        below.errorbar(row.window, row.law_at_window - value, half, color=colour, marker="o", ms=3.5, lw=1)
        below.plot(row.window, row.printed_at_window - value, color=colour, ls=":")
    above.plot([], [], color="0.4", label="law (third case corrected)")
    above.plot([], [], color="0.4", ls=":", label="law as printed")
    above.plot([], [], color="0.4", ls=(0, (6, 1, 1, 1)), lw=0.9, label="our law for any number of rounds")
    above.errorbar([], [], [], color="0.4", ls="", marker="o", ms=3.5, label="simulated, 95% interval")
    ack = data.attrs["ack_segments"]
    for ax in axes:
        for edge in (ack + 1, 2 * ack + 1):
            ax.axvline(edge, color="0.7", lw=0.8, zorder=0)
    above.plot([], [], color="0.7", lw=0.8, label="w_a + 1 and 2 w_a + 1")
    above.set(ylabel="throughput efficiency [1]", ylim=(0, 1.05))
    above.set_title("Gong & Parulkar, figure 14: analysis against simulation (150 Mbit/s, 20 ms, 16-packet segments)")
    above.legend(loc="lower right", frameon=True, framealpha=1, edgecolor="none")  # hides a vertical line
    below.axhspan(-ACCURACY, ACCURACY, color="0.92", zorder=0, label="stated accuracy")
    below.set(xlabel="window [segments]", ylabel="law minus simulation [1]")
    below.legend(loc="lower left")


def completed(data: dict[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Add the acknowledgment delay, which is not in the stored numbers."""
    data["gong_parulkar_14"].attrs["ack_segments"] = PATH.simulated_ack_segments
    return data


PICTURES = {
    "gong_parulkar_14": Picture(
        "Throughput efficiency of selective repeat over the window: the corrected law, the law as printed in 1992, our "
        "law for any number of rounds, and simulations with 95 % intervals; below: law minus simulation.",
        draw_14, "gong_parulkar_14", (2, 1), (7.6, 6.4), options={"sharex": True, "height_ratios": [2, 1]},
    ),
}  # fmt: skip
DIMS = {"gong_parulkar_14": [("loss", "law_window"), ("loss", "window")]}
PART = Part("figures.gong_parulkar", lambda: {"gong_parulkar_14": figure_14()}, DIMS, PICTURES, completed=completed)

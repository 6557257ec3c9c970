"""Kim and Farber's conceptual figures 3 and 5, from simulated packets.

``blt_3``: when TCP in slow start and BLT send the packets of a file, and in which window. ``blt_5``: throughput,
response time and power over the load, whose greatest power is the knee; the numbers are those of ``figures.blt``. Run
with ``python -m figures.blt.concepts``; it takes seconds; ``--redraw`` draws the stored numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from figures import data as stored
from figures.blt.networks import PACKET
from figures.blt.runs import STREAM, STREAMS, departures
from figures.writing import Part, bars, panels
from longfat.base.files import AtomicFiles

CAPTIONS = {
    "blt_3": "Figure 3: when TCP in slow start and BLT send the 127 packets of a file, and in which window.",
    "blt_5": "Figure 5: throughput, response time and power over the load, for TCP and BLT; the greatest power is the "
    "knee.",
}
BOTTLENECK = 90  # Mbit/s, the middle one of the reference networks
MARKERS = "os"


def windows() -> np.ndarray:
    """Return the window of each packet: 1, 2, 4, ... packets, in slow start as in BLT (section 3.3.1)."""
    return np.floor(np.log2(np.arange(STREAM) + 1)).astype(int)


def simulate() -> dict[str, xr.Dataset]:
    """Simulate the departures, as the claim is judged by."""
    times = [departures(scheme) for scheme in STREAMS]
    data = xr.Dataset(
        {"departure": (("scheme", "packet"), times)}, {"scheme": list(STREAMS), "packet": list(range(STREAM))}
    )
    data.departure.attrs["units"] = "s"
    return {"blt_concepts": data}


def draw_streams(data: xr.Dataset, axes: Any) -> None:
    """Draw the packets over time, a colour for each window."""
    for ax, scheme in zip(axes, STREAMS, strict=True):
        window = windows()
        for k in range(window.max() + 1):
            mine = window == k
            ax.plot(
                1e3 * data.departure.sel(scheme=scheme)[mine], np.arange(STREAM)[mine], ls="", ms=3,
                marker="osv^D*P"[k], color=f"C{k}", label=f"{mine.sum()}",
            )  # fmt: skip
        ax.set(xlabel="time [ms]", title=scheme, xlim=(-5, 195))
    axes[0].set_ylabel("packet")
    axes[0].legend(title="packets of the window", fontsize="x-small", ncols=2, loc="upper left")


def draw_power(data: xr.Dataset, axes: Any) -> None:
    """Draw throughput, response time and power over the load."""
    scales = {"throughput": (8e-6, "throughput [Mbit/s]"), "response_time": (1e3, "response time [ms]"),
              "power": (1e-6, "power [10$^6$ bytes/s$^2$]")}  # fmt: skip
    for ax, (name, (scale, words)) in zip(axes, scales.items(), strict=True):
        for k, label in enumerate(STREAMS):
            one = data.sel(label=label, bottleneck=BOTTLENECK)
            bars(
                ax, one["load"].values, one, name, scale, color=f"C{k}", marker=MARKERS[k], ms=4, capsize=2, label=label
            )
            knee = float(one["load"][int(np.argmax(one.power.values))])
            ax.axvline(knee, color=f"C{k}", ls=":", lw=1, label=f"{label}, knee")
        ax.set(xlabel="offered load [1]", ylabel=words, yscale="log" if name == "response_time" else "linear")
        if name != "response_time":
            ax.set_ylim(0, None)
    axes[0].legend(loc="upper left")


def draw(files: AtomicFiles, data: dict[str, xr.Dataset]) -> None:
    """Draw both pictures."""
    panels(
        files, "blt_3", (1, 2), (9, 4), lambda axes: draw_streams(data["blt_concepts"], axes),
        f"{STREAM} packets of {PACKET} bytes over 150 Mbit/s and 30 ms",
    )  # fmt: skip
    power = stored.dataset("blt_sets_reference", ("label", "bottleneck", "load"))
    panels(
        files, "blt_5", (1, 3), (12, 4), lambda axes: draw_power(power, axes),
        f"The reference network with a bottleneck of {BOTTLENECK} Mbit/s; dotted: load of the greatest power; bars: "
        "95 % intervals",
    )  # fmt: skip


PART = Part("figures.blt.concepts", simulate, {"blt_concepts": [("scheme", "packet")]}, draw)

if __name__ == "__main__":
    PART.main()

"""Priorities of datagrams beside BLT: their losses, and the response times of the files, over the priority.

Kim and Farber (1994), section 3.3.4, leave open which priority traffic without flow control should have. A constant
stream of a fifth of the bottleneck's capacity, all of whose packets have one priority, crosses the reference network
beside files of BLT; priority 0 is what the section proposes for real-time traffic. Run with ``python -m
figures.blt.priorities``; it takes a minute.
"""

from __future__ import annotations

from typing import Any

import xarray as xr

import longfat as lf
from figures.blt.networks import BOTTLENECK, PACKET, PATH, Path, dumbbell
from figures.blt.runs import WARM_UP
from figures.writing import Part, Picture, bars

REFERENCE, STREAM, LOADS = Path(), 0.2, (0.3, 0.5)  # capacities
PRIORITIES = (0, 2, 4, 5, 6, 7)  # a file of 200 packets has priorities 0 to 7
REPLICATIONS, FILES = 5, 400


def label(flow: Any, packet: Any) -> int:
    """Give the packet the priority of the stream; return 0."""
    packet.priority = int(flow.priority)
    return 0


def keep(flow: Any, event: Any) -> Any:
    """Return the rate, whatever the network does."""
    return flow.rate


DATAGRAMS = lf.sim.Scheme(
    "datagrams", ack=keep, send=label, controls="rate", recovery="own", acknowledged=False,
    parameters={
        "rate": lf.sim.Parameter(125_000.0, "bytes/s", "(0, 1e15]", "rate", about="Sending rate"),
        "priority": lf.sim.Parameter(
            0.0, "1", "[0, 62]", about="Priority of all packets", integer=True
        ),
    },
    source="H. Kim and D. J. Farber, MS-CIS-94-55, 1994, section 3.3.4, which leaves the priority open",
)  # fmt: skip


def observe(load: float, priority: int, rng: Any, files: float = FILES) -> dict[str, float]:
    """Return the losses of the datagrams [1] and the response time of the files [s] beside them."""
    net = dumbbell("BLT", REFERENCE, load)
    net.flow(
        DATAGRAMS, name="datagrams", path=PATH[1:], packet=PACKET, ack_path="ideal",
        send_jitter=PACKET / REFERENCE.capacity,
        parameters={"rate": STREAM * REFERENCE.capacity, "priority": priority},
    )  # fmt: skip
    end = files / (load * REFERENCE.most_arrivals)
    data = lf.sim.run(net, duration=end, warm_up=WARM_UP * end, rng=rng, progress=False)
    return {
        "datagram_loss": float(data.loss.sel(flow="datagrams")),
        "response_time": float(data.transfer_time.sel(flow="files")),
        "utilisation": float(data.utilisation.sel(link=BOTTLENECK)),
    }


def simulate() -> dict[str, xr.Dataset]:
    """Simulate all loads and priorities."""
    grid = {"load": LOADS, "priority": PRIORITIES}
    found = lf.sweep(observe, grid, replications=REPLICATIONS, rng=7, progress=False)
    for name in found.data_vars:
        found[name].attrs["units"] = "s" if "time" in str(name) else "1"
    return {"priorities": found}


def draw_panels(data: xr.Dataset, axes: Any) -> None:
    """Draw losses and response times over the priority, a series for each load of files."""
    for ax, (name, scale, words) in zip(
        axes, (("datagram_loss", 100, "datagrams lost [%]"), ("response_time", 1e3, "response time of files [ms]")),
        strict=True,
    ):  # fmt: skip
        for k, load in enumerate(data["load"].values):
            bars(ax, data.priority.values, data.sel(load=load), name, scale, marker="os"[k], color=f"C{k}", capsize=3,
                 ms=5, lw=1, label=f"files' load {load:g}")  # fmt: skip
        ax.set(xlabel="priority of the datagrams; 0: the highest", ylabel=words, ylim=(0, None))
    axes[0].legend()


PICTURES = {
    "blt_priorities": Picture(
        "A constant stream of datagrams beside BLT's files: its losses, and the files' response time, over the "
        "priority of the datagrams; 0 is the highest.", draw_panels, "priorities", (1, 2), (9.5, 4),
        f"Datagrams of a fifth of 30 Mbit/s beside BLT's files; bars: 95 % intervals of {REPLICATIONS} runs",
    ),
}  # fmt: skip
PART = Part("figures.blt.priorities", simulate, {"priorities": [("load", "priority")]}, PICTURES, prefix="blt_")

if __name__ == "__main__":
    PART.main()

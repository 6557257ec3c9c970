"""Costs and savings of a leaky bucket: delay and loss at the shaper against those at the queue.

Ten on-off sources behind leaky buckets share a link (Prithviraj and Williamson, section 2.1, after Liu 1992). The
sources are ours, because Liu's are not printed. Run with ``python -m figures.loss_load.shaping``; it takes a minute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.writing import Part, Picture, bars

CAPACITY, PACKET, BUFFER = 5e6, 500, 100  # bytes/s, bytes, packets; 40 Mbit/s and 500 bytes as in section 4.1
SOURCES, ON, PEAK = 10, 0.01, 1.25e6  # on times are exponential with a mean of 10 ms [s], at 10 Mbit/s [bytes/s]
LOADS = (0.6, 0.9)
RATES = (0.0, 1.05, 1.1, 1.25, 1.5, 2.0)  # token rate over the mean rate of a source; 0: no shaper
DELAY, DURATION, WARM_UP, REPLICATIONS = 0.001, 20.0, 2.0, 5  # s, of each link; s; s; runs


def network(load: float, tokens: float) -> lf.sim.Network:
    """Return ten sources with a load of the shared link "S-D", behind leaky buckets unless the token rate is 0."""
    net, each = lf.sim.Network(), load * CAPACITY / SOURCES
    source = lf.sim.traffic.on_off(PEAK, ON, ON * (PEAK / each - 1), shape_on=1, shape_off=1)
    bucket = lf.sim.queues.leaky_bucket(tokens * each, queue=BUFFER) if tokens else "fifo"
    for k in range(SOURCES):
        net.link(f"H{k}", "S", rate=20 * CAPACITY, delay=DELAY, discipline=bucket)
    net.link("S", "D", rate=CAPACITY, delay=DELAY, buffer=BUFFER)
    for k in range(SOURCES):
        net.flow(source, path=[f"H{k}", "S", "D"], packet=PACKET)
    return net


def observe(load: float, tokens: float, rng: Any, duration: float = DURATION) -> dict[str, float]:
    """Return mean delays [s] and losses [1] of the packets, at the shaper and at the shared queue."""
    data = lf.sim.run(network(load, tokens), duration=duration, warm_up=WARM_UP, rng=rng, progress=False)
    shared, sent = data.sel(link="S-D"), float(data.sent.sum())
    fixed = 2 * DELAY + PACKET / CAPACITY + PACKET / (20 * CAPACITY)
    whole = float((data.mean_delay * data.delivered).sum() / data.delivered.sum()) - fixed
    lost = float(shared.link_dropped) / sent
    return {
        "queue_delay": float(shared.mean_wait), "shaper_delay": whole - float(shared.mean_wait), "delay": whole,
        "queue_loss": lost, "shaper_loss": float(data.dropped.sum()) / sent - lost,
        "loss": float(data.dropped.sum()) / sent,
    }  # fmt: skip


def idle_link(rng: Any) -> dict[str, float]:
    """Return the utilisation of an empty link by one source that always sends, behind a bucket for a tenth of it."""
    net = lf.sim.Network().link("H", "S", rate=20 * CAPACITY, delay=DELAY,
                                discipline=lf.sim.queues.leaky_bucket(CAPACITY / SOURCES, queue=BUFFER))  # fmt: skip
    net.link("S", "D", rate=CAPACITY, delay=DELAY, buffer=BUFFER)
    net.flow(lf.sim.traffic.constant(CAPACITY), path=["H", "S", "D"], packet=PACKET)
    data = lf.sim.run(net, duration=WARM_UP + 2, warm_up=WARM_UP, rng=rng, progress=False)
    return {"utilisation": float(data.utilisation.sel(link="S-D"))}


def simulate() -> dict[str, xr.Dataset]:
    """Simulate all loads and token rates."""
    grid = {"load": LOADS, "tokens": RATES}
    found = lf.sweep(observe, grid, replications=REPLICATIONS, rng=4, progress=False)
    for name in found.data_vars:
        found[name].attrs["units"] = "s" if "delay" in str(name) else "1"
    return {"shaping": found}


def draw_panels(data: xr.Dataset, axes: Any) -> None:
    """Draw delays and losses over the token rate, a row for each load."""
    places = np.arange(len(RATES))
    for row, load in zip(axes, LOADS, strict=True):
        for ax, what, scale, label in ((row[0], "delay", 1e3, "mean delay [ms]"), (row[1], "loss", 1e2, "loss [%]")):
            for k, (name, words) in enumerate((("shaper", "at the shaper"), ("queue", "at the shared queue"))):
                bars(ax, places, data.sel(load=load), f"{name}_{what}", scale, marker="os"[k], color=f"C{k}", ls="",
                     capsize=3, ms=5, label=words)  # fmt: skip
            ax.axvline(0.5, color="0.6", lw=0.8)
            ax.set_xticks(places, ["none", *(f"{one:g}" for one in RATES[1:])])
            ax.set(ylabel=label, title=f"load {load:g}", ylim=(0, None))
    for ax in axes[-1]:
        ax.set_xlabel("token rate over the mean rate of a source [1]")
    axes[0][0].legend()


PICTURES = {
    "loss_load_shaping": Picture(
        "Ten on-off sources behind leaky buckets: delay and loss at the shaper and at the queue, over the token rate; "
        "left of the line without shapers.", draw_panels, "shaping", (2, 2), (9.5, 7),
        f"Ten on-off sources over 40 Mbit/s; bars: 95 % intervals of {REPLICATIONS} runs",
    ),
}  # fmt: skip
PART = Part("figures.loss_load.shaping", simulate, {"shaping": [("load", "tokens")]}, PICTURES, prefix="loss_load_")

if __name__ == "__main__":
    PART.main()

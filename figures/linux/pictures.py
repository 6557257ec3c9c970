"""Windows and queues of one flow in the simulator and on Linux, drawn in the same axes.

``python -m figures.linux`` runs Linux for two minutes, and needs what `longfat testbed` needs; ``--here`` runs only the
simulator, beside the stored results of Linux.
"""

from __future__ import annotations

from typing import Any

import xarray as xr

from figures.linux.cases import LINUX_NAMES, Case
from figures.writing import Part, Picture
from longfat import plot, sim
from longfat.sim import Network

NAME = "linux_traces"
DURATION, EVERY = 25.0, 0.05  # s
#: Scheme and buffer [bandwidth-delay products] of each column.
SHOWN = (("sack", 0.5), ("cubic", 1.0), ("bbr1", 2.0))
HEADS = [f"{LINUX_NAMES[scheme]}, buffer {buffer:g}" for scheme, buffer in SHOWN]


def scenario(scheme: str, buffer: float) -> Network:
    """Return the scenario of a column."""
    return Case("figure", scheme, (scheme,), buffer, {}).network(0)


def runs() -> xr.Dataset:
    """Return windows and queues over time on both sides, along ``column``."""
    from longfat import testbed

    found = []
    for one in SHOWN:
        made = testbed.compare(scenario(*one), duration=DURATION, sample_every=EVERY, rng=0, progress=False)
        found.append(made.isel(flow=0, link=0, drop=True)[["window_trace", "queue_trace"]])
    return xr.concat(found, xr.Variable("column", HEADS))


def simulated(found: xr.Dataset) -> xr.Dataset:
    """Return stored windows and queues, with the simulator's part simulated again."""
    from longfat.testbed.plan import with_handshakes

    found = found.astype(float)  # a window is NaN before the start of the flow
    for head, one in zip(HEADS, SHOWN, strict=True):
        net = with_handshakes(scenario(*one))
        made = sim.run(net, duration=DURATION, sample_every=EVERY, rng=0, progress=False).isel(flow=0, link=0)
        for name in found.data_vars:
            found[name].loc[{"column": head, "face": "simulator"}] = made[name].values
    return found


def draw(data: xr.Dataset, axes: Any) -> None:
    """Draw windows above queues, a column for each scheme."""
    for k, head in enumerate(HEADS):
        one = data.isel(column=k)
        window, queue = one.window_trace.expand_dims(flow=[head]), one.queue_trace.expand_dims(link=[head])
        one = one.assign(window_trace=window, queue_trace=queue)
        plot.traces(one, axes[:, k])
        axes[0, k].set_title(head, fontsize="medium", loc="left")
        axes[1, k].set_title("")
        axes[0, k].tick_params(labelbottom=False)
        for ax in axes[:, k]:
            if k:
                ax.set_ylabel("")
            if k < len(HEADS) - 1:
                ax.get_legend().remove()


def simulate(here: bool = False) -> dict[str, xr.Dataset]:
    """Run Linux and the simulator; with ``here``, keep the stored results of Linux."""
    return {NAME: simulated(PART.kept()[NAME]) if here else runs()}


PICTURES = {
    NAME: Picture(
        "Window and queue of one flow at a drop-tail link: Linux's TCP and the network simulator.",
        draw, NAME, (2, 3), (12.5, 5.6),
        "One flow, 20 Mbit/s, 40 ms, packets of 1500 bytes; buffers in bandwidth-delay products of 66.7 packets",
    ),
}  # fmt: skip
PART = Part("figures.linux", simulate, {NAME: [("column", "face", "time")]}, PICTURES)

"""The network simulator compared with laws: queues, the window sawtooth, the square-root law.

Run with ``python -m figures.network_simulator``; it takes about half a minute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.writing import Part, Picture, bars
from longfat.plot.axes import log_ticks

SCHEMES = ("reno", "newreno", "sack")
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
BUFFERS = (0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 1.0)
LOSSES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
REPLICATIONS = 8
CONFIDENCE = 0.95


def queue(load: float, exponential: bool, rng: Any) -> dict[str, float]:
    """Return the mean waiting time in service times, with Poisson packets of 20,000 bytes at 20 MB/s.

    At load 1 there are one thousand packets a second.
    """
    net = lf.sim.Network().link("a", "b", rate=2e7)
    net.flow(lf.sim.traffic.poisson(load * 2e7, exponential_sizes=exponential), path=["a", "b"], packet=20_000)
    run = lf.sim.run(net, duration=1000, warm_up=50, rng=rng, progress=False)
    return {"wait": float(run.mean_wait[0]) / 1e-3}


def sawtooth(scheme: str, buffer: float) -> float:
    """Return the utilisation by one flow with a bandwidth-delay product of 400 packets; nothing is random."""
    net = lf.sim.Network().link("a", "b", rate="40 Mbit/s", delay="20 ms", buffer=round(400 * buffer))
    net.flow(scheme, path=["a", "b"], packet=500, ack_path="ideal", parameters={"initial_ssthresh": 300})
    return float(lf.sim.run(net, duration=500, warm_up=100, rng=0, progress=False).utilisation[0])


def window(loss: float, scheme: int, rng: Any) -> dict[str, float]:
    """Return the packets per round trip at this loss probability, without any queue."""
    net = lf.sim.Network().link("a", "b", rate="10 Gbit/s", delay="50 ms", loss=loss)
    net.flow(SCHEMES[scheme], path=["a", "b"], packet=500, ack_path="ideal")
    run = lf.sim.run(net, duration=1000, warm_up=50, rng=rng, progress=False)
    return {"window": float(run.goodput[0]) / 500 * 0.1}


def simulate() -> dict[str, Any]:
    """Simulate everything that the picture shows."""
    common: dict[str, Any] = {"replications": REPLICATIONS, "rng": 1, "confidence": CONFIDENCE}
    found = {
        "waiting_times": lf.sweep(queue, {"load": LOADS, "exponential": [0, 1]}, **common),
        "utilisation": xr.Dataset(
            {"utilisation": (("scheme", "buffer"), [[sawtooth(name, one) for one in BUFFERS] for name in SCHEMES])},
            {"scheme": list(SCHEMES), "buffer": list(BUFFERS)},
        ),
        "windows": lf.sweep(window, {"loss": LOSSES, "scheme": range(len(SCHEMES))}, **common),
    }
    for name, variable, unit in (("waiting_times", "wait", "service times"), ("windows", "window", "packets")):
        for end in ("", "_lower", "_upper"):
            found[name][variable + end].attrs["units"] = unit
    found["utilisation"].utilisation.attrs["units"] = "1"
    return found


def draw_panels(found: dict[str, Any], axes: Any) -> None:
    """Draw waiting times, utilisation and windows, each on its own axes."""
    first, second, third = axes
    points: dict[str, Any] = {"ls": "", "capsize": 2}
    load = np.linspace(0.02, 0.965, 200)
    for k, (law, label) in enumerate(((lf.laws.queues.md1_wait, "M/D/1"), (lf.laws.queues.mm1_wait, "M/M/1"))):
        first.plot(load, law(load), color=f"C{k}", label=label)
        bars(
            first,
            LOADS,
            found["waiting_times"].isel(exponential=k),
            "wait",
            color=f"C{k}",
            marker="o",
            ms=3.5,
            **points,
        )
    first.plot([], [], "o", color="0.4", ms=3.5, label="simulated")
    first.set(
        xlabel="offered load [1]",
        ylabel="mean waiting time [service times]",
        yscale="log",
        title="Waiting time at a link",
    )
    buffer = np.linspace(0, 1, 200)
    second.plot(buffer, lf.laws.tcp.aimd_utilisation(buffer), color="0.3", label="law")
    for k, scheme in enumerate(SCHEMES):
        second.plot(
            BUFFERS, found["utilisation"].utilisation.sel(scheme=scheme), "osv"[k], color=f"C{k}", ms=4, label=scheme
        )
    second.set(xlabel="buffer [bandwidth-delay products]", ylabel="utilisation [1]", title="One flow, drop-tail")
    loss = np.geomspace(2e-4, 4e-2, 50)
    third.plot(loss, lf.laws.tcp.square_root_rate(loss, 0.1) * 0.1, color="0.3", label="square-root law")
    third.plot(loss, lf.laws.tcp.pftk_rate(loss, 0.1, 0.2) * 0.1, color="0.3", ls=":", label="PFTK, timeout 0.2 s")
    for k, scheme in enumerate(SCHEMES):
        look: dict[str, Any] = {"color": f"C{k}", "marker": "osv"[k], "ms": 4, "label": scheme}
        bars(third, LOSSES, found["windows"].isel(scheme=k), "window", **look, **points)
    third.set(
        xlabel="packet loss probability [1]",
        ylabel="packets per round trip",
        xscale="log",
        yscale="log",
        title="Random loss, no queue",
    )
    log_ticks(third.yaxis)
    for ax in axes:
        ax.legend()


PICTURES = {
    "network_simulator": Picture(
        "The network simulator compared with laws: mean waiting time at a link over the load, utilisation by one flow "
        "over the buffer, packets per round trip over the loss probability.",
        draw_panels, "", (1, 3), (12, 3.8),
        f"Lines: laws. Points: network simulator, {CONFIDENCE:.0%} intervals of {REPLICATIONS} runs "
        "(nothing is random in the middle panel)",
    ),
}  # fmt: skip
DIMS = {
    "waiting_times": [("load", "exponential")], "utilisation": [("scheme", "buffer")], "windows": [("loss", "scheme")],
}  # fmt: skip
PART = Part("figures.network_simulator", simulate, DIMS, PICTURES, prefix="network_simulator_")

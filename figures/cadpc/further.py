"""CADPC further: noise, a target below the capacity, weights over three links, TCP, and a router without the protocol.

Welzl (2005), section IV.B, has weights that a broker gives and a rate bounded by that of TCP, section IV.A a bottleneck
behind a router that does not know the protocol. Run with ``python -m figures.cadpc.further``; it takes a minute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.cadpc.networks import CAPACITY, MBIT, WEIGHTED, hidden_bottleneck, three_links, weighted_rates
from figures.writing import Part, Picture, bars
from longfat.plot.axes import log_ticks
from longfat.sim.runs.results import jain_index

DELAY, FLOWS, PACKET, BUFFER, JITTER = 0.025, 10, 500, 100, 0.002  # s, of each link; bytes; packets; s
#: Differences from the claims' networks of three links.
OURS: dict[str, Any] = {"delay": DELAY, "buffer": BUFFER, "packet": PACKET, "send_jitter": JITTER}
REPLICATIONS = 5
WARM_UP, END = 100.0, 160.0  # s
LOSSES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # random, of every packet of the link, requests among them
TARGETS = (0.7, 0.8, 0.9, 0.95, 1.0)
FAST = 100 * MBIT  # rate of the link with random losses
TCP_LOSSES = (0.0003, 0.001, 0.003, 0.01, 0.03)  # loss probabilities of every packet
ROUND_TRIP = 0.1  # s, of the flows beside TCP
BUFFERS = (0.1, 0.3, 1.0, 3.0)  # bandwidth-delay products
BESIDE = 5  # flows of CADPC, and as many of Reno
#: Router that reports the bottleneck: the one in front of it, the one behind it, or none.
ANSWERS = (True, "incoming", False)


def one_link(loss: float = 0.0, target: float = 1.0, *, rng: Any) -> dict[str, float]:
    """Return a link's utilisation and queue, and the fairness of ten flows, with losses or a target below the capacity.

    The flows start at random and are paced with a random delay.
    """
    net = lf.sim.Network().link("a", "b", rate=CAPACITY, delay=DELAY, buffer=BUFFER, loss=loss)
    net.link("b", "a", rate=CAPACITY, delay=DELAY, loss=loss)
    for start in rng.uniform(0, 2, FLOWS):
        net.flow("cadpc", path=["a", "b"], packet=PACKET, start=float(start), parameters={"target": target},
                 send_jitter=JITTER)  # fmt: skip
    data = lf.sim.run(net, duration=END, warm_up=WARM_UP, rng=int(rng.integers(2**31)), progress=False)
    return {
        "utilisation": float(data.utilisation.sel(link="a-b")),
        "queue": float(data.mean_queue.sel(link="a-b")),
        "fairness": float(jain_index(data.sent.values)),
    }


def broker(rng: Any) -> dict[str, float]:
    """Return the rates of flows with given weights over three links, relative to a link's rate."""
    net = three_links(rng.uniform(0, 2, len(WEIGHTED)).tolist(), **OURS)
    data = lf.sim.run(net, duration=2 * END, warm_up=2 * WARM_UP, rng=int(rng.integers(2**31)), progress=False)
    return {f"rate_{k}": float(data.goodput[k]) / CAPACITY for k in range(len(WEIGHTED))}


def bounded(loss: float, rng: Any) -> dict[str, float]:
    """Return the rates over a fast lossy link, relative to the rate of TCP's throughput equation."""
    net = lf.sim.Network().link("a", "b", rate=FAST, delay=ROUND_TRIP / 2, loss=loss)
    net.link("b", "a", rate=FAST, delay=ROUND_TRIP / 2)
    flows = {"plain": ("cadpc-files", {}), "friendly": ("cadpc-files", {"friendly": 1.0}), "reno": ("reno", {})}
    for name, (scheme, given) in flows.items():
        net.flow(scheme, path=["a", "b"], name=name, packet=PACKET, parameters=given, send_jitter=JITTER)
    data = lf.sim.run(net, duration=2 * END, warm_up=WARM_UP, rng=int(rng.integers(2**31)), progress=False)
    law = PACKET * float(lf.laws.tcp.pftk_rate(loss, ROUND_TRIP, 4 * ROUND_TRIP))
    return {name: float(data.goodput.sel(flow=name)) / law for name in flows}


def beside(buffer: float, rng: Any) -> dict[str, float]:
    """Return the share of CADPC, with and without the bound, in its joint goodput with as many flows of Reno."""
    found, packets = {}, round(buffer * CAPACITY * ROUND_TRIP / PACKET)
    for friendly in (0, 1):
        net = lf.sim.Network().link("a", "b", rate=CAPACITY, delay=ROUND_TRIP / 2, buffer=packets)
        net.link("b", "a", rate=CAPACITY, delay=ROUND_TRIP / 2)
        common: dict[str, Any] = {"path": ["a", "b"], "packet": PACKET, "count": BESIDE, "send_jitter": JITTER}
        net.flow("cadpc-files", parameters={"friendly": friendly}, **common).flow("reno", **common)
        data = lf.sim.run(net, duration=2 * END, warm_up=WARM_UP, rng=int(rng.integers(2**31)), progress=False)
        found["friendly" if friendly else "plain"] = float(data.goodput[:BESIDE].sum() / data.goodput.sum())
    return found


def hidden(answer: int, rng: Any) -> dict[str, float]:
    """Return utilisation and loss of a bottleneck between two links, with or without a router that reports it."""
    net = hidden_bottleneck(ANSWERS[answer], rng.uniform(0, 2, FLOWS).tolist(), **OURS)
    data = lf.sim.run(net, duration=END, warm_up=WARM_UP, rng=int(rng.integers(2**31)), progress=False)
    return {
        "utilisation": float(data.utilisation.sel(link="b-c")),
        "loss": float(data.dropped.sum() / data.sent.sum()),
    }


def simulate() -> dict[str, xr.Dataset]:
    """Simulate everything that the picture shows."""
    common: dict[str, Any] = {"replications": REPLICATIONS, "rng": 5, "progress": False}
    found = {
        "noise": lf.sweep(one_link, {"loss": LOSSES}, **common),
        "target": lf.sweep(one_link, {"target": TARGETS}, **common),
        "bounded": lf.sweep(bounded, {"loss": TCP_LOSSES}, **common),
        "beside": lf.sweep(beside, {"buffer": BUFFERS}, **common),
        "hidden": lf.sweep(hidden, {"answer": range(len(ANSWERS))}, **common),
    }
    rates = lf.sweep(broker, {}, **common)
    ends = ("", "_lower", "_upper")
    values = {f"rate{end}": ("flow", [float(rates[f"rate_{k}{end}"]) for k in range(len(WEIGHTED))]) for end in ends}
    found["broker"] = xr.Dataset({**values, "law": ("flow", weighted_rates())}, {"flow": list(range(len(WEIGHTED)))})
    for data in found.values():
        for name in data.data_vars:
            data[name].attrs["units"] = "packets" if str(name).startswith("queue") else "1"
    return found


def draw_upper(found: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw the use of the link over losses and target, and the rates that the broker's weights lead to."""
    law = FLOWS / (FLOWS + 1)
    look: dict[str, Any] = {"ls": "", "capsize": 3, "ms": 5}
    for ax, name, x in ((axes[0], "noise", LOSSES), (axes[1], "target", TARGETS)):
        bars(ax, x, found[name], "utilisation", marker="o", color="C0", label="utilisation", **look)
        bars(ax, x, found[name], "fairness", marker="s", color="C1", label="fairness", **look)
        ax.plot(x, law * np.array(x if name == "target" else [1.0] * len(x)), color="0.3", ls=":", label="law")
        ax.set(ylim=(0, 1.05), ylabel="utilisation, fairness [1]")
        ax.legend(loc="lower left")
    axes[0].set(xscale="log", xlabel="probability of a loss [1]", title=f"Noise, {FLOWS} flows")
    log_ticks(axes[0].xaxis)
    axes[1].set(xlabel="target over the capacity [1]", title=f"A target below the capacity, {FLOWS} flows")
    data, places = found["broker"], np.arange(len(WEIGHTED))
    bars(axes[2], places, data, "rate", marker="o", color="C0", label="simulated", **look)
    axes[2].plot(places, data.law, "_", color="0.3", ms=16, label="law")
    names = ["all" if first != last else f"{first + 1}" for first, last, _ in WEIGHTED]
    axes[2].set_xticks(places, [f"{name}\n{weight:g}" for name, (*_, weight) in zip(names, WEIGHTED, strict=True)])
    axes[2].set(xlabel="links of the flow, and its weight", ylabel="rate over that of a link [1]", ylim=(0, None))
    axes[2].set_title("Weights over three links")
    axes[2].legend(loc="upper left")


def draw_lower(found: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw the bound by TCP's rate, alone and beside TCP, and a bottleneck that one router or none reports."""
    look: dict[str, Any] = {"ls": "", "capsize": 3, "ms": 5}
    names = {"plain": "CADPC", "friendly": "CADPC, bounded", "reno": "Reno"}
    for ax, kind, x in ((axes[0], "bounded", TCP_LOSSES), (axes[1], "beside", BUFFERS)):
        for k, (name, label) in enumerate(names.items()):
            if name in found[kind]:
                bars(ax, x, found[kind], name, marker="os^"[k], color=f"C{k}", label=label, **look)
        ax.set(xscale="log")
        log_ticks(ax.xaxis)
        ax.legend()
    axes[0].axhline(1, color="0.3", ls=":")
    axes[0].set(yscale="log", xlabel="probability of a loss [1]", ylabel="rate over that of the equation [1]")
    axes[0].set_title("Random losses, 100 Mbit/s, 100 ms")
    log_ticks(axes[0].yaxis)
    axes[1].axhline(0.5, color="0.3", ls=":")
    axes[1].set(ylim=(0, 1), xlabel="buffer [bandwidth-delay products]", ylabel="share of CADPC [1]")
    axes[1].set_title(f"{BESIDE} flows beside {BESIDE} of Reno, 100 ms")
    places = np.arange(len(ANSWERS))
    bars(axes[2], places, found["hidden"], "utilisation", marker="o", color="C0", label="utilisation", **look)
    bars(axes[2], places, found["hidden"], "loss", marker="s", color="C1", label="loss", **look)
    law = [FLOWS / (FLOWS + 1), FLOWS / (FLOWS + 1), 1], [0, 0, 1 - (FLOWS + 1) / FLOWS / 2]
    for values in law:
        axes[2].plot(places, values, "_", color="0.3", ms=16, label="law" if values is law[0] else None)
    axes[2].set_xticks(places, ["router before it", "router behind it", "no router"])
    axes[2].set(
        ylim=(-0.02, 1.05), xlim=(-0.5, 2.5), xlabel="who tells of the bottleneck", ylabel="utilisation, loss [1]"
    )
    axes[2].set_title("A router without the protocol")
    axes[2].legend(loc="center left")


def draw_all(found: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw all panels."""
    draw_upper(found, axes[0])
    draw_lower(found, axes[1])


PICTURES = {
    "cadpc_further": Picture(
        "CADPC with losses on the link, with a target below the capacity, with weights that a broker gives over three "
        "links, with and without the bound by TCP's rate, and behind a router without the protocol; dotted: the law.",
        draw_all, "", (2, 3), (12.5, 8), f"Links of 10 Mbit/s, 25 ms; bars: 95 % intervals of {REPLICATIONS} runs",
    ),
}  # fmt: skip
DIMS = {
    "noise": "loss", "target": "target", "broker": "flow", "bounded": "loss", "beside": "buffer", "hidden": "answer",
}  # fmt: skip
PART = Part(
    "figures.cadpc.further", simulate, {name: [(dim,)] for name, dim in DIMS.items()}, PICTURES, prefix="cadpc_further_"
)

if __name__ == "__main__":
    PART.main()

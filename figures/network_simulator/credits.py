"""Credit flow control of ATM beside hop-by-hop and explicit feedback, and Parekh and Gallager's bound beside packets.

Run with ``python -m figures.network_simulator.credits``; it takes about a minute.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.writing import Part, Picture, bars
from longfat.sim.switch.log import Log
from longfat.verify.link_estimators import AT_ONCE, bit_round, greatest_delay

REPLICATIONS = 5
FLOWS, PACKET = 8, 500  # packets of 500 bytes
BUFFERS = (16, 32, 64, 128, 256, 512, 1024, 2048)  # packets
SCHEMES = ("credit", "credit, adaptive", "hop-by-hop", "explicit feedback", "sack")
LINK, BOTTLENECK, DELAY = 12.5e6, 5e6, 0.005  # bytes/s, bytes/s, s: a link's round trip is 250 packets
WARM_UP, END = 4.0, 14.0  # s
INTERVAL = 0.05  # s
HOPS = (1, 2, 3, 4, 6, 8)
POINT = {"burst": 10_000.0, "guaranteed_rate": 2.5e5, "packet_size": 250.0, "largest_packet": 500.0, "capacity": 1e6}
LEVELS = tuple(np.round(np.arange(0, 1.51, 0.05), 2).tolist())  # delays relative to the bound
SCHEDULERS: dict[str, Any] = {
    "bit-round": bit_round,
    "virtual-clock": lambda rates: lf.sim.queues.virtual_clock(rates=[[flow, rate] for flow, rate in rates.items()]),
}
RANDOM = (*SCHEDULERS, "fifo")
NAMES = {"bit-round": "fair queueing", "virtual-clock": "VirtualClock", "fifo": "first in, first out"}
LINKS = 3


def scheme_of(name: str, buffer: int) -> tuple[str, dict[str, float], Any]:
    """Return a scheme, its parameters and the discipline of the switches, which share the buffer among the flows."""
    each = buffer // FLOWS
    batch = max(1, min(10, each // 4))
    if name == "credit":
        given: dict[str, float] = {"n2": batch, "n3": each - batch}
        return "credit", given, lf.sim.queues.credit(**given)
    if name == "credit, adaptive":
        shared = lf.sim.queues.credit(n2=1, adaptive=True, pool=buffer, interval=INTERVAL)
        return "credit", {"n2": 1, "lifetime": INTERVAL}, shared
    if name == "sack":
        return "sack", {}, "fifo"
    plain = name.replace(" ", "-")
    return plain, {}, plain


def buffers(scheme: int, buffer: int, rng: Any) -> dict[str, float]:
    """Return utilisation, loss and waiting time at the last of four links, for flows that start at random."""
    name, given, discipline = scheme_of(SCHEMES[scheme], buffer)
    net, nodes = lf.sim.Network(), [f"n{k}" for k in range(5)]
    for k in range(4):
        rate = BOTTLENECK if k == 3 else LINK
        net.link(nodes[k], nodes[k + 1], rate=rate, delay=DELAY, buffer=buffer, discipline=discipline)
        net.link(nodes[k + 1], nodes[k], rate=LINK, delay=DELAY)
    for start in rng.uniform(0, 1, FLOWS):
        net.flow(name, path=nodes, packet=PACKET, parameters=given, start=float(start), ack_path="ideal")
    data = lf.sim.run(net, duration=END, warm_up=WARM_UP, rng=int(rng.integers(2**31)), progress=False)
    forward = data.sel(link=[f"n{k}-n{k + 1}" for k in range(4)])
    return {
        "utilisation": float(data.utilisation.sel(link="n3-n4")),
        "loss": float(forward.link_dropped.sum() / data.sent.sum()),
        "wait": float(forward.mean_wait.sum()),
    }


def random_delays(kind: int, rng: Any) -> dict[str, float]:
    """Return the shares of packets whose delay exceeds each level, beside bursts of other flows, in 30 s."""
    rate, size, own = POINT["capacity"], int(POINT["packet_size"]), POINT["guaranteed_rate"]
    net, logs, cross = lf.sim.Network(), (Log(10**5), Log(10**5)), (rate - own) / 2
    for k in range(LINKS):
        shares = {0: own, 1 + 2 * k: cross, 2 + 2 * k: cross}
        name = RANDOM[kind]
        discipline = SCHEDULERS[name](shares) if name in SCHEDULERS else name
        net.link(f"n{k}", f"n{k + 1}", rate=rate, discipline=discipline)
    bucket = lf.sim.queues.leaky_bucket(own, tokens=round(POINT["burst"] / size), queue=10**5)
    net.link("source", "gate", rate=math.inf, discipline=bucket)
    net.link("gate", "n0", rate=math.inf, discipline=logs[0].discipline)
    net.link(f"n{LINKS}", "sink", rate=math.inf, discipline=logs[1].discipline)
    path = ["source", "gate", *(f"n{k}" for k in range(LINKS + 1)), "sink"]
    bursts = lf.sim.traffic.on_off
    net.flow(bursts(AT_ONCE * rate, 0.05 / AT_ONCE * own / rate, 0.05, shape_on=1, shape_off=1), path=path, packet=size)
    for k in range(LINKS):
        for _ in range(2):
            # 0.3 of the link each, in bursts of 20 ms at its full rate
            net.flow(
                bursts(rate, 0.02, 0.02 * (1 / 0.3 - 1), shape_on=1, shape_off=1), path=[f"n{k}", f"n{k + 1}"],
                packet=int(POINT["largest_packet"]),
            )  # fmt: skip
    simulation = lf.sim.Simulation(net, rng=int(rng.integers(2**31)))
    simulation.advance(30.0)
    enter, leave = logs[0].lines, logs[1].lines
    delay = (leave[:, 0] - enter[: len(leave), 0]) * 1e-9
    limit = lf.laws.guarantees.delay_bound(**POINT, hops=LINKS)
    return {f"above_{k}": float((delay > level * limit + 1e-7).mean()) for k, level in enumerate(LEVELS)}


def simulate() -> dict[str, xr.Dataset]:
    """Simulate everything that the pictures show."""
    common: dict[str, Any] = {"replications": REPLICATIONS, "rng": 3, "progress": False}
    first = lf.sweep(buffers, {"scheme": range(len(SCHEMES)), "buffer": BUFFERS}, **common)
    for name, unit in (("utilisation", "1"), ("loss", "1"), ("wait", "s")):
        for end in ("", "_lower", "_upper"):
            first[name + end].attrs["units"] = unit
    delays = [[greatest_delay(0, one, **POINT, hops=h)[0] for h in HOPS] for one in SCHEDULERS.values()]
    worst = xr.Dataset({"delay": (("scheduler", "hops"), delays)}, {"scheduler": list(SCHEDULERS), "hops": list(HOPS)})
    worst.delay.attrs["units"] = "s"
    found = lf.sweep(random_delays, {"kind": range(len(RANDOM))}, **common)
    above = {
        "above" + end: (("kind", "level"), np.stack([found[f"above_{k}{end}"].values for k in range(len(LEVELS))], -1))
        for end in ("", "_lower", "_upper")
    }
    last = xr.Dataset(above, {"kind": list(range(len(RANDOM))), "level": list(LEVELS)})
    for name in above:
        last[name].attrs["units"] = "1"
    return {"credits": first, "delay_bound_worst": worst, "delay_bound_random": last}


def draw_buffers(data: xr.Dataset, axes: Any) -> None:
    """Draw utilisation, loss and waiting time over the buffer."""
    for k, name in enumerate(SCHEMES):
        look: dict[str, Any] = {"color": f"C{k}", "marker": "os^vD"[k], "ms": 4, "capsize": 2, "label": name}
        one = data.isel(scheme=k)
        bars(axes[0], BUFFERS, one, "utilisation", **look)
        bars(axes[1], BUFFERS, one, "loss", 100, **look)
        bars(axes[2], BUFFERS, one, "wait", 1e3, **look)
    law = [sum_of_shares(buffer) for buffer in BUFFERS]
    axes[0].plot(BUFFERS, law, color="k", ls=":", lw=2, zorder=5, label="law of credit")
    words = (
        ("use of the bottleneck [1]", "Utilisation"),
        ("packets lost [%]", "Loss"),
        ("waiting [ms]", "Waiting at the four links"),
    )
    for ax, (label, title) in zip(axes, words, strict=True):
        ax.set(xscale="log", xlabel="buffer of each switch [packets]", ylabel=label, title=title)
        ax.set_xticks(BUFFERS, [str(one) for one in BUFFERS])
        ax.minorticks_off()
    axes[1].set_yscale("symlog", linthresh=0.01)
    axes[1].set_ylim(-0.002, 100)
    axes[2].set_yscale("log")
    axes[0].legend()


def sum_of_shares(buffer: int) -> float:
    """Return the bottleneck's utilisation by flows with fixed credit, as the sum of their rates by the law."""
    _, given, _ = scheme_of("credit", buffer)
    update = given["n2"] * PACKET
    one = lf.laws.credits.throughput(update + given["n3"] * PACKET, update, LINK, 2 * DELAY)
    return float(min(1.0, FLOWS * one / BOTTLENECK))


def draw_delays(data: dict[str, xr.Dataset], axes: Any) -> None:
    """Draw the worst case over the number of links, and the shares of packets above each level."""
    first, second = axes
    hops = np.arange(1, HOPS[-1] + 1)
    law = lf.laws.guarantees
    first.plot(hops, 1e3 * law.delay_bound(**POINT, hops=hops), color="0.3", label="bound")
    fluid = law.fluid_delay_bound(POINT["burst"], POINT["guaranteed_rate"])
    first.axhline(1e3 * fluid, color="0.3", ls=":", label="fluid: burst/rate")
    for k, name in enumerate(SCHEDULERS):
        delay = 1e3 * data["delay_bound_worst"].delay.sel(scheduler=name)
        first.plot(HOPS, delay, "os"[k], color=f"C{k}", ms=5, label=NAMES[name])
    first.set(xlabel="links", ylabel="greatest delay [ms]", title="Burst at once, all links full", ylim=(0, None))
    first.legend(loc="lower right")
    for k, name in enumerate(RANDOM):
        one = data["delay_bound_random"].isel(kind=k)
        mean = np.where(one.above > 0, one.above, np.nan)
        low, high = np.maximum(one.above_lower, 1e-6), np.maximum(one.above_upper, 1e-6)
        second.fill_between(LEVELS, low, high, color=f"C{k}", alpha=0.25, lw=0)
        second.plot(LEVELS, mean, color=f"C{k}", marker="os^"[k], ms=3.5, label=NAMES[name])
    second.axvline(1, color="0.3", lw=1)
    second.text(1.01, 0.3, "bound", color="0.3")
    second.set(
        xlabel="delay over the bound [1]", ylabel="share of packets above it [1]", yscale="log", ylim=(1e-5, 1.2),
        title=f"Random bursts, {LINKS} links",
    )  # fmt: skip
    second.legend(loc="lower left")


PICTURES = {
    "credits": Picture(
        "Credit flow control, hop-by-hop and explicit feedback, and TCP with selective acknowledgments: use of the "
        "bottleneck, losses and waiting times over the buffer of each switch.",
        draw_buffers, "credits", (1, 3), (13, 4.2),
        f"{FLOWS} flows over three links of 100 Mbit/s and one of 40 Mbit/s, 5 ms each; bars: 95 % intervals of "
        f"{REPLICATIONS} runs",
    ),
    "delay_bound": Picture(
        "Parekh and Gallager's bound of the delay behind a leaky bucket, against packets: the worst case over the "
        "number of links, and random traffic over three links.",
        draw_delays, "", (1, 2), (10.5, 4.2),
        f"10 kB bursts at a guaranteed quarter of 8 Mbit/s; bands: 95 % intervals of {REPLICATIONS} runs of 30 s",
    ),
}  # fmt: skip
DIMS = {
    "credits": [("scheme", "buffer")], "delay_bound_worst": [("scheduler", "hops")],
    "delay_bound_random": [("kind", "level")],
}  # fmt: skip
PART = Part("figures.network_simulator.credits", simulate, DIMS, PICTURES)

if __name__ == "__main__":
    PART.main()

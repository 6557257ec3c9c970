"""Schemes and disciplines of today: utilisation, queueing delay, fairness, and network power.

Run with ``python -m figures.today``; it takes some minutes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.blt import runs as blt_runs
from figures.blt.networks import Path
from figures.writing import CUT, Part, Picture, bars
from longfat.plot.axes import log_ticks
from longfat.sim import Discipline, schemes
from longfat.sim.kernel.memory import word_at
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.discipline import ENQUEUE, Parameter
from longfat.sim.switch.log import write

PACKET = 1500  # bytes
REPLICATIONS = 5

# One flow at a link: 300 packets in 50 ms.
PRODUCT, ROUND_TRIP = 300, 0.05
ALONE: dict[str, dict[str, float]] = {"cubic": {"fast_convergence": 0.0}, "sack": {}, "bbr": {}}
BUFFERS = (0.05, 0.1, 0.2, 0.3, 0.45, 0.7, 1.0)  # bandwidth-delay products

# Ten flows at a link of 50 Mbit/s with 40 ms: 167 packets; the buffer holds 400, 96 ms.
QUEUES = {
    "FIFO": ("fifo", "cubic"),
    "CoDel": ("codel", "cubic"),
    "PIE": ("pie", "cubic"),
    "FQ-CoDel": ("fq-codel", "cubic"),
    "DualPI2, Classic": ("dualpi2", "cubic"),
    "DualPI2, L4S": ("dualpi2", "prague"),
}
PERCENTILES = (50, 95, 99)
COUNT, SHARED, DELAY, BUFFER = 10, 6.25e6, 0.02, 400  # flows, bytes/s, s one way, packets

# Two flows at 20 Mbit/s, of 20 ms and a multiple of it; the buffer holds 20 ms, 33 packets.
RATE, SHORT, ROOM = 2.5e6, 0.02, 33
RATIOS = (1, 2, 4, 8, 16)
PAIRS: dict[str, tuple[str, dict[str, float]]] = {
    "cubic": ("cubic", {}),
    "cubic, not Reno-friendly": ("cubic", {"reno_friendly": 0.0}),
    "sack": ("sack", {}),
    "bbr": ("bbr", {}),
    "dctcp": ("dctcp", {}),
    # At 320 ms the timer of ns-2, the default, often expires in vain: srtt + 10 ms, where Linux has srtt + 200 ms.
    "cubic, timer of Linux": ("cubic", schemes.profile("linux")),
}
SHARING = ("fifo", "fq-codel")

# Kim and Farber's reference network.
POWERS = ("BLT", "TCP", "CUBIC", "CUBIC, FQ-CoDel", "BBR")
LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def utilisation(scheme: int, buffer: float, rng: Any) -> dict[str, float]:
    """Return the utilisation by one flow; send jitter of a packet time makes runs differ."""
    rate = PRODUCT * PACKET / ROUND_TRIP
    name = list(ALONE)[scheme]
    net = lf.sim.Network().link("a", "b", rate=rate, delay=ROUND_TRIP / 2, buffer=round(PRODUCT * buffer))
    net.link("b", "a", rate=math.inf, delay=ROUND_TRIP / 2)
    net.flow(name, path=["a", "b"], packet=PACKET, parameters=ALONE[name], send_jitter=PACKET / rate)
    run = lf.sim.run(net, duration=110, warm_up=30, rng=rng, progress=False)
    return {"utilisation": float(run.utilisation.sel(link="a-b"))}


def record(link: Any, packet: Any, now: float) -> Any:
    """Record the time since a data packet was sent, from a time on and as long as there is room."""
    log = int(link.log)
    count = word_at(log, 0).x
    if packet.kind == DATA and now >= link.begin and count < link.room:
        write(log, 0, count + 1)
        write(log, count + 1, round((now - packet.sent) * 1e9))
    return ENQUEUE


_RECORD = Discipline(
    "record-delays",
    enqueue=record,
    parameters={
        "log": Parameter(None, "1", "[0, 1e18]", about="Address of the log"),
        "room": Parameter(None, "packets", "[0, 1e9]", about="Greatest number of recorded packets"),
        "begin": Parameter(0.0, "s", "[0, 1e9]", about="Time at which recording begins"),
    },
    source="Ours, because it only records delays",
)


def delays(queue: int, rng: Any, duration: float = 40.0, warm_up: float = 10.0) -> dict[str, float]:
    """Return percentiles of the time that packets of ten flows wait at a link [ms], and its utilisation."""
    discipline, scheme = list(QUEUES.values())[queue]
    room = int(SHARED / PACKET * (duration - warm_up)) + 1000
    log = np.zeros(1 + room, np.int64)
    recorder = _RECORD(log=float(log.ctypes.data), room=float(room), begin=warm_up)
    net = lf.sim.Network().link("a", "b", rate=SHARED, delay=DELAY, buffer=BUFFER, discipline=discipline)
    net.link("b", "c", rate=1e12, discipline=recorder)
    net.link("c", "b", rate=math.inf).link("b", "a", rate=math.inf, delay=DELAY)
    for start in rng.uniform(0, 2, COUNT):
        net.flow(scheme, path=["a", "b", "c"], packet=PACKET, start=start)
    run = lf.sim.run(net, duration=duration, warm_up=warm_up, rng=rng, progress=False)
    waits = log[1 : 1 + log[0]] / 1e6 - 1e3 * (DELAY + PACKET / SHARED)
    found = {f"percentile_{k}": float(np.percentile(waits, k)) for k in PERCENTILES}
    return found | {"utilisation": float(run.utilisation.sel(link="a-b"))}


def fairness(pair: int, sharing: int, ratio: int, rng: Any) -> dict[str, float]:
    """Return log2 of the goodput of the flow with the shorter path over the goodput of the other flow."""
    scheme, parameters = list(PAIRS.values())[pair]
    discipline: Any = SHARING[sharing]
    if scheme == "dctcp" and discipline == "fifo":
        # Alizadeh and others (2010), equation 13: a seventh of the bandwidth-delay product, here of the mean path.
        mean = RATE * SHORT * (1 + ratio) / 2 / PACKET
        discipline = lf.sim.queues.step_marking(packets=min(ROOM - 1, math.ceil(mean / 7)))
    net = lf.sim.Network().link("a", "b", rate=RATE, delay=SHORT / 2, buffer=ROOM, discipline=discipline)
    net.link("b", "a", rate=math.inf, delay=SHORT / 2)
    for k, longer in enumerate((0.0, (ratio - 1) * SHORT)):
        net.link(f"s{k}", "a", rate=math.inf, delay=longer / 2).link("a", f"s{k}", rate=math.inf, delay=longer / 2)
        net.flow(
            schemes.scheme(scheme), path=[f"s{k}", "a", "b"], packet=PACKET, parameters=parameters,
            start=float(rng.uniform(0, 1)), send_jitter=PACKET / RATE,
        )  # fmt: skip
    goodput = lf.sim.run(net, duration=130, warm_up=30, rng=rng, progress=False).goodput.values
    return {"log_ratio": float(np.log2(goodput[0] / goodput[1]))}


def power(label: int, load: float, rng: Any) -> dict[str, float]:
    """Return the network power of transfers over Kim and Farber's reference path with the slowest bottleneck."""
    seen = blt_runs.observe(POWERS[label], Path(), load, packets=1e5, round_trips=60, rng=rng)
    return {name: seen[name] for name in ("power", "response_time", "loss")}


#: Content of each picture: a function and its grid, with names of the grid's values.
SWEEPS: dict[str, tuple[Any, dict[str, Any]]] = {
    "today_buffer": (utilisation, {"scheme": ALONE, "buffer": BUFFERS}),
    "today_delay": (delays, {"queue": QUEUES}),
    "today_fairness": (fairness, {"pair": PAIRS, "sharing": SHARING, "ratio": RATIOS}),
    "today_power": (power, {"label": POWERS, "load": LOADS}),
}
UNITS = {"percentile": "ms", "utilisation": "1", "log_ratio": "1", "power": "bytes/s^2", "response": "s", "loss": "1"}


def sweep(picture: str, replications: int = REPLICATIONS, rng: int = 1, **first: int) -> xr.Dataset:
    """Simulate the points of a picture, or along some dimensions only the first few."""
    function, whole = SWEEPS[picture]
    places = {name: list(points)[: first.get(name)] for name, points in whole.items()}
    named = {name: points for name, points in places.items() if isinstance(points[0], str)}
    grid = {name: range(len(points)) if name in named else points for name, points in places.items()}
    data = lf.sweep(function, grid, replications=replications, rng=rng, progress=False).assign_coords(named)
    for name in data.data_vars:
        for word, unit in UNITS.items():
            if str(name).startswith(word):
                data[name].attrs["units"] = unit
    return data


MARKERS = "osv^DP"
POINTS: dict[str, Any] = {"ls": "", "capsize": 2, "ms": 4.5}
INTERVALS = f"95 % intervals of {REPLICATIONS} runs"


def draw_buffer(data: xr.Dataset, ax: Any) -> None:
    """Draw the utilisation by one flow, CUBIC and SACK with their laws."""
    buffer = np.linspace(0.02, 1.05, 200)
    laws = {
        "cubic": lf.laws.cubic.utilisation_general(buffer, PRODUCT, ROUND_TRIP),
        "sack": lf.laws.tcp.aimd_utilisation(np.minimum(buffer, 1.0)),
    }
    for k, name in enumerate(ALONE):
        if name in laws:
            ax.plot(buffer, laws[name], color=f"C{k}", label=f"{name}, law")
        look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "label": f"{name}, simulated"}
        bars(ax, BUFFERS, data.isel(scheme=k), "utilisation", **look, **POINTS)
    ax.set(xlabel="buffer [bandwidth-delay products]", ylabel="utilisation [1]", ylim=(0.76, 1.01))
    ax.legend(loc="lower right")


def draw_delay(data: xr.Dataset, ax: Any) -> None:
    """Draw percentiles of the queueing delay, a place on the abscissa for each discipline."""
    place = np.arange(len(QUEUES))
    for k, percentile in enumerate(PERCENTILES):
        look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "label": f"{percentile}th percentile"}
        bars(ax, place + 0.12 * (k - 1), data, f"percentile_{percentile}", **look, **POINTS)
    words = [f"{name}\n{scheme}" for name, (_, scheme) in QUEUES.items()]
    ax.set_xticks(place, words)
    ax.grid(visible=False, axis="x")
    ax.set(ylabel="queueing delay [ms]", yscale="log", ylim=(0.3, 200), xlim=(-0.5, len(place) - 0.5))
    log_ticks(ax.yaxis)
    ax.legend(loc="upper right")


def draw_fairness(data: xr.Dataset, axes: Any) -> None:
    """Draw the ratio of the goodputs under both disciplines."""
    ratio = np.linspace(1, 16, 100)
    # The queue, 20 ms when it is full, belongs to both round trips.
    whole = (ratio + 1) / 2
    titles = ("Drop-tail (dctcp: step marking)", "FQ-CoDel")
    for sharing, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        if sharing == 0:
            ax.plot(ratio, whole**2, color="0.3", label="ratio of round trips, squared")
            ax.plot(ratio, whole, color="0.3", ls=":", label="ratio of round trips")
        else:
            ax.axhline(1, color="0.3", ls="--", label="equal shares")
        for k, name in enumerate(PAIRS):
            one = data.isel(pair=k, sharing=sharing)
            mean, low, high = (2.0 ** one[f"log_ratio{end}"].values for end in ("", "_lower", "_upper"))
            look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "label": name}
            place = np.array(RATIOS) * 1.05 ** (k - 2.5)
            ax.errorbar(place, mean, [np.maximum(mean - low, 0), np.maximum(high - mean, 0)], **look, **POINTS)
        ax.set(
            xlabel="ratio of round-trip times without queue [1]", ylabel="ratio of goodputs [1]", xscale="log",
            yscale="log", title=title, ylim=(0.5, 300),
        )  # fmt: skip
        ax.set_xticks(RATIOS, [str(one) for one in RATIOS])
        ax.minorticks_off()
        log_ticks(ax.yaxis)
        ax.legend(loc="upper left")


def draw_power(data: xr.Dataset, axes: Any) -> None:
    """Draw network power and response time over the load."""
    network = Path()
    bound = lf.laws.power.first_come_ceiling(network.capacity, network.file, network.round_trip)
    axes[0].axhline(bound / 1e6, color="0.3", ls="--", label="upper bound, first come, first served")
    for k, name in enumerate(POWERS):
        look: dict[str, Any] = {"color": f"C{k}", "marker": MARKERS[k], "ms": 4.5, "capsize": 2}
        bars(axes[0], LOADS, data.isel(label=k), "power", scale=1e-6, **look)
        bars(axes[1], LOADS, data.isel(label=k), "response_time", scale=1e3, label=name, **look)
    axes[0].set(xlabel="offered load [1]", ylabel="network power [MB/s²]", title="Throughput over response time")
    axes[1].set(xlabel="offered load [1]", ylabel="response time [ms]", yscale="log", title="Response time")
    log_ticks(axes[1].yaxis)
    axes[0].legend(loc="center left")
    axes[1].legend(loc="upper left")


PICTURES = {
    "today_buffer": Picture(
        "Utilisation by one flow over the buffer of a drop-tail link: laws, and the network simulator.",
        draw_buffer, "today_buffer", (1, 1), (7.2, 4.6),
        f"One flow, 300 packets in 50 ms; {INTERVALS}; cubic without fast convergence",
    ),
    "today_delay": Picture(
        "Queueing delay of ten flows under today's queue disciplines: median, 95th and 99th percentile.",
        draw_delay, "today_delay", (1, 1), (8.2, 4.6),
        f"Ten flows, 50 Mbit/s, 40 ms, buffer of 96 ms; {INTERVALS}",
    ),
    "today_fairness": Picture(
        "Ratio of the goodputs of two flows over the ratio of their round-trip times, under a drop-tail link (DCTCP: "
        "step marking) and under FQ-CoDel.", draw_fairness, "today_fairness", (1, 2), (11.5, 5.2),
        f"Two flows, 20 Mbit/s, the shorter path 20 ms, buffer 20 ms; lines: with a full queue; {INTERVALS}",
    ),
    "today_power": Picture(
        "Network power and response time of transfers over Kim and Farber's reference network.",
        draw_power, "today_power", (1, 2), (11.5, 4.8),
        f"Files of 100 kB, 30 Mbit/s, 30 ms, buffer 10 ms; {INTERVALS}, {CUT}",
    ),
}  # fmt: skip
DIMS = {name: [tuple(grid)] for name, (_, grid) in SWEEPS.items()}
PART = Part("figures.today", lambda: {name: sweep(name) for name in SWEEPS}, DIMS, PICTURES)

"""Runs of `figures.today`: utilisation, queueing delays and fairness of today's schemes and disciplines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

import longfat as lf
from figures.blt import runs as blt_runs
from figures.blt.networks import Path
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

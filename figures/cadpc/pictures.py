"""Welzl, CADPC: figures 1, 2 and 3, table II, and the scenarios that the paper only names, all simulated.

Run with ``python -m figures.cadpc``; it takes some minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from figures.cadpc import drawing, networks, runs
from figures.cadpc.comparisons import WEB
from figures.cadpc.drawing import CUT_BARS
from figures.cadpc.networks import BIG_BUFFER, CAPACITY, MBIT, PERIOD
from figures.cadpc.runs import QUANTITIES, at, late, measured, words
from figures.claims import Context
from figures.data import gathered
from figures.rule import Estimate, mean
from figures.writing import Part, Picture
from longfat.base.text_tables import markdown
from longfat.laws import cadpc as laws

QUEUES = ("fifo", "red", "rem", "avq")
SIZES = {"": networks.BUFFER, ", large buffer": BIG_BUFFER}  # buffers of table II


REPLICATIONS = 3
BOTTLENECKS = (1, 2, 5, 10, 20, 50, 100)  # Mbit/s
DELAYS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)  # s, of each link
WEBS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)  # capacities
USERS = (1, 2, 5, 10, 20, 50)
REFRESHES = (0.0, 0.1, 0.3, 1.0, 2.0, 3.0)  # s
EQUAL_AFTER = 1200.0  # s, length of the run of figure 2, right
TABLE = Context(1e7, 0)  # of table II and web-like traffic, as in the scoreboard


def _gathered(found: dict[tuple[Any, ...], dict[str, np.ndarray]], grid: dict[str, Any]) -> xr.Dataset:
    """Return runs at every point of a grid as means with ``_lower`` and ``_upper``."""
    about = {name: {"units": unit, "long_name": words} for name, (unit, words) in QUANTITIES.items()}
    means = {place: {name: mean(values) for name, values in one.items()} for place, one in found.items()}
    return gathered(means, grid, about)


def _fifty(rng: int, name: str, argument: str, values: Sequence[Any]) -> xr.Dataset:
    """Simulate fifty flows of every scheme over 10 Mbit/s, over the values of an argument of `measured`."""
    labels = networks.competitors()
    more: dict[str, Any] = {"replications": REPLICATIONS, "rng": rng}
    found = {(label, one): measured(label, 50, **{argument: one}, **more) for label in labels for one in values}
    return _gathered(found, {"scheme": labels, name: list(values)})


def _trace(net: Any, duration: float, every: float, rng: int) -> xr.Dataset:
    return runs.observe(net, duration=duration, sample_every=every, replications=1, rng=rng)[0]


def figure_1(mbits: tuple[float, ...] = (10, 100)) -> xr.Dataset:
    """Simulate the bytes that ten flows of CADPC or of Reno transfer over time, over bottlenecks [Mbit/s]."""
    rows = []
    for label in ("CADPC", "Reno"):
        row = [_trace(networks.dumbbell(label, 10, m * MBIT), 160, 1.0, rng=1).received_trace for m in mbits]
        rows.append(xr.concat(row, xr.DataArray(list(mbits), dims="bottleneck", attrs={"units": "Mbit/s"})))
    return xr.Dataset({"received": xr.concat(rows, xr.DataArray(["CADPC", "Reno"], dims="scheme"))})


def figure_2() -> xr.Dataset:
    """Simulate rates over time [bytes/s]: starts 10 s apart; update periods of 4, 8, ... round trips.

    The flows with different periods start together, or 4 s apart.
    """
    staggered = runs.rates(_trace(networks.dumbbell("CADPC", 10, stagger=10.0), 300, PERIOD / 2, rng=2), PERIOD)
    found = {"staggered": staggered.rename(time="time_staggered")}
    for equal, name in ((True, "periods_together"), (False, "periods_apart")):
        found[name] = runs.rates(_trace(networks.unequal_periods(equal), EQUAL_AFTER, 2.0, rng=2), 4.0)
    return xr.Dataset({name: one.assign_coords(flow=np.arange(1, 11)) for name, one in found.items()})


def figure_3() -> xr.Dataset:
    """Simulate fifty flows of every scheme for 160 s over several bottlenecks.

    The last row is CADPC with starts 1 s apart, counted from 80 s on.
    """
    labels = networks.competitors()
    found = {}
    for label in [*labels, "CADPC, starts 1 s apart"]:
        for mbit in BOTTLENECKS:
            more = {} if label in labels else {"stagger": 1.0, "warm_up": 80.0}
            found[label, mbit] = measured(
                label.split(",")[0], 50, mbit * MBIT, replications=REPLICATIONS, rng=3, **more
            )  # fmt: skip
    return _gathered(found, {"scheme": [*labels, "CADPC, starts 1 s apart"], "bottleneck": list(BOTTLENECKS)})


def delays() -> xr.Dataset:
    """Simulate fifty flows over 10 Mbit/s with different link delays."""
    return _fifty(4, "delay", "link_delay", DELAYS)


def managed_queues() -> xr.Dataset:
    """Simulate fifty flows over 10 Mbit/s with drop-tail, RED, REM and AVQ; the latter three mark packets."""
    return _fifty(5, "queue", "discipline", QUEUES)


def web() -> xr.Dataset:
    """Simulate ten flows beside twenty web-like sources of different load, measured from 80 to 320 s.

    Every scheme has a buffer of 50 packets and of one bandwidth-delay product.
    """
    rows = {label + size: (label, buffer) for size, buffer in SIZES.items() for label in ("CADPC", "SACK", "XCP")}
    found = {
        (name, load): at(TABLE, label, 10, buffer=buffer, **WEB | {"web": load})
        for name, (label, buffer) in rows.items() for load in WEBS
    }  # fmt: skip
    return _gathered(found, {"scheme": list(rows), "web": list(WEBS)})


def snmp() -> xr.Dataset:
    """Simulate ten CADPC flows where the router updates its byte counter only at intervals.

    Replies carry the time of the request or of the update.
    """
    clocks = {"time of the request": False, "time of the refresh": True}
    found = {}
    for name, coarse in clocks.items():
        for refresh in REFRESHES:
            found[name, refresh] = measured(
                "CADPC", 10, warm_up=80.0, duration=240.0, counter_refresh=refresh, coarse_clock=coarse,
                replications=REPLICATIONS, rng=7,
            )  # fmt: skip
    return _gathered(found, {"clock": list(clocks), "refresh": list(REFRESHES)})


def changes() -> xr.Dataset:
    """Simulate rates over time [capacities]: a path that changes, converged groups that mix, two bottlenecks."""
    nets = {
        "path_change": (networks.path_change(), 210, 2.4),
        "mixing": (networks.mixing(), 400, 2.4),
        "parking_lot": (networks.parking_lot(), 160, 2.4),
    }
    found = {}
    for name, (net, duration, bin) in nets.items():
        one = runs.rates(_trace(net, duration, 0.6, rng=8), bin) / CAPACITY
        one = one.isel(flow=[not str(flow).startswith("other") for flow in one.flow.values])  # without the background
        found[name] = one.rename(time=f"time_{name}", flow=f"flow_{name}")
    return xr.Dataset(found)


def two_mechanisms() -> xr.Dataset:
    """Simulate table II: CADPC and XCP with a buffer of 50 packets and of one bandwidth-delay product; 80 to 160 s."""
    rows = {label + size: (label, buffer) for label in ("CADPC", "XCP") for size, buffer in SIZES.items()}
    found = {
        (name, n): late(TABLE, label, n, buffer=buffer) for name, (label, buffer) in rows.items() for n in USERS
    }  # fmt: skip
    return _gathered(found, {"mechanism": list(rows), "users": list(USERS)})


def table_2(data: xr.Dataset, background: xr.Dataset) -> str:
    """Return table II as Markdown, with every cell measured, from the results of `two_mechanisms` and `web`."""

    def cell(row: xr.Dataset, name: str, factor: float = 1.0, digits: int = 3) -> str:
        found = Estimate(*(float(row[name + end]) for end in ("", "_lower", "_upper")))
        return words(found, digits, factor, 0.0)

    names = [str(name) for name in data.mechanism.values]

    def line(what: str, xcp: str, cadpc: str, name: str, digits: int = 3, users: int = 10) -> list[str]:
        """Return a row with a quantity of every mechanism."""
        return [what, xcp, cadpc,
                *(cell(data.sel(mechanism=one, users=users), name, digits=digits) for one in names)]  # fmt: skip

    lines = [
        "# Welzl, table II: differences between XCP and CADPC, measured",
        "",
        "10 Mbit/s, round trip 300 ms, drop-tail, seconds 80 to 160; 95 % intervals in brackets if they are visible.",
        f"Buffers: {networks.BUFFER} packets as in the other figures, and {BIG_BUFFER} packets, one bandwidth-delay "
        "product (large buffer).",
        f"{runs.scale(TABLE)}, as for the rows of table II in [scoreboard.md](../scoreboard.md).",
        "",
    ]
    examined = [
        cell(data.sel(mechanism=name, users=10),
             *(("examined", 1.0, 1) if name.startswith("CADPC") else ("offered", 1.0, 0)))
        for name in names
    ]  # fmt: skip
    lines += markdown(["property", "published: XCP", "published: CADPC/PTP", *names], [
        line("packets without data, 10 users [packets/s]", "feedback in payload packets", "extra signaling",
             "examined", 1),
        line("bytes to the senders, 10 users [bytes/s]", "", "", "feedback", 0),
        ["packets that a router examines, 10 users [packets/s]", "every packet", "1 packet every 4 RTTs", *examined],
        *(line(f"utilisation, {n} users [1]", "1", f"{laws.equilibrium_traffic(int(n)):.3f}", "throughput", users=n)
          for n in data.users.values),
    ])  # fmt: skip
    lines += [
        "",
        "XCP's feedback is in its acknowledgments of 40 bytes, CADPC's in PTP replies of 32 bytes. Headers",
        "in XCP's data packets cost nothing here. A single XCP flow at times overflows 50 packets and restarts.",
        "",
        "## 'Web mice' background traffic",
        "",
        "Ten flows, twenty on-off sources with Pareto durations (mean 1 s and 2 s, shape 1.5), seconds 80 to 320. With",
        f"{networks.BUFFER} packets both mechanisms lose packets; with {BIG_BUFFER}, XCP does not, and CADPC does.",
        "",
    ]
    said = {"CADPC": "does not work well", "XCP": "works well", "SACK": ""}
    heads = ["load [capacities]", "published", "mechanism", "throughput [capacities]", "loss [%]",
             "loss of the background [%]", "mean queue [packets]"]  # fmt: skip
    rows = []
    for load in background.web.values:
        for name in map(str, background.scheme.values):
            row = background.sel(scheme=name, web=load)
            rows.append([
                f"{load:g}", said[name.split(",")[0]], name, cell(row, "throughput"), cell(row, "loss", 100, 2),
                cell(row, "others_loss", 100, 2), cell(row, "mean_queue", 1, 1),
            ])  # fmt: skip
    return "\n".join([*lines, *markdown(heads, rows)]) + "\n"


def simulate() -> dict[str, Any]:
    """Run everything that the pictures and table II show."""
    data = {
        "1": figure_1(), "2": figure_2(), "3": figure_3(), "changes": changes(), "delay": delays(),
        "queues": managed_queues(), "web": web(), "snmp": snmp(), "table_2": two_mechanisms(),
    }  # fmt: skip
    return data | {"cadpc_table_2.md": table_2(data["table_2"], data["web"])}


FIFTY = f"fifty flows of one kind, 160 s; {REPLICATIONS} runs, {CUT_BARS}"
PICTURES = {
    "cadpc_1": Picture(
        "Bytes transferred by ten flows: CADPC's flows are equal and use 10/11 of the link, Reno's are not.",
        drawing.draw_1, "1", (1, 2), (10, 4.6), "Welzl, figure 1, simulated: ten CADPC or ten Reno flows",
    ),
    "cadpc_2": Picture(
        "CADPC flows that start one after the other, and flows with different update periods that start together or "
        "one after the other.", drawing.draw_2, "2", (1, 3), (13, 4.4),
        "Welzl, figure 2, simulated: ten CADPC flows over 10 Mbit/s, 300 ms",
    ),
    "cadpc_3": Picture(
        "Fifty flows of CADPC and of each competitor over bottlenecks of 1 to 100 Mbit/s.",
        lambda data, axes: drawing.draw_panels(data, axes, "bottleneck", 1, "bottleneck [Mbit/s]"), "3",
        (2, 2), (10.4, 8.2), f"Welzl, figure 3, simulated: {FIFTY}",
    ),
    "cadpc_changes": Picture(
        "A path that changes, converged groups that mix, and two bottlenecks; dotted: the law.",
        drawing.draw_changes, "changes", (1, 3), (13, 4.4), "CADPC: changes of the path, mixing, parking lot",
    ),
    "cadpc_delay": Picture(
        "The same competitors over the round-trip time.",
        lambda data, axes: drawing.draw_panels(data, axes, "delay", 6e3, "round-trip time without queueing [ms]"),
        "delay", (2, 2), (10.4, 8.2), f"Over the delay, 10 Mbit/s: {FIFTY}",
    ),
    "cadpc_queues": Picture(
        "The same competitors with drop-tail, RED, REM and AVQ.",
        drawing.draw_queues, "queues", (2, 2), (10.4, 8.2), f"With marking queues, 10 Mbit/s: {FIFTY}",
    ),
    "cadpc_web": Picture(
        "Ten flows beside web-like traffic, with a buffer of 50 packets and of a bandwidth-delay product.",
        drawing.draw_web, "web", (2, 2), (10.4, 7.6),
        f"Ten flows beside web-like traffic, 10 Mbit/s, buffers of {networks.BUFFER} and {BIG_BUFFER} packets "
        f"(large); {CUT_BARS}",
    ),
    "cadpc_snmp": Picture(
        "CADPC with routers that update their byte counters only at intervals.",
        drawing.draw_snmp, "snmp", (1, 1), (7.6, 4.8),
    ),
}  # fmt: skip
DIMS = {
    "1": [("scheme", "bottleneck", "time", "flow")], "2": [("time", "flow"), ("time_staggered", "flow")],
    "3": [("scheme", "bottleneck")], "delay": [("scheme", "delay")], "queues": [("scheme", "queue")],
    "web": [("scheme", "web")], "snmp": [("clock", "refresh")],
    "changes": [(f"time_{name}", f"flow_{name}") for name in ("path_change", "mixing", "parking_lot")],
}  # fmt: skip
PART = Part("figures.cadpc", simulate, DIMS, PICTURES, prefix="cadpc_")

"""Traces on the pages of schemes, disciplines and services: two flows over one bottleneck, from a run of the simulator.

The setting is ours, the same for all: 10 Mbit/s, a round trip of 40 ms, a buffer of 66 packets (two bandwidth-delay
products), the second flow from 4 s on, 12 s in all, seed 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from docs.handbook.drawing import Panel, svg
from longfat import benchmark, sim
from longfat.sim import queues, schemes
from longfat.sim.services import SERVICES

RATE, DELAY, BUFFER, SECOND_START, DURATION, SAMPLES = "10 Mbit/s", "20 ms", 66, "4 s", 12.0, 240
SETTING = (
    "Two flows over 10 Mbit/s with a round trip of 40 ms and a buffer of 66 packets; the second flow starts at 4 s."
)
#: Values of ours for this bottleneck, where a plug-in has no default or one for another network.
PARAMETERS: Mapping[str, Mapping[str, float]] = {
    "constant": {"rate": 5e5},
    "sstp": {"peak_rate": 5e5},
    "becn": {"peak_rate": 1.25e6},
    "efci": {"peak_rate": 1.25e6, "initial_rate": 1.25e5},
    "loss-load": {"k": 5.0, "response": 1.0, "access_rate": 1.25e6},
}
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "red": {"min_th": 15, "max_th": 45, "max_p": 0.1},
    "red-auto": {"min_th": 15, "max_th": 45},
    "mark-above": {"threshold": 15},
    "step-marking": {"packets": 15},
    "leaky-bucket": {"rate": "8 Mbit/s"},
    "virtual-leaky-bucket": {"rate": "8 Mbit/s"},
    "policer": {"rate": "8 Mbit/s"},
    "aggregation": {"interval": "20 ms"},
}
#: Schemes that announce what they have to send, and so need a file; their packets wait at the access link.
OF_FILES = ("blt", "blt-rate", "bully-tyrant")
#: The scheme whose flows show a discipline, where the benchmark has none for it.
SHOWN_BY = {
    "dualpi2": "prague", "mark-above": "dctcp", "priority-discard-published": "blt", "credit": "credit", "becn": "becn",
    "dynamic-window": "dynamic-window",
}  # fmt: skip
#: Schemes behind a switch that the benchmark does not give them.
BEHIND = {
    "prague": "dualpi2", "blt-rate": "priority-discard", "credit": "credit", "becn": "becn", "efci": "mark-above",
    "dynamic-window": "dynamic-window",
}  # fmt: skip


def _entry(**wanted: str) -> Any:
    """Return the first entry of the benchmark with these attributes; None if there is none."""
    known = (*benchmark.ENTRIES.values(), *benchmark.TODAY.values())
    return next((one for one in known if all(getattr(one, name) == value for name, value in wanted.items())), None)


def _drawn(scheme: str, discipline: Any, title: str) -> str:
    """Run two flows over a link and return windows or rates, and the backlog, as a picture."""
    entry = _entry(scheme=scheme)
    parameters = PARAMETERS.get(scheme, entry.parameters if entry and entry.name not in benchmark.TODAY else {})
    transfer = {"file": "4 MB", "access_rate": RATE} if scheme in OF_FILES else {}
    net = sim.Network("trace")
    net.link("a", "b", rate=RATE, delay=DELAY, buffer=BUFFER, discipline=discipline, name="bottleneck")
    net.link("b", "a", rate=RATE, delay=DELAY, buffer=BUFFER)
    for k, start in enumerate(("0 s", SECOND_START), 1):
        net.flow(scheme, path=["a", "b"], name=f"flow {k}", start=start, parameters=parameters, **transfer)
    data = sim.run(net, duration=DURATION, rng=1, sample_every=DURATION / SAMPLES, progress=False)
    controls = schemes.scheme(scheme).controls
    name, factor = ("window_trace", 1.0) if controls == "window" else ("rate_trace", 8e-6)
    values = data[name].transpose("flow", "time").values * factor
    values = np.where(values > 1e12, np.nan, values)
    values[1, data["time"].values < float(SECOND_START.split()[0])] = np.nan
    if not np.nan_to_num(values).any():  # nothing limits the window but what is to be sent, or the scheme has none
        name, values = "received", _received(data)
    head = {
        "window_trace": ("Congestion window", "packets"),
        "rate_trace": ("Sending rate", "Mbit/s"),
        "received": ("Rate at the receiver", "Mbit/s"),
    }[name]
    curves = [(f"flow {k}", one) for k, one in enumerate(values, 1)]
    queue = data["queue_trace"].sel(link="bottleneck").values
    panels = [Panel(*head, curves), Panel("Backlog of the bottleneck", "packets", [("", queue)])]
    return svg(data["time"].values, panels, title, SETTING)


def _received(data: Any) -> np.ndarray:
    """Return the rates at which flows arrive, over a tenth of a second each [Mbit/s]."""
    received = data["received_trace"].transpose("flow", "time").values
    steps = max(1, round(0.1 * SAMPLES / DURATION))
    rates = np.full(received.shape, np.nan)
    rates[:, steps:] = (received[:, steps:] - received[:, :-steps]) * 8e-6 * SAMPLES / DURATION / steps
    return rates


def of_scheme(name: str) -> str:
    """Return the trace of a scheme, behind the switch that it needs."""
    entry = _entry(scheme=name)
    chosen = (
        queues.discipline(BEHIND[name], **OPTIONS.get(BEHIND[name], {}))
        if name in BEHIND
        else entry.disciplines()["bottleneck"]
        if entry
        else "fifo"
    )
    return _drawn(name, chosen, f"Two flows of {name}")


def of_discipline(name: str) -> str:
    """Return the trace of flows behind a discipline; they are SACK's, or of the scheme that needs this switch."""
    entry = _entry(bottleneck=name) if name != "fifo" else None
    scheme = SHOWN_BY.get(name, entry.scheme if entry else "sack")
    made = queues.discipline(name, **OPTIONS.get(name, {}))
    return _drawn(scheme, made, f"Two flows of {scheme} behind {name}")


def of_service(name: str) -> str:
    """Return the trace of SACK's flows at a link with a service."""
    used = next((one for one in queues.NAMED.values() if one.name == name and one.scheduler is SERVICES[name]), None)
    return _drawn("sack", used or queues.Discipline(name, service=name), f"Two flows of sack at a link with {name}")

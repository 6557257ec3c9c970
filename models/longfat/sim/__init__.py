"""Packet simulators, which use none of the laws.

Submodules are imported on first use, because importing numba is slow: ``sim.Network`` and ``sim.run`` for networks of
links, queues and congestion-control schemes, ``sim.segments`` (`longfat.segments`) for selective repeat over one path.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat import segments
    from longfat.segments import channel
    from longfat.sim import queues, schemes, seam, statistics, traffic
    from longfat.sim.conforming import conformance
    from longfat.sim.engine import SchemeError, Simulation
    from longfat.sim.jit import part
    from longfat.sim.network import Network
    from longfat.sim.queues import DROP, ENQUEUE, SEND, Discipline
    from longfat.sim.runs import run
    from longfat.sim.schemes import Parameter, Scheme
    from longfat.sim.seam import (
        NO_DATA,
        append,
        behind,
        drop_more,
        first_waiting,
        flow_state,
        has_next_switch,
        is_full,
        mark,
        push_out,
        queue,
        queue_of,
        random,
        take,
        take_first,
        take_last,
        waiting,
    )
    from longfat.sim.services import NOTHING, Service

_SUBMODULES = {
    name: f"longfat.sim.{name}" for name in ("queues", "schemes", "seam", "services", "statistics", "traffic")
}
_SUBMODULES |= {"channel": "longfat.segments.channel", "segments": "longfat.segments"}
#: The module of each name; the last rows are return values and functions for plug-ins.
_NAMES = {
    "Discipline": "queues",
    "Network": "network",
    "Parameter": "schemes",
    "Scheme": "schemes",
    "SchemeError": "engine",
    "Simulation": "engine",
    "conformance": "conforming",
    "run": "runs",
    "Service": "services",
    "NOTHING": "services",
    **dict.fromkeys(("DROP", "ENQUEUE", "SEND"), "queues"),
    "part": "jit",
    **dict.fromkeys(
        (
            "NO_DATA",
            "append",
            "behind",
            "drop_more",
            "first_waiting",
            "flow_state",
            "has_next_switch",
            "is_full",
            "mark",
            "push_out",
            "queue",
            "queue_of",
            "random",
            "take",
            "take_first",
            "take_last",
            "waiting",
        ),
        "seam",
    ),
}

__all__ = [
    "DROP", "ENQUEUE", "NOTHING", "NO_DATA", "SEND", "Discipline", "Network", "Parameter", "Scheme", "SchemeError",
    "Service", "Simulation", "append", "behind", "channel", "conformance", "drop_more", "first_waiting",
    "flow_state", "has_next_switch", "is_full", "mark", "part", "push_out", "queue", "queue_of", "queues", "random",
    "run", "schemes", "seam", "segments", "statistics", "take", "take_first", "take_last", "traffic", "waiting",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(_SUBMODULES[name])
    if name in _NAMES:
        return getattr(importlib.import_module(f"longfat.sim.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'longfat.sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)

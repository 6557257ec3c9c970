"""The packet simulators; they know nothing of the laws.

Rooms open when they are entered, because numba takes its time: ``sim.segments`` for selective repeat over one
path, ``sim.Network`` and ``sim.run`` for networks of links, queues and congestion-control schemes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.sim import channel, queues, schemes, seam, segments, statistics, traffic
    from longfat.sim.engine import SchemeError, Simulation
    from longfat.sim.network import Network
    from longfat.sim.queues import Discipline
    from longfat.sim.running import run
    from longfat.sim.schemes import Parameter, Scheme

_ROOMS = ("channel", "queues", "schemes", "seam", "segments", "statistics", "traffic")
_NAMES = {
    "Discipline": "queues",
    "Network": "network",
    "Parameter": "schemes",
    "Scheme": "schemes",
    "SchemeError": "engine",
    "Simulation": "engine",
    "run": "running",
}

__all__ = [
    "Discipline", "Network", "Parameter", "Scheme", "SchemeError", "Simulation",
    "channel", "queues", "run", "schemes", "seam", "segments", "statistics", "traffic",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"longfat.sim.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"longfat.sim.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'longfat.sim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)

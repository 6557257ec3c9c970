"""Packet simulators, which are independent of the laws.

Submodules are imported on first use, because importing numba is slow: ``sim.Network`` and ``sim.run`` for networks of
links, queues and congestion-control schemes, ``sim.segments`` (`longfat.segments`) for selective repeat over one path.
"""
# ruff: noqa: F403, F405 (type checkers read the names of `plugin.functions` from its own list)

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat import segments
    from longfat.sim import queues, schemes
    from longfat.sim import services as services
    from longfat.sim.conforming import conformance
    from longfat.sim.kernel.jit import inline
    from longfat.sim.network import traffic
    from longfat.sim.network.network import Network
    from longfat.sim.plugin import view_fields as fields
    from longfat.sim.plugin.functions import *
    from longfat.sim.plugin.plug_in import PlugIn
    from longfat.sim.queues import DROP, ENQUEUE, SEND, Discipline
    from longfat.sim.runs.engine import SchemeError, Simulation
    from longfat.sim.runs.run import run
    from longfat.sim.schemes import Parameter, Scheme
    from longfat.sim.services import Service

__all__ = [
    "DROP", "ENQUEUE", "NOTHING", "NO_DATA", "PASSES", "SEND", "Discipline", "Network", "Parameter", "PlugIn",
    "Scheme", "SchemeError", "Service", "Simulation", "append", "behind", "capacity", "conformance",
    "drop_more", "fields", "first_waiting", "flow_state", "has_next_switch", "heap_entry", "heap_insert",
    "heap_remove", "heap_replace", "inline", "is_full", "mark", "memory", "now_ns", "number_of", "push_out", "queue",
    "queue_numbered", "queue_of", "queues", "random", "run", "schedule_wake", "schemes", "segments", "set_memory",
    "set_tag", "tag_of", "take", "take_first", "take_last", "traffic", "waiting",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)

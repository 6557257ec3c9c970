"""Services (schedulers) of links by name; users may define others with `Service`."""

from __future__ import annotations

from longfat.sim.plugin.discipline import PER_FLOW, SERVICES, Service

__all__ = ["PER_FLOW", "SERVICES", "Service"]

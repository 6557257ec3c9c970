"""Congestion- and flow-control models for long fat networks: symbolic, numeric, simulated.

Modules are imported on first use: ``import longfat as lf`` loads neither JAX nor sympy nor numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from longfat._version import __version__

if TYPE_CHECKING:
    from longfat import (
        benchmark,
        design,
        explore,
        fluid,
        law,
        laws,
        measured,
        plot,
        quantities,
        scenario,
        sim,
        single_transfer,
        sweeping,
        testbed,
        testing,
        verify,
    )
    from longfat.sweeping import sweep

_ROOMS = (
    "benchmark", "design", "explore", "fluid", "law", "laws", "measured", "plot", "quantities", "scenario", "sim",
    "single_transfer", "sweeping", "testbed", "testing", "verify",
)  # fmt: skip

__all__ = [
    "__version__",
    "benchmark",
    "design",
    "explore",
    "fluid",
    "law",
    "laws",
    "measured",
    "plot",
    "quantities",
    "scenario",
    "sim",
    "single_transfer",
    "sweep",
    "sweeping",
    "testbed",
    "testing",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"longfat.{name}")
    if name == "sweep":
        return importlib.import_module("longfat.sweeping").sweep
    raise AttributeError(f"module 'longfat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)

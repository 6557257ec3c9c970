"""Congestion- and flow-control models for long fat networks: symbolic, numeric, simulated.

Modules are imported on first use: ``import longfat as lf`` loads neither JAX nor sympy nor numba.

A value of a wrong type raises a TypeError, one outside its domain a ValueError; both name parameter, value, unit and
what is allowed. Docstrings list other exceptions only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat._version import __version__
from longfat.base.discovery import lazily

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
        replication,
        sim,
        testbed,
        testing,
        verify,
    )
    from longfat.base import quantities
    from longfat.replication import sweep
    from longfat.sim.network import scenario

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
    "replication",
    "scenario",
    "sim",
    "sweep",
    "testbed",
    "testing",
    "verify",
]

__getattr__, __dir__ = lazily(__name__)

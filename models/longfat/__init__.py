"""Congestion- and flow-control models for long fat networks: symbolic, numeric, simulated.

Modules are imported on first use: ``import longfat as lf`` loads neither JAX nor sympy nor numba.

A value of a wrong type raises a TypeError, one outside its domain a ValueError; both name parameter, value, unit and
what is allowed. Docstrings list other exceptions only.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

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


class _AccessorFinder:
    """Import finder that lets xarray, whenever it is imported, register the accessor ``.longfat`` of Datasets.

    A loaded Dataset has the accessor once longfat is imported, before or after xarray. Importing xarray here would take
    longer than the commands that do not need it.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return xarray's module specification, whose loader also registers the accessor; None for other modules."""
        if name != "xarray":
            return None
        # If the package was imported twice, there are two finders of this name: neither asks the other.
        others = (one for one in sys.meta_path if type(one).__name__ != type(self).__name__)
        spec = next(filter(None, (one.find_spec(name, path, target) for one in others)), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                importlib.import_module("longfat.plot.accessor")

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


if "xarray" in sys.modules:
    importlib.import_module("longfat.plot.accessor")
else:
    sys.meta_path.insert(0, _AccessorFinder())  # type: ignore[arg-type]

"""Entry point of Hypothesis, which calls `register` when it is imported."""

import importlib
import sys


def register() -> None:
    """Register the strategies if the simulator is in use already; if not, it does so when it is imported."""
    if "longfat.sim.network.network" in sys.modules:
        importlib.import_module("longfat.testing.strategies")

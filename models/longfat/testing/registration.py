"""Entry point of Hypothesis, which calls `register` when it is imported."""

import importlib
import sys


def register() -> None:
    """Register the strategies if the simulator is already imported; otherwise the simulator does so when imported."""
    if "longfat.sim.network.network" in sys.modules:
        importlib.import_module("longfat.testing.strategies")

"""Entry point for Hypothesis, which calls `register` when a program imports Hypothesis."""

import importlib
import sys


def register() -> None:
    """Register the strategies if the simulator is imported; otherwise the simulator does so on its import."""
    if "longfat.sim.network.network" in sys.modules:
        importlib.import_module("longfat.testing.strategies")

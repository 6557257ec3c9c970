"""Property testing of formulas against simulators, with both error rates: for any formula and any simulator.

`compare` decides at one point whether a formula agrees with a simulator; `nearer` decides which of two formulas is
nearer to it. `holds` makes a test of pytest from a formula, a simulator and a domain; `shrink` simplifies a point at
which a formula differs. `Scenario` makes a simulator of a network.
"""

from longfat.testing.comparing import Comparison, compare
from longfat.testing.holding import Disagreement, holds
from longfat.testing.nearer import Nearer, nearer
from longfat.testing.scenario_runs import Scenario
from longfat.testing.shrinking import Shrunk, shrink

__all__ = [
    "Comparison", "Disagreement", "Nearer", "Scenario", "Shrunk", "compare", "holds", "nearer", "shrink",
]  # fmt: skip

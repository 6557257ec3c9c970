"""Property testing of formulas against simulators, with both error rates: for any formula and any simulator.

`compare` decides at one point whether a formula agrees with a simulator; `nearer` decides which of two formulas is
nearer to it.
"""

from longfat.testing.comparing import Comparison, compare
from longfat.testing.nearer import Nearer, nearer

__all__ = ["Comparison", "Nearer", "compare", "nearer"]

"""Property testing of formulas against simulators, with both error rates: for any formula and any simulator.

`compare` decides at one point.
"""

from longfat.testing.comparing import Comparison, compare

__all__ = ["Comparison", "compare"]

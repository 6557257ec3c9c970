"""Property testing of any formula against any simulator, with limits on both error rates.

`compare` decides at one point whether a formula agrees with a simulator; `nearer` decides which of two formulas is
nearer to a simulator. `holds` makes a test of pytest from a formula, a simulator and a domain, `conforms` makes one
from a plug-in of the simulator. `Scenario` makes a simulator of a network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.testing.comparing import Comparison, Nearer, compare, nearer
    from longfat.testing.holding import Disagreement, conforms, holds
    from longfat.testing.seeded_runs import Scenario

__all__ = [
    "Comparison", "Disagreement", "Nearer", "Scenario", "compare", "conforms", "holds", "nearer",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)

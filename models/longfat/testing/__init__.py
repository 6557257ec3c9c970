"""Property testing of formulas against simulators, with both error rates: for any formula and any simulator.

`compare` decides at one point whether a formula agrees with a simulator; `nearer` decides which of two formulas is
nearer to it. The strategies `networks`, `flows`, `traffic`, `schemes` and `disciplines` need Hypothesis
(``pip install longfat[test]``).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.testing.comparing import Comparison, compare
    from longfat.testing.nearer import Nearer, nearer
    from longfat.testing.strategies import disciplines, flows, networks, schemes, traffic

#: The module of each name, imported on first use: Hypothesis loads this package in every session of its users.
_NAMES = {
    "Comparison": "comparing",
    "compare": "comparing",
    "Nearer": "nearer",
    "nearer": "nearer",
    **dict.fromkeys(("disciplines", "flows", "networks", "schemes", "traffic"), "strategies"),
}

__all__ = ["Comparison", "Nearer", "compare", "disciplines", "flows", "nearer", "networks", "schemes", "traffic"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(f"longfat.testing.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'longfat.testing' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)

"""Linux's own TCP over emulated links: the same scenario as in `longfat.sim`, run by the operating system.

Submodules are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.testbed.namespaces import CannotRun, missing
    from longfat.testbed.plan import refusals
    from longfat.testbed.run import outcomes

_NAMES = {"CannotRun": "namespaces", "missing": "namespaces", "refusals": "plan", "outcomes": "run"}

__all__ = ["CannotRun", "missing", "outcomes", "refusals"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(f"longfat.testbed.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'longfat.testbed' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)

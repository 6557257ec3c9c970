"""Runs of `longfat.sim` scenarios with Linux's TCP over emulated links.

Submodules are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.testbed.comparison import compare
    from longfat.testbed.datasets import run
    from longfat.testbed.network_namespaces import CannotRun, missing
    from longfat.testbed.plan import refusals
    from longfat.testbed.runs import RejectedRun, outcomes

#: Exported name -> module that defines it. No module has the name of an exported object, because its import would
#: replace the object.
_NAMES = {
    "CannotRun": "network_namespaces",
    "RejectedRun": "runs",
    "compare": "comparison",
    "missing": "network_namespaces",
    "outcomes": "runs",
    "refusals": "plan",
    "run": "datasets",
}

__all__ = ["CannotRun", "RejectedRun", "compare", "missing", "outcomes", "refusals", "run"]

__getattr__, __dir__ = lazily(__name__, _NAMES)

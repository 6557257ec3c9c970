"""Runs of `longfat.sim` scenarios with Linux's TCP over emulated links.

Submodules are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.testbed.datasets import compare, run
    from longfat.testbed.network_namespaces import CannotRun, missing
    from longfat.testbed.plan import refusals
    from longfat.testbed.runs import RejectedRun

__all__ = ["CannotRun", "RejectedRun", "compare", "missing", "refusals", "run"]

__getattr__, __dir__ = lazily(__name__)

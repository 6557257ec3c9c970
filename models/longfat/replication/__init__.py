"""Repetition of runs: random streams, workers, stopping, confidence intervals, and stores of finished runs.

Modules: `threads` calls a function in parallel, and `intervals` has means with Student's intervals. `sweeping` has
`sweep`: `grid` has points and random streams, `outcomes` the values that functions return, `collecting` their means and
intervals, `planning` and `stopping` the runs that are needed, `execution`, `engines` and `processes` run them, `store`
keeps finished runs on disk, and `driver` connects these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.replication.intervals import interval

if TYPE_CHECKING:
    from longfat.replication.sweeping import SweepError, sweep

__all__ = ["SweepError", "interval", "sweep"]


def __getattr__(name: str) -> Any:
    if name in __all__:  # on first use: simulators need neither processes nor stores
        from longfat.replication import sweeping

        return getattr(sweeping, name)
    raise AttributeError(f"module 'longfat.replication' has no attribute {name!r}")

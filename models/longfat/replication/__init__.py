"""Repetition of runs: random streams, workers, stopping, confidence intervals, and stores of finished runs.

Modules: `repeating` calls a function once for each seed; `intervals` computes means with Student's intervals.
`sweeping` defines `sweep` and executes its runs by the other modules: `grid` defines points and random streams,
`outcomes` the records of returned values with their means and intervals, `planning` the runs that are needed,
`identity` a digest of the function; `store` keeps finished runs on disk.
"""

from __future__ import annotations

from longfat.replication.intervals import interval
from longfat.replication.repeating import replicate
from longfat.replication.sweeping import SweepError, sweep

__all__ = ["SweepError", "interval", "replicate", "sweep"]

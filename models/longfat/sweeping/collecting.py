"""From the records of all runs, in whatever order they come, to one Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.sweeping.points import Grid
from longfat.sweeping.records import Record

if TYPE_CHECKING:
    import xarray as xr

LIMITS = ("_lower", "_upper")
SAMPLES = "_samples"


class Collector:
    """Takes one record after another; a point is summed up, and its records let go, when its last one is there.

    >>> from longfat.sweeping.records import record
    >>> collector = Collector(Grid.parse({"load": [0.5]}), replications=2, confidence=0.95, keep=False)
    >>> collector.add(0, 1, record(3.0))
    >>> collector.add(0, 0, record(1.0))
    >>> collector.dataset().result.values
    array([2.])
    """

    def __init__(self, grid: Grid, replications: int, confidence: float, keep: bool) -> None:
        from scipy.special import stdtrit  # Student's quantile; scipy.stats takes a second to load

        self.grid, self.replications, self.keep = grid, replications, keep
        self._quantile = float(stdtrit(replications - 1, (1 + confidence) / 2)) if replications > 1 else np.nan
        self._seen = np.zeros((len(grid), replications), np.bool_)
        self._waiting: dict[int, dict[int, Record]] = {}
        self._arrays: dict[str, np.ndarray] = {}
        # The labels are those of the earliest run of the grid, whichever came first.
        self._first: tuple[int, int] | None = None
        self._labels: Record

    @property
    def done(self) -> int:
        """How many records are there."""
        return int(np.count_nonzero(self._seen))

    def add(self, index: int, replication: int, record: Record) -> None:
        """Take the record of one run of the point with this index; a second time makes no difference."""
        if self._seen[index, replication]:
            return
        if self._first is None:
            self._check_names(record)
            self._reserve(record)
        else:
            self._compare(record)
        if self._first is None or (index, replication) < self._first:
            self._first, self._labels = (index, replication), record
        waiting = self._waiting.setdefault(index, {})
        waiting[replication] = record
        if len(waiting) == self.replications:
            self._sum_up(index, self._waiting.pop(index))
        self._seen[index, replication] = True

    def dataset(self) -> xr.Dataset:
        """Everything, when all records are there."""
        import xarray as xr

        names, shape = self.grid.names, self.grid.shape
        variables: dict[str, Any] = {}
        for name in self._names(self._labels):
            one = self._labels.variables[name]
            for suffix in ("", *LIMITS):
                if name + suffix in self._arrays:
                    values = self._arrays[name + suffix].reshape(shape + one.values.shape)
                    variables[name + suffix] = (names + one.dims, values, dict(one.attrs))
            if self.keep:
                values = self._arrays[name + SAMPLES].reshape((*shape, self.replications, *one.values.shape))
                variables[name + SAMPLES] = ((*names, "replication", *one.dims), values, dict(one.attrs))
        count = np.full(shape, self.replications)
        variables["replications"] = (names, count, {"units": "runs", "long_name": "replications"})
        coords: dict[str, Any] = {axis.name: (axis.name, axis.values, axis.attrs) for axis in self.grid.axes}
        if self.keep:
            coords["replication"] = np.arange(self.replications)
        coords |= {name: (one.dims, one.values, one.attrs) for name, one in self._labels.coords.items()}
        return xr.Dataset(variables, coords).squeeze([axis.name for axis in self.grid.axes if axis.alone])

    def _names(self, record: Record) -> list[str]:
        """The variables that are summed up: limits of a run's own give way to those over the replications."""
        names = list(record.variables)
        if self.replications == 1:
            return names
        own = {name + suffix for name in names for suffix in LIMITS}
        return [name for name in names if name not in own]

    def _sum_up(self, index: int, records: dict[int, Record]) -> None:
        for name in self._names(self._labels):
            # In the order of the replications, on a last axis of its own: sums round alike however runs came.
            runs = [records[replication].variables[name].values for replication in range(self.replications)]
            samples = np.ascontiguousarray(np.stack(runs, -1))
            with np.errstate(invalid="ignore", over="ignore"):  # infinite results have NaN limits
                mean = samples.mean(-1)
                self._arrays[name][index] = mean
                if self.replications > 1:
                    half = self._quantile * samples.std(-1, ddof=1) / np.sqrt(self.replications)
                    self._arrays[name + LIMITS[0]][index] = mean - half
                    self._arrays[name + LIMITS[1]][index] = mean + half
            if self.keep:
                self._arrays[name + SAMPLES][index] = np.moveaxis(samples, -1, 0)

    def _reserve(self, record: Record) -> None:
        for name in self._names(record):
            one = record.variables[name]
            for suffix in ("", *LIMITS) if self.replications > 1 else ("",):
                self._arrays[name + suffix] = np.empty((len(self.grid), *one.values.shape))
            if self.keep:
                self._arrays[name + SAMPLES] = np.empty((len(self.grid), self.replications, *one.values.shape))

    def _check_names(self, record: Record) -> None:
        """Every name in the Dataset stands for one thing."""
        own = {dim for one in record.variables.values() for dim in one.dims} | set(record.coords)
        taken = {*self.grid.names, "replication", "replications"}
        names = self._names(record)
        suffixes = ["", *(LIMITS if self.replications > 1 else ()), *([SAMPLES] if self.keep else ())]
        for name in names:
            made = {name + suffix for suffix in suffixes}
            if made & (taken | own) or made & set(names) != {name}:
                raise ValueError(f"the function returned a variable {name!r}: that name is taken in the result")
        if own & taken:
            raise ValueError(
                f"the function returned a dimension {min(own & taken)!r}: that name is taken in the result"
            )

    def _compare(self, record: Record) -> None:
        """All runs return variables of the same names and shapes, along the same coordinates."""
        there, here = (
            {name: (one.dims, one.values.shape) for name, one in of.variables.items()} for of in (self._labels, record)
        )
        for name in sorted(there.keys() | here.keys()):
            if name not in there or name not in here:
                raise ValueError(f"the function returned {name!r} in some runs and not in others")
            if there[name] != here[name]:
                shapes = " and ".join(str(dict(zip(*one, strict=True))) for one in (there[name], here[name]))
                raise ValueError(f"the function returned {name!r} with different dimensions: {shapes}")
        coords = self._labels.coords
        for name in sorted(coords.keys() | record.coords.keys()):
            if name not in coords or name not in record.coords or not coords[name].agrees(record.coords[name]):
                raise ValueError(f"the function returned different coordinates {name!r} in different runs")

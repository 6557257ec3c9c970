"""Collect the records of runs, which may end in any order, in a Dataset of means and confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.replication.grid import Grid
from longfat.replication.intervals import interval
from longfat.replication.outcomes import Record

if TYPE_CHECKING:
    import xarray as xr

LIMITS = ("_lower", "_upper")
SAMPLES = "_samples"


class Collector:
    """Collector of the runs at all points of a grid: means, confidence intervals and, with ``keep``, samples.

    A point's records are released once their means have been computed.

    >>> from longfat.replication.outcomes import record
    >>> collector = Collector(Grid.parse({"load": [0.5]}), confidence=0.95, intervals=True, keep=False)
    >>> runs = [record(3.0), record(1.0)]
    >>> for run in runs:
    ...     collector.check(run)
    >>> collector.summarise(0, runs, "done")
    >>> collector.dataset(status=False).result.values
    array([2.])
    """

    def __init__(self, grid: Grid, confidence: float, *, intervals: bool, keep: bool) -> None:
        self.grid, self.confidence, self.intervals, self.keep = grid, confidence, intervals, keep
        self._reference: Record | None = None  # the record that all others must match
        # Index of the first point, in the order of the grid, that has records. The variables have the attributes of its
        # first run, so the attributes do not depend on which run ends first.
        self._first = len(grid)
        self._labels: Record | None = None
        self._arrays: dict[str, np.ndarray] = {}
        self._samples: dict[str, dict[int, np.ndarray]] = {}
        self._counts = np.zeros(len(grid), np.int64)
        self._status = [""] * len(grid)

    def check(self, record: Record) -> None:
        """Raise a ValueError if the record does not match the earlier ones in names, shapes and coordinates."""
        if self._reference is None:
            self._check_names(record)
            self._reference = record
            for name in self.names(record):
                for suffix in ("", *LIMITS) if self.intervals else ("",):
                    shape = (len(self.grid), *record.variables[name].values.shape)
                    self._arrays[name + suffix] = np.full(shape, np.nan)
        else:
            _compare(self._reference, record)

    def names(self, record: Record) -> list[str]:
        """Return the names of the variables to average, without limits, which the collector computes itself."""
        names = list(record.variables)
        if not self.intervals:
            return names
        own = {name + suffix for name in names for suffix in LIMITS}
        return [name for name in names if name not in own]

    def summarise(self, index: int, records: list[Record], status: str, *, failed: bool = False) -> None:
        """Compute a point's mean and interval from its records in order of replication; NaN if the point failed."""
        self._counts[index], self._status[index] = len(records), status
        if not records:
            return
        if index < self._first:
            self._first, self._labels = index, records[0]
        for name in self.names(records[0]):
            # Stack the records in the order of replications: rounding errors of sums then do not depend on the order in
            # which runs end.
            samples = np.ascontiguousarray(np.stack([one.variables[name].values for one in records], -1))
            if self.keep:
                self._samples.setdefault(name, {})[index] = np.moveaxis(samples, -1, 0)
            if failed:
                continue
            with np.errstate(invalid="ignore", over="ignore"):  # infinite results have NaN limits
                found = interval(samples, self.confidence, axis=-1)
            for suffix, values in zip(("", *LIMITS) if self.intervals else ("",), found, strict=False):
                self._arrays[name + suffix][index] = values

    def dataset(self, *, status: bool) -> xr.Dataset:
        """Return the Dataset of all points: means, limits, samples and numbers of replications."""
        import xarray as xr

        names, shape = self.grid.names, self.grid.shape
        longest = int(self._counts.max())
        variables: dict[str, Any] = {}
        coords: dict[str, Any] = {axis.name: (axis.name, axis.values, axis.attrs) for axis in self.grid.axes}
        if self.keep:
            coords["replication"] = np.arange(longest)
        if self._labels is not None:
            for name in self.names(self._labels):
                one = self._labels.variables[name]
                for suffix in ("", *LIMITS) if self.intervals else ("",):
                    values = self._arrays[name + suffix].reshape(shape + one.values.shape)
                    variables[name + suffix] = (names + one.dims, values, dict(one.attrs))
                if self.keep:
                    samples = np.full((len(self.grid), longest, *one.values.shape), np.nan)
                    for index, there in self._samples[name].items():
                        samples[index, : len(there)] = there
                    values = samples.reshape((*shape, longest, *one.values.shape))
                    variables[name + SAMPLES] = ((*names, "replication", *one.dims), values, dict(one.attrs))
            coords |= {name: (one.dims, one.values, one.attrs) for name, one in self._labels.coords.items()}
        count = self._counts.reshape(shape)
        variables["replications"] = (names, count, {"units": "runs", "long_name": "replications"})
        if status:
            words = np.array(self._status).reshape(shape)
            variables["status"] = (names, words, {"long_name": "status of the point"})
        return xr.Dataset(variables, coords).squeeze([axis.name for axis in self.grid.axes if axis.alone])

    def _check_names(self, record: Record) -> None:
        """Raise a ValueError if two variables or dimensions of the Dataset would have the same name."""
        own = {dim for one in record.variables.values() for dim in one.dims} | set(record.coords)
        taken = {*self.grid.names, "replication", "replications", "status"}
        names = self.names(record)
        suffixes = ["", *(LIMITS if self.intervals else ()), *([SAMPLES] if self.keep else ())]
        for name in names:
            made = {name + suffix for suffix in suffixes}
            if made & (taken | own) or made & set(names) != {name}:
                raise ValueError(f"the function returned a variable {name!r}: the result reserves this name")
        if own & taken:
            raise ValueError(f"the function returned a dimension {min(own & taken)!r}: the result reserves this name")


def _compare(one: Record, other: Record) -> None:
    """Raise a ValueError unless two runs returned the same names, shapes and coordinates."""
    there, here = ({name: (v.dims, v.values.shape) for name, v in of.variables.items()} for of in (one, other))
    for name in sorted(there.keys() | here.keys()):
        if name not in there or name not in here:
            raise ValueError(f"the function returned {name!r} in some runs and not in others")
        if there[name] != here[name]:
            shapes = " and ".join(str(dict(zip(*one, strict=True))) for one in (there[name], here[name]))
            raise ValueError(f"the function returned {name!r} with different dimensions: {shapes}")
    for name in sorted(one.coords.keys() | other.coords.keys()):
        if name not in one.coords or name not in other.coords or not one.coords[name].agrees(other.coords[name]):
            raise ValueError(f"the function returned different coordinates {name!r} in different runs")

"""Records of the results of runs, which can be sent between processes and stored, and their means and intervals."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.domains import floats, wrong_type
from longfat.replication.grid import Grid
from longfat.replication.intervals import interval

if TYPE_CHECKING:
    import xarray as xr

RESULT = "result"  # name given to a result that the function returns without a name
LIMITS = ("_lower", "_upper")
SAMPLES = "_samples"


@dataclass(frozen=True)
class Variable:
    """Array with named dimensions, and attributes such as its unit."""

    dims: tuple[str, ...]
    values: np.ndarray
    attrs: dict[str, Any]

    def agrees(self, other: Variable) -> bool:
        """Return whether another variable has equal dimensions and values; NaN equals NaN."""
        if self.dims != other.dims or self.values.shape != other.values.shape:
            return False
        a, b = self.values, other.values
        return bool(((a == b) | ((a != a) & (b != b))).all())


@dataclass(frozen=True)
class Record:
    """Variables that one run returned, and the coordinates of their dimensions."""

    variables: dict[str, Variable]
    coords: dict[str, Variable]


@dataclass(frozen=True)
class Failure:
    """Error of a run as text, because not every exception can be sent between processes."""

    text: str
    traceback: str = ""

    @classmethod
    def of(cls, error: BaseException, *, where: bool = True) -> Failure:
        """Convert an exception to text, with its traceback unless ``where`` is False."""
        message = " ".join(str(error).split())
        name = type(error).__name__
        text = f"{name}: {message}" if message else name
        return cls(text, "".join(traceback.format_exception(error)) if where else "")


def record(returned: Any) -> Record:
    """Convert the result of a run (a number, a mapping, an xarray Dataset or DataArray) to a record.

    >>> record({"delay": 2.5, "queue": [1, 2]}).variables["queue"].dims
    ('queue_dim_0',)
    """
    # Recognise xarray objects by their attributes: the import of xarray would take half a second in every worker.
    if hasattr(returned, "data_vars"):
        parts = dict(returned.data_vars)
    elif _labelled(returned):
        parts = {getattr(returned, "name", None) or RESULT: returned}
    elif isinstance(returned, Mapping):
        parts = dict(returned)
    else:
        parts = {RESULT: returned}
    if not parts:
        raise ValueError("the function returned no variable")
    variables = {str(name): _variable(str(name), value) for name, value in parts.items()}
    coords: dict[str, Variable] = {}
    for value in parts.values():
        for name, given in getattr(value, "coords", {}).items():
            if given.ndim == 0:  # a scalar coordinate belongs to the run, not to its values
                continue
            coord = Variable(tuple(map(str, given.dims)), _coordinate(name, given.values), _plain(given.attrs))
            if not coords.setdefault(str(name), coord).agrees(coord):
                raise ValueError(f"the function returned two different coordinates {name!r}")
    return Record(variables, coords)


def _labelled(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("dims", "attrs", "values"))


def _variable(name: str, value: Any) -> Variable:
    labelled = _labelled(value)
    try:
        array = floats(value.values if labelled else value)
    except (TypeError, ValueError):
        expected = "a number or an array of numbers, by itself, in a mapping, or as an xarray Dataset or DataArray"
        raise wrong_type(f"the returned {name}", value, expected) from None
    dims = tuple(map(str, value.dims)) if labelled else tuple(f"{name}_dim_{k}" for k in range(array.ndim))
    return Variable(dims, array, _plain(value.attrs) if labelled else {})


def _coordinate(name: Any, values: Any) -> np.ndarray:
    array = np.array(values)
    if array.dtype.kind in "OT" and all(isinstance(value, str) for value in array.flat):
        array = array.astype(str)
    if array.dtype.kind not in "biufUmM":
        raise ValueError(f"the function returned a coordinate {name!r} that contains neither numbers nor text")
    return array


def _plain(attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """Convert attributes to JSON and back, so that those of new runs equal those of runs loaded from a store."""
    text = json.dumps(dict(attrs), default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    plain: dict[str, Any] = json.loads(text)
    return plain


class Collector:
    """Collector of the runs at all points of a grid: means, confidence intervals and, with ``keep``, samples.

    A point's records are released once their means have been computed.

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
        self._reference: Record | None = None  # record of the run that ended first, which all others must match
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
            # Stack the records in the order of replications, so that rounding errors of sums do not depend on the
            # order in which runs end.
            samples = np.ascontiguousarray(np.stack([one.variables[name].values for one in records], -1))
            if self.keep:
                self._samples.setdefault(name, {})[index] = np.moveaxis(samples, -1, 0)
            if failed:
                continue
            with np.errstate(invalid="ignore", over="ignore"):  # the limits of infinite results are NaN
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

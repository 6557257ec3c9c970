"""Records of the results of runs, as plain arrays that can be sent between processes and stored in files."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base.domains import floats, wrong_type

RESULT = "result"  # name given to a result that the function returns without a name


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

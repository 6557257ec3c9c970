"""Arrays with named dimensions, used instead of xarray for answers in text, because loading xarray takes a second.

Functions that write an answer as text accept both, because `Labelled` has the methods of `xarray.Dataset` that these
functions call. Further functions make the attributes of both kinds of variables: units, meanings and confidence limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

Data = TypeVar("Data", "xr.Dataset", "Labelled")
Variables = Mapping[str, tuple[Any, ...]]  # dimensions (a name or several), values and, optionally, attributes


@dataclass(frozen=True)
class Labelled:
    """Variables, coordinates and attributes, which `dataset` returns as an `xarray.Dataset`.

    >>> data = Labelled({"wait": (("flows", "rule"), [[1.0, 2.0]])}, {"rule": ("rule", ["a", "b"])}, {"rate": 5.0})
    >>> float(data.isel(flows=0).sel(rule="b").wait), "rule" in data.dims, data.sizes["flows"]
    (2.0, True, 1)
    """

    variables: Variables
    coords: Variables
    attrs: dict[str, Any]

    def dataset(self) -> xr.Dataset:
        """Return the data as an `xarray.Dataset`."""
        import xarray as xr

        return xr.Dataset(dict(self.variables), dict(self.coords), self.attrs)

    @property
    def sizes(self) -> dict[str, int]:
        """Lengths of the dimensions."""
        every = [*self.variables.values(), *self.coords.values()]
        return {dim: size for dims, values, *_ in every for dim, size in zip(_of(dims), np.shape(values), strict=True)}

    @property
    def dims(self) -> frozenset[str]:
        """Names of the dimensions."""
        return frozenset(self.sizes)

    def __contains__(self, name: object) -> bool:
        return name in self.variables or name in self.coords

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray((self.variables if name in self.variables else self.coords)[name][1])

    def __getattr__(self, name: str) -> np.ndarray:
        if name in ("variables", "coords") or name not in self:  # a new copy has neither attribute
            raise AttributeError(name)
        return self[name]

    def get(self, name: str, otherwise: Any) -> Any:
        """Return the variable or coordinate of a name; return ``otherwise`` if there is none."""
        return getattr(self, name, otherwise)

    def isel(self, **indices: int) -> Labelled:
        """Select an index along each given dimension; return the data without these dimensions."""

        def at(dims: Any, values: Any, *about: Any) -> tuple[Any, ...]:
            taken = np.asarray(values)[tuple(indices.get(dim, slice(None)) for dim in _of(dims))]
            return (tuple(dim for dim in _of(dims) if dim not in indices), taken, *about)

        variables, coords = ({name: at(*one) for name, one in each.items()} for each in (self.variables, self.coords))
        return Labelled(variables, coords, self.attrs)

    def sel(self, **labels: Any) -> Labelled:
        """Select a coordinate value along each given dimension; return the data without these dimensions."""
        return self.isel(**{dim: list(self[dim]).index(label) for dim, label in labels.items()})

    def assign(self, **values: Any) -> Labelled:
        """Return a copy with further variables, which have no dimensions."""
        return replace(self, variables={**self.variables, **{name: ((), one) for name, one in values.items()}})


def _of(dims: Any) -> tuple[str, ...]:
    """Return the names of dimensions as a tuple; ``dims`` is one name or several."""
    return (dims,) if isinstance(dims, str) else tuple(dims)


def made_by(data: Data, maker: str) -> Data:
    """Write the name of the function that made a Dataset into its attributes; return the Dataset.

    >>> made_by(Labelled({}, {}, {}), "sim.run").attrs
    {'made_by': 'longfat.sim.run'}
    """
    data.attrs["made_by"] = f"longfat.{maker}"
    return data


#: Suffixes of a simulated variable's name, for its mean and confidence limits -> suffixes of its description.
ENDS = {"": "", "_lower": ", lower limit", "_upper": ", upper limit"}


def attrs(unit: str, description: str) -> dict[str, str]:
    """Return unit and long name as attributes of a variable; an empty unit is left out."""
    return {"units": unit, "long_name": description} if unit else {"long_name": description}


def with_limits(name: str, text: str, unit: str = "1") -> dict[str, tuple[str, str]]:
    """Return unit and meaning of a simulated quantity and of its two confidence limits, by variable name."""
    return {f"{name}{end}": (unit, f"{text}, simulated{said}") for end, said in ENDS.items()}


def along_loss(rows: Sequence[Mapping[str, Any]], declared: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the declared variables that the rows contain, along ``loss``; there is one row for each loss."""
    known = {name: about for name, about in declared.items() if name in rows[0]}
    return {name: ("loss", [row[name] for row in rows], attrs(*about)) for name, about in known.items()}

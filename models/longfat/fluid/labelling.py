"""Conversion of starts and parameters to checked arrays, a row for each point, and of results to labelled arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from longfat.base import domains, extras
from longfat.fluid.system import Quantity, System

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Points:
    """Starts of shape (points, size), parameters of shape (points,) or (points, length), and the axes of the points."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    coords: Mapping[str, Any]
    start: Array
    parameters: dict[str, Array]

    def __len__(self) -> int:
        return len(self.start)

    def one(self, row: int) -> dict[str, Array]:
        """Return the parameters of the point with index ``row``."""
        return {name: values[row] for name, values in self.parameters.items()}

    def column(
        self, values: Any, unit: str, *, dims: Sequence[str] = ()
    ) -> tuple[tuple[str, ...], Any, dict[str, str]]:
        """Return a Dataset variable (dimensions, values, attributes) from an array whose first axis has the points."""
        values = np.asarray(values)
        return (*self.dims, *dims), values.reshape(self.shape + values.shape[1:]), {"units": unit}

    def states(self, system: System, states: Any, *, dims: Sequence[str] = ()) -> dict[str, Any]:
        """Return a Dataset variable for every variable of the state, from an array (points, ..., size)."""
        columns = {}
        for name, variable in system.variables.items():
            part, axes = states[..., system.slices[name]], (*dims, variable.axis)
            if not variable.axis:
                part, axes = part[..., 0], tuple(dims)
            columns[name] = self.column(part, variable.unit, dims=axes)
        return columns

    def dataset(self, system: System, columns: Mapping[str, Any], **further: Any) -> xr.Dataset:
        """Return a Dataset of the columns, with the coordinates of the points and the ``further`` coordinates."""
        import xarray as xr

        return xr.Dataset(columns, {**self.coords, **further}, {"system": system.name, "source": system.source})


def points(system: System, start: Mapping[str, Any] | None, parameters: Mapping[str, Any]) -> Points:
    """Return all combinations of starts and parameters; plain arrays add axes, DataArrays share axes by name."""
    import xarray as xr

    if not isinstance(system, System):
        raise domains.wrong_type("system", system, "a System, such as longfat.fluid.cadpc(4)")
    system.complete(dict.fromkeys(parameters, 0.0), np)  # checks the names; the zeros are not used
    begin = start or {}
    for name in begin:
        if name not in system.variables:
            raise domains.unknown(f"start: variable of {system.name}", name, system.variables)
    declared: dict[str, Quantity] = dict(system.parameters)
    declared |= {f"start_{name}": one for name, one in system.variables.items()}
    given = {**parameters, **{f"start_{name}": value for name, value in begin.items()}}
    arrays = {name: _labelled(name, given.get(name, one.default), one) for name, one in declared.items()}
    axes = {one.axis for one in declared.values()}
    coords: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for array in arrays.values():
        for dim in array.dims:
            if dim not in axes:
                sizes.setdefault(str(dim), array.sizes[dim])
                if dim in array.coords:
                    coords.setdefault(str(dim), array.coords[dim].values)
    template = xr.DataArray(np.zeros(tuple(sizes.values())), dims=tuple(sizes), coords=coords)
    count = math.prod(sizes.values())

    def rows(name: str) -> Array:
        array, blank, axis, length = arrays[name], template, declared[name].axis, declared[name].length
        if axis and axis not in array.dims:
            array = array.expand_dims({axis: length})
        spread = xr.broadcast(array, blank, exclude=[axis] if axis else [])[0].transpose(*sizes, *([axis] * bool(axis)))
        return spread.values.reshape((count, length) if axis else (count,)).astype(float)

    state = [rows(f"start_{name}").reshape(count, -1) for name in system.variables]
    values = {name: rows(name) for name in system.parameters}
    return Points(tuple(sizes), tuple(sizes.values()), coords, np.concatenate(state, axis=1), values)


def _labelled(name: str, value: Any, declared: Quantity) -> xr.DataArray:
    """Return a parameter or start as an array with named axes; raise an error if an element is outside the domain."""
    import xarray as xr

    if isinstance(value, xr.DataArray):
        domains.same_unit(name, value, declared.unit)
        array = value
    else:
        plain = domains.numbers(name, value, declared.unit, declared.domain, integer=declared.integer, nan=True)
        own = (declared.axis,) if declared.axis and plain.ndim else ()
        if plain.ndim - len(own) not in (0, 1):
            raise domains.wrong_shape(name, plain.shape, f"an array of at most {1 + len(own)} dimensions")
        grid = (name,) if plain.ndim > len(own) else ()
        coords = {name: plain} if grid and not own else {}
        array = xr.DataArray(plain, dims=(*grid, *own), coords=coords)
    if not array.size:
        raise domains.wrong_shape(name, array.shape, "one value or more")
    if declared.axis and array.sizes.get(declared.axis, declared.length) != declared.length:
        raise domains.wrong_shape(
            name, array.shape, f"one value or an array of length {declared.length} along {declared.axis!r}"
        )
    if declared.array(name, array.values):
        raise declared.out_of_range(name, math.nan)
    return array


def double() -> AbstractContextManager[Any]:
    """Return a context manager that makes JAX compute in 64 bits, and restores the previous setting on exit."""
    extras.need("longfat.fluid", "jax")
    import jax

    # JAX 0.8 moved enable_x64 out of jax.experimental.
    switch: Any = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
    context: AbstractContextManager[Any] = switch(True)
    return context


__all__ = ["Array", "Points", "double", "points"]

"""CSV files with the numbers behind a picture: written, read, and compared with new results.

A Dataset becomes a file for each set of dimensions that its variables have, ``NAME.csv`` if there is one only, else
``NAME_by_DIMENSIONS.csv``. The first line names the module that wrote the file and the units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from longfat.base.files import AtomicFiles

if TYPE_CHECKING:
    from figures.rule import Estimate

DIGITS = "%.9g"
PLACES = "%.12g"  # digits of coordinates, which may lie close together around a jump
UNIT = re.compile(r"(\w+) \[([^\]]*)\]")  # unit of a variable in the first line
LIKE = 1e-6  # relative difference that another machine's arithmetic may make


def stem(text: str) -> str:
    """Return a name as part of a file name.

    >>> stem("1 MB, 1 Gbit/s")
    '1_MB_1_Gbit_s'
    """
    return text.replace(", ", "_").replace("/", "_").replace(" ", "_")


def gathered(
    found: Mapping[Any, Mapping[str, Estimate]],
    grid: Mapping[str, Sequence[Any]],
    about: Mapping[str, Mapping[str, str]] | None = None,
) -> xr.Dataset:
    """Return estimates at every point of a grid as a dataset with ``_lower`` and ``_upper``.

    Parameters
    ----------
    found : mapping
        Estimates by name at every point, in the order of the grid: the last coordinate changes first.
    grid : mapping of str to sequence
        Coordinates.
    about : mapping, optional
        Attributes of the variables by name, such as their units.

    Examples
    --------
    >>> from figures.rule import mean
    >>> data = gathered({2: {"a": mean([1.0, 3.0])}, 5: {"a": mean([4.0, 4.0])}}, {"k": [2, 5]}, {"a": {"units": "s"}})
    >>> data.a.values.tolist(), data.a_upper.values.round(1).tolist(), data.a.units
    ([2.0, 4.0], [14.7, 4.0], 's')
    """
    shape, made = tuple(len(one) for one in grid.values()), {}
    for name in next(iter(found.values())):
        each = [one[name] for one in found.values()]
        ends = {"": [e.value for e in each], "_lower": [e.lower for e in each], "_upper": [e.upper for e in each]}
        for end, values in ends.items():
            made[name + end] = (tuple(grid), np.reshape(values, shape), dict((about or {}).get(name, {})))
    return xr.Dataset(made, {name: list(values) for name, values in grid.items()})


def frames(data: xr.Dataset, name: str) -> dict[str, pd.DataFrame]:
    """Return the files of a dataset as data frames, by their names without ``.csv``.

    Samples of single replications are left out.

    >>> two = xr.Dataset({"a": ("x", [1.0, 2.0]), "b": (("x", "y"), [[1.0], [2.0]])}, {"x": [3, 4], "y": ["z"]})
    >>> {key: list(frame) for key, frame in frames(two, "picture").items()}
    {'picture_by_x': ['x', 'a'], 'picture_by_x_y': ['x', 'y', 'b']}
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    kept = [str(one) for one in data.data_vars if not str(one).endswith("_samples") and data[one].ndim]
    kept += [str(one) for one in data.coords if one not in data.dims and data[one].ndim]
    for one in kept:
        groups.setdefault(tuple(str(dim) for dim in data[one].dims), []).append(one)
    found = {}
    for dims, variables in groups.items():
        columns = data.reset_coords()[variables]
        frame = columns.to_dataframe(dim_order=list(dims)).reset_index()
        found[name if len(groups) == 1 else f"{name}_by_{'_'.join(dims)}"] = frame[[*dims, *variables]]
    return found


def write(files: AtomicFiles, name: str, data: xr.Dataset, made_by: str) -> None:
    """Write the files of a picture's data; their first lines name the module by which they are made."""
    for key, frame in frames(data, name).items():
        said = (
            f"{one} [{data[one].attrs['units']}]" for one in frame if "units" in getattr(data.get(one), "attrs", {})
        )
        path = files.path(f"{key}.csv")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(f"# made by python -m {made_by}; units: {', '.join(said) or 'see there'}\n")
            frame = _placed(frame, data)
            frame.to_csv(file, index=False, float_format=DIGITS, lineterminator="\n")


def _placed(frame: pd.DataFrame, data: xr.Dataset) -> pd.DataFrame:
    """Return the frame with coordinates as text, by which rows are matched."""
    keys = [column for column in frame if column in data.dims]
    return frame.assign(
        **{key: frame[key].map(lambda x: PLACES % x if isinstance(x, float) else str(x)) for key in keys}
    )


def folder_of(name: str) -> Path:
    """Return the folder of this package with the files of a dataset.

    >>> folder_of("loss_load_7").name, folder_of("scoreboard").name
    ('loss_load', 'figures')
    """
    (found,) = {path.parent for end in (".csv", "_by_*.csv") for path in Path(__file__).parent.rglob(name + end)}
    return found


def read(path: Path) -> pd.DataFrame:
    """Read a file that `write` has written."""
    return pd.read_csv(path, comment="#")


def dataset(name: str, *dims: tuple[str, ...], directory: Path | None = None) -> xr.Dataset:
    """Read the files of `write` as a Dataset, so that a picture can be drawn without a simulation.

    ``dims`` are the dimensions of each file; the folder is that of the figure by default.

    >>> import tempfile
    >>> line = xr.Dataset({"y": ("x", [1.5, 4.0, 9.0], {"units": "m"})}, {"x": [3, 1, 2]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with AtomicFiles(folder) as files:
    ...         write(files, "squares", line, "figures.data")
    ...     found = dataset("squares", ("x",), directory=Path(folder))
    >>> found.y.values.tolist(), found.x.values.tolist(), found.y.attrs
    ([1.5, 4.0, 9.0], [3, 1, 2], {'units': 'm'})
    """
    made = xr.Dataset()
    for one in dims:
        place = name if len(dims) == 1 else f"{name}_by_{'_'.join(one)}"
        path = (directory or folder_of(name)) / f"{place}.csv"
        frame = read(path)
        order = {dim: frame[dim].unique() for dim in one}
        found = frame.set_index(list(one)).to_xarray().reindex(order)
        with path.open(encoding="utf-8") as file:
            units = dict(UNIT.findall(file.readline().split("units: ")[1]))
        for variable in [*found.data_vars, *found.coords]:
            if variable in units:
                found[variable].attrs["units"] = units[variable]
        made = made.merge(found)
    return made


def compare(data: xr.Dataset, name: str, directory: Path | None = None) -> int:
    """Compare new results, or some of their points, with the stored files; return the number of compared values.

    Raises
    ------
    ValueError
        If a row differs or is missing; the message names the first one.

    Examples
    --------
    >>> import tempfile
    >>> line = xr.Dataset({"y": ("x", [1.0, 4.0, 9.0])}, {"x": [1, 2, 3]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with AtomicFiles(folder) as files:
    ...         write(files, "squares", line, "figures.data")
    ...     print(compare(line.isel(x=[0, 2]), "squares", Path(folder)))
    ...     try:
    ...         compare(line + 1e-3, "squares", Path(folder))
    ...     except ValueError as error:
    ...         print(error)
    2
    squares.csv: y is 1.001 at x = 1, where 1 is stored
    """
    compared, folder = 0, directory or folder_of(name)
    for key, frame in frames(data, name).items():
        keys = [column for column in frame if column in data.dims]
        path = folder / f"{key}.csv"
        if not path.exists() and (single := folder / f"{name}.csv").exists():
            path = single
        stored = read(path)
        both = _placed(frame, data).merge(
            _placed(stored, data), on=keys, how="left", suffixes=("", "|stored"), indicator=True
        )
        for row in both[both._merge == "left_only"].to_dict("records"):
            raise ValueError(f"{path.name}: no row with " + ", ".join(f"{k} = {row[k]}" for k in keys))
        for column in (one for one in frame if one not in keys):
            ours, theirs = both[column], both[f"{column}|stored"]
            if ours.dtype.kind in "fiub":
                same = np.isclose(ours.astype(float), theirs.astype(float), rtol=LIKE, atol=1e-12, equal_nan=True)
            else:
                same = (ours.astype(str) == theirs.astype(str)).to_numpy()
            for row in both[~same].to_dict("records"):
                place = ", ".join(f"{k} = {row[k]}" for k in keys)
                ours, theirs = row[column], row[f"{column}|stored"]
                raise ValueError(f"{path.name}: {column} is {ours:.9g} at {place}, where {theirs:.9g} is stored")
            compared += len(both)
    return compared

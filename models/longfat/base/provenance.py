"""Name of the function that made a Dataset, as an attribute of the Dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import xarray as xr

    from longfat.base.labelled import Labelled

Data = TypeVar("Data", "xr.Dataset", "Labelled")


def made_by(data: Data, maker: str) -> Data:
    """Write the name of the function that made a Dataset into its attributes; return the Dataset.

    >>> import xarray as xr
    >>> made_by(xr.Dataset(), "sim.run").attrs
    {'made_by': 'longfat.sim.run'}
    """
    data.attrs["made_by"] = f"longfat.{maker}"
    return data

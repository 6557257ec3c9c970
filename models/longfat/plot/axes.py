"""What pictures share: the project's style, rows of answers, new axes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def style() -> AbstractContextManager[None]:
    """The project's style as a context, so that nobody's own settings change.

    >>> import matplotlib.pyplot as plt
    >>> with style():
    ...     plt.rcParams["axes.grid"]
    True
    """
    import matplotlib.pyplot as plt

    return plt.style.context(str(files("longfat") / "longfat.mplstyle"))  # type: ignore[no-any-return]


def rows(data: xr.Dataset) -> Any:
    """One Dataset for each loss."""
    if "loss" not in data.dims:
        return [data]
    return [data.isel(loss=i) for i in range(data.sizes["loss"])]


def new_axes() -> Axes:
    """Axes of a figure of their own."""
    import matplotlib.pyplot as plt

    return plt.subplots()[1]

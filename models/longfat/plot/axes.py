"""What pictures share: the project's style, rows of answers, lengths of error bars, notes, new axes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat import extras

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def pyplot() -> Any:
    """Return matplotlib.pyplot; a `longfat.extras.MissingLibrary` says what installs it."""
    extras.need("a picture", "matplotlib")
    import matplotlib.pyplot as plt

    return plt


def style() -> AbstractContextManager[None]:
    """The project's style as a context, so that nobody's own settings change.

    >>> import matplotlib.pyplot as plt
    >>> with style():
    ...     plt.rcParams["axes.grid"]
    True
    """
    plt = pyplot()
    # A notebook's backend, if the first figure loaded it in here, would switch interactive mode on for this context
    # alone, and Jupyter would show no figure after that one.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    return plt.style.context(str(files("longfat") / "longfat.mplstyle"))  # type: ignore[no-any-return]


def rows(data: xr.Dataset, dimension: str = "loss") -> list[xr.Dataset]:
    """One Dataset for each value along a dimension, the Dataset itself if it lacks that."""
    if dimension not in data.dims:
        return [data]
    return [data.isel({dimension: i}) for i in range(data.sizes[dimension])]


def error(data: xr.Dataset, name: str) -> Any:
    """How far the limits of a variable lie below and above it, as `Axes.errorbar` takes it."""
    return np.abs([data[name] - data[f"{name}_lower"], data[f"{name}_upper"] - data[name]])


def note(ax: Axes, text: str, below: float = 38) -> None:
    """What a picture shows and where it is from, in small type under the x axis."""
    ax.annotate(text, (0, 0), (0, -below), "axes fraction", textcoords="offset points", fontsize="x-small", color="0.4")


def nth_colour(index: int) -> Any:
    """A colour of the cycle in force: "C1" would be looked up when the figure is drawn, maybe after `style` has ended.

    >>> with style():
    ...     nth_colour(0), nth_colour(7)
    ('#0072B2', '#0072B2')
    """
    cycle = pyplot().rcParams["axes.prop_cycle"].by_key().get("color", ["black"])
    return cycle[index % len(cycle)]


def new_axes() -> Axes:
    """Axes of a figure of their own."""
    axes: Axes = pyplot().subplots()[1]
    return axes

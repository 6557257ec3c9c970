"""Functions that all drawing modules use: style, slices of a result, error bars, captions, ticks, new axes."""

from __future__ import annotations

import math
import textwrap
from contextlib import AbstractContextManager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import extras

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

CAPTION_COLUMNS = 17  # characters of a caption per inch of the figure's width


def pyplot() -> Any:
    """Return matplotlib.pyplot, or raise a `longfat.base.extras.MissingLibrary` with the command that installs it."""
    extras.need("a picture", "matplotlib")
    import matplotlib.pyplot as plt

    return plt


def style() -> AbstractContextManager[None]:
    """Return a context manager that applies the project's matplotlib style, and restores the caller's settings.

    >>> import matplotlib.pyplot as plt
    >>> with style():
    ...     plt.rcParams["axes.grid"]
    True
    """
    plt = pyplot()
    # Load the backend now. Otherwise the first figure in this context could load a notebook's backend; its interactive
    # mode would end with the context, and Jupyter would show no later figure.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    return plt.style.context(str(files("longfat") / "longfat.mplstyle"))  # type: ignore[no-any-return]


def rows(data: xr.Dataset, dimension: str = "loss") -> list[xr.Dataset]:
    """Return a list of the Datasets at each value of a dimension, or of the whole Dataset if it lacks the dimension."""
    if dimension not in data.dims:
        return [data]
    return [data.isel(**{dimension: i}) for i in range(data.sizes[dimension])]  # type: ignore[arg-type]


SIZE = (7.2, 4.6)  # size of a figure of one panel in the project's style [in]
MBIT = 125_000.0  # bytes/s
MARKERS = "osD^vP*X"  # markers of the first, second, ... line of a panel
#: Style of the point that is the answer of a design function.
CHOSEN: dict[str, Any] = {"ms": 9, "mec": "black", "mew": 0.8, "zorder": 5}

#: Names of variables that are fractions in [0, 1] if their unit is 1 (`throughput` may also have the unit bytes/s).
SHARES = frozenset({"fairness", "jain_index", "late_loss", "loss", "others_loss", "throughput", "throughput_efficiency",
                    "utilisation"})  # fmt: skip


def is_share(data: xr.Dataset, name: str) -> bool:
    """Return whether a variable is a fraction, with values in [0, 1]."""
    return name in SHARES and data[name].attrs.get("units") == "1"


def limits(data: xr.Dataset, name: str) -> tuple[Any, Any]:
    """Return the lower and the upper confidence limits of a variable; limits of a fraction are clipped to [0, 1].

    Student's interval of a few runs may extend beyond the range of a fraction.

    >>> import xarray as xr
    >>> loss = xr.Dataset({"loss": 0.1, "loss_lower": -0.2, "loss_upper": 0.4})
    >>> [float(end) for end in limits(loss.assign(loss=loss.loss.assign_attrs(units="1")), "loss")]
    [0.0, 0.4]
    """
    lower, upper = (data[f"{name}_{end}"].values for end in ("lower", "upper"))
    return (np.clip(lower, 0, 1), np.clip(upper, 0, 1)) if is_share(data, name) else (lower, upper)


def error(data: xr.Dataset, name: str) -> Any:
    """Return the distances of a variable's confidence limits from its value, as `Axes.errorbar` expects them."""
    lower, upper = limits(data, name)
    return np.abs([data[name].values - lower, upper - data[name].values])


def caption(ax: Axes, text: str, below: float = 38) -> None:
    """Write a caption `below` points under the x axis, in small type and wrapped to the figure's width."""
    width = ax.get_figure().get_size_inches()[0]  # type: ignore[union-attr]
    lines = textwrap.wrap(text, round(CAPTION_COLUMNS * width))
    # Place a single line by its baseline, but several lines by the top of the first line, which is about 7 points above
    # its baseline.
    place: dict[str, Any] = {"va": "baseline"} if len(lines) == 1 else {"va": "top"}
    down = below if len(lines) == 1 else below - 7
    ax.annotate(
        "\n".join(lines), (0, 0), (0, -down), "axes fraction", textcoords="offset points", fontsize="x-small",
        color="0.4", **place,
    )  # fmt: skip


def nth_colour(index: int) -> Any:
    """Return a colour of the present cycle by its index; a name such as "C1" depends on the cycle at rendering.

    >>> with style():
    ...     nth_colour(0), nth_colour(7)
    ('#0072B2', '#0072B2')
    """
    cycle = pyplot().rcParams["axes.prop_cycle"].by_key().get("color", ["black"])
    return cycle[index % len(cycle)]


def log_ticks(axis: Any) -> None:
    """Label an axis of less than two decades at 1, 2 and 5 times powers of ten, and a longer axis at powers of ten.

    Matplotlib labels every multiple on an axis of about a decade, and the labels overlap. Call this function after
    drawing on the logarithmic axis.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    if low <= 0:
        return
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    plain = low >= 1e-3 and high <= 2e4
    axis.set_major_formatter((lambda value, _: f"{value:g}") if plain else (lambda value, _: _power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())


def _power_of_ten(value: float) -> str:
    r"""Return a number as a power of ten in matplotlib's mathematical text.

    >>> _power_of_ten(1e6), _power_of_ten(0.05)
    ('$10^{6}$', '$5\\times10^{-2}$')
    """
    exponent = math.floor(math.log10(value) + 1e-9)
    factor = value / 10.0**exponent
    return f"$10^{{{exponent}}}$" if math.isclose(factor, 1) else f"${factor:g}\\times10^{{{exponent}}}$"


def new_figure(rows: int = 1, columns: int = 1, **more: Any) -> Any:
    """Return the axes of a new figure with matplotlib's constrained layout, which leaves space for the labels."""
    return pyplot().subplots(rows, columns, layout="constrained", **more)[1]


def new_axes() -> Axes:
    """Return the axes of a new figure with one panel."""
    made: Axes = new_figure(figsize=SIZE)
    return made

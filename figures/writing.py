"""Helpers of the figure modules: interval bars, the project's style, and files that appear together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat import plot
from longfat.base.files import AtomicFiles
from longfat.plot.axes import limits

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
CUT = "cut at 0 and, for shares, at 1"  # said of the bars of `bars`


@contextmanager
def figure_files(directory: str | Path) -> Iterator[AtomicFiles]:
    """Open a context without a display, in the project's style, whose files appear together at its end."""
    import matplotlib as mpl

    mpl.use("Agg")
    with AtomicFiles(directory) as files, plot.style():
        yield files


def stem(text: str) -> str:
    """Return a name as part of a file name.

    >>> stem("1 MB, 1 Gbit/s")
    '1_MB_1_Gbit_s'
    """
    return text.replace(", ", "_").replace("/", "_").replace(" ", "_")


def bars(ax: Axes, x: Any, data: xr.Dataset, name: str, scale: float = 1.0, **style: Any) -> None:
    """Draw means with their interval bars, cut at 0 and, for shares, at 1, because no such quantity can be negative."""
    mean, (low, high) = data[name].values * scale, limits(data, name)
    low, high = np.maximum(low, 0) * scale, high * scale
    # A mean may lie outside its interval by rounding.
    ax.errorbar(x, mean, [np.maximum(mean - low, 0), np.maximum(high - mean, 0)], **style)


def save(files: AtomicFiles, figure: Figure, name: str) -> None:
    """Write a figure as SVG and PNG, and close it."""
    import matplotlib.pyplot as plt

    for kind in ("svg", "png"):
        # No date in the file: the same code writes the same bytes.
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(files.path(f"{name}.{kind}"), format=kind, metadata=metadata)
    plt.close(figure)


def panels(
    files: AtomicFiles, name: str, shape: Any, size: tuple[float, float], drawn: Callable[[Any], Any], title: str
) -> None:
    """Write a figure of some panels, which a function draws, under a title if there is one."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(*shape, figsize=size)
    drawn(axes)
    if title:
        figure.suptitle(title, fontsize="medium", ha="left", x=0.01)
    save(files, figure, name)

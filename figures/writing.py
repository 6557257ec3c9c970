"""Helpers of the figure modules: interval bars, the project's style, files that appear together, the command line."""

from __future__ import annotations

import argparse
import inspect
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


def main(
    write: Callable[..., Any],
    redraw: Callable[[], None] | None = None,
    *,
    quick: dict[str, Any] | None = None,
) -> None:
    """Run a module of figures as the command line says: simulate and draw, or draw from the stored numbers.

    Parameters
    ----------
    write : callable
        Simulates, draws and stores; takes ``store`` if it can be interrupted.
    redraw : callable, optional
        Draws from the stored numbers, for ``--redraw``.
    quick : dict, optional
        Arguments of ``write`` for ``--quick``.
    """
    parser = argparse.ArgumentParser()
    if redraw is not None:
        parser.add_argument("--redraw", action="store_true", help="draw from the stored numbers")
    if quick is not None:
        parser.add_argument("--quick", action="store_true", help="run less, and write it to the same files")
    if "store" in inspect.signature(write).parameters:
        parser.add_argument("--store", metavar="DIRECTORY", help="keep finished runs there")
    given = vars(parser.parse_args())
    if given.pop("redraw", False) and redraw is not None:
        redraw()
        return
    few = quick or {} if given.pop("quick", False) else {}
    write(**few, **{name: value for name, value in given.items() if value is not None})

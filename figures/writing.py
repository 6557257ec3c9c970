"""Parts of the gallery: simulated, drawn and stored together, in the project's style; interval bars.

The module of a part runs with ``python -m``; its option ``--redraw`` draws the pictures from the stored numbers.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from figures import data as stored
from figures.data import stem
from longfat import plot
from longfat.base.files import AtomicFiles
from longfat.plot.axes import limits

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HERE = Path(__file__).parent
CUT = "cut at 0 and, for shares, at 1"  # label of the bars of `bars`
#: Options of the command line, by the argument of `Part.simulate` that they set.
OPTIONS: dict[str, dict[str, Any]] = {
    "store": {"metavar": "DIRECTORY", "help": "keep finished runs there"},
    "new": {"action": "store_true", "help": "run what is not stored yet, and keep the rest"},
    "here": {"action": "store_true", "help": "run the simulator alone, beside the stored results of Linux"},
}


@contextmanager
def figure_files(directory: str | Path) -> Iterator[AtomicFiles]:
    """Open a context without a display, in the project's style, whose files appear together at its end."""
    import matplotlib as mpl

    mpl.use("Agg")
    with AtomicFiles(directory) as files, plot.style():
        yield files


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


@dataclass(frozen=True)
class Picture:
    """A picture of the gallery.

    Parameters
    ----------
    caption : str
        Sentence below the picture.
    drawn : callable, optional
        Draws data into the axes: all results of the part, or the one named ``of``. None: the picture is a screenshot.
    of : str
        Name of a result; empty for all results.
    shape : tuple of int
        Rows and columns of the panels.
    size : tuple of float
        Width and height [inches].
    title : str
        Title above the panels; empty if there is none.
    options : mapping
        Further arguments of ``matplotlib.pyplot.subplots``.
    """

    caption: str
    drawn: Callable[[Any, Any], Any] | None = None
    of: str = ""
    shape: tuple[int, int] = (1, 1)
    size: tuple[float, float] = (6.4, 4.8)
    title: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def write(self, files: AtomicFiles, name: str, data: Mapping[str, Any]) -> None:
        """Draw the picture from the results of a part, and write it."""
        import matplotlib.pyplot as plt

        assert self.drawn is not None  # screenshots are taken, not drawn
        figure, axes = plt.subplots(*self.shape, figsize=self.size, **self.options)
        self.drawn(data[self.of] if self.of else data, axes)
        if self.title:
            figure.suptitle(self.title, fontsize="medium", ha="left", x=0.01)
        save(files, figure, name)


@dataclass(frozen=True)
class Part:
    """Pictures, numbers and pages that one module makes from the same runs.

    Results are a mapping by name. Datasets are stored as CSV files, those of a mapping under both names; texts whose
    names end in ``.md`` are pages. Other results are for the drawing alone.

    Parameters
    ----------
    module : str
        Name of the module for ``python -m``; the files are stored in its folder.
    simulate : callable
        Returns the results. Those of its arguments that `OPTIONS` names are options of the command line.
    dims : mapping
        Data from which the pictures are redrawn: the dimensions of the files of each dataset, as in `data.dataset`.
    pictures : mapping of str to Picture
        Pictures by the names of their files.
    prefix : str
        Prefix of the names of CSV files.
    completed : callable, optional
        Adds data that is not stored to the results, such as settings and pages.
    """

    module: str
    simulate: Callable[..., dict[str, Any]]
    dims: Mapping[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    prefix: str = ""
    completed: Callable[[dict[str, Any]], dict[str, Any]] = dict

    @property
    def folder(self) -> Path:
        """Folder of the files."""
        place = HERE.joinpath(*self.module.split(".")[1:])
        return place if (place / "__init__.py").exists() else place.parent

    def kept(self) -> dict[str, Any]:
        """Read the data of the pictures from the stored numbers."""

        def read(name: str, dims: Any) -> Any:
            if isinstance(dims, Mapping):
                return {key: read(f"{name}_{stem(key)}", one) for key, one in dims.items()}
            return stored.dataset(name, *dims, directory=self.folder)

        return self.completed({name: read(self.prefix + name, dims) for name, dims in self.dims.items()})

    def redraw(self, directory: str | Path | None = None) -> None:
        """Draw the pictures, and write the pages, from the stored numbers."""
        self._files(directory, self.kept())

    def write(self, directory: str | Path | None = None, **scale: Any) -> dict[str, Any]:
        """Simulate, draw, and write pictures, numbers and pages; return the results."""
        found = self.simulate(**scale)
        data = self.completed(found)
        self._files(directory, data, found)
        return data

    def _files(
        self, directory: str | Path | None, data: dict[str, Any], found: Mapping[str, Any] | None = None
    ) -> None:
        with figure_files(directory or self.folder) as files:
            for name, picture in self.pictures.items():
                picture.write(files, name, data)
            for name, text in data.items():
                if name.endswith(".md"):
                    files.path(name).write_text(text, encoding="utf-8")
            for name, one in datasets(found or {}, self.prefix):
                stored.write(files, name, one, self.module)

    def main(self) -> None:
        """Run the part as the command line says: simulate and draw, or draw from the stored numbers."""
        parser = argparse.ArgumentParser(f"python -m {self.module}")
        if self.dims:
            parser.add_argument("--redraw", action="store_true", help="draw from the stored numbers")
        for name in inspect.signature(self.simulate).parameters:
            if name in OPTIONS:
                parser.add_argument(f"--{name}", **OPTIONS[name])
        given = {name: value for name, value in vars(parser.parse_args()).items() if value}
        if given.pop("redraw", False):
            self.redraw()
        else:
            self.write(**given)


def datasets(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, xr.Dataset]]:
    """Yield the datasets of some results with the names of their files.

    >>> import xarray as xr
    >>> [name for name, _ in datasets({"a": xr.Dataset(), "b": {"1 MB": xr.Dataset()}, "c.md": "text"}, "x_")]
    ['x_a', 'x_b_1_MB']
    """
    import xarray as xr

    for name, one in data.items():
        if isinstance(one, xr.Dataset):  # which is a mapping, too
            yield prefix + stem(name), one
        elif isinstance(one, Mapping):
            yield from datasets(one, f"{prefix}{name}_")

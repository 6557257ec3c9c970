"""Accessor ``data.longfat`` of xarray Datasets, which draws a result of longfat.

The display of the Dataset itself remains that of xarray. `longfat` registers the accessor as soon as xarray is
imported; nothing is drawn before the accessor is used.
"""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING, Any

import xarray as xr

from longfat.base import extras

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@xr.register_dataset_accessor("longfat")  # type: ignore[no-untyped-call]
class Shown:
    """Accessor ``data.longfat`` of a Dataset; Jupyter displays it as a picture with a table of the attributes.

    Parameters
    ----------
    data : xarray.Dataset
        A result of longfat.

    Examples
    --------
    >>> from longfat import sweep
    >>> data = sweep(lambda load, rng: {"wait": rng.exponential(load)}, {"load": [0.3, 0.6]}, replications=3, rng=1)
    >>> data.longfat
    <result of longfat.sweep: 2 of load>
    >>> data.longfat.plot().get_ylabel()
    'wait'
    """

    def __init__(self, data: xr.Dataset) -> None:
        self._data = data

    def plot(self, axes: Any = None) -> Axes | Any:
        """Draw the Dataset with `longfat.plot.show`, on new or given axes, and return the axes."""
        from longfat import plot

        return plot.show(self._data, axes)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size} of {name}" for name, size in self._data.sizes.items())
        return f"<result of {self._data.attrs.get('made_by', 'an unknown function')}: {sizes}>"

    def _repr_html_(self) -> str:
        """Return HTML with the picture, or the reason why it cannot be drawn, and a table of the attributes."""
        try:
            png = base64.b64encode(self._png()).decode()
            shown = f'<img alt="{escape(repr(self))}" style="max-width:100%" src="data:image/png;base64,{png}">'
        except (ValueError, extras.MissingLibrary) as error:
            shown = f"<p>{escape(str(error))}</p>"
        short = {name: value for name, value in self._data.attrs.items() if len(str(value)) <= 60}
        rows = "".join(
            f"<tr><td><code>{escape(str(name))}</code></td><td>{escape(str(value))}</td></tr>"
            for name, value in short.items()
        )
        return f"<div>{shown}<details><summary>attributes</summary><table>{rows}</table></details></div>"

    def _png(self) -> bytes:
        import io

        import numpy as np

        from longfat import plot
        from longfat.plot.axes import pyplot

        plt = pyplot()
        before, buffer = set(plt.get_fignums()), io.BytesIO()
        try:
            with plot.style():
                figure = np.ravel(np.asarray(self.plot(), dtype=object))[0].figure
                figure.savefig(buffer, format="png")
        finally:
            for number in set(plt.get_fignums()) - before:  # an open figure would be shown again by the notebook
                plt.close(number)
        return buffer.getvalue()

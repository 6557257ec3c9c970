"""Heat maps of a scheme by round trip and buffer; crosses mark paths on which CUBIC performs much better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import new_figure

if TYPE_CHECKING:
    import xarray as xr

#: Each entry describes a row of maps: variable, label of the colour bar, factor from SI to the label's unit, whether
#: the scale is logarithmic.
ROWS = (
    ("goodput_share", "goodput over rate", 1.0, False),
    ("queueing_delay", "queueing delay [ms]", 1e3, True),
    ("dropped_share", "lost at the buffer [%]", 100.0, True),
)
LEAST = {"queueing_delay": 0.1, "dropped_share": 0.001}  # lower ends of the logarithmic scales, in the label's unit


def path_maps(data: xr.Dataset) -> Any:
    """Draw heat maps of a scheme: rows for goodput, queueing delay and drops, a column for each loss of the path.

    Crosses mark paths on which the scheme is far from CUBIC (`longfat.design.scheme_paths.far`). The colour map cividis
    looks nearly the same to people with colour vision deficiency.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.scheme_paths.run`.

    Examples
    --------
    >>> from longfat.design import scheme_paths as paths
    >>> data = paths.run("reno", round_trips=[0.03], buffers=[1.0], losses=[0.0], progress=False)
    >>> path_maps(data)[0, 0].get_ylabel()
    'buffer [BDP]'
    """
    from matplotlib.colors import LogNorm, Normalize

    mine, losses = data.sel(who="tested"), data.loss.values
    axes = new_figure(len(ROWS), len(losses), figsize=(3.1 * len(losses) + 1.6, 7.2), squeeze=False)
    trips, buffers = data.round_trip.values, data.buffer.values
    for row, (name, label, factor, logarithmic) in zip(axes, ROWS, strict=True):
        values = factor * mine[name].transpose("loss", "buffer", "round_trip").values
        least = LEAST.get(name, 0.0)
        most = max(1.0, float(values.max()))
        norm: Any = LogNorm(least, most) if logarithmic else Normalize(0.0, 1.0)
        for ax, one, loss in zip(row, values, losses, strict=True):
            image = ax.imshow(np.maximum(one, least), origin="lower", aspect="auto", cmap="cividis", norm=norm)
            cross = np.argwhere(data.far.sel(loss=loss).transpose("buffer", "round_trip").values)
            ax.plot(*cross.T[::-1], ls="", marker="x", color="white", mew=2.6, ms=7)
            ax.plot(*cross.T[::-1], ls="", marker="x", color="black", mew=1.0, ms=6)
            ax.set_xticks(range(len(trips)), [f"{1e3 * trip:g}" for trip in trips], rotation=60)
            ax.set_yticks(range(len(buffers)), [f"{buffer:g}" for buffer in buffers])
            ax.grid(False)
            ax.set(xlim=(-0.5, len(trips) - 0.5), ylim=(-0.5, len(buffers) - 0.5))
        row[0].set_ylabel("buffer [BDP]")
        row[0].get_figure().colorbar(image, ax=list(row), label=label)
    for ax, loss in zip(axes[0], losses, strict=True):
        ax.set_title(f"random loss {100 * loss:g} %", fontsize="medium")
    for ax in axes[-1]:
        ax.set_xlabel("round trip [ms]")
    axes[0, 0].get_figure().suptitle(
        f"{data.attrs['scheme']} alone at {text(data.attrs['rate'], 'bytes/s')}; x: far from CUBIC on the same path"
    )
    return axes

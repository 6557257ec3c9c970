"""Pictures of the suites of `longfat.benchmark`: transfer times of schemes, and heat maps of a scheme on many paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import MARKERS, caption, error, log_ticks, new_axes, new_figure, nth_colour, pyplot

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def benchmark_times(data: xr.Dataset, ax: Axes | None = None, *, connection: str = "1") -> Axes:
    """Draw the ratio of transfer times to the optimal times, by scheme and experiment; crosses show the paper's ratios.

    The optimal time follows from max-min fair rates: a scheme with a ratio below 1 obtains more than its fair rate.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.benchmark.run`, with the scheme "optimal" among others.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.
    connection : {"1", "2"}
        Connection of the experiment.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. A scheme whose transfer takes more than 400 s has no point.

    Examples
    --------
    >>> from longfat import benchmark
    >>> data = benchmark.run(["3-4"], ["optimal", "packet-pair"], progress=False)
    >>> benchmark_times(data).get_xlabel()
    'transfer time over that of the optimal fair schedule [1]'
    """
    pyplot()  # raises an error that names a missing library
    from longfat.benchmark.tables import rows

    schemes = [str(one) for one in data.scheme.values]
    others = [one for one in schemes if one != "optimal"]
    if "optimal" not in schemes or not others:
        raise ValueError('data must hold the scheme "optimal" and at least one other: call benchmark.run with both')
    labels = dict(zip(schemes, map(str, data.label.values), strict=True))
    places = {one: -k for k, one in enumerate(others)}
    printed = {
        (one.experiment, one.load_or_size, one.scheme): one.printed
        for one in rows(data)
        if one.metric in ("transfer_time", "transfer_time_mean") and one.connection == connection
    }
    ax = ax if ax is not None else new_axes()
    variants = [str(one) for one in data.variant.values]
    step = 0.6 / max(len(variants), 1)
    for index, variant in enumerate(variants):
        shade = nth_colour(index)
        row = data.sel(variant=variant, connection=connection)
        best = float(row.transfer_time.sel(scheme="optimal"))
        seen = row.sel(scheme=others)
        limits = np.nan_to_num(error(seen, "transfer_time")) / best  # results that are not random have no interval
        y = np.array([places[one] for one in others]) + 0.3 - step * (index + 0.5)
        ax.errorbar(
            seen.transfer_time / best, y, xerr=limits, color=shade, ls="", marker=MARKERS[index % len(MARKERS)], ms=5,
            label=f"experiment {variant}:\noptimum {1e3 * best:.0f} ms",
        )  # fmt: skip
        key = int(row.experiment), str(row.case.item())
        theirs = np.array([printed.get((*key, labels[one])) or np.nan for one in others])
        ax.plot(theirs / (1e3 * best), y, "x", color=shade, ms=8)
    if any(printed.get(key) for key in printed if key[2] != labels["optimal"]):
        ax.plot([], [], "x", color="0.4", ms=8, label="as printed")
    ax.axvline(1, color="0.4", lw=0.8, label="the optimum")
    ax.set(
        xscale="log",
        xlabel="transfer time over that of the optimal fair schedule [1]",
        yticks=list(places.values()),
        yticklabels=others,
        ylim=(-len(others) + 0.4, 0.6),
        title=f"The Kanakia-Keshav-Mishra benchmark, connection {connection}",
    )
    log_ticks(ax.xaxis)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)  # beside the axes: points may lie anywhere
    caption(
        ax,
        f"bars, where runs differ by chance: {100 * data.attrs['confidence']:.6g}% intervals of "
        f"{data.attrs['replications']} runs; printed: Kanakia, Keshav & Mishra (1992), tables 4.1 to 4.10",
    )
    return ax


#: Each entry describes a row of maps: variable, label of the colour bar, factor from SI to the label's unit, whether
#: the scale is logarithmic.
ROWS = (
    ("goodput_share", "goodput over rate", 1.0, False),
    ("queueing_delay", "queueing delay [ms]", 1e3, True),
    ("dropped_share", "lost at the buffer [%]", 100.0, True),
)
LEAST = {"queueing_delay": 0.1, "dropped_share": 0.001}  # lower ends of logarithmic scales, in the label's unit


def path_maps(data: xr.Dataset) -> Any:
    """Draw heat maps of a scheme: rows for goodput, queueing delay and drops, a column for each loss rate of the path.

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

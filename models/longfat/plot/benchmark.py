"""Picture of the Kanakia-Keshav-Mishra benchmark: transfer times of schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from longfat.plot.axes import MARKERS, caption, error, log_ticks, new_axes, nth_colour, pyplot

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
        limits = np.nan_to_num(error(seen, "transfer_time")) / best  # no interval if not random
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
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)  # outside: points may lie anywhere
    caption(
        ax,
        f"bars, where runs differ by chance: {100 * data.attrs['confidence']:.6g}% intervals of "
        f"{data.attrs['replications']} runs; printed: Kanakia, Keshav & Mishra (1992), tables 4.1 to 4.10",
    )
    return ax

"""Pictures of the efficiency of selective repeat against the window, and of TCP's rate against loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import caption, error, new_axes, nth_colour, rows

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def window_curves(data: xr.Dataset, ax: Axes | None = None, *, printed: bool = False) -> Axes:
    """Draw the throughput efficiency of selective repeat against the window, and mark the window for the target.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.window` with ``points`` > 0.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.
    printed : bool
        Also draw the law as its source prints it.

    Examples
    --------
    >>> from longfat import design
    >>> data = design.window(rate="15Mbit/s", round_trip_time="20ms", loss=1e-3, segment="9kB", packet="900B", points=3)
    >>> window_curves(data).get_ylabel()
    'throughput efficiency [1]'
    """
    if "curve_law" not in data:
        raise ValueError("data holds no curves: call design.window with points > 0")
    ax = ax if ax is not None else new_axes()
    ack = data.attrs["ack_segments"]
    for index, row in enumerate(rows(data)):
        colour = nth_colour(index)
        label = f"p = {float(row.loss):g}"
        ax.plot(row.law_window, row.dense_law, color=colour, ls="-" if row.source == "law" else "--", label=label)
        ax.plot(row.law_window, row.dense_many_rounds, color=colour, ls=(0, (6, 1, 1, 1)), lw=0.9)
        if printed:
            ax.plot(row.law_window, row.dense_as_printed, color=colour, ls=":", lw=1)
        ax.errorbar(
            row.window, row.curve_simulated, error(row, "curve_simulated"), color=colour, ls="", marker="o", ms=3, lw=1
        )
        if np.isfinite(row.window_segments):
            ax.plot(row.window_segments, row.goal, color=colour, marker="v", ms=9, mec="black", mew=0.6, zorder=5)
    ax.plot([], [], color="0.4", ls="-", label="law")
    ax.plot([], [], color="0.4", ls="--", label="law, outside its valid range")
    ax.plot([], [], color="0.4", ls=(0, (6, 1, 1, 1)), lw=0.9, label="our law for any number of rounds")
    if printed:
        ax.plot([], [], color="0.4", ls=":", lw=1, label="law as printed")
    simulated = f"simulated, {100 * data.attrs['confidence']:.6g}% interval"
    ax.errorbar([], [], [], color="0.4", ls="", marker="o", ms=3, label=simulated)
    chosen = f"window for {100 * data.attrs['target']:.6g}% of 1 - p"
    ax.plot([], [], color="0.4", ls="", marker="v", ms=9, mec="black", mew=0.6, label=chosen)
    top = ax.secondary_xaxis("top", functions=(lambda w: w / ack, lambda x: x * ack))
    top.set_xlabel("window / w_a [1]")
    ax.set(
        xlabel="window [segments]",
        ylabel="throughput efficiency [1]",
        ylim=(0, 1.05),
        xlim=(0, None),
        title="Selective repeat with a fixed window, no congestion control (not TCP)\n"
        f"{text(data.attrs['rate'], 'bytes/s')}, {text(data.attrs['round_trip_time'], 's')}, segments of "
        f"{data.attrs['segment_packets']} packets (w_a = {ack:.4g} segments)",
    )
    ax.legend(loc="lower right")
    caption(
        ax,
        "w_a: acknowledgment delay; law: Gong & Parulkar, WUCS-92-38, sec. 4.2, third case corrected; simulated: at "
        "least 10^7 packets",
        below=44,
    )
    return ax


def _advice(data: xr.Dataset) -> str:
    """Return a recommendation: more streams, a lower loss, or else a window."""
    a = data.attrs
    flow = f"{a['scheme']} at {text(a['rate'], 'bytes/s')} and {text(a['round_trip_time'], 's')}"
    largest = float(data.tcp_filling_loss_law)
    if a["flows"] * a["window"] / a["round_trip_time"] < a["target"] * a["rate"]:
        return f"Use {a['sockets']} streams: TCP's largest window keeps {flow} from filling the link"
    if float(data.loss_low.max()) > largest:
        return f"Lower the loss to {largest:.2g}: {flow} fills {100 * a['target']:.6g}% of the link up to there by law"
    window = text(float(f"{a['window']:.3g}"), "bytes")
    return f"Allow a window of {window}: {flow} fills the link with it"


def tcp_rates(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw TCP's rate divided by the link's rate against the packet loss, for long transfers and short measurements.

    The title recommends a lower loss or a window.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.tcp_window`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import design
    >>> tcp_rates(design.tcp_window(rate="15Mbit/s", round_trip_time="20ms", simulate=False)).get_ylabel()
    'rate over capacity [1]'
    """
    ax = ax if ax is not None else new_axes()
    a = data.attrs
    ax.plot(data.law_loss, data.dense_rate_law / a["rate"], color=nth_colour(0), label="law, long transfer")
    points = rows(data) if "tcp_rate" in data else []
    least, lowest = float(data.law_loss.min()), 1.0
    for index, row in enumerate(points):
        # A logarithmic axis cannot show a loss of 0, so this point is drawn at the left edge.
        place = [max(least, float(end)) for end in (row.loss_low, row.loss, row.loss_high)]
        share, *check = (float(row[name]) / a["rate"] for name in ("tcp_rate", "check_lower", "check_upper"))
        lowest = min(lowest, share)
        ax.plot(
            place[1], share, color=nth_colour(1), marker="o", ls="", clip_on=False,
            label="long transfer, simulated" if not index else None,
        )  # fmt: skip
        ax.fill_between(
            [place[0] / 1.15, place[2] * 1.15], *check, color=nth_colour(1), alpha=0.25, lw=0,
            label=f"{100 * a['confidence']:.6g}% of measurements of {float(row.check_time):g} s" if not index else None,
        )  # fmt: skip
    ax.axhline(a["target"], color="0.6", lw=0.8, ls=":", zorder=0)
    ax.set(
        xscale="log", yscale="log", xlabel="packet loss probability [1]", ylabel="rate over capacity [1]",
        xlim=(least, max(float(data.law_loss.max()), float(data.loss_high.max()))), title=_advice(data),
        ylim=(min(float(np.nanmin(data.dense_rate_law)) / a["rate"], lowest) / 2, 1.2),
    )  # fmt: skip
    ax.legend(loc="lower left")
    buffer = "one bandwidth-delay product" if a["buffer"] == 1 else f"{a['buffer']:.4g} bandwidth-delay products"
    caption(ax, f"data without headers; buffer: {buffer}; random losses; no loss at the left edge", below=44)
    return ax

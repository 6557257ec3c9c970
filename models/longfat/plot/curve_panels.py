"""Picture of design curves of several schemes, with a panel for each quantity and each number of flows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import MARKERS, error, log_ticks, new_figure, nth_colour

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

#: Each entry describes a panel: variable, label of the y axis, factor from SI to the label's unit, whether the y axis
#: is logarithmic.
PANELS = (
    ("utilisation", "utilisation [1]", 1.0, False),
    ("queueing_delay", "mean queueing delay [ms]", 1e3, True),
    ("queueing_delay_99", "99th percentile of delay [ms]", 1e3, True),
    ("loss", "loss [1]", 1.0, True),
    ("transfer_time", "short transfer [ms]", 1e3, True),
)
BLOCK = 6  # number of panels for each number of flows; the last panel has the legend
WIDTH, HEIGHT = 10.4, 6.4  # size of the panels for one number of flows [in]
COLUMNS = 46  # characters of a line of the text in the last panel
NEARLY = 0.02  # ours: a buffer suffices if its utilisation is below the largest one by less than this fraction
FULL = "0.45"  # grey for the delay of a full buffer


def scheme_curves(data: xr.Dataset, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw utilisation, queueing delay, loss and transfer time of several schemes against the buffer or the window.

    Schemes differ by colour and marker. Each number of flows has six panels, of which the last has the legend.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.curves`.
    axes : sequence of matplotlib.axes.Axes, optional
        Axes to draw on, six for each number of flows; by default those of a new figure.

    Examples
    --------
    >>> from longfat import design
    >>> data = design.curves(rate="20Mbit/s", round_trip_time="20ms", schemes=["reno"], flows=[1], at=[0.5, 1],
    ...                      file=None, replications=2, progress=False)
    >>> [ax.get_ylabel() for ax in scheme_curves(data)][:2]
    ['utilisation [1]', 'mean queueing delay [ms]']
    """
    if data.attrs.get("over") not in data.dims or "scheme" not in data.dims:
        raise ValueError("data holds no curves of schemes: must be a result of design.curves")
    counts = data.sizes["flows"]
    if axes is None:
        axes = list(new_figure(2 * counts, 3, figsize=(WIDTH, HEIGHT * counts), sharex=True).flat)
    for k in range(counts):
        _block(axes[BLOCK * k : BLOCK * (k + 1)], data.isel(flows=[k]))
    return axes


def _block(axes: Sequence[Axes], data: xr.Dataset) -> None:
    """Draw the panels and the legend for one number of flows."""
    for ax, (name, label, factor, logarithmic) in zip(axes, PANELS, strict=False):
        if name not in data:
            ax.set_axis_off()
            continue
        shown = data
        if name == "queueing_delay_99" and data.attrs["over"] == "buffer":
            # Nearly all schemes have the delay of a full buffer, and their curves would coincide: draw the ratio to
            # that delay.
            shown, label, factor, logarithmic = _of_full(data), "99th percentile over full buffer [1]", 1.0, False
        _panel(ax, shown, name, factor, logarithmic)
        _frame(ax, shown, name, factor, logarithmic)
        ax.set_ylabel(label)
    for ax in axes[2:5]:  # axes without a panel below
        ax.set_xlabel(_across(data))
        ax.tick_params(labelbottom=True)
    _legend(axes[5], data)
    count = int(data.flows[0])
    title = f"{count} flow{'s' if count > 1 else ''}. {what_to_do(data)}"
    axes[0].set_title(title, loc="left", fontsize="medium")


def _of_full(data: xr.Dataset) -> xr.Dataset:
    """Return the data with the 99th percentile of the queueing delay divided by the delay of a full buffer."""
    full = data[data.attrs["over"]] * data.attrs["round_trip_time"]
    names = [name for name in data if str(name).startswith("queueing_delay_99")]
    return data.assign({name: (data[name] / full).assign_attrs(data[name].attrs) for name in names})


def what_to_do(data: xr.Dataset) -> str:
    """Return a sentence with the smallest buffer or window that nearly maximises the utilisation of every scheme."""
    over = data.attrs["over"]
    gained = (data.utilisation > (1 - NEARLY) * data.utilisation.max(over)).all(("scheme", "flows"))
    if not gained.any():
        share = f"{100 * (1 - NEARLY):g}%"
        return f"No {over} reaches {share} of the largest utilisation with every scheme and number of flows"
    at = float(data[over][int(gained.argmax(over))])
    return f"A {over} of {at:g} BDP reaches {100 * (1 - NEARLY):g}% or more of the largest utilisation; more adds delay"


def _across(data: xr.Dataset) -> str:
    return ("buffer" if data.attrs["over"] == "buffer" else "window of each flow") + " [BDP]"


def _panel(ax: Axes, data: xr.Dataset, name: str, factor: float, logarithmic: bool) -> None:
    """Draw a quantity: laws as lines, and simulated points with intervals, joined by lines where there is no law."""
    over = data.attrs["over"]
    for i in range(data.sizes["scheme"]):
        one = data.isel(scheme=i, flows=0)
        if logarithmic:  # a logarithmic axis cannot show 0
            one = one.assign({name: one[name].where(one[name] > 0)})
        colour = nth_colour(i)
        law: Any = one.get(f"law_{name}")
        known = law is not None and name != "transfer_time" and bool(np.isfinite(law).any())
        if known:
            ax.plot(one[f"law_{over}"], factor * law, color=colour, lw=1.3)
        ax.errorbar(
            one[over], factor * one[name], factor * error(one, name), color=colour, marker=MARKERS[i % len(MARKERS)],
            ms=max(3.0, 6.5 - 1.3 * i),  # decreasing sizes, so that equal values remain visible
            mew=0.9, elinewidth=0.8, ls="" if known else "-", lw=0.55,
        )  # fmt: skip
    if name == "queueing_delay_99" and over == "buffer":
        ax.axhline(1.0, color=FULL, ls=(0, (1, 3)), lw=1.2)
    elif name.startswith("queueing_delay"):
        full = data[f"law_{over}"] if over == "buffer" else np.full(data.sizes["law_window"], data.attrs["buffer"])
        ax.plot(data[f"law_{over}"], factor * data.attrs["round_trip_time"] * full, color=FULL, ls=(0, (1, 3)), lw=1.2)
    if name == "transfer_time":
        for shortest in np.unique(data.law_transfer_time.values[..., 0]):
            if np.isfinite(shortest):
                ax.axhline(factor * shortest, color=FULL, lw=1)


def _frame(ax: Axes, data: xr.Dataset, name: str, factor: float, logarithmic: bool) -> None:
    """Set the scales and the limits of a panel's axes."""
    across = data[data.attrs["over"]].values
    ax.set(xscale="log", xlim=(across.min() / 1.1, across.max() * 1.1))
    if not logarithmic:
        ax.set_ylim(max(0.0, float(data[name].min()) - 0.08), max(1.02, 1.02 * float(data[name].max())))
    elif bool((data[name] > 0).any()):
        ax.set_yscale("log")
        least = float(data[name].where(data[name] > 0).min())
        if name.startswith("queueing_delay"):  # less than a tenth of a packet counts as no queue
            least = max(least, 0.1 * data.attrs["packet"] / data.attrs["rate"])
        least *= factor
        ax.set_ylim(0.6 * least, None)
        log_ticks(ax.yaxis)
    log_ticks(ax.xaxis)


def _legend(ax: Axes, data: xr.Dataset) -> None:
    """Draw the legend of schemes and lines, and below it the settings of the simulation."""
    from matplotlib.lines import Line2D

    ax.set_axis_off()
    handles = [
        Line2D([], [], color=nth_colour(i), marker=MARKERS[i % len(MARKERS)], lw=0, label=str(name))
        for i, name in enumerate(data.scheme.values)
    ]
    handles.append(Line2D([], [], color=FULL, ls=(0, (1, 3)), lw=1.2, label="full buffer"))
    if "transfer_time" in data:
        handles.append(Line2D([], [], color=FULL, lw=1, label="empty link (law)"))
    ax.legend(handles=handles, loc="upper left", ncols=2, fontsize="small", borderaxespad=0)
    ax.text(0, 0.56, _said(data), transform=ax.transAxes, va="top", fontsize="x-small", color="0.3")


def _said(data: xr.Dataset) -> str:
    """Return the text below the legend: a description of the path, the simulation and the laws drawn."""
    a = data.attrs
    buffer = f", buffer of {a['buffer']:g} BDP" if a["over"] == "window" else ""
    parts = [
        f"{text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: a bandwidth-delay product (BDP) "
        f"is {a['bandwidth_delay_product']:.4g} packets.",
        f"Drop tail{buffer}. Points: simulated, "
        f"{a['replications']} runs each, {100 * a['confidence']:.4g}% intervals, seed {a['seed']}.",
        "Lines: laws of flows that lose at the same time"
        + (", and Little's law" if a["over"] == "window" else "")
        + "; thin lines join points without a law. Where nothing was lost there is no point.",
    ]
    if "file" in a:
        parts.append(
            f"Short transfers (separate runs): {text(a['file'], 'bytes')}, {100 * a['load']:.3g}% of the rate."
        )
    return "\n".join(textwrap.fill(part, COLUMNS) for part in parts)

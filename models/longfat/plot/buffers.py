"""Picture of utilisation or network power against the buffer of a switch, with the sizes that common rules give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import CHOSEN, MARKERS, caption, error, log_ticks, new_axes, nth_colour, rows

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def switch_buffer_curves(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw utilisation or network power against a switch's buffer: laws, simulated points, and sizes by rules.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.buffer`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import design
    >>> path = {"rate": "1Gbit/s", "round_trip_time": "100ms", "bandwidth_delay_product": 60}
    >>> path |= {"points": 2, "replications": 2}
    >>> switch_buffer_curves(design.buffer(**path, progress=False)).get_xlabel()
    'buffer [bandwidth-delay products]'
    """
    if "curve_buffer_bdp" not in data or not data.sizes["point"]:
        raise ValueError("data holds no curves: must be a result of design.buffer")
    ax = ax if ax is not None else new_axes()
    a = data.attrs
    criterion = a["criterion"]
    bounded = "dense_desynchronised" in data and bool(np.isfinite(data.dense_desynchronised).any())
    apiece = "dense_synchronised" in data and "flows" in data.dense_synchronised.dims
    for index, row in enumerate(rows(data, "flows")):
        colour, marker = nth_colour(index), MARKERS[index % len(MARKERS)]
        x, y = row.curve_buffer_bdp, row[f"curve_{criterion}"]
        label = f"{int(row.flows)} flow{'s' if row.flows > 1 else ''}" if "flows" in row.coords else a["scheme"]
        limits = error(row, f"curve_{criterion}")
        ax.errorbar(x, y, limits, color=colour, marker=marker, mfc="none", ms=5, lw=0.8, ls=":", label=label)
        if bounded and np.isfinite(row.dense_desynchronised).any():
            ax.plot(row.law_buffer, row.dense_desynchronised, color=colour, ls="--", lw=1)
        chosen = row.sel(rule="simulated")
        if np.isfinite(chosen.buffer_bdp):
            ax.plot(chosen.buffer_bdp, chosen[criterion], color=colour, marker=marker, ls="", **CHOSEN)
        if apiece:
            ax.plot(row.law_buffer, row.dense_synchronised, color=colour, lw=1)
    first = rows(data, "flows")[0]
    if apiece:
        ax.plot([], [], color="0.2", lw=1, label="law: all lose together")
    elif "dense_synchronised" in data and np.isfinite(data.dense_synchronised).any():
        label = "law: all lose together" if "flows" in data.dims or data.flows > 1 else "law"
        ax.plot(data.law_buffer, data.dense_synchronised, color="0.2", lw=1, label=label)
    if bounded:
        ax.plot([], [], color="0.2", ls="--", lw=1, label="lower bound: many\nflows, lose apart")
    goal = a["share"] * a["attainable"]
    ax.axhline(goal, color="0.4", lw=0.8, label=f"{100 * a['share']:.4g}% of the attainable")
    for rule in first.rule.values[:-1]:
        one = first.buffer_bdp.sel(rule=rule)
        # The rule BDP/sqrt(n) is drawn for a single number n of flows above one: several numbers would need several
        # lines, and one flow gives BDP.
        if np.isfinite(one) and one > 0 and (rule != "BDP/sqrt(n)" or ("flows" not in data.dims and one < 1)):
            _name(ax, str(rule), float(one))
    ax.plot([], [], color="0.4", ls="", marker="o", label="smallest sufficient buffer", **CHOSEN)
    path = f"{text(a['rate'], 'bytes/s')}, {text(a['round_trip_time'], 's')}"
    what = f"{text(a['file'], 'bytes')} files" if criterion == "power" else "flows without end"
    ax.set(
        xscale="log",
        xlabel="buffer [bandwidth-delay products]",
        ylabel="network power at the best load [bytes/s²]" if criterion == "power" else "utilisation [1]",
        title=f"{_answer(data)}\n{a['scheme']}, {what}, {path}",
    )
    log_ticks(ax.xaxis)
    if criterion == "power":
        ax.set_ylim(0, None)
    else:
        ax.set_ylim(min(0.7, float(data[f"curve_{criterion}"].min()) - 0.05), 1.02)
    ax.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    simulated, own = float(np.max(data.simulated_bdp)), a["bandwidth_delay_product"]
    scaled = f", over a bandwidth-delay product of at most {simulated:.5g} packets" if simulated < 0.999 * own else ""
    if scaled and not a["scale_free"]:
        scaled += ", and valid for this product only"
    source = "; lower bound: Appenzeller et al., SIGCOMM 2004, sec. 3" if bounded else ""
    caption(ax, f"simulated{scaled}, {100 * a['confidence']:.6g}% intervals{source}", below=44)
    return ax


def _name(ax: Axes, rule: str, at: float) -> None:
    """Draw a vertical line at the buffer that a rule gives, and write the rule's name beside the line."""
    ax.axvline(at, color="0.5", lw=0.8, ls=(0, (3, 3)), zorder=0)
    ax.annotate(
        rule, (at, 0.02), xycoords=ax.get_xaxis_transform(), xytext=(-2, 0), textcoords="offset points", rotation=90,
        ha="right", va="bottom", fontsize="xx-small", color="0.3",
    )  # fmt: skip


def _answer(data: xr.Dataset) -> str:
    """Return a title with the smallest sufficient buffer [packets] for each number of flows."""
    found = []
    for row in rows(data, "flows"):
        one = row.sel(rule="simulated")
        count = f" for {int(row.flows)} flow{'s' if row.flows > 1 else ''}" if "flows" in row.coords else ""
        if np.isfinite(one.buffer_packets):
            packets = int(one.buffer_packets)
            found.append(f"{packets} packet{'s' if packets > 1 else ''}{count}")
    goal = f"{100 * data.attrs['share']:.4g}%"
    of = " of the greatest power" if data.attrs["criterion"] == "power" else ""
    return f"{goal}{of} with {', '.join(found)}" if found else f"No simulated buffer gives {goal}{of}"

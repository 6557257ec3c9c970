"""Pictures of the answers of `longfat.design`: buffers, windows, rates of TCP, loss-load curves, curves of schemes."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import text
from longfat.plot.axes import CHOSEN, MARKERS, caption, error, log_ticks, new_axes, new_figure, nth_colour, rows

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
    """Return the first line of the title: the smallest sufficient buffer [packets] for each number of flows."""
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


def loss_load_curves(data: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw transfer time against packet loss for each exponent k: equilibrium, simulated points, and the chosen point.

    Along a curve the virtual factor v changes.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.design.loss_load`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on; by default new ones.

    Examples
    --------
    >>> from longfat import design
    >>> path = {"rate": "40Mbit/s", "round_trip_time": "10ms", "packet": "500B"}
    >>> data = design.loss_load(**path, loss=0.1, sources=2, file="200kB", k=[2], points=3, progress=False)
    >>> loss_load_curves(data).get_xlabel()
    'packet loss [1]'
    """
    if "curve_loss" not in data:
        raise ValueError("data holds no curves: call design.loss_load with points > 0")
    ax = ax if ax is not None else new_axes()
    for index, k in enumerate(data.k.values):
        row, colour, marker = data.sel(k=k), nth_colour(index), MARKERS[index % len(MARKERS)]
        ax.plot(row.curve_law_loss, row.curve_law_transfer_time, color=colour, lw=1)
        ax.errorbar(
            row.curve_loss, row.curve_transfer_time,
            xerr=error(row, "curve_loss"), yerr=error(row, "curve_transfer_time"),
            color=colour, marker=marker, mfc="none", ms=5, lw=0.8, ls=":", label=f"k = {k:g}",
        )  # fmt: skip
        if np.isfinite(row.v):
            ax.plot(row.loss, row.transfer_time, color=colour, marker=marker, clip_on=False, **CHOSEN)
    a = data.attrs
    ax.axvline(a["ceiling"], color="0.4", lw=0.8, ls="--", label=f"at most {100 * a['ceiling']:.4g}% loss")
    ax.plot([], [], color="0.4", lw=1, label="equilibrium, for all v")
    simulated = f"simulated, {100 * a['confidence']:.6g}% interval"
    ax.errorbar([], [], [], color="0.4", ls=":", marker="o", mfc="none", label=simulated)
    ax.plot([], [], color="0.4", ls="", marker="o", label="chosen", **CHOSEN)
    ax.set(
        xlabel="packet loss [1]",
        ylabel="transfer time [s]",
        xlim=(0, None),
        ylim=(0, None),
        title=f"{a['sources']} sources, {text(a['file'], 'bytes')} each, over {text(a['rate'], 'bytes/s')}, "
        f"{text(a['round_trip_time'], 's')}",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))  # beside the axes: points may lie in every corner
    caption(
        ax,
        "equilibrium: Prithviraj and Williamson, section 2.3; the simulation includes start and end of the transfers",
        below=44,
    )
    return ax


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
COLUMNS = 46  # characters in a line of the text in the last panel
NEARLY = 0.02  # our choice: a buffer suffices if its utilisation is above 1 - NEARLY times the largest one
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
            # With nearly all schemes this is the delay of a full buffer, so that their curves would coincide: draw the
            # ratio to that delay.
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
        if name.startswith("queueing_delay"):  # a delay of less than a tenth of a packet counts as 0
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

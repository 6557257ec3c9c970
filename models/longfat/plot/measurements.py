"""Pictures of measurements of a path over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longfat.plot.axes import SIZE, nth_colour, pyplot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longfat.measured import Measurement
    from longfat.measured.figures import Series

#: Name of a series -> units for its axis, each with its factor from SI. The axis has the largest unit in which a value
#: is at least 1.
_UNITS = {
    "rate": {"kbit/s": 8e-3, "Mbit/s": 8e-6, "Gbit/s": 8e-9},
    "round-trip time": {"ms": 1e3},
    "congestion window": {"kB": 1e-3, "MB": 1e-6, "GB": 1e-9},
    "retransmissions": {"packets": 1.0},
    "losses": {"packets": 1.0},
}

COUNTS = ("retransmissions", "losses")
ROOM = 1.08  # ratio of the upper end of an axis to the largest value, so that no line lies on the edge


def measurements(found: Sequence[Measurement]) -> Figure:
    r"""Draw measured time series: a panel for each quantity, a line for each file.

    The panels share a time axis, which begins at 0. Counts are drawn as stems; a count that is always 0 has no panel.

    Parameters
    ----------
    found : sequence of Measurement
        Result of `longfat.measured.read_each`. Files without series are left out. Series without times, such as those
        of ``ss``, are drawn against the number of the sample in separate panels.

    Examples
    --------
    >>> from longfat import measured
    >>> figure = measurements(measured.read_each("tests/data/iperf3_tcp.json", "tests/data/ping.txt"))
    >>> [ax.get_ylabel() for ax in figure.axes[:2]]
    ['rate,\ndata [Mbit/s]', 'round-trip\ntime [ms]']
    """
    panels: dict[tuple[bool, str], list[tuple[int, Series]]] = {}
    for k, one in enumerate(found):
        for series in one.series:
            if series.name in _UNITS:
                panels.setdefault((not series.timed, series.name), []).append((k, series))
    if not panels:
        raise ValueError(f"found holds no time series to draw: must have one of {', '.join(_UNITS)}")
    places = list(_UNITS)
    panels = {key: panels[key] for key in sorted(panels, key=lambda key: (key[0], places.index(key[1])))}
    panels = {key: lines for key, lines in panels.items() if key[1] not in COUNTS or _largest(lines) > 0} or panels
    figure, axes = pyplot().subplots(
        len(panels), 1, figsize=(SIZE[0], 0.6 + 1.7 * len(panels)), squeeze=False, layout="constrained"
    )
    last: dict[bool, Any] = {}
    for ax, ((untimed, name), lines) in zip(axes[:, 0], panels.items(), strict=True):
        largest = _largest(lines)
        units = _UNITS[name]
        unit = next((one for one in reversed(units) if units[one] * largest >= 1), next(iter(units)))
        for k, series in lines:
            values = [units[unit] * value for value in series.values]
            label = found[k].file.rpartition("/")[2]
            style = {"color": nth_colour(k), "lw": 0.9}
            if name in COUNTS:  # counts of intervals, between which a line would suggest further values
                ax.vlines(series.times, 0, values, **style)
            joined = "none" if name in COUNTS else "-"
            ax.plot(series.times, values, marker=".", ms=3, ls=joined, label=label, clip_on=False, **style)
        top = ROOM * units[unit] * largest or 1.0
        layers = {found[k].figures.rate_layer for k, _ in lines} if name == "rate" else set()
        title = f"{name}, {layers.pop()}" if len(layers) == 1 else name
        ax.set(ylabel=f"{title} [{unit}]".replace(" ", "\n", 1), ylim=(0, top))
        if untimed in last:
            ax.sharex(last[untimed])
            last[untimed].tick_params(labelbottom=False)
        last[untimed] = ax
    for untimed, ax in last.items():
        ax.set_xlabel("sample" if untimed else "time [s]")
        ax.autoscale(axis="x")
        ax.set_xlim(left=0)
    drawn = {line.get_label(): line for ax in reversed(figure.axes) for line in ax.get_lines()}
    names = dict.fromkeys(one.file.rpartition("/")[2] for one in found)
    shown = {name: drawn[name] for name in names if name in drawn}
    figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=min(len(shown), 3), fontsize="small")
    return figure  # type: ignore[no-any-return]


def _largest(lines: list[tuple[int, Series]]) -> float:
    return max((value for _, series in lines for value in series.values if math.isfinite(value)), default=0.0)

"""Pictures of measurements of a path over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longfat.plot.axes import SIZE, nth_colour, pyplot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longfat.measured import Measurement

#: What is drawn in the unit on the axis: the unit of the series, the one on the axis, and the factor.
_UNITS = {
    "rate": ("rate [Mbit/s]", 8e-6),
    "round-trip time": ("round-trip time [ms]", 1e3),
    "congestion window": ("congestion window [kB]", 1e-3),
    "retransmissions": ("retransmissions [packets]", 1.0),
    "losses": ("losses [packets]", 1.0),
}


def measurements(found: Sequence[Measurement]) -> Figure:
    r"""Draw what files with measurements hold over time: a panel for each quantity, a line for each file.

    Parameters
    ----------
    found : sequence of Measurement
        Result of `longfat.measured.read_each`. Files without series are left out. Series without times, as those of
        ``ss``, are drawn over the number of the sample, in panels of their own.

    Returns
    -------
    matplotlib.figure.Figure
        A new figure.

    Raises
    ------
    ValueError
        If no file has values over time.

    Examples
    --------
    >>> from longfat import measured
    >>> figure = measurements(measured.read_each("tests/data/iperf3_tcp.json", "tests/data/ping.txt"))
    >>> [ax.get_ylabel() for ax in figure.axes[:2]]
    ['rate\n[Mbit/s]', 'round-trip\ntime [ms]']
    """
    panels: dict[tuple[str, bool], list[tuple[int, Any]]] = {}
    for name in _UNITS:
        for k, one in enumerate(found):
            for series in one.series:
                if series.name == name:
                    panels.setdefault((name, series.timed), []).append((k, series))
    if not panels:
        raise ValueError("the measurements hold no values over time")
    figure, axes = pyplot().subplots(
        len(panels), 1, figsize=(SIZE[0], 0.6 + 1.7 * len(panels)), squeeze=False, layout="constrained"
    )
    for ax, ((name, timed), lines) in zip(axes[:, 0], panels.items(), strict=True):
        label, factor = _UNITS[name]
        for k, series in lines:
            values = [factor * value for value in series.values]
            ax.plot(
                series.times,
                values,
                color=nth_colour(k),
                marker=".",
                ms=3,
                lw=0.9,
                label=found[k].file.rpartition("/")[2],
            )
        ax.set(xlabel="time [s]" if timed else "sample", ylabel=label.replace(" ", "\n", 1), ylim=(0, None))
    shown = {line.get_label(): line for ax in figure.axes for line in ax.get_lines()}
    figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=min(len(shown), 3), fontsize="small")
    return figure  # type: ignore[no-any-return]

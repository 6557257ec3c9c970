"""Combination of several measurements of one path into one record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from longfat.base.quantities import rounded, text
from longfat.measured.counting import loss_interval
from longfat.measured.figures import DOUBT, Measurement, PathFigures
from longfat.measured.limits import queued_or_lost

#: For each figure, the kinds of files from which it is taken, in the order of preference: the most direct measurement
#: comes first. Our choice of the order. Rate: the receiver's count precedes the sender's estimate. Loss: counts of
#: packets precede counts of retransmissions. Queueing delay: round trips of the flow itself precede those of a
#: concurrent ping, which precede a single sample of a queue. Limit: the clocks of Linux precede samples of windows.
ORDER = {
    "rate": ("iperf3 --json", "iperf3", "ndt7", "crusader", "flent", "pcap", "qlog", "ss -ti", "tc -s qdisc"),
    "loss": ("pcap", "qlog", "iperf3 --json", "iperf3", "ndt7", "ss -ti", "tc -s qdisc"),
    "queueing_delay": ("pcap", "qlog", "ss -ti", "ndt7", "iperf3 --json", "crusader", "flent", "ping", "tc -s qdisc"),
    "queue_depth": ("crusader", "flent"),
    "limited_by": ("ss -ti", "ndt7", "pcap", "qlog", "iperf3 --json", "iperf3", "crusader", "flent"),
}
#: Figures that describe what limits a flow; several runs are combined by the median of each figure.
DETAILS = ("receive_window", "processor", "limited_share", "offered")
#: Ratio of base round-trip times, or of rates, above which files may be of two paths: our choice.
APART = 3.0


def path_of(measurements: Sequence[Measurement]) -> PathFigures:
    """Return the figures of one path, combined from several measurements of it.

    The base round-trip time is the smallest of all measurements, because a queue only adds to it. Each other figure
    comes from the first kind of file in `ORDER` that has it. Several files of that kind count as n runs: the figure is
    the runs' median, and its interval is their range, which contains the median of all possible runs with a probability
    of 1 - 2^(1 - n), whatever their distribution. Student's interval would be ten times as wide for two runs, and would
    reach below 0. The loss of several runs is the fraction of all their packets that was lost; its interval contains
    the range of the runs and Garwood's interval for that number of losses.
    """
    if len(measurements) == 1:
        return measurements[0].figures
    made = _base(measurements)
    for name in ("rate", "loss", "queueing_delay", "queue_depth"):
        if runs := _believed(name, measurements):
            made = made.merged(_loss(runs) if name == "loss" else _median_of(name, runs, made.round_trip_time or 0.0))
    return made.merged(_verdicts(measurements, made))


def _believed(name: str, measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements from which to take a figure: all of the first kind of file in `ORDER` that has it.

    For ``limited_by``, files that name a processor as the limit come first. Only iperf3 does so: other files show such
    a flow as limited by its sender or by the receiver's window.
    """
    known = [one for one in measurements if getattr(one.figures, name) is not None]
    if name == "limited_by":
        known = [one for one in known if one.figures.processor is not None] or known
    for kind in ORDER[name]:
        runs = [one for one in known if one.kind == kind]
        # Do not combine a TCP run with a UDP run: they are different experiments.
        tcp = [one for one in runs if one.figures.transport != "UDP"]
        if tcp or runs:
            return tcp or runs
    return []


def _remarks(name: str, runs: Sequence[Measurement], several: str) -> tuple[str, ...]:
    """Return the remarks on a figure: those of a single run, or a remark that names the statistic of several runs."""
    if len(runs) == 1:
        return tuple(one for one in runs[0].figures.remarks if one.startswith(f"{name}:"))
    sure = 1 - 0.5 ** (len(runs) - 1)
    words = f"the interval is their range, which holds the median of all runs with a probability of {sure:.3g}"
    if not runs:
        return ()
    return (f"{name}: {several} of {len(runs)} runs ({runs[0].kind}); {words}",)


def _range(values: Sequence[float]) -> tuple[float, float] | None:
    return (min(values), max(values)) if len(values) > 1 else None


def _base(measurements: Sequence[Measurement]) -> PathFigures:
    known = [one for one in measurements if one.figures.round_trip_time is not None]
    if not known:
        return PathFigures()
    least = min(known, key=lambda one: one.figures.round_trip_time or 0.0)
    runs = [one for one in known if one.kind == least.kind]
    values = [one.figures.round_trip_time or 0.0 for one in runs]
    remarks = tuple(one for one in least.figures.remarks if one.startswith("round_trip_time:"))
    doubts = tuple(one for each in measurements for one in each.figures.remarks if one.startswith(DOUBT))
    if len(runs) > 1:
        remarks = tuple(f"{one}; the smallest of {len(runs)} runs, the interval is their range" for one in remarks)
    longest = max(known, key=lambda one: one.figures.round_trip_time or 0.0)
    most = longest.figures.round_trip_time or 0.0
    if most > APART * min(values):
        ends = f"{text(min(values), 's')} in {least.file}, {text(most, 's')} in {longest.file}"
        remarks += (f"{DOUBT}base round-trip time of {ends}: two paths, or a queue that never emptied",)
    return PathFigures(round_trip_time=min(values), round_trip_time_interval=_range(values), remarks=remarks + doubts)


def _median_of(name: str, runs: Sequence[Measurement], base: float) -> PathFigures:
    """Return the median of a figure, and its range; queueing delays count from the ``base`` round-trip time [s]."""
    figures = [one.figures for one in runs]
    values = [getattr(one, name) for one in figures]
    made: dict[str, Any] = {"remarks": _remarks(name, runs, "the median")}
    if name == "rate":
        first = figures[0]
        made |= {"flows": first.flows, "transport": first.transport, "rate_layer": first.rate_layer}
        made["remarks"] += _doubt_of_rates(runs)
    if name == "queueing_delay":
        own = (base if one.round_trip_time is None else one.round_trip_time for one in figures)
        values = [max(0.0, delay + (trip - base)) for delay, trip in zip(values, own, strict=True)]
    if name != "queue_depth":
        made[f"{name}_interval"] = _range(values)
    return PathFigures(**made | {name: median(values)})


def _doubt_of_rates(runs: Sequence[Measurement]) -> tuple[str, ...]:
    """Return a remark that doubts the files if their rates differ by more than the factor `APART`."""
    slow, fast = (find(runs, key=lambda one: one.figures.rate or 0.0) for find in (min, max))
    low, high = slow.figures.rate or 0.0, fast.figures.rate or 0.0
    if high <= APART * low:
        return ()
    causes = ["two paths", "two directions of one"]
    if slow.figures.flows != fast.figures.flows:
        causes.append("different numbers of flows")
    if runs[0].figures.transport == "UDP":  # iperf3 -u sends at the rate that -b asks for
        causes.append("two offered rates")
    ends = f"{rounded(low, 'bytes/s')} in {slow.file} and {rounded(high, 'bytes/s')} in {fast.file}"
    return (f"{DOUBT}rates of {ends}: {', '.join(causes[:-1])}, or {causes[-1]}",)


def _loss(runs: Sequence[Measurement]) -> PathFigures:
    figures = [one.figures for one in runs]
    shares = [one.loss or 0.0 for one in figures]
    sent = sum(one.packets_sent or 0.0 for one in figures)
    lost = sum((one.loss or 0.0) * (one.packets_sent or 0.0) for one in figures)
    burst = _median(one.loss_burst for one in figures)
    interval = figures[0].loss_interval
    if len(figures) > 1:
        counted = loss_interval(lost, sent, burst)
        interval = (min(*shares, counted[0]), max(*shares, counted[1]))
    remarks = _remarks("loss_burst", runs, "the median") if burst else ()
    if len(runs) > 1:
        words = "the interval is their range and Garwood's interval of 95 % for these numbers"
        remarks += (f"loss: {lost:.0f} of {sent:.0f} packets of {len(runs)} runs ({runs[0].kind}); {words}",)
    else:
        remarks += _remarks("loss", runs, "")
    return PathFigures(
        loss=lost / sent,
        loss_interval=interval,
        packets_sent=sent,
        loss_events=sum(one.loss_events or 0.0 for one in figures) or None,
        loss_burst=burst,
        packet=_median(one.packet for one in figures),
        transport=figures[0].transport,
        remarks=remarks + tuple(one for one in figures[0].remarks if one.startswith("packet:")),
    )


def _verdicts(measurements: Sequence[Measurement], made: PathFigures) -> PathFigures:
    """Return a record with the limit of the flow and the verdict on a policer; ``made`` has the other figures."""
    runs = _believed("limited_by", measurements)
    limits = {one.figures.limited_by for one in runs}
    remarks = _remarks("limited_by", runs[:1], "")
    if limits == {"sender", "send buffer"}:  # not all files distinguish the buffer from the program
        limits = {"sender"}
    if len(limits) > 1:
        remarks = (
            f"limited_by: differs among {len(runs)} runs ({runs[0].kind}): {', '.join(sorted(map(str, limits)))}",
        )
    verdicts = [one.figures.policed for one in measurements if one.figures.policed is not None and one.figures.loss]
    policed: bool | None = None
    if made.loss is not None:
        base, queue = made.round_trip_time, made.queueing_delay
        policed = queued_or_lost(base, base + queue if base and queue is not None else None, made.loss)
    if any(verdicts):
        policed = True
    elif verdicts:
        policed = False
    suspects = [one for one in measurements if one.figures.policed]
    remarks += _remarks("policed", suspects[:1], "")
    controls = {one.figures.control for one in measurements if one.figures.control}
    details: dict[str, Any] = {name: _median(getattr(one.figures, name) for one in runs) for name in DETAILS}
    return PathFigures(
        limited_by=limits.pop() if len(limits) == 1 else None,
        policed=policed,
        remarks=remarks,
        **details,
        control=controls.pop() if len(controls) == 1 else None,
    )


def _median(values: Iterable[float | None]) -> float | None:
    """Return the median of the values that are not None; None if there are none."""
    known = [value for value in values if value is not None]
    return median(known) if known else None

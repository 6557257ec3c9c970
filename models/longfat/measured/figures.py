"""Records of a measured path: figures with their intervals, series over time, and the measurement in one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from longfat.base.domains import Interval, choice, number
from longfat.base.layers import LAYERS

Points = Sequence[tuple[float, float]]  # times [s] and values

#: Beginning of a remark that doubts the files themselves; every answer repeats such a remark.
DOUBT = "files: "
#: Causes that can limit the rate of a flow.
LIMITS = ("network", "receiver window", "send buffer", "sender", "sender's processor", "receiver's processor")


def _field(unit: str = "", domain: str = "", taken: tuple[str, ...] | None = None) -> Any:
    """Declare a field of `PathFigures` with its unit and domain.

    The interval of a figure may end at a value that the figure cannot take, such as a loss of 1. ``taken`` names the
    other fields that `PathFigures.merged` copies when it copies this one; None if another field names this one.
    """
    return field(default=None, metadata={"unit": unit, "domain": domain, "taken": taken})


@dataclass(frozen=True)
class PathFigures:
    """Figures of a path: its measured quantities; None for an unknown quantity.

    Parameters
    ----------
    rate : float, optional
        Rate at which data arrived [bytes/s], in (0, inf).
    round_trip_time : float, optional
        Base round-trip time: the smallest that was seen [s], in (0, inf).
    loss : float, optional
        Probability that a packet is lost [probability], in [0, 1).
    remarks : tuple of str
        Source of each figure. A remark on a figure begins with the figure's name and a colon; a remark that doubts the
        files themselves begins with `DOUBT`.
    packet : float, optional
        Size of the packets whose loss is given, without headers [bytes], in (0, inf).
    transport : str
        "TCP" or "UDP" if the measurement used one of these, else empty.
    queueing_delay : float, optional
        Mean round-trip time during the measurement less the base [s], in [0, inf).
    queue_depth : float, optional
        Longest queue during the measurement [bytes], in (0, inf). It equals the buffer if congestion control fills it.
    loss_burst : float, optional
        Mean number of packets lost in a row [packets], in [1, inf).
    packets_sent : float, optional
        Number of packets sent [packets], in (0, inf); the fraction `loss` of them was lost.
    rate_interval, round_trip_time_interval, loss_interval, queueing_delay_interval : tuple of float, optional
        Lower and upper end of the interval of a figure, in its unit. A remark on the figure names the kind of interval.
    policed : bool, optional
        Whether a policer probably caused the losses. A policer drops packets above its rate and has no queue.
    limited_by : str, optional
        Limit of the flow: "network", "receiver window", "send buffer", "sender" (its application, or its send buffer
        if the file does not distinguish them), "sender's processor" or "receiver's processor".
    flows : float, optional
        Number of parallel flows that share the rate [flows], in [1, inf).
    loss_events : float, optional
        Number of bursts of losses, or of intervals of iperf3 with losses [events].
    receive_window : float, optional
        Receive window of all flows together, if it was the limit [bytes], in (0, inf).
    processor : float, optional
        Processor time of the sending or receiving program, if it was the limit, as a share of the duration of the
        transfer [1]; more than 1 for a program with several threads.
    limited_share : float, optional
        Fraction of the time with data outstanding in which the send buffer was the limit [1].
    offered : float, optional
        Rate to which the application limited itself, as iperf3 does with -b [bytes/s], in (0, inf).
    control : str, optional
        Congestion control of the sender by its name in Linux, such as "cubic".
    rate_layer : str
        Layer whose bytes the rate counts, a name in `longfat.measured.LAYERS`: "data", "IP", "tc", "Ethernet" or
        "wire".

    Examples
    --------
    >>> both = PathFigures(rate=1.25e8, loss=1e-3).merged(PathFigures(rate=1e6, round_trip_time=0.1))
    >>> both.rate, both.round_trip_time, both.loss
    (125000000.0, 0.1, 0.001)
    """

    rate: float | None = _field("bytes/s", "(0, inf)", ("rate_interval", "flows", "rate_layer"))
    round_trip_time: float | None = _field("s", "(0, inf)", ("round_trip_time_interval",))
    loss: float | None = _field("probability", "[0, 1)", ("loss_interval", "packets_sent", "loss_events"))
    remarks: tuple[str, ...] = ()
    packet: float | None = _field("bytes", "(0, inf)", ())
    transport: str = ""
    queueing_delay: float | None = _field("s", "[0, inf)", ("queueing_delay_interval",))
    loss_burst: float | None = _field("packets", "[1, inf)", ())
    packets_sent: float | None = _field("packets", "(0, inf)")
    rate_interval: tuple[float, float] | None = _field("bytes/s", "[0, inf)")
    round_trip_time_interval: tuple[float, float] | None = _field("s", "[0, inf)")
    loss_interval: tuple[float, float] | None = _field("probability", "[0, 1]")
    queueing_delay_interval: tuple[float, float] | None = _field("s", "[0, inf)")
    policed: bool | None = _field(taken=())
    limited_by: str | None = _field(taken=("receive_window", "processor", "limited_share", "offered"))
    flows: float | None = _field("flows", "[1, inf)")
    loss_events: float | None = _field("events", "(0, inf)")
    receive_window: float | None = _field("bytes", "(0, inf)")
    processor: float | None = _field("1", "[0, inf)")
    limited_share: float | None = _field("1", "[0, inf)")
    offered: float | None = _field("bytes/s", "(0, inf)")
    control: str | None = _field(taken=())
    queue_depth: float | None = _field("bytes", "(0, inf)", ())
    rate_layer: str = "data"

    def __post_init__(self) -> None:
        for one in fields(self):
            value, about = getattr(self, one.name), one.metadata
            if value is None or not about.get("unit"):
                continue
            check = self._check if one.name.endswith("_interval") else number
            check(one.name, value, about["unit"], about["domain"])
        if self.limited_by is not None:
            choice("limited_by", self.limited_by, LIMITS)
        choice("rate_layer", self.rate_layer, LAYERS)

    def _check(self, name: str, ends: tuple[float, float], unit: str, allowed: str) -> None:
        """Raise a ValueError if the interval of a figure is outside its domain or does not contain the figure."""
        low, high = (number(name, end, unit, allowed) for end in ends)
        figure = getattr(self, name.removesuffix("_interval"))
        if figure is None or not Interval(low, high, True, True).contains(figure):
            raise ValueError(f"{name} = ({low:.6g}, {high:.6g}) {unit} must contain the figure {figure}")

    def merged(self, other: PathFigures) -> PathFigures:
        """Return a copy of the record in which unknown figures are taken from another record.

        The interval of a figure comes from the same record as the figure, and the number of packets from that of the
        loss. A queueing delay from the other record is changed so that the mean round-trip time, which is the sum of
        base and queueing delay, stays the same. A figure keeps the remarks of the record from which it comes.

        >>> ping = PathFigures(round_trip_time=0.02, remarks=("round_trip_time: ping",))
        >>> iperf = PathFigures(1e6, 0.03, 1e-3, remarks=("rate: iperf3", "round_trip_time: iperf3"))
        >>> ping.merged(iperf).remarks
        ('round_trip_time: ping', 'rate: iperf3')
        """
        each = {one.name: one.metadata["taken"] for one in fields(self) if one.metadata.get("taken") is not None}
        mine = {name for name in each if getattr(self, name) is not None}
        taken = {name for name in each if getattr(other, name) is not None} - mine
        changes = {one: getattr(other, one) for name in taken for one in (name, *each[name])}
        if "queueing_delay" in taken and self.round_trip_time is not None and other.round_trip_time is not None:
            shift = other.round_trip_time - self.round_trip_time  # keeps the mean round-trip time
            changes["queueing_delay"] = max(0.0, changes["queueing_delay"] + shift)
            if ends := changes["queueing_delay_interval"]:
                changes["queueing_delay_interval"] = (max(0.0, ends[0] + shift), max(0.0, ends[1] + shift))
        missing = tuple(f"{name}:" for name in taken)
        remarks = [remark for remark in self.remarks if not remark.startswith(missing)]
        known = tuple(f"{name}:" for name in mine)
        remarks += [remark for remark in other.remarks if not remark.startswith(known) and remark not in remarks]
        return replace(self, **changes, remarks=tuple(remarks), transport=self.transport or other.transport)


@dataclass(frozen=True)
class Series:
    """Values of one quantity, such as "rate", over time.

    ``values`` are in the SI unit ``unit``. ``times`` are counted from the first value of the file [s]; if the file has
    no times, ``timed`` is False and they are the numbers of the samples.
    """

    name: str
    unit: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    timed: bool = True

    @classmethod
    def of(cls, *given: tuple[str, str, Points], timed: bool = True) -> tuple[Series, ...]:
        """Return series from names, units and points, but none with fewer than two points or with zeros only."""
        return tuple(
            cls(name, unit, tuple(float(time) for time, _ in points), tuple(value for _, value in points), timed)
            for name, unit, points in given
            if len(points) > 1 and any(value for _, value in points)
        )


@dataclass(frozen=True)
class Measurement:
    """Measurement of a path from one file: its figures, and series of values over time, if the file has any.

    ``kind`` is the program that wrote the file, a name in `longfat.measured.KINDS`.
    """

    file: str
    kind: str
    figures: PathFigures
    series: tuple[Series, ...] = ()

"""The path of `longfat window`: from options, and from measurements for options not given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat.measured import PathFigures
    from longfat.measured.diagnosis import Diagnosis

SEGMENT, PACKET = 16384, 1024  # bytes: of selective repeat
UNUSED = ("queueing_delay:", "limited_by:", "policed:", "loss_burst:")  # remarks that say nothing of selective repeat
NO_WINDOW = (
    "No window and no socket buffer raises this rate, so that none was computed and no file was written.",
    "Options without FILES (--rate, --rtt, --loss) give the window of the path itself.",
)
HOLDERS = {
    "rate": ("--rate", "--iperf3"),
    "round_trip_time": ("--rtt", "--ping, or --iperf3 from the sending side of TCP"),
    "loss": ("--loss", "--iperf3; ping sends too few packets to tell"),
}


@dataclass(frozen=True)
class Path:
    """Arguments of the design function, and the measured figures of the path."""

    arguments: dict[str, Any]
    figures: PathFigures
    remarks: tuple[str, ...]
    rate_measured_by: str  # "TCP" or "UDP"; empty if the rate was given
    verdict: Diagnosis | None = None  # None if no TCP flow was measured
    no_window: bool = False  # whether the losses of the path limit the flow, whatever its window

    @property
    def attrs(self) -> dict[str, str]:
        """Remarks on the measurements, as attributes of the answer."""
        return {"remarks": "\n".join(self.remarks), "rate_measured_by": self.rate_measured_by}


def _used(asked: dict[str, Any], found: PathFigures) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return rate, round-trip time and loss as pairs, and remarks; options take precedence over measurements."""
    given = {name: asked.get(name) for name in HOLDERS}
    used = dict(given)
    for name, value in given.items():
        if value is None and getattr(found, name) is not None:
            figure = getattr(found, name)
            used[name] = getattr(found, f"{name}_interval") or (figure, figure)
    kept = tuple(f"{name}:" for name, value in given.items() if value is not None)
    remarks = tuple(one for one in found.remarks if not kept or not one.startswith(kept))
    return used, remarks


def _need(used: dict[str, Any], *names: str) -> None:
    for name in names:
        if used[name] is None:
            flag, holders = HOLDERS[name]
            raise ValueError(f"{flag} is missing: give it, or a file that contains it ({holders})")


def of_tcp(asked: dict[str, Any], found: PathFigures, verdict: Diagnosis | None) -> Path:
    """Return the path, with all arguments of `longfat.design.tcp_window`."""
    from longfat.design.senders import SENDERS

    used, remarks = _used(asked, found)
    _need(used, "rate", "round_trip_time")
    by = "" if "rate" in asked else found.transport
    more: dict[str, Any] = {"rate": used["rate"], "round_trip_time": used["round_trip_time"], "measured": bool(by)}
    if used["loss"] is None:
        remarks += ("loss: not given, 0 is assumed: only overflows of the flow itself",)
    elif "loss" in asked:
        more["loss"] = used["loss"] if len(used["loss"]) > 1 else used["loss"][0]
    else:
        if found.loss == 0:
            remarks = tuple(one for one in remarks if not one.startswith("loss:"))
        more["loss"], further = _measured_loss(found, verdict, used["loss"], asked["scheme"])
        remarks += further
    segment = round(found.packet) if found.transport == "TCP" and found.packet else None
    if segment := asked.get("mss", segment):
        more["segment"] = segment
    at_loss = verdict is not None and verdict.kind == "losses" and "loss" not in asked
    arguments = {name: value for name, value in asked.items() if name not in ("mss", "no_simulation")} | more
    return Path(arguments, found, remarks, by, verdict, at_loss and not SENDERS[asked["scheme"]].is_bbr)


def _measured_loss(
    found: PathFigures, verdict: Diagnosis | None, interval: tuple[float, float], scheme: str
) -> tuple[tuple[float, float], tuple[str, ...]]:
    """Return the loss of the path by a measurement, and a remark if it differs from the counted loss.

    A TCP flow counts the overflows that it causes itself, so that the path may have no others: the interval begins at
    0, unless losses without a queue are the diagnosis. If hosts limited the flow and nothing was lost, the bound on the
    loss says nothing about the rate, and 0 is assumed. If the flow was faster than random losses at the counted rate
    allow, the flow itself caused the losses, and none are assumed.
    """
    from longfat.design.senders import SENDERS
    from longfat.measured.diagnosis import is_too_fast, none_lost

    low, high = (min(end, 0.999) for end in interval)
    sender = SENDERS[scheme]
    burst = found.loss_burst or 1.0
    remarks: tuple[str, ...] = ()
    if burst > 1 and not sender.is_bbr:
        # A sender halves its window once for the losses of a round trip (RFC 6675, section 5).
        low, high = low / burst, high / burst
        remarks = (f"loss: in bursts of {burst:.3g} packets, each of which reduces the window once: counted once",)
    if found.loss == 0:
        hosts = verdict is not None and not verdict.is_of_network
        remarks = (f"loss: {none_lost(found)}" + (", 0 is assumed" if hosts else ""),)
        return (0.0, 0.0 if hosts else high), remarks
    if verdict is not None and verdict.kind != "losses":
        low = 0.0
    if found.transport == "TCP" and is_too_fast(found, "cubic" if sender.is_bbr else scheme):
        unless = "" if found.control else "; if it was a flow of BBR, give --loss"
        return (0.0, 0.0), (
            "loss: taken for overflows of the measured flow itself, because it was faster than random losses at this "
            f"rate allow{unless}",
        )
    return (low, high), remarks


def of_selective_repeat(asked: dict[str, Any], found: PathFigures) -> Path:
    """Return the path, with all arguments of `longfat.design.window`: points, because its answer takes no ranges."""
    from longfat.base.domains import conflict

    for name in ("rate", "round_trip_time"):
        if name in asked and asked[name][0] < asked[name][1]:
            raise conflict(f"a range for {HOLDERS[name][0]}", "needs a --scheme of TCP")
    if any(low < high for low, high in asked.get("loss", ())):
        raise conflict("a range for --loss", "needs a --scheme of TCP")
    used, remarks = _used(asked, found)
    _need(used, *HOLDERS)
    packet = asked.get("packet") or found.packet or PACKET
    # By default a segment holds whole packets of the size that was measured.
    segment = asked.get("segment") or max(1, SEGMENT // packet) * packet
    sent = segment / math.ceil(segment / packet - 1e-9)
    if found.packet and "loss" not in asked and abs(sent - found.packet) > 1:
        remarks += (f"loss: measured for packets of {found.packet:g} bytes, used for packets of {sent:.6g} bytes",)
    unused = UNUSED + (("packet:",) if "packet" in asked else ())
    remarks = tuple(one for one in remarks if not one.startswith(unused))
    points = {
        "rate": asked["rate"][0] if "rate" in asked else found.rate,
        "round_trip_time": asked["round_trip_time"][0] if "round_trip_time" in asked else found.round_trip_time,
        "loss": [low for low, _ in asked["loss"]] if "loss" in asked else found.loss,
    }
    arguments = {name: value for name, value in asked.items() if name != "scheme"}
    arguments |= points | {"segment": segment, "packet": packet}
    return Path(arguments, found, remarks, "" if "rate" in asked else found.transport)

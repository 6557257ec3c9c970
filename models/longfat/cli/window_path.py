"""Network path of `longfat window`, read from the options, or from measurements where an option is not given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path as File
from typing import Any

from longfat import measured
from longfat.base.domains import conflict
from longfat.base.quantities import rounded, text
from longfat.cli.parameters import flag_of
from longfat.design import socket_buffers
from longfat.design.senders import SENDERS
from longfat.design.socket_buffers import SCALING, TUNING, Limits
from longfat.measured.diagnosis import Diagnosis, diagnosis, is_too_fast, none_lost
from longfat.measured.figures import DOUBT, PathFigures
from longfat.measured.sysctl import Settings

#: Required input -> the files that contain its value.
HOLDERS = {"rate": "of iperf3", "round_trip_time": "of ping, or of iperf3 --json on the sending side of TCP"}


@dataclass(frozen=True)
class Path:
    """Network path: the options that the user gave, the measurements in the files, and the limits of the hosts.

    ``figures`` are the measurements; options override them. ``verdict`` is the diagnosis of the measured flow, None if
    no TCP flow was measured. ``limits`` is None if the settings of the hosts are unknown.
    """

    options: dict[str, Any]
    figures: PathFigures
    verdict: Diagnosis | None
    limits: Limits | None

    @property
    def rate_measured_by(self) -> str:
        """Transport by which the rate was measured, "TCP" or "UDP"; empty if the rate was given."""
        return "" if "rate" in self.options else self.figures.transport

    @property
    def no_window(self) -> bool:
        """Whether measured losses limit the rate, so that no window raises it."""
        lossy = self.verdict is not None and self.verdict.kind == "losses" and "loss" not in self.options
        return lossy and not SENDERS[self.options["scheme"]].is_bbr

    def arguments(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the arguments of `longfat.design.tcp_window`, and remarks on the measurements that are used."""
        asked, found = self.options, self.figures
        of_tcp = found.transport == "TCP"
        used = {name: asked.get(name) for name in (*HOLDERS, "loss")}
        kept = tuple(f"{name}:" for name, value in used.items() if value is not None)
        remarks = tuple(one for one in found.remarks if not kept or not one.startswith(kept))
        for name, value in used.items():  # replace each measured figure by the two ends of its interval
            figure = getattr(found, name)
            if value is None and figure is not None:
                used[name] = getattr(found, f"{name}_interval") or (figure, figure)
        for name, holders in HOLDERS.items():
            if used[name] is None:
                raise conflict(flag_of(name), "is missing", f"give it, or a file that contains it ({holders})")
        more = {name: used[name] for name in HOLDERS} | {"measured": bool(self.rate_measured_by)}
        if used["loss"] is None:
            remarks += ("loss: not given, 0 is assumed: only packets that the flow's own overflows drop are lost",)
        elif "loss" in asked:
            more["loss"] = used["loss"] if len(used["loss"]) > 1 else used["loss"][0]
        else:
            if found.loss == 0:
                remarks = tuple(one for one in remarks if not one.startswith("loss:"))
            more["loss"], further = _measured_loss(found, self.verdict, used["loss"], asked["scheme"])
            remarks += further
        if segment := asked.get("mss", round(found.packet) if of_tcp and found.packet else None):
            more["segment"] = segment
        if flows := asked.get("flows", found.flows if of_tcp else None):
            more["flows"] = int(flows)
        return {name: value for name, value in asked.items() if name != "mss"} | more, remarks


def read(files: Iterable[str], options: dict[str, Any], kernel: str | None) -> Path:
    """Read the files, which are measurements of the path and settings of its hosts; return them with the options."""
    contents = measured.read_each(*files) if files else []
    hosts = [one for one in contents if isinstance(one, Settings)]
    runs = [one for one in contents if not isinstance(one, Settings)]
    if kernel and hosts:
        raise conflict("--kernel", "excludes the output of sysctl -a", "which has the settings themselves")
    figures = measured.path_of(runs) if runs else PathFigures()
    if (trip := options.get("round_trip_time")) and figures.transport == "TCP":
        base = min(max(figures.round_trip_time or trip[0], trip[0]), trip[1])
        figures = PathFigures(round_trip_time=base).merged(figures)
    most = options.get("rate", (math.inf,))[-1]
    # Only rates of data are measured: rates of other layers come from the configuration of a shaper, which tc prints.
    if figures.rate_layer == "data" and (figures.rate or 0.0) > most:
        said = f"{rounded(figures.rate or 0.0, 'bytes/s', 4)} of data, more than --rate of {text(most, 'bytes/s')}"
        figures = replace(figures, remarks=(*figures.remarks, f"{DOUBT}{said}: another path, or a wrong rate"))
    limits = socket_buffers.tightest([_limits(one) for one in hosts]) if hosts else None
    if kernel:
        limits = socket_buffers.linux_defaults(kernel)
    link = options.get("rate", (None,))[0]
    return Path(options, figures, diagnosis(figures, link, runs) if figures.transport == "TCP" else None, limits)


def _limits(host: Settings) -> Limits:
    """Return the limits of TCP's windows that follow from the sysctl settings of a host."""
    numbers = host.numbers
    memory = numbers.get("net.ipv4.tcp_mem")
    off = tuple(name for name in (SCALING, TUNING) if numbers.get(name) == (0,))
    return Limits(
        File(host.file).name,
        numbers["net.ipv4.tcp_rmem"][1 if TUNING in off else 2],
        numbers["net.ipv4.tcp_wmem"][2],
        memory[1] * socket_buffers.PAGE if memory else None,
        off,
        bool(host.kernel) and socket_buffers.linux_version(host.kernel) <= socket_buffers.LAST_HALF,
    )


def _measured_loss(
    found: PathFigures, verdict: Diagnosis | None, interval: tuple[float, float], scheme: str
) -> tuple[tuple[float, float], tuple[str, ...]]:
    """Return a range of the path's loss from a measurement, and a remark if it differs from the counted loss.

    A TCP flow may have caused all its losses itself, by overflows. The interval therefore begins at 0, unless the
    diagnosis is losses without a queue. A loss of 0 is assumed if the flow was faster than random losses of the counted
    probability allow, because the flow then caused the losses itself. A loss of 0 is also assumed if the hosts limited
    the flow and nothing was lost, because the upper bound of the loss then says nothing about the rate.
    """
    low, high = (min(end, 0.999) for end in interval)
    sender = SENDERS[scheme]
    burst = found.loss_burst or 1.0
    remarks: tuple[str, ...] = ()
    if burst > 1 and not sender.is_bbr:
        # A sender halves its window once for all losses of a round trip (RFC 6675, section 5): count a burst as one
        # loss.
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
            "loss: taken for overflows of the measured flow itself, because it was faster than as many random losses "
            f"allow{unless}",
        )
    return (low, high), remarks

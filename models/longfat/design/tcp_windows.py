"""Design of TCP's window on a path: rate of a long transfer, socket buffers, and the rate that a check will show."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.argument import takes
from longfat.base.domains import out_of_range, seed_of
from longfat.base.quantity import READERS
from longfat.design import figure_ranges, tcp
from longfat.design.arguments import REPLICATIONS, TCP_WINDOW
from longfat.design.beside_cubic import RUNS, beside_cubic
from longfat.design.figure_ranges import Range
from longfat.design.replicating import Effort
from longfat.design.senders import SENDERS
from longfat.design.socket_buffers import SocketBuffers, times
from longfat.design.window_curves import attrs
from longfat.laws.tcp import achievable_throughput

if TYPE_CHECKING:
    import xarray as xr

#: Bytes of a packet that are no data: 40 of IP and TCP and 12 of time stamps; on Ethernet 38 more (RFC 6349, section
#: 4.1.1: 18 of the frame, 20 of preamble and gap). A link's rate counts some of them; which is not known.
HEADERS = (52, 90)
#: How well simulator and Linux agree: docs/linux.md, whose accuracies were chosen before the runs. Of the utilisation
#: where the link limits the flow; of the goodput under random loss.
UTILISATION_ACCURACY, GOODPUT_ACCURACY = 0.01, 0.05
DENSE = np.geomspace(1e-9, 0.02, 61)  # losses at which the law is drawn
SEARCHED = 3  # runs at each loss of the search for the loss that fills the link

VARIABLES = {
    "tcp_rate_law": ("bytes/s", "rate of TCP, law; NaN where it does not hold"),
    "tcp_rate": ("bytes/s", "rate of a long transfer, simulated"),
    "tcp_rate_lower": ("bytes/s", "the same, lower confidence limit, at the least favourable ends of the ranges"),
    "tcp_rate_upper": ("bytes/s", "the same, upper confidence limit, at the most favourable ends of the ranges"),
    "tcp_time": ("s", "time that a long transfer lasts"),
    "tcp_cycles": ("1", "the same, in mean times between two reductions of the window"),
    "check_lower": ("bytes/s", "least rate that one check of a new connection is expected to show"),
    "check_upper": ("bytes/s", "largest rate that one check of a new connection is expected to show"),
    "check_skipped": ("s", "time that a check leaves out at its start"),
    "check_time": ("s", "time that a check lasts"),
    "tcp_in_flight": ("bytes", "mean amount in flight of a long transfer, queue included"),
    "tcp_window": ("bytes", "window that does not limit TCP"),
}
#: Variables of BBR beside CUBIC; the buffer is that of the path, but for the last one's.
BESIDE_CUBIC = {
    "bbr_share": ("1", "share of the rate that BBR takes beside one CUBIC flow, simulated"),
    "bbr_share_lower": ("1", "the same, lower confidence limit"),
    "bbr_share_upper": ("1", "the same, upper confidence limit"),
    "bbr_loss": ("1", "share of BBR's packets lost beside one CUBIC flow, simulated"),
    "bbr_loss_short": ("1", "the same with a buffer of a tenth of the bandwidth-delay product"),
}


@takes(TCP_WINDOW)
def tcp_window(
    *, rate: Any, round_trip_time: Any, loss: Any, scheme: str, target: float, segment: int, measured: bool = False,
    buffer: float, replications: int, confidence: float, rng: Any, progress: bool = True,
) -> xr.Dataset:  # fmt: skip
    r"""Return the rate that one TCP flow reaches on a path, and the window and the socket buffers that it needs.

    .. math:: W = k \, C R, \qquad k = \min \{ k \ge 2 : n p^k \le 0.01 \}

    C R is the bandwidth-delay product, n that in packets. While a lost packet is sent again, a round trip's worth of
    data arrives behind it, for each of its transmissions; with a window of k products the sender need not stop.

    Parameters
    ----------
    **arguments
    measured : bool
        Whether the rate was measured: data without headers, as iperf3 counts, and not the most that the link carries.
        The window is then twice as large.
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``loss``: ``tcp_rate_law`` and, of long transfers of ``tcp_time`` [s], ``tcp_rate`` with limits
        [bytes/s], of data without headers; ``check_lower`` and ``check_upper`` [bytes/s], the interval in which one
        measurement of ``check_time`` after ``check_skipped`` [s] is expected; ``tcp_in_flight`` and ``tcp_window``
        [bytes]. ``tcp_filling_loss_law`` and ``tcp_filling_loss``: the largest loss at which a long transfer carries
        ``target`` of the link. ``bbr_share``, ``bbr_loss`` and ``bbr_loss_short``, where BBR is the sender or, because
        of the losses, a way out: its share beside a CUBIC flow, and its losses. Attributes:
        ``window``, the largest ``tcp_window``; ``linux_maximum``, the third value of ``net.ipv4.tcp_rmem`` and
        ``tcp_wmem``; ``linux_request``, the value for ``SO_RCVBUF`` and ``net.core.rmem_max`` [bytes]. ``effects``: for
        each input with a range the logarithm of the factor by which the range changes the rate, and the gradient
        d ln rate/d ln input, by the law. Along ``law_loss``: ``dense_rate_law``, for drawing.

    Notes
    -----
    With ranges the rate is given in the middle of each, and its limits are those at the least and the most favourable
    ends: rate does not fall with the capacity, and does not rise with loss or round-trip time. Window and socket
    buffers are those of the largest bandwidth-delay product.

    A long transfer lasts 100 mean times between two reductions of the window, after 10 in which it forgets its start.
    A check is simulated as a user makes it: from slow start, whose first seconds are left out. Within its minute the
    window of CUBIC or Reno may still be far above its long-run mean. Its interval is that of one more run, and wider by
    the accuracy with which simulator and Linux agree: 0.01 of the link, and 5 % of the goodput under random loss
    (docs/linux.md). Large paths are simulated smaller, with the same p N^2 (Reno, and CUBIC where it is Reno-friendly),
    p N (CUBIC elsewhere; in long transfers also in fewer round trips) or p (BBR, whose long transfer is its check).

    Examples
    --------
    >>> answer = tcp_window(rate="100Mbit/s", round_trip_time="20ms", replications=0)
    >>> int(answer.window), int(answer.linux_maximum)  # two products of 250 kB at 1448 data bytes in 1500, in pages
    (483328, 1933312)

    References
    ----------
    RFC 9438 (CUBIC); RFC 6349 (TCP throughput tests); kernel documentation, networking/ip-sysctl (tcp_rmem).
    """
    import xarray as xr

    from longfat.base.progress import bar
    from longfat.base.provenance import made_by

    sender = SENDERS[scheme]
    given = {name: _range(name, value) for name, value in (("rate", rate), ("round_trip_time", round_trip_time))}
    losses = _losses(loss)
    if replications:
        REPLICATIONS.checked("replications", replications)
    headers = (0, 0) if measured else HEADERS
    least, most = (float(achievable_throughput(1.0, segment, extra)) for extra in reversed(headers))
    seed = seed_of(rng)

    def path(at: dict[str, float]) -> tcp.TcpPath:
        """Return the path; its rate, without headers, is the middle between the smallest and the largest headers."""
        return tcp.TcpPath((least + most) / 2 * at["rate"], at["round_trip_time"], segment, sender, buffer)

    largest = most * given["rate"].high * given["round_trip_time"].high
    middle = {name: one.middle for name, one in given.items()}
    columns: dict[str, list[float]] = {name: [] for name in VARIABLES}
    with bar(task="simulating TCP", unit="run", shown=progress) as shown:
        effort = Effort(seed, replications, confidence, shown.update)
        for one in losses:
            row = _row(path, given | {"loss": one}, least, most, effort)
            row["tcp_window"] = (2 if measured else 1) * times(largest / segment, one.high) * largest
            for name in columns:
                columns[name].append(row.get(name, math.nan))
        found = math.nan
        if replications and not sender.is_bbr:
            found = tcp.loss_that_fills(path(middle), target, Effort(seed, SEARCHED, confidence, shown.update))
        beside = dict.fromkeys(BESIDE_CUBIC, math.nan)
        if replications and (sender.is_bbr or not max(one.high for one in losses) <= found):
            # Where losses slow the sender down, or at all (NaN), the answer names BBR of mainline Linux as a way out.
            bbr = replace(path(middle), sender=sender if sender.is_bbr else SENDERS["bbr1"])
            beside = beside_cubic(bbr, Effort(seed, RUNS, confidence, shown.update))
    simulated = (name for name in VARIABLES if replications or name in ("tcp_rate_law", "tcp_window"))
    said = f"largest loss at which TCP carries {100 * target:.6g}% of the link"
    data = xr.Dataset(
        {
            **{name: ("loss", np.asarray(columns[name]), attrs(*VARIABLES[name])) for name in simulated},
            "loss_low": ("loss", [one.low for one in losses], attrs("1", "lower end of the loss probability")),
            "loss_high": ("loss", [one.high for one in losses], attrs("1", "upper end of the loss probability")),
            "dense_rate_law": ("law_loss", [path(middle).law(p) for p in DENSE], attrs(*VARIABLES["tcp_rate_law"])),
            "tcp_filling_loss_law": ((), path(middle).law_loss(target), attrs("1", f"{said}, law")),
            "tcp_filling_loss": ((), found, attrs("1", f"{said}, simulated; NaN if not simulated")),
            **{name: ((), value, attrs(*BESIDE_CUBIC[name])) for name, value in beside.items()},
        },
        coords={
            "loss": ("loss", [one.middle for one in losses], attrs("1", "packet loss probability")),
            "law_loss": ("law_loss", DENSE, attrs("1", "packet loss probability")),
        },
    )
    sizes = SocketBuffers(max(columns["tcp_window"]), segment)
    ends = {f"{name}_{side}": getattr(one, side) for name, one in given.items() for side in ("low", "high")}
    effects = max(
        (_effects(path, given | {"loss": one}, sender, segment) for one in losses),
        key=lambda found: max((effect for effect, _ in found.values()), default=0.0),
    )
    data.attrs = {
        "protocol": "TCP",
        "scheme": scheme,
        **middle,
        **ends,
        "segment": segment,
        "rate_measured": int(measured),
        "headers": list(headers),
        "bandwidth_delay_product": largest,
        "buffer": buffer,
        "window": sizes.window,
        "linux_maximum": sizes.maximum,
        "linux_request": sizes.request,
        "window_limited": int(sizes.limited),
        "target": target,
        "confidence": confidence,
        "replications": replications,
        "effects": "; ".join(f"{name} {effect:.6g} {slope:.6g}" for name, (effect, slope) in effects.items()),
        "seed": str(seed),
        "units": "bytes/s, s, bytes as the names say; buffer in bandwidth-delay products",
        "longfat_version": __version__,
    }
    alone = len(losses) == 1 and not isinstance(loss, list)
    return made_by(data.squeeze("loss") if alone else data, "design.tcp_window")


def _losses(loss: Any) -> list[Range]:
    """Return the losses: of a list, or of a text with commas."""
    values = loss.split(",") if isinstance(loss, str) else loss if isinstance(loss, list) else [loss]
    if not values:
        raise out_of_range("loss", "[]", "1", "one probability in [0, 1) or more")
    return [_range("loss", value) for value in values]


def _range(name: str, value: Any) -> Range:
    """Return an argument that may be a range."""
    record = TCP_WINDOW[name]
    return figure_ranges.read(value, READERS[record.unit], name, record.domain)


def _row(path: Any, given: dict[str, Range], least: float, most: float, effort: Effort) -> dict[str, float]:
    """Return the variables at one loss, except for the window."""
    middle = {name: one.middle for name, one in given.items()}
    loss = middle["loss"]
    row = {"tcp_rate_law": path(middle).law(loss)}
    if not effort.replications:
        return row
    here = path(middle)
    skipped, lasts = here.check(loss)
    row |= {"check_skipped": skipped, "check_time": lasts, "tcp_time": here.time(loss)}
    row["tcp_cycles"] = row["tcp_time"] / here.cycle(loss)
    worst = {"rate": given["rate"].low} | {name: given[name].high for name in ("round_trip_time", "loss")}
    best = {"rate": given["rate"].high} | {name: given[name].low for name in ("round_trip_time", "loss")}
    mean_of = _limits(here, loss, effort)
    # If no input is a range, both ends equal the middle.
    least_of, most_of = (mean_of if at == middle else _limits(path(at), at["loss"], effort) for at in (worst, best))
    centre = (least + most) / 2
    return row | {
        "tcp_rate": mean_of["mean"],
        "tcp_rate_lower": least_of["lower"],
        "tcp_rate_upper": most_of["upper"],
        "check_lower": least_of["least"] * least / centre,
        "check_upper": most_of["most"] * most / centre,
        "tcp_in_flight": mean_of["in_flight"],
    }


def _limits(path: tcp.TcpPath, loss: float, effort: Effort) -> dict[str, float]:
    """Return the mean of long transfers with limits, the limits of a check [bytes/s], and the amount in flight [bytes].

    Those of a check are wider by the accuracy of the simulator.
    """
    checks = path.checks(loss, effort)
    transfers = checks if path.sender.is_bbr else path.transfers(loss, effort)
    found = tcp.limits([run.share for run in transfers], effort.confidence)
    check = tcp.limits([run.share for run in checks], effort.confidence)
    wider = GOODPUT_ACCURACY if loss > 0 else 0.0
    found["least"] = check["least"] * (1 - wider) - UTILISATION_ACCURACY * check["mean"]
    found["most"] = check["most"] * (1 + wider) + UTILISATION_ACCURACY * check["mean"]
    made = {name: path.rate * min(1.0, max(0.0, value)) for name, value in found.items()}
    delay = float(np.mean([run.queueing_delay for run in transfers]))
    return made | {"in_flight": path.rate * found["mean"] * (path.round_trip_time + delay)}


def _effects(path: Any, given: dict[str, Range], sender: Any, size: int) -> dict[str, tuple[float, float]]:
    """Return for each range the effect on the rate by the law, and the law's gradient in the middle."""

    def law(at: Any) -> float:
        return float(path(at).law(at["loss"]))

    if all(one.known for one in given.values()) or not math.isfinite(
        law({name: one.high for name, one in given.items()})
    ):
        return {}
    middle = {name: one.middle for name, one in given.items()}
    found = figure_ranges.effects(law, given)
    inside = middle | {"rate": path(middle).rate}
    return {name: (effect, sender.elasticity(name, inside, size)) for name, effect in found.items()}

"""Design of TCP on a path: rate of long transfers, number of flows, socket buffers, and the rate of a check."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat._version import __version__
from longfat.base.argument import documented, listed, takes
from longfat.base.domains import conflict, out_of_range, seed_of
from longfat.base.labelled import along_loss, attrs, made_by, with_limits
from longfat.base.layers import header_bytes
from longfat.design import figure_ranges, tcp
from longfat.design.arguments import TCP_WINDOW
from longfat.design.figure_ranges import Range
from longfat.design.senders import SENDERS
from longfat.design.socket_buffers import SocketBuffers
from longfat.laws.tcp import achievable_throughput

if TYPE_CHECKING:
    import xarray as xr

    from longfat.design.replicating import Effort

#: Bytes of a packet that are not data: at the layer of IP, and on the wire of Ethernet. Both are used, because the
#: layer at which a user states the rate of a link is not known.
HEADERS = (header_bytes("IP"), header_bytes("wire"))
#: Tolerances for the agreement between simulator and Linux (docs/linux.md), chosen before the runs: for the utilisation
#: if the link limits the flow, relative to a full link; for the goodput under random loss, relative to the goodput.
UTILISATION_ACCURACY, GOODPUT_ACCURACY = 0.01, 0.05
DENSE = np.geomspace(1e-9, 0.02, 61)  # losses at which the law is drawn

#: Variables of each loss with units and meanings. A simulated variable is missing until its simulation has ended.
VARIABLES = {
    "tcp_rate_law": ("bytes/s", "rate of TCP, law; NaN where it does not hold"),
    "tcp_rate": ("bytes/s", "rate of a long transfer, simulated"),
    "tcp_rate_lower": ("bytes/s", "the same, lower confidence limit, at the least favourable ends of the ranges"),
    "tcp_rate_upper": ("bytes/s", "the same, upper confidence limit, at the most favourable ends of the ranges"),
    "tcp_lost": ("1", "share of the packets that are lost, simulated; NaN for senders other than BBR"),
    "tcp_time": ("s", "time that a long transfer lasts"),
    "tcp_cycles": ("1", "the same, in mean times between two reductions of the window"),
    "check_lower": ("bytes/s", "least rate that one check of a new connection is expected to show"),
    "check_upper": ("bytes/s", "largest rate that one check of a new connection is expected to show"),
    "check_skipped": ("s", "time that a check leaves out at its start"),
    "check_time": ("s", "time that a check lasts"),
    "tcp_in_flight": ("bytes", "mean amount in flight of a long transfer, queue included"),
    "tcp_window": ("bytes", "window of each flow that does not limit TCP"),
    "tcp_streams_law": ("flows", "number of flows that carry the share ``target`` of the link, law; NaN if not known"),
    "loss_low": ("1", "lower end of the loss probability"),
    "loss_high": ("1", "upper end of the loss probability"),
}
#: Variables of the path. ``bbr_loss_short`` is for a buffer of a tenth of the bandwidth-delay product, the other
#: variables of BBR beside CUBIC are for the path's buffer.
OF_PATH = {
    "tcp_own_loss_law": ("1", "loss that the flows cause themselves once they fill the link, law"),
    "tcp_filling_loss_law": ("1", "largest loss at which TCP carries {target} of the link, law"),
    **with_limits("bbr_share", "share of the rate that the flows of BBR take beside one CUBIC flow"),
    "bbr_loss": ("1", "share of BBR's packets lost beside one CUBIC flow, simulated"),
    "bbr_loss_short": ("1", "the same with a buffer of a tenth of the bandwidth-delay product"),
}


@documented(TCP_WINDOW)
def tcp_window(
    *, measured: bool = False, simulate: bool = True, progress: bool = True, **arguments: Any
) -> xr.Dataset:  # fmt: skip
    r"""Return the rate that TCP reaches on a path, and the window and the socket buffers that each flow needs.

    .. math:: W = k \, C R/N, \qquad k = \min \{ k \ge 2 : n p^k \le 0.01 \}

    C R is the bandwidth-delay product, N the number of flows, n = C R/N in packets, and p the loss. The receiver holds
    back the data behind a lost packet until the packet arrives. If the packet is sent k times, these are the data of k
    round trips, and a sender need not stop if its window is k C R/N. For senders that reduce their windows at losses,
    k is 2: if losses are so frequent that retransmissions are lost, too, such windows are far smaller than C R/N.

    Parameters
    ----------
    **arguments
    measured : bool
        Whether ``rate`` was measured: it then counts data without headers, as iperf3 does, and the link may carry more,
        so that the window is twice as large.
    simulate : bool
        Whether to simulate the flows; otherwise the answer has the laws only.
    progress : bool
        Show progress when it takes more than two seconds.

    Returns
    -------
    xarray.Dataset
        Along ``loss``: ``tcp_rate_law`` and, simulated over long transfers of ``tcp_time`` [s], ``tcp_rate`` with
        limits [bytes/s], of data without headers; ``check_lower`` and ``check_upper`` [bytes/s], the interval in which
        one measurement of ``check_time`` after ``check_skipped`` [s] is expected; ``tcp_in_flight`` and ``tcp_window``
        [bytes]; ``tcp_streams_law``, the number of flows that carry ``target`` of the link. ``tcp_filling_loss_law``:
        the largest loss at which long transfers carry ``target`` of the link by law. ``tcp_own_loss_law``: the loss
        that flows which fill the link cause by overflowing its buffer; if it is above the loss of the path, more flows
        add losses and no rate. ``bbr_share``, ``bbr_loss`` and ``bbr_loss_short``, if BBR is the sender or is advised
        because of the losses: its share beside a CUBIC flow, and its losses.
        Attributes, of each flow: ``window``, the largest ``tcp_window``; ``linux_maximum``, the third value of
        ``net.ipv4.tcp_rmem`` and ``tcp_wmem``; ``linux_request``, the value for ``SO_RCVBUF`` and
        ``net.core.rmem_max`` [bytes]. ``sockets``: the least number of flows whose windows, as large as Linux allows,
        fill the path. Along ``law_loss``: ``dense_rate_law``, for drawing.

    Notes
    -----
    If inputs are ranges, the rate is simulated in the middle of all ranges, its lower limit at the worst ends, and its
    upper limit at the best ends: a higher capacity does not lower the rate, and a higher loss or round-trip time does
    not raise it. Window and socket buffers suffice for the largest bandwidth-delay product.

    A long transfer, and a check as a user makes it, are simulated as docs/window.md says. The long transfers of several
    flows share its 100 mean times between two reductions of the window, but last 20 at least; a long transfer of BBR is
    its check.

    Examples
    --------
    >>> answer = tcp_window(rate="100Mbit/s", round_trip_time="20ms", simulate=False)
    >>> int(answer.window), int(answer.linux_maximum)  # two products of 250 kB at 1448 data bytes in 1500, in pages
    (483328, 1933312)

    References
    ----------
    RFC 9438 (CUBIC); RFC 6349 (TCP throughput tests); kernel documentation, networking/ip-sysctl (tcp_rmem).
    """
    steps = answers(measured=measured, progress=progress, **arguments)
    answer = next(steps)
    for _ in steps if simulate else ():
        pass
    return answer.dataset()


@dataclass
class Answer:
    """Answer of `tcp_window`, which may still lack simulated values.

    ``rows`` has for each loss the `VARIABLES`, ``loss``, the middle of its range, and ``long_lower`` and
    ``long_upper``, the limits of a check that lasts as long as a long transfer. ``values`` has the variables of
    `OF_PATH`, NaN until they are simulated. ``path`` is the path in the middle of all ranges. ``alone`` is true if a
    single loss was given, not a list.
    """

    rows: list[dict[str, float]]
    values: dict[str, float]
    path: tcp.TcpPath
    attrs: dict[str, Any]
    alone: bool

    @property
    def capacity(self) -> float:
        """Rate of data of the full link [bytes/s]."""
        return self.path.law(0.0)

    @property
    def reachable(self) -> float:
        """Rate of data without losses [bytes/s]: the link's, or that of TCP's largest windows if these carry less."""
        a = self.attrs
        return min(self.capacity, float(a["flows"] * a["window"] / a["round_trip_time"]))

    @property
    def link(self) -> tuple[float, float]:
        """Range of the full link's rate of data [bytes/s]: lowest rate with the largest headers to the opposite."""
        a, (least, most) = self.attrs, self.attrs["headers"]
        low = float(achievable_throughput(a["rate_low"], a["segment"], most))
        return low, float(achievable_throughput(a["rate_high"], a["segment"], least))

    def dataset(self) -> xr.Dataset:
        """Convert the answer to a Dataset."""
        import xarray as xr

        target = f"{100 * self.attrs['target']:.6g}%"
        declared = {name: attrs(unit, said.format(target=target)) for name, (unit, said) in OF_PATH.items()}
        variables = along_loss(self.rows, VARIABLES)
        variables["dense_rate_law"] = ("law_loss", list(map(self.path.law, DENSE)), attrs(*VARIABLES["tcp_rate_law"]))
        variables |= {name: ((), self.values[name], about) for name, about in declared.items()}
        coordinates = along_loss(self.rows, {"loss": ("1", "packet loss probability")})
        coordinates["law_loss"] = ("law_loss", DENSE, attrs("1", "packet loss probability"))
        data = made_by(xr.Dataset(variables, coordinates, self.attrs), "design.tcp_window")
        return data.squeeze("loss") if self.alone else data


LARGEST_BDP = 1e18  # bytes: largest bandwidth-delay product. Our choice: 400 Gbit/s for eight months
#: Smallest buffer for DCTCP [packets]. Our choice: the smallest threshold is one packet, and the queue must be able to
#: exceed it.
LEAST_BUFFER_OF_DCTCP = 1.5


@takes(TCP_WINDOW)
def answers(
    *, rate: Any, round_trip_time: Any, loss: Any, scheme: str, flows: int, target: float, segment: int,
    measured: bool = False, buffer: float, replications: int, confidence: float, rng: Any, progress: bool = True,
) -> Iterator[Answer]:  # fmt: skip
    """Yield the answer of `tcp_window` by the law, and again after the simulations at each loss.

    The answer is yielded once more after BBR beside CUBIC has been simulated. Each time it is the same object, with
    more values.
    """
    sender = SENDERS[scheme]
    given = {name: _range(name, value) for name, value in (("rate", rate), ("round_trip_time", round_trip_time))}
    if (bdp := given["rate"].high * given["round_trip_time"].high) > LARGEST_BDP:
        raise conflict(f"rate x round_trip_time = {bdp:.3g} bytes", f"must be at most {LARGEST_BDP:g} bytes")
    losses = listed("loss", [loss] if isinstance(loss, tuple) else loss)  # a pair is one range
    ranges = [given | {"loss": _range("loss", one)} for one in losses]
    headers = (0, 0) if measured else HEADERS
    shares = [float(achievable_throughput(1.0, segment, extra)) for extra in reversed(headers)]

    def path(at: dict[str, float]) -> tcp.TcpPath:
        """Return the path; its rate of data is the mean of the rates with the smallest and the largest headers."""
        return tcp.TcpPath(sum(shares) / 2 * at["rate"], at["round_trip_time"], segment, sender, buffer, flows)

    here = path(_middle(given))
    if scheme == "dctcp" and buffer * here.bandwidth_delay_product < LEAST_BUFFER_OF_DCTCP:
        allowed = f"[{LEAST_BUFFER_OF_DCTCP / here.bandwidth_delay_product:.3g}, inf), as DCTCP marks above a packet"
        raise out_of_range("buffer", buffer, "BDPs", allowed)
    largest = shares[1] * given["rate"].high * given["round_trip_time"].high
    rows = [
        {
            "loss": one["loss"].middle,
            "loss_low": one["loss"].low,
            "loss_high": one["loss"].high,
            "tcp_rate_law": here.law(one["loss"].middle),
            "tcp_streams_law": here.law_streams(one["loss"].middle, target),
            "tcp_window": (2 if measured else 1)
            * sender.transmissions(largest / segment / flows, one["loss"].high)
            * (largest / flows),
        }
        for one in ranges
    ]
    sizes, seed = SocketBuffers(max(row["tcp_window"] for row in rows), segment), seed_of(rng)
    sockets = replace(sizes, wanted=flows * sizes.wanted).sockets
    for row in rows:
        row["tcp_streams_law"] = max(row["tcp_streams_law"], sockets)  # NaN stays
    known = {"tcp_filling_loss_law": here.law_loss(target), "tcp_own_loss_law": here.law_own_loss()}
    values = dict.fromkeys(OF_PATH, math.nan) | known
    attributes = {
        "protocol": "TCP",
        "scheme": scheme,
        "flows": flows,
        **_middle(given),
        **{f"{name}_{side}": getattr(one, side) for name, one in given.items() for side in ("low", "high")},
        "segment": segment,
        "rate_measured": int(measured),
        "headers": list(headers),
        "bandwidth_delay_product": largest,
        "buffer": buffer,
        "window": sizes.window,
        "linux_maximum": sizes.maximum,
        "linux_request": sizes.request,
        "window_limited": int(sizes.limited),
        "sockets": sockets,
        "target": target,
        "confidence": confidence,
        "replications": 0,
        "seed": str(seed),
        "units": "bytes/s, s, bytes as the names say; buffer in bandwidth-delay products",
        "longfat_version": __version__,
    }
    alone = len(rows) == 1 and not isinstance(loss, list)
    answer = Answer(rows, values, here, attributes, alone)
    yield answer

    from longfat.base.progress import bar
    from longfat.design.beside_cubic import RUNS, beside_cubic
    from longfat.design.replicating import Effort

    attributes["replications"] = replications
    with bar(task="simulating TCP", unit="run", shown=progress) as shown:
        effort = Effort(seed, replications, confidence, shown.update)
        for row in rows:
            row["check_skipped"], row["check_time"] = here.check(row["loss"])
            row["tcp_time"] = here.time(row["loss"])
            row["tcp_cycles"] = row["tcp_time"] / here.cycle(row["loss"])
        slow = False
        for row, one in zip(rows, ranges, strict=True):
            found = _simulated(path, one, shares, effort)
            slow = slow or found["tcp_rate"] < target * here.rate
            # The simulated flows have no largest window: limit the results to one window per round trip.
            row |= found | (_within(found, sizes, flows, here.round_trip_time) if sizes.limited else {})
            shown.clear()  # the answer may be printed on the line of the bar
            yield answer
        if sender.is_bbr or slow:
            # If losses slow the sender down, the answer proposes BBR of mainline Linux: simulate that BBR.
            bbr = here if sender.is_bbr else replace(here, sender=SENDERS["bbr1"], flows=1)
            values |= beside_cubic(bbr, replace(effort, replications=RUNS))
        shown.clear()
        yield answer


def _middle(given: dict[str, Range]) -> dict[str, float]:
    return {name: one.middle for name, one in given.items()}


def _simulated(path: Any, given: dict[str, Range], shares: list[float], effort: Effort) -> dict[str, float]:
    """Simulate one loss, or range of losses, and return the simulated variables of `VARIABLES`."""
    middle = _middle(given)
    loss, here = middle["loss"], path(middle)
    worst = {"rate": given["rate"].low} | {name: given[name].high for name in ("round_trip_time", "loss")}
    best = {"rate": given["rate"].high} | {name: given[name].low for name in ("round_trip_time", "loss")}
    made = _rates(here, loss, effort)
    least, most = shares
    centre = (least + most) / 2
    for end, at, share in (("lower", worst, least), ("upper", best, most)):
        # If no input is a range, both ends equal the middle.
        found = made if at == middle else _rates(path(at), at["loss"], effort)
        made[f"tcp_rate_{end}"] = found[f"tcp_rate_{end}"]
        for name in ("check", "long"):
            made[f"{name}_{end}"] = found[f"{name}_{end}"] * share / centre
    ends = by_iperf3(made["check_lower"], made["check_upper"], here.segment, here.check(loss)[1])
    return made | dict(zip(("check_lower", "check_upper"), ends, strict=True))


def by_iperf3(low: float, high: float, data: int, lasts: float) -> tuple[float, float]:
    """Return the interval of a rate [bytes/s] as iperf3 shows it after ``lasts`` seconds; packets have ``data`` bytes.

    iperf3 counts whole packets: a check may have one more or less than flows have on average.

    >>> by_iperf3(1.0, 2000.0, 1200, 60.0)
    (0.0, 2020.0)
    """
    return max(0.0, low - data / lasts), high + data / lasts


def _within(row: dict[str, float], sizes: SocketBuffers, flows: int, round_trip_time: float) -> dict[str, float]:
    """Return the simulated rates, limited to one window per round trip.

    The window is TCP's largest, or for lower limits the largest that fits into Linux's largest buffer with any driver.
    The amount in flight is limited to the sum of the flows' largest windows.
    """
    window = flows * sizes.window
    most, least = window / round_trip_time, flows * sizes.maximum / sizes.overhead / round_trip_time
    ends = {"tcp_in_flight": window, "tcp_rate": most} | {f"{one}_{end}": size for one in ("tcp_rate", "check", "long")
                                 for end, size in (("lower", least), ("upper", most))}  # fmt: skip
    return {name: min(row[name], size) for name, size in ends.items()}


def _range(name: str, value: Any) -> Range:
    """Return the value of an argument as a range; a single value is a range with equal ends."""
    record = TCP_WINDOW[name]
    return figure_ranges.read(name, value, record.unit, record.domain)


def _rates(path: tcp.TcpPath, loss: float, effort: Effort) -> dict[str, float]:
    """Simulate checks and long transfers; return the rates [bytes/s] with their limits, and the data in flight.

    The limits ``check_...`` are the prediction interval of one more check, ``long_...`` of one more run that lasts
    as long as a long transfer; both are widened by the accuracy of the simulator.
    """
    checks = path.checks(loss, effort)
    transfers = checks if path.sender.is_bbr else path.transfers(loss, effort)
    mean = tcp.limits([run.share for run in transfers], effort.confidence)
    shares = {"tcp_rate": mean["mean"], "tcp_rate_lower": mean["lower"], "tcp_rate_upper": mean["upper"]}
    wider = GOODPUT_ACCURACY if loss > 0 else 0.0
    for name, one in (("long", mean), ("check", tcp.limits([run.share for run in checks], effort.confidence))):
        shares[f"{name}_lower"] = one["least"] * (1 - wider) - UTILISATION_ACCURACY * one["mean"]
        shares[f"{name}_upper"] = one["most"] * (1 + wider) + UTILISATION_ACCURACY * one["mean"]
    made = {name: path.rate * min(1.0, max(0.0, share)) for name, share in shares.items()}
    delay, lost = (float(np.mean([getattr(run, name) for run in transfers])) for name in ("queueing_delay", "lost"))
    in_flight = path.rate * mean["mean"] * (path.round_trip_time + delay)
    return made | {"tcp_in_flight": in_flight, "tcp_lost": lost if path.sender.is_bbr else math.nan}

"""Diagnosis of a measured flow: limit of its rate, steps that can raise it, next measurement, metrics of RFC 6349."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from longfat.base.layers import ETHERNETS, LAYERS, NEAR, full_ethernet, full_headers, header_bytes, rate_at
from longfat.base.quantities import rounded, text
from longfat.base.text_tables import labelled
from longfat.laws import tcp
from longfat.laws.cubic import average_window, average_window_random
from longfat.measured.counting import CONFIDENCE, loss_interval
from longfat.measured.figures import Measurement, PathFigures
from longfat.measured.limits import QUEUED

#: Bounds of the ratio of the measured rate to the rate that the law allows at random losses (our choice). Above FASTER
#: the losses were not random; below SLOWER the congestion window was still growing.
FASTER, SLOWER = 1.5, 0.5
#: There was no queue if the queueing delay is less than this fraction of the base round-trip time (our choice).
NO_QUEUE = 0.1
#: Least number of intervals with losses, or of bursts of losses, for a verdict. Our choice: one slow start can cause
#: one or two. Flach et al., SIGCOMM 2016, require losses in three round trips before they call a flow policed.
EVENTS = 3
#: Loss probability above which a policer is suspected if there was no queue. Our choice: a link without defects loses
#: less.
POLICED = 1e-3
#: Kinds of files that contain the times of single packets.
CAPTURES = ("pcap", "qlog")
#: Kinds of diagnoses that a flow also gets if it fills a hop of the path that is slower than the link.
_FULL = ("bottleneck", "growth", "own losses", "suspected policer")

_CAPTURE = (
    "at the sender tcpdump -s 96 -w path.pcap tcp, then longfat measured path.pcap: it shows a policer and its rate"
)
_FIND = "find where packets are lost (ethtool -S, optics, cables)"
_THREADS = "several threads (iperf3 3.16 or newer, -P 4)"
_NO_HELP = "larger windows and fewer losses do not help"
#: For each kind of diagnosis: at most three steps to take, and the next measurement.
_ADVICE = {
    "receiver window": (
        (
            "raise net.ipv4.tcp_rmem of the receiver (longfat window FILES --rate LINK gives the lines)",
            "set no buffer in the program (no iperf3 -w, no SO_RCVBUF)",
        ),
        "the same transfer again",
    ),
    "application": ((), "the same transfer without iperf3 -b: the program asked for no more"),
    "send buffer": (
        (
            "raise net.ipv4.tcp_wmem of the sender (longfat window FILES --rate LINK gives the lines)",
            "set no buffer in the program (no iperf3 -w, no SO_SNDBUF), or a larger one",
        ),
        "the same transfer again",
    ),
    "sender": (
        (
            "a faster program or disk, if ss says app_limited",
            "more net.ipv4.tcp_wmem and no buffer set by the program, if it says sndbuf_limited",
        ),
        "ss -tin dst HOST on the sender during a transfer",
    ),
    "sender's processor": (
        (f"{_THREADS}, and -Z", "segmentation offload (ethtool -k), jumbo frames", _NO_HELP),
        "the same transfer with -P 4 -Z",
    ),
    "receiver's processor": (
        (_THREADS, "receive offload (ethtool -k), jumbo frames", _NO_HELP), "the same transfer with -P 4"
    ),
    "policer": (
        (
            "ask for a higher rate, or shape the flow to the policer's rate before it",
            "no window and no buffer of a socket helps",
        ),
        "the same transfer, shaped",
    ),
    "suspected policer": (("leave the windows as they are: larger ones do not help against a policer",), _CAPTURE),
    "losses or policer": ((f"{_FIND}, if the capture shows no policer",), _CAPTURE),
    "losses": ((_FIND, "several flows (iperf3 -P) carry more"), _CAPTURE),
    "own losses": (
        (),
        "ping HOST while nothing else is sent, and give that file, too: round trips above its smallest show a queue; "
        f"{_CAPTURE}",
    ),
    "bottleneck": (
        (
            "compare with the rate of the link; if that is higher, look for other traffic",
            "look for the hop with this rate (tc -s qdisc, counters of switches)",
        ),
        "the same transfer while nothing else is sent",
    ),
    "hop": (
        ("look for a hop of that rate: the speed by ethtool DEV of both hosts, and the ports of switches",),
        "the same transfer without that hop",
    ),
    "growth": ((), "for longer and without the start: iperf3 -c HOST -O 10 -t 60 --json"),
    "unknown": ((), "iperf3 -c HOST --json on the sending host (without -R), or ss -tin dst HOST during a transfer"),
}  # fmt: skip


@dataclass(frozen=True)
class Diagnosis:
    """Cause that limited a flow, with the steps to take and the next measurement."""

    kind: str  # a key of `_ADVICE`
    limit: str  # cause in words, such as "receiver window of 21 MB", mostly with the rate

    @property
    def steps(self) -> tuple[str, ...]:
        """At most three steps that can raise the rate."""
        return _ADVICE[self.kind][0]

    @property
    def measurement(self) -> str:
        """Next measurement to make."""
        return _ADVICE[self.kind][1]

    @property
    def advice(self) -> str:
        """Steps and next measurement in one sentence."""
        return "; ".join((*self.steps, f"measure {self.measurement}"))

    def lines(self) -> list[str]:
        r"""Return the first lines of a command's output: limit, steps and next measurement.

        >>> print("\n".join(Diagnosis("receiver window", "receiver window of 21 MB").lines()))
        limit     receiver window of 21 MB
        next:     raise net.ipv4.tcp_rmem of the receiver (longfat window FILES --rate LINK gives the lines)
                  set no buffer in the program (no iperf3 -w, no SO_RCVBUF)
        measure   the same transfer again
        """
        made = [f"limit     {self.limit}"]
        made += [f"{'next:' * (k == 0):10}{step}" for k, step in enumerate(self.steps)]
        return made + labelled("measure", self.measurement)

    @property
    def is_of_network(self) -> bool:
        """Whether the path limited the rate, so that a better measurement of the path improves the answer."""
        return self.kind in ("losses", "losses or policer", "own losses", "bottleneck", "growth", "unknown")

    @property
    def is_beyond_windows(self) -> bool:
        """Whether larger windows and socket buffers would not raise the rate."""
        return self.kind in ("application", "hop") or self.kind.endswith(("processor", "policer"))


def diagnosis(figures: PathFigures, link: float | None = None, runs: Sequence[Measurement] = ()) -> Diagnosis:
    """Return the diagnosis of a measured flow: the cause that limited its rate.

    A policer that a capture shows comes first, then a limit that the hosts report, then the verdict from losses and
    queue. If the flow filled an Ethernet whose rate is below that of the ``link`` [bytes/s], that hop is the limit.
    ``runs`` are the measurements from which the figures were combined. If one of them alone suggests a policer, a short
    queue in the others does not exclude it (our choice), unless one of them is a capture, whose verdict then decides.

    >>> closed = PathFigures(rate=2.6e8, round_trip_time=0.08, limited_by="receiver window", receive_window=21e6)
    >>> diagnosis(closed).limit
    'receiver window of 21 MB: 2.1 Gbit/s at 80 ms'
    """
    if figures.policed:
        return Diagnosis("policer", f"policer: {_passed(figures)}")
    if figures.limited_by not in (None, "network"):
        return _of_hosts(figures)
    queue = figures.queueing_delay
    full = queue is not None and queue > (QUEUED - 1) * (figures.round_trip_time or 0.0)
    if figures.limited_by and figures.rate and queue is not None and (full or figures.loss is not None):
        made = _of_network(figures)
        if made.kind in _FULL and (filled := _filled(figures, runs)):
            name, rate = filled
            if link is None:
                return replace(made, limit=f"{made.limit}, all that {name} carries")
            if ETHERNETS[name] < (1 - NEAR) * link:
                said = f"{rounded(rate, 'bytes/s')} of data is all that {name} carries"
                return Diagnosis("hop", f"hop of {text(ETHERNETS[name], 'bytes/s')}: {said}")
        if made.kind == "own losses" and not any(one.kind in CAPTURES for one in runs):
            alone = (diagnosis(one.figures) for one in runs if len(runs) > 1)
            made = next((one for one in alone if one.kind in ("suspected policer", "losses or policer")), made)
        return made
    said = f": {rounded(figures.rate, 'bytes/s')} of data arrived" if figures.rate and figures.transport else ""
    return Diagnosis("unknown", f"unknown{said}")


def none_lost(figures: PathFigures) -> str:
    """Return a text for a flow without losses: its number of packets, and an upper bound of the loss probability.

    >>> none_lost(PathFigures(loss=0.0, packets_sent=1.07e7, loss_interval=(0.0, 3.447e-7)))
    'none in 1.07e7 packets: at most 3.45e-07 (95% confidence)'
    """
    said = "none" if figures.packets_sent is None else f"none in {_count(figures.packets_sent)} packets"
    if figures.loss_interval is None:
        return said
    return f"{said}: at most {figures.loss_interval[1]:.3g} ({CONFIDENCE:.0%} confidence)"


def allowed_rates(figures: PathFigures, control: str = "cubic") -> tuple[float, float, float] | None:
    """Return CUBIC's or Reno's rate at the measured loss, and its bounds [bytes/s]; None if lossless, and for BBR.

    The bounds are the rates at both ends of the 95 % interval of the loss, which is wide for one or two losses. Losses
    in a burst count once: a sender reduces its window once for the losses of a round trip (RFC 6675, section 5).
    ``control`` is assumed if the measurement does not name the congestion control.
    """
    loss, sent, burst, trip = figures.loss, figures.packets_sent, figures.loss_burst or 1.0, figures.round_trip_time
    if not (loss and sent and trip and figures.packet) or (figures.control or "").startswith("bbr"):
        return None
    law = _cubic if (figures.control or control) == "cubic" else tcp.square_root_rate
    low, high = loss_interval(loss * sent, sent, burst)
    packets = (float(law(one / burst, trip)) for one in (loss, min(high, 0.999), low))
    middle, least, most = ((figures.flows or 1.0) * one * figures.packet for one in packets)
    return middle, least, most


def _cubic(loss: float, round_trip_time: float) -> float:
    """Return the rate of CUBIC under random losses [packets/s], with fast convergence as hosts use it."""
    random = float(average_window_random(loss, round_trip_time, fast_convergence=1))
    return max(random, float(average_window(loss, round_trip_time))) / round_trip_time


def is_too_fast(figures: PathFigures, control: str = "cubic") -> bool:
    """Return whether the losses were not random: the rate exceeds `FASTER` times the rate at random losses."""
    allowed = allowed_rates(figures, control)
    return allowed is not None and figures.rate is not None and figures.rate > FASTER * allowed[2]


def _of_hosts(figures: PathFigures) -> Diagnosis:
    """Return the diagnosis of a flow that a window, a send buffer, the application or a processor limited."""
    kind, rate = str(figures.limited_by), rounded(figures.rate, "bytes/s") if figures.rate else "rate not known"
    if kind.endswith("processor"):
        busy = f", busy for {100 * figures.processor:.3g}% of the time" if figures.processor else ""
        return Diagnosis(kind, f"{kind}{busy}: {rate}")
    if kind == "send buffer":
        during = f", for {figures.limited_share:.0%} of the time with data outstanding" if figures.limited_share else ""
        return Diagnosis(kind, f"send buffer{during}: {rate}")
    if kind == "sender":
        if figures.offered:
            return Diagnosis("application", f"application, told to send {rounded(figures.offered, 'bytes/s')}: {rate}")
        return Diagnosis(kind, f"sender, whose program or send buffer had too little to send: {rate}")
    if not figures.round_trip_time:
        return Diagnosis(kind, f"{kind}: {rate}")
    trip = figures.round_trip_time + (figures.queueing_delay or 0.0)
    window, about = figures.receive_window, ""
    if window is None and figures.rate:
        window, about = figures.rate * trip, "about "  # Little's law
    if window is None:
        return Diagnosis(kind, f"{kind} at {rounded(trip, 's')}")
    means = f"{rounded(window / trip, 'bytes/s')} at {rounded(trip, 's')}"
    return Diagnosis(kind, f"{kind} of {about}{rounded(window, 'bytes')}: {means}")


def _of_network(figures: PathFigures) -> Diagnosis:
    """Return the diagnosis of a flow that the hosts did not limit, from its loss, queueing delay and rate."""
    rate, base, loss, queue = figures.rate or 0.0, figures.round_trip_time, figures.loss, figures.queueing_delay or 0.0
    trip = base or 0.0
    if queue > (QUEUED - 1) * trip:
        said = f"bottleneck that was full, with a queue of {rounded(queue, 's')}"
        return Diagnosis("bottleneck", f"{said}: {rounded(rate, 'bytes/s')} of data")
    allowed = allowed_rates(figures)
    if not loss:
        return Diagnosis("growth", f"congestion window, still growing without losses: {rounded(rate, 'bytes/s')}")
    if allowed is None and loss < POLICED:
        return Diagnosis("unknown", f"unknown, with losses that do not slow down BBR: {rounded(rate, 'bytes/s')}")
    if allowed is not None and rate < SLOWER * allowed[1] and (figures.loss_events or 0) < EVENTS:
        said = f"congestion window, still growing: {rounded(rate, 'bytes/s')}"
        return Diagnosis("growth", f"{said}, and the losses allow {rounded(allowed[0], 'bytes/s')}")
    is_fast = is_too_fast(figures)
    # Parallel flows keep a queue all the time. Even the smallest round trip in iperf3's output then contains queueing.
    if queue > NO_QUEUE * trip or (is_fast and (figures.flows or 1) > 1):
        said = f"losses of the flow itself at a short queue, or of the path: {loss:.3g}"
        return Diagnosis("own losses", f"{said}, at {rounded(rate, 'bytes/s')}")
    if is_fast and (figures.loss_events or EVENTS) < EVENTS:
        said = "congestion window, still growing after a burst of losses"
        return Diagnosis("growth", f"{said}: {rounded(rate, 'bytes/s')}")
    if is_fast:
        return Diagnosis("suspected policer", f"policer suspected, or a short buffer: {_passed(figures)}")
    sent = figures.packets_sent or 0.0
    said = f"loss of {loss:.3g} ({loss * sent:.0f} of {_count(sent)} packets) without a queue"
    if allowed is None:
        # BBR keeps its rate under random losses, and also if a policer drops the packets that BBR sends too fast
        # (docs/measured.md).
        said = f"{said}, at random or by a policer (neither slows down BBR)"
        return Diagnosis("losses or policer", f"{said}: {rounded(rate, 'bytes/s')} of data")
    law = "CUBIC" if (figures.control or "cubic") == "cubic" else "Reno"
    means = f"{rounded(allowed[0], 'bytes/s')} by the law of {law} at {rounded(trip, 's')}"
    kind, cause = ("losses", "") if loss < POLICED else ("losses or policer", ", at random or by a policer")
    return Diagnosis(kind, f"{said}{cause}: {means}, measured {rounded(rate, 'bytes/s')}")


def _filled(figures: PathFigures, runs: Sequence[Measurement]) -> tuple[str, float] | None:
    """Return the name of the Ethernet that the flow filled, and the flow's rate [bytes/s]; None if it filled none."""
    steady = [
        median(series.values)
        for one in runs if one.figures.transport == "TCP" and one.figures.rate_layer == "data"
        for series in one.series if series.name == "rate"
    ]  # fmt: skip
    if not (figures.rate and figures.packet and figures.transport == "TCP"):
        return None
    found = ((full_ethernet(rate, figures.packet), rate) for rate in (figures.rate, *steady))
    return next(((name, rate) for name, rate in found if name), None)


def _passed(figures: PathFigures) -> str:
    """Return a text with the rate that passed a policer and the fraction of packets that the policer dropped."""
    rate = f"{rounded(figures.rate, 'bytes/s')} of data passed" if figures.rate else "rate not known"
    return f"{rate}, a share of {figures.loss or 0.0:.3g} was lost without a queue"


def _count(number: float) -> str:
    """Format a number of packets; a large number is rounded to three digits."""
    return f"{number:.0f}" if number < 1e5 else f"{number:.3g}".replace("e+0", "e").replace("e+", "e")


def metrics(figures: PathFigures, capacity: float | None = None) -> dict[str, float]:
    """Return the three metrics of RFC 6349; a metric is missing if the measurement lacks a figure for it.

    They are "transfer_time_ratio" (section 4.1), "tcp_efficiency" (section 4.2) and "buffer_delay" (section 4.3); the
    RFC writes the last two as percentages. The first needs the ``capacity``, the rate of the bottleneck at the physical
    layer [bytes/s], which TCP cannot measure.

    >>> found = metrics(PathFigures(rate=8e6, round_trip_time=0.025, loss=0.02, packet=1448, transport="TCP",
    ...                             queueing_delay=0.007), capacity=12.5e6)
    >>> {name: round(value, 4) for name, value in found.items()}
    {'transfer_time_ratio': 1.4711, 'tcp_efficiency': 0.98, 'buffer_delay': 0.28}
    """
    made: dict[str, float] = {}
    if figures.transport != "TCP":
        return made
    if capacity is not None and figures.rate and figures.packet and figures.rate_layer == "data":
        # The ratio of the measured to the ideal transfer time does not depend on the transfer size: use the data of one
        # second.
        headers = header_bytes("wire", **full_headers(figures.packet))
        ideal = float(tcp.ideal_transfer_time(figures.rate, capacity, figures.packet, headers))
        made["transfer_time_ratio"] = float(tcp.transfer_time_ratio(1.0, ideal))
    if figures.loss is not None:
        made["tcp_efficiency"] = float(tcp.tcp_efficiency(1 - figures.loss, figures.loss))
    if figures.round_trip_time and figures.queueing_delay is not None:
        loaded = figures.round_trip_time + figures.queueing_delay
        made["buffer_delay"] = float(tcp.buffer_delay(loaded, figures.round_trip_time))
    return made


def beyond(figures: PathFigures, capacity: float | None) -> str:
    """Return a hint on which layer's bytes a rate counts, if the rate exceeds that of data on a full link; else "".

    >>> beyond(PathFigures(rate=986.99e6 / 8, packet=1448, transport="TCP"), 125e6)
    "1 Gbit/s carries 941.5 Mbit/s of data, jumbo frames 990 Mbit/s; 987 Mbit/s is Ethernet's"
    """
    rate, packet = figures.rate, figures.packet
    if not (capacity and rate and packet and figures.transport and figures.rate_layer == "data"):
        return ""
    headers = {"transport": figures.transport} | (full_headers(packet) if figures.transport == "TCP" else {})
    full = {layer: rate_at(capacity, "wire", layer, data=packet, **headers) for layer in LAYERS}
    if rate <= (1 + NEAR) * full["data"]:
        return ""
    jumbo = rate_at(capacity, "wire", "data", 9000, **headers)
    data, large, its = (rounded(one, "bytes/s", 4) for one in (full["data"], jumbo, rate))
    said = f"{text(capacity, 'bytes/s')} carries {data} of data, jumbo frames {large}"
    layer = min(full, key=lambda one: abs(full[one] - rate))
    return said + f"; {its} is {layer}'s" * (abs(rate / full[layer] - 1) < NEAR)

"""Kim and Farber's networks (section 4.1): competitors, the dumbbell, and the networks of the figures.

Three links of delay D/6 each. Every connection has its own access link of rate BW_N; packets have 500 bytes. The
bottleneck is drop-tail for TCP and discards by priority for BLT. Its buffer is the bandwidth-delay product of its
rate and its own round trip, D/3. Acknowledgments take the propagation delay and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longfat.sim import Network, schemes
from longfat.sim.network import traffic
from longfat.sim.network.traffic import Traffic

MBIT = 125_000.0  # bytes/s
PACKET = 500  # bytes
FILE = 100_000.0  # bytes
BOTTLENECK = "S1-S2"
PATH = ("source", "S1", "S2", "destination")
RATIOS = (0.2, 0.6, 1.0)  # BW_b over BW_N


@dataclass(frozen=True)
class Competitor:
    """A scheme in the comparisons: its name in `longfat.sim.schemes`, its parameters and its queue discipline."""

    scheme: str
    discipline: str = "fifo"
    parameters: Mapping[str, float] = field(default_factory=dict)


_COMMON = {"duplicate_threshold": 1.0, "ordered_duplicates": 1.0}
#: TCP of the paper (section 4): Reno with a duplicate threshold of one and per-packet timestamps. The paper leaves open
#: whether several losses in one window halve it several times ("literal") or once ("guarded"), and which clock the
#: timer has.
TCP: dict[str, dict[str, float]] = {
    "literal": {**_COMMON, **schemes.profile("fine"), "bugfix": 0.0},
    "guarded": {**_COMMON, **schemes.profile("fine"), "bugfix": 1.0},
    "literal, ns timer": {**_COMMON, **schemes.profile("ns"), "timestamps": 1.0, "bugfix": 0.0},
    "guarded, ns timer": {**_COMMON, **schemes.profile("ns"), "timestamps": 1.0, "bugfix": 1.0},
}


def _tcp(variant: str = "literal", **parameters: float) -> Competitor:
    return Competitor("reno", parameters={**TCP[variant], **parameters})


#: Competitors by label. Each property of its TCP that the paper leaves open has a variant: whether every loss in a
#: window halves it, the granularity of the timer, which duplicate ACKs count and how many of them, and the initial
#: slow-start threshold (65535 bytes in 4.3BSD).
COMPETITORS: dict[str, Competitor] = {
    "BLT": Competitor("blt", "priority-discard-published"),
    "BLT, corrected switch": Competitor("blt", "priority-discard"),
    "BLT, reset on every ack": Competitor("blt", "priority-discard-published", {"reset": 1.0}),
    "BLT, skips what arrived": Competitor("blt", "priority-discard-published", {"skip_known": 1.0}),
    "BLT, drop-tail": Competitor("blt"),
    "Bully-Tyrant": Competitor("bully-tyrant"),
    "TCP": _tcp(),
    "TCP, one cut a window": _tcp("guarded"),
    "TCP, ns timer": _tcp("literal, ns timer"),
    "TCP, one cut, ns timer": _tcp("guarded, ns timer"),
    "TCP, every duplicate": _tcp(ordered_duplicates=0.0),
    "TCP, every duplicate, ns timer": _tcp("literal, ns timer", ordered_duplicates=0.0),
    "TCP, one cut, every duplicate": _tcp("guarded", ordered_duplicates=0.0),
    "TCP, three duplicates": _tcp(duplicate_threshold=3.0, ordered_duplicates=0.0),
    "TCP, clock of 500 ms": Competitor(
        "reno", parameters={**schemes.profile("bsd"), "duplicate_threshold": 1.0, "ordered_duplicates": 1.0,
                            "bugfix": 0.0},
    ),
    "TCP, slow start to 131": _tcp(initial_ssthresh=131.0),
    "TCP, slow start to 64": _tcp(initial_ssthresh=64.0),
    "TCP, slow start to 40": _tcp(initial_ssthresh=40.0),
    "TCP, slow start to 20": _tcp(initial_ssthresh=20.0),
    "TCP, slow start to 8": _tcp(initial_ssthresh=8.0),
    "TCP, slow start to 2": _tcp(initial_ssthresh=2.0),
}  # fmt: skip

#: Competitors of today, which the paper could not have.
TODAY = {
    "CUBIC": Competitor("cubic"),
    "CUBIC, FQ-CoDel": Competitor("cubic", "fq-codel"),
    "BBR": Competitor("bbr"),
}


@dataclass(frozen=True)
class Path:
    """A network of the paper, with the file size F [bytes] and the buffer over BW_b D/3 [1].

    Its rates are BW_N of the access links and BW_b of the bottleneck [Mbit/s], its round-trip time is D [s].

    >>> Path(150, 30).buffer_packets, Path(150, 30, 0.001).buffer_packets
    (75, 2)
    """

    network: float = 150.0
    bottleneck: float = 30.0
    round_trip: float = 0.03
    file: float = FILE
    buffers: float = 1.0

    @property
    def capacity(self) -> float:
        """Capacity of the bottleneck [bytes/s]."""
        return self.bottleneck * MBIT

    @property
    def buffer_packets(self) -> int:
        """Buffer size, at least one packet, rounded down (2.5 is printed as 2 or 3) [packets]."""
        return max(1, math.floor(self.buffers * self.capacity * self.round_trip / 3 / PACKET + 1e-9))

    @property
    def most_arrivals(self) -> float:
        """Capacity of the bottleneck in files [connections/s]."""
        return self.capacity / self.file


def paths(network: float = 150.0, round_trip: float = 0.03, file: float = FILE, buffers: float = 1.0) -> list[Path]:
    """Return the paths over the three bottlenecks of one network.

    >>> [one.bottleneck for one in paths()]
    [30.0, 90.0, 150.0]
    """
    return [Path(network, round(ratio * network, 9), round_trip, file, buffers) for ratio in RATIOS]


#: The three bottlenecks of every network in the figures of power and fairness.
SETS: dict[str, list[Path]] = {
    "reference": paths(),
    "1 Gbit/s": paths(1000.0),
    "3 ms": paths(round_trip=0.003),
    "1.8 ms": paths(round_trip=0.0018),
    "15 Mbit/s": paths(15.0),
    "1 MB": paths(file=1e6),
    "1 MB, 1 Gbit/s": paths(1000.0, file=1e6),
    "10 kB": paths(file=1e4),
}


def bare_dumbbell(label: str, path: Path) -> Network:
    """Return the three links of section 4.1 without flows: D/6 each, with the queue discipline of the competitor."""
    third = path.round_trip / 6
    net = Network().link("source", "S1", rate=math.inf, delay=third)
    net.link("S1", "S2", rate=path.capacity, delay=third, buffer=path.buffer_packets,
             discipline=(COMPETITORS | TODAY)[label].discipline)  # fmt: skip
    return net.link("S2", "destination", rate=path.network * MBIT, delay=third)


def connection(path: Path) -> dict[str, Any]:
    """Return the arguments of `Network.flow` that all connections share."""
    return {"path": PATH, "packet": PACKET, "access_rate": path.network * MBIT, "ack_path": "ideal"}


def dumbbell(label: str, path: Path, load: float, *, cross: Traffic | None = None, sources: int = 0,
             interactive: float = 0.0, stop: float = math.inf) -> Network:  # fmt: skip
    """Return a dumbbell network with files that arrive at random, and optional traffic beside them.

    Parameters
    ----------
    label : str
        Name in `COMPETITORS` or `TODAY`.
    path : Path
        The network.
    load : float
        Offered load of the files [capacities]; their arrival rate is ``load * path.most_arrivals``.
    cross : Traffic, optional
        Uncontrolled traffic over the bottleneck, of the highest priority.
    sources : int
        Number of sources of that traffic.
    interactive : float
        Load of files of 2 kB by the same scheme [capacities], as flow "small".
    stop : float
        Time after which no more files arrive [s].

    Returns
    -------
    longfat.sim.Network
        Bottleneck "S1-S2", flow "files".

    Examples
    --------
    >>> dumbbell("BLT", Path(150, 30), 0.5)
    Network('', 4 nodes, 3 links, 1 flows)
    """
    one, net = (COMPETITORS | TODAY)[label], bare_dumbbell(label, path)
    common: dict[str, Any] = {"parameters": one.parameters, **connection(path)}
    net.flow(traffic.arrivals(load * path.most_arrivals, one.scheme), name="files", file=path.file, stop=stop, **common)
    if interactive:
        rate = interactive * path.capacity / SMALL
        net.flow(traffic.arrivals(rate, one.scheme), name="small", file=SMALL, **common)
    if cross is not None:
        net.flow(cross, name="cross", path=PATH[1:], packet=PACKET, count=sources)
    return net


SMALL = 2000.0  # bytes, size of an interactive file

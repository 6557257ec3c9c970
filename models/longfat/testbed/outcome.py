"""Outcome of one run of the testbed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from longfat.testbed.connection import Connection


#: Ours: the greatest share of late packets, or of time, with which a run is used.
MOST = 0.01
#: Ours: the greatest share of time for which the network may stand still where a sender is paced by the clock (BBR),
#: because packets sent meanwhile wait. The mean queue of one BBR flow at 20 Mbit/s, 40 ms and a buffer of two
#: bandwidth-delay products was 5.8 to 5.9 packets in four runs with up to 0.2 %, 5.8 to 6.5 in four with 0.2 to 0.4 %,
#: and 6.7 to 9.4 in eight with 0.2 to 0.4 % of which four ran at once on two processors; the simulator has 5.75.
MOST_PACED = 0.002
#: Ours: the longest time for which the network may stand still at once [s]. Linux's timers go on meanwhile: the tail
#: loss probe and the timeouts, after 0.2 s and a round-trip time at the least, would fire without a loss; a window of
#: reordering is a quarter of the least round-trip time, 10 ms at 40 ms; and paced packets gather before the network.
#: One such pause is one late packet, so that the share of late packets does not show it.
LONGEST = 0.01


@dataclass(frozen=True)
class Trust:
    """Evidence on whether a run's results may be used: lateness of packets, drops by devices, applications that lagged.

    Attributes
    ----------
    late : float
        Share of the packets that were written later than 2 ms after they were due.
    packets : int
        Packets that were written.
    drops : int
        Packets that the devices dropped.
    starved : float
        Greatest share of time in which a connection had to wait for its sender's or receiver's application: because of
        a full send buffer or the receiver's window (TCP_INFO), or because there was nothing to send.
    lateness : dict of str to float
        Quantiles of the lateness [s], by name: "median", "99 %", "99.9 %", "largest".
    real_time : bool
        Whether the emulator ran with real-time priority.
    stood : float
        Share of time in which the network stood still, because packets were late.
    paced : bool
        Whether a sender was paced by the clock, not by acknowledgments.
    """

    late: float
    packets: int
    drops: int
    starved: float = 0.0
    lateness: dict[str, float] = field(default_factory=dict)
    real_time: bool = False
    stood: float = 0.0
    paced: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the results may be used."""
        return max(self.late, self.starved) <= MOST and not self.paused and self.drops == 0

    @property
    def paused(self) -> bool:
        """Whether the network stood still for too long, in one pause or in total."""
        return self.longest > LONGEST or self.stood > (MOST_PACED if self.paced else MOST)

    @property
    def longest(self) -> float:
        """Longest single pause of the network [s]."""
        return self.lateness.get("largest", 0.0)

    def __str__(self) -> str:
        words = f"{100 * self.late:.2g} % of {self.packets} packets were later than 2 ms"
        words += f", the network stood still for {100 * self.stood:.2g} % of the time"
        words += f", and for up to {self.longest:.3g} s at once"
        words += f", devices dropped {self.drops}" if self.drops else ""
        return words + (f", applications were late in {100 * self.starved:.2g} % of the time" if self.starved else "")


@dataclass(frozen=True)
class Outcome:
    """One accepted run.

    Attributes
    ----------
    connections : list of Connection
        Linux's connections, in the order in which the emulator numbers them.
    flows, links : list of str
        Names of the emulated network's flows (one for each connection, and other traffic) and links.
    measured : dict of str to numpy.ndarray
        `longfat.sim.runs.results.measure` of the emulated network, from the warm-up to the end.
    packet_counts : dict of str to int
        `longfat.sim.runs.engine.Simulation.packet_counts` of the emulated network.
    drew : bool
        Whether the emulated network drew random numbers.
    trace : dict of str to tuple, or None
        `longfat.sim.runs.results.traces` of the emulated network, if it was sampled.
    before, after : list
        Ledgers of the connections at the end of the warm-up and of the run, see `longfat.testbed.ledger`.
    samples : numpy.ndarray
        Samples of TCP_INFO at the senders, and one at the warm-up's end and one at the end, as `tcp_info.table`.
    written : list of int
        Bytes that the application of each connection has written.
    counters : dict of str to dict
        Changes of the counters of TCP since the handshakes at the "senders" and the "receivers", by Linux's names.
    settings : dict of str to str
        Linux's settings.
    trust : Trust
        Whether the run may be used, and why.
    rejected : list of Trust
        Trust of the earlier runs that were rejected.
    """

    connections: list[Connection]
    flows: list[str]
    links: list[str]
    measured: dict[str, np.ndarray]
    packet_counts: dict[str, int]
    drew: bool
    trace: dict[str, Any] | None
    before: list[Any]
    after: list[Any]
    samples: np.ndarray
    written: list[int]
    counters: dict[str, dict[str, int]]
    settings: dict[str, str]
    trust: Trust
    rejected: list[Trust] = field(default_factory=list)

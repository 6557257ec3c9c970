"""Records of one run of the testbed: its outcome, and the evidence on whether the outcome may be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from longfat.testbed.connection import Connection


#: A run is used if the fraction of late packets, the fraction of time in which applications lagged, and the fraction of
#: time in which the network stood still do not exceed these values (our choice).
MOST = 0.01
#: Largest fraction of the time in which the network may stand still if the clock paces a sender (BBR). Our choice:
#: packets that this sender sends during a pause wait for its end. The mean queue of one BBR flow at 20 Mbit/s, 40 ms
#: and a buffer of two bandwidth-delay products is 5.75 packets in the simulator. On Linux it was 5.8 to 5.9 packets in
#: four runs with a fraction of up to 0.2 %, 5.8 to 6.5 in four runs with 0.2 to 0.4 %, and 6.7 to 9.4 in eight runs
#: with 0.2 to 0.4 %, four of which ran in parallel on two processors.
MOST_PACED = 0.002
#: Longest single pause of the network with which a run is used [s] (our choice). Linux's timers continue during a
#: pause. The tail loss probe and the retransmission timeout, which take at least 0.2 s and a round-trip time, would
#: expire without a loss; so would the reordering window, a quarter of the smallest round-trip time (10 ms at 40 ms);
#: and paced packets would gather before the network. A pause delays only one packet, so the fraction of late packets
#: does not show it.
LONGEST = 0.01


@dataclass(frozen=True)
class Trust:
    """Evidence on whether a run's results may be used: late packets, drops by devices, applications that lagged.

    Attributes
    ----------
    late : float
        Fraction of packets that were written more than 2 ms after they were due.
    packets : int
        Number of packets that were written.
    drops : int
        Number of packets that the devices dropped.
    starved : float
        Largest fraction of time in which a connection waited for the application of its sender or receiver: because of
        a full send buffer or the receiver's window (TCP_INFO), or because there was nothing to send.
    lateness : dict of str to float
        Quantiles of the lateness [s], by name: "median", "99 %", "99.9 %", "largest".
    real_time : bool
        Whether the emulator ran with real-time priority.
    stood : float
        Fraction of time in which the network stood still, because packets were late.
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
        """Whether the results of the run may be used."""
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
        words += f", and for up to {self.longest:.3g} s in one pause"
        words += f", devices dropped {self.drops}" if self.drops else ""
        return words + (f", applications were late in {100 * self.starved:.2g} % of the time" if self.starved else "")


@dataclass(frozen=True)
class Outcome:
    """Results of one run, with the evidence on whether they may be used.

    Attributes
    ----------
    connections : list of Connection
        Linux's connections, in the order in which the emulator numbers them.
    flows, links : list of str
        Names of the emulated network's flows (one for each connection, and other traffic) and links.
    measured : dict of str to numpy.ndarray
        Result of `longfat.sim.runs.results.measure` for the emulated network, from the warm-up to the end.
    packet_counts : dict of str to int
        Result of `longfat.sim.runs.engine.Simulation.packet_counts` for the emulated network.
    drew : bool
        Whether the emulated network drew random numbers.
    trace : dict of str to tuple, or None
        Result of `longfat.sim.runs.results.traces` for the emulated network, None if it was not sampled.
    before, after : list of Account
        Counters of the connections at the end of the warm-up and of the run, see `longfat.testbed.ledger`.
    samples : numpy.ndarray
        Samples of TCP_INFO at the senders as `tcp_info.table` returns them, including the ends of warm-up and run.
    written : list of int
        Bytes that the application of each connection has written.
    counters : dict of str to dict
        Increments of TCP's counters since the handshakes at the "senders" and at the "receivers", by Linux's names.
    settings : dict of str to str
        Linux's settings by name.
    trust : Trust
        Evidence on whether the run may be used.
    rejected : list of Trust
        Evidence of each earlier attempt that was rejected.
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

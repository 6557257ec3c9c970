"""TCP senders of hosts: scheme and parameters in the simulator, and name in Linux."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from longfat.design.buffer_laws import PROBE_INTERVAL

if TYPE_CHECKING:
    from longfat.sim.schemes import Scheme

#: Largest random loss p at which BBR version 1 uses the fraction 1 - p of the link. The rules give 0.2, above which
#: a probe delivers less than the estimate of the bandwidth (`longfat.laws.bbr.largest_loss`). Simulated rates follow
#: the law up to 0.13; at 0.15 a sixth of the link is missing, and at 0.19 all but a tenth (tests/test_design_tcp.py).
LARGEST_LOSS_OF_BBR1 = 0.13
#: Least number of transmissions of a packet for which a window has room. The receiver holds back the data that follow a
#: lost packet until the retransmission of that packet arrives: if a packet is sent k times, the sender has to stop
#: unless the window is at least k bandwidth-delay products.
LEAST_TIMES = 2
#: Largest fraction of windows in which a packet needs more transmissions than the window has room for. Our choice: the
#: sender then stops for at most one round trip in a hundred, which costs up to 1 % of the rate.
RARELY = 0.01


@dataclass(frozen=True)
class Sender:
    """TCP sender: name of its scheme in the simulator, name in Linux, and remarks for the user."""

    scheme: str
    control: str  # net.ipv4.tcp_congestion_control, iperf3 -C
    about: str
    law: str  # assumptions of the sender's law

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters with which the simulator's scheme is most similar to the sender of Linux."""
        from longfat.sim import schemes

        return schemes.linux(self.scheme)

    @property
    def simulated(self) -> Scheme:
        """Scheme of the simulator."""
        from longfat.sim import schemes

        return schemes.scheme(self.scheme)

    @property
    def is_bbr(self) -> bool:
        """Whether the sender is BBR: its window follows an estimate of the bandwidth, and losses do not halve it."""
        return self.scheme in PROBE_INTERVAL

    def transmissions(self, packets: float, loss: float) -> int:
        """Return the number of transmissions that suffices for all packets of a full window in 99 % of windows or more.

        A packet is lost k times with probability p^k, and at least one of n packets with less than n p^k. For CUBIC,
        Reno and DCTCP the number is 2: it would be 3 only if n p^2 > 0.01, but at such losses their windows have far
        fewer than n packets. For BBR a loss above `LARGEST_LOSS_OF_BBR1` counts as that loss, because the rate of BBR
        collapses there.

        >>> bbr, cubic = SENDERS["bbr1"], SENDERS["cubic"]
        >>> bbr.transmissions(100, 0.0), bbr.transmissions(100, 1e-3), bbr.transmissions(1000, 1e-2)
        (2, 2, 3)
        >>> bbr.transmissions(1000, 0.1), bbr.transmissions(1000, 0.99), cubic.transmissions(1000, 0.1)
        (6, 6, 2)
        """
        count, loss = LEAST_TIMES, min(loss, LARGEST_LOSS_OF_BBR1) if self.is_bbr else 0.0
        while packets * loss**count > RARELY:
            count += 1
        return count


#: Assumptions of the laws. Random losses allow a window 7 % larger than losses at equal distances: by T. Ott, J.
#: Kemperman and M. Mathis, "The Stationary Behavior of Ideal TCP Congestion Avoidance", 1996, the mean window is
#: 1.3098/sqrt(p) packets with random losses, and sqrt(3/2)/sqrt(p) = 1.2247/sqrt(p) with losses at equal distances.
_SPACED = "losses at equal distances; random ones allow 7% more"
_RANDOM = "random losses, with fast convergence; equal distances where CUBIC is Reno-friendly"
SENDERS = {
    "cubic": Sender("cubic", "cubic", "CUBIC (RFC 9438), the default of Linux", _RANDOM),
    "reno": Sender("sack", "reno", "Reno as Linux has it (SACK, proportional rate reduction, RACK-TLP)", _SPACED),
    "bbr": Sender("bbr", "bbr", "BBR version 3 (draft-ietf-ccwg-bbr-06); the bbr of mainline Linux is version 1: bbr1",
                  "what ProbeRTT leaves"),
    "dctcp": Sender("dctcp", "dctcp", "DCTCP (RFC 8257), where switches mark above a seventh of the BDP", _SPACED),
    "bbr1": Sender("bbr1", "bbr", "BBR version 1 (2016), the bbr of mainline Linux", "what ProbeRTT leaves"),
}  # fmt: skip


def sender(scheme: str | Scheme) -> tuple[Scheme, dict[str, float]]:
    """Return scheme and parameters of a sender in `SENDERS`; any other ``scheme`` is returned without parameters.

    >>> sender("reno")[0].name, sender("reno")[1]["initial_window"], sender("vegas")[1]
    ('sack', 10.0, {})
    """
    if isinstance(scheme, str) and scheme in SENDERS:
        return SENDERS[scheme].simulated, SENDERS[scheme].parameters
    from longfat.sim import schemes

    return schemes.scheme(scheme), {}

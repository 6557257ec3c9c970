"""Delays that a network guarantees to a flow of bounded bursts, whatever the other flows send.

The links have weighted fair queueing or VirtualClock, which give each flow a rate of its own. Proofs:
derivations/guarantees.py.
"""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import PAREKH_MULTIPLE, PAREKH_SINGLE, ZHANG_VIRTUAL_CLOCK

__all__ = [
    "delay_bound",
    "fluid_delay_bound",
]


BURST = Symbol(
    r"\sigma", "bytes", "(0, inf)", (1e3, 1e6), "Depth of the flow's leaky bucket: in any time t it sends at most "
    "sigma + rho t, with a rate rho of at most g"
)  # fmt: skip
GUARANTEED = Symbol(
    "g", "bytes/s", "(0, inf)", (1e4, 1e8), "Rate that the scheduler of every link guarantees to the flow; with "
    "weights w of all flows of the link, C w over their sum"
)  # fmt: skip
OWN_PACKET = Symbol("l", "bytes", "(0, inf)", (40, 9000), "Largest packet of the flow")
LARGEST_PACKET = Symbol("l_m", "bytes", "(0, inf)", (40, 9000), "Largest packet of any flow")
LINK_RATE = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1e9), "Rate of each link")
HOPS = Symbol("K", "links", "[1, inf)", (1, 30), "Links on the path, each with such a scheduler", integer=True)


@law(
    source=f"{PAREKH_SINGLE} (not checked against the original)",
    result="D [s]",
    derivation="guarantees.fluid_delay",
    simulated=SimulatedBy("fluid_delay", {"burst": [1e4, 2e4, 5e4, 1e5], "guaranteed_rate": (1e5, 1e6)}, relative=0.03),
)
def fluid_delay_bound(burst: BURST, guaranteed_rate: GUARANTEED, *, xp):
    r"""Return the largest delay [s] of a bit over links with generalised processor sharing, which serves bit by bit.

    .. math:: D = \frac{\sigma}{g}

    It holds for any number of links, without propagation delays: packets that one link has delayed are not delayed
    again at the next. A flow that begins with a burst of sigma, while all others are backlogged, has this delay.

    >>> fluid_delay_bound(10_000, 1e6)
    0.01
    """
    return burst / guaranteed_rate


@law(
    source=f"{PAREKH_MULTIPLE} (not checked against the original); {ZHANG_VIRTUAL_CLOCK}, whose clock is the "
    "deadline of the proof",
    result="D [s], without propagation delays",
    derivation="guarantees.packet_delay",
    simulated=SimulatedBy(
        "guaranteed_delay",
        {
            "burst": [2000.0, 6000.0, 20_000.0],
            "guaranteed_rate": (1e5, 2.5e5),
            "packet_size": [100.0, 200.0],
            "largest_packet": [200.0, 400.0],
            "capacity": 1e6,
            "hops": [1, 2, 3, 4],
        },
        relative=0.2,
    ),
)
def delay_bound(
    burst: BURST,
    guaranteed_rate: GUARANTEED,
    packet_size: OWN_PACKET,
    largest_packet: LARGEST_PACKET,
    capacity: LINK_RATE,
    hops: HOPS = 1,
    *,
    xp,
):
    r"""Return an upper bound [s] on the delay of a packet from a leaky bucket over links with weighted fair queueing.

    .. math:: D = \frac{\sigma + (K - 1) l}{g} + K \frac{l_m}{C}

    The delay lasts from the arrival of a packet's last bit at the first link to the end of its transmission at the last
    link. It holds for packet-by-packet generalised processor sharing (weighted bit-round fair queueing) and for
    VirtualClock, if the guaranteed rates of all flows of a link add up to at most C, whatever the other flows send. It
    does not hold for self-clocked fair queueing, whose packets may wait for one packet of every other flow. Buffers
    have to be large enough. The bound is nearly reached: `longfat verify` simulates a flow that begins with all of its
    burst while other flows fill every link. At the simulated points the greatest delay is 0.84 to 1.00 of the bound
    under fair queueing, and 0.77 to 1.00 of the bound under VirtualClock.

    >>> round(delay_bound(10_000, 1e6, 1000, 1500, 1e7, hops=3), 6)
    0.01245
    """
    return (burst + (hops - 1) * packet_size) / guaranteed_rate + hops * largest_packet / capacity

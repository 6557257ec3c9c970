"""Adaptive virtual queue: a packet that a slower line with the same buffer would drop is marked or dropped.

The capacity of that line is moved until arrivals are the share `gamma` of the true one (schemes.md 16.7).
"""

from __future__ import annotations

import math

from longfat.domains import number
from longfat.sim.jit import part
from longfat.sim.queues.discipline import ADMIT, DROP, Discipline, flag
from longfat.sim.queues.line import capacity, finds_no_room
from longfat.sim.records import CE, ECT

# p
GAMMA, ALPHA, START, BUFFER, PACKET, ECN = range(6)
# u: bytes in the virtual queue, when they were so many [s], the virtual capacity [bytes/s], when that was set [s], and
# whether a packet has come
QUEUE, EMPTIED, CAPACITY, ADAPTED, BEGUN = range(5)


@part
def virtual_buffer(link):
    """Bytes; a limit in packets is one in mean packets here."""
    return link.p[BUFFER] * min(float(link.limit_bytes), link.limit_packets * link.p[PACKET])


@part
def adapt(link, packet, now, true_capacity):
    """The token bucket of the paper: tokens come at gamma of the capacity, arrivals use them up."""
    tokens = link.p[GAMMA] * true_capacity * (now - link.u[ADAPTED]) - packet.length
    link.u[CAPACITY] = min(true_capacity, max(0.0, link.u[CAPACITY] + link.p[ALPHA] * tokens))
    link.u[ADAPTED] = now


def avq_arrive(link, packet, header, now, rng):
    """The virtual queue first, then the virtual capacity, which a drop leaves as it is."""
    true_capacity = capacity(link)
    if true_capacity == math.inf:
        return ADMIT
    if link.u[BEGUN] == 0.0:
        link.u[BEGUN] = 1.0
        link.u[CAPACITY] = link.p[START] * true_capacity
        link.u[EMPTIED], link.u[ADAPTED] = now, now
    link.u[QUEUE] = max(0.0, link.u[QUEUE] - link.u[CAPACITY] * (now - link.u[EMPTIED]))
    link.u[EMPTIED] = now
    if link.u[QUEUE] + packet.length <= virtual_buffer(link):
        link.u[QUEUE] += packet.length
    elif link.p[ECN] > 0.0 and packet.marks & ECT:
        if not finds_no_room(link, packet, now):
            packet.marks |= CE
            link.marked += 1
    else:
        return DROP
    adapt(link, packet, now, true_capacity)
    return ADMIT


def avq(
    *,
    gamma: float = 0.98,
    alpha: float = 0.15,
    start: float = 0.8,
    buffer: float = 1.0,
    packet: float = 1000,
    ecn: bool = False,
) -> Discipline:
    """Adaptive virtual queue.

    The virtual capacity c follows c' = alpha (gamma C - arrivals), within 0 and the true capacity C.

    Parameters
    ----------
    gamma : float
        Utilisation that is aimed at [1].
    alpha : float
        Speed of the adaptation [1/s].
    start : float
        Virtual capacity at the first packet, in true ones [1].
    buffer : float
        Virtual buffer, in real ones [1].
    packet : float
        Mean size [bytes]: what a packet of a buffer in packets stands for.
    ecn : bool
        Mark packets that say they can be marked, and drop others; without it all are dropped.

    Returns
    -------
    Discipline
        For ``link(..., discipline=)``.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Notes
    -----
    On a line without a limit of its buffer, or without transmission time, nothing is ever marked. ns-2.35 lets packets
    pass that cannot be marked where it marks; here they are dropped, as RFC 3168 (section 5) asks. With drops the
    arrivals are those that were let in.

    Examples
    --------
    >>> avq(gamma=0.9, ecn=True).parameters["gamma"]
    0.9

    References
    ----------
    Kunniyur & Srikant, SIGCOMM 2001; ns-2.35 for `alpha` and `start`.
    """
    return Discipline(
        "avq",
        arrive=avq_arrive,
        parameters={
            "gamma": number("gamma", gamma, "1", "(0, 1]"),
            "alpha": number("alpha", alpha, "1/s", "(0, 1e6]"),
            "start": number("start", start, "1", "[0, 1]"),
            "buffer": number("buffer", buffer, "1", "(0, 1e6]"),
            "packet": number("packet", packet, "bytes", "[1, 1e6]"),
            "ecn": flag("ecn", ecn),
        },
        needs_buffer=True,
    )

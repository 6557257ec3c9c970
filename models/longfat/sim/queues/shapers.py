"""Leaky buckets, on the line of a host: packets wait for tokens, or are coloured red where there is none.

Tokens come at a constant rate, one for each packet, into a pool of limited size (schemes.md 14.4). When
a packet leaves follows from the packets before it, so that nothing has to be simulated but that.
"""

from __future__ import annotations

from longfat import quantities
from longfat.domains import whole_number
from longfat.sim.jit import part
from longfat.sim.queues.discipline import ADMIT, DROP, Discipline
from longfat.sim.records import DATA, GREEN, HORIZON, RED, SECOND

HALF_A_TICK = 0.5e-9  # s
LATEST = HORIZON / SECOND  # s: the engine refuses what would leave then


@part
def token_ready(link, interval):
    """When the pool has a token for the next packet [s].

    u[0] is the time at which the pool would be full again but for one token, as in the generic cell rate algorithm
    (ITU-T I.371); p: rate [bytes/s], tokens in the pool.
    """
    return link.u[0] - (link.p[1] - 1.0) * interval


def leaky_arrive(link, packet, header, now, rng):
    """Hold the packet until there is a token; drop it if too many wait for theirs already."""
    if packet.kind != DATA:
        return ADMIT
    interval = packet.length / link.p[0]
    leaves = token_ready(link, interval)
    if leaves <= now + HALF_A_TICK:
        leaves = now
    elif leaves - now > link.p[2] * interval + HALF_A_TICK:  # those before it leave one interval apart
        return DROP
    link.u[0] = max(link.u[0], leaves) + interval
    link.hold = int(min(leaves, LATEST) * 1e9 + 0.5)
    return ADMIT


def virtual_arrive(link, packet, header, now, rng):
    """Green with a token, red without; nothing waits."""
    if packet.kind != DATA:
        return ADMIT
    interval = packet.length / link.p[0]
    packet.colour = RED
    if token_ready(link, interval) <= now + HALF_A_TICK:
        link.u[0] = max(link.u[0], now) + interval
        packet.colour = GREEN
    return ADMIT


def leaky_bucket(rate: float | str, tokens: int = 5, queue: int = 10) -> Discipline:
    """A buffered leaky bucket: data packets leave with a token each.

    Parameters
    ----------
    rate : float or str
        At which tokens come, one a packet, in terms of the packets' bytes [bytes/s].
    tokens : int
        Size of the pool: as many may leave at once after a pause [packets].
    queue : int
        Packets that may wait for tokens [packets]; more are dropped.

    Returns
    -------
    Discipline
        For the ``link(..., discipline=)`` of a host that sends packets of one size.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Examples
    --------
    >>> leaky_bucket("8 Mbit/s").parameters["rate"]
    1000000.0

    References
    ----------
    Prithviraj & Williamson, sec. 2.1 and fig. 1.
    """
    return Discipline(
        "leaky-bucket",
        arrive=leaky_arrive,
        parameters={
            "rate": quantities.rate(rate, "rate"),
            "tokens": whole_number("tokens", tokens, "packets", "[1, 1e9]"),
            "queue": whole_number("queue", queue, "packets", "[0, 1e9]"),
        },
    )


def virtual_leaky_bucket(rate: float | str, tokens: int = 5) -> Discipline:
    """A virtual leaky bucket: data packets without a token leave at once, and red.

    Parameters
    ----------
    rate : float or str
        At which tokens come, one a packet, in terms of the packets' bytes [bytes/s].
    tokens : int
        Size of the pool [packets].

    Returns
    -------
    Discipline
        For the ``link(..., discipline=)`` of a host that sends packets of one size.

    Raises
    ------
    ValueError
        For values outside their ranges.

    Examples
    --------
    >>> virtual_leaky_bucket(1e6).service
    'fifo'

    References
    ----------
    Hong & Suda, IEEE Network 5 (1991), as described by Prithviraj & Williamson, sec. 2.1.
    """
    return Discipline(
        "virtual-leaky-bucket",
        arrive=virtual_arrive,
        parameters={
            "rate": quantities.rate(rate, "rate"),
            "tokens": whole_number("tokens", tokens, "packets", "[1, 1e9]"),
        },
    )

"""Leaky buckets, on the line of a host: packets wait for tokens, or are coloured red where there is none.

Tokens come at a constant rate, one for each packet, into a pool of limited size. When a packet leaves follows from the
packets before it, so that nothing has to be simulated but that. They are for hosts that send packets of one size;
acknowledgments need no tokens.

The buffered bucket is that of Prithviraj & Williamson, sec. 2.1 and fig. 1; the virtual one, whose packets without a
token leave at once, and red, that of Hong & Suda, IEEE Network 5 (1991), as described there.

>>> leaky_bucket("8 Mbit/s").values["rate"]
1000000.0
"""

from longfat.sim.jit import part
from longfat.sim.queues.discipline import DROP, ENQUEUE, Discipline, Integer, Parameter
from longfat.sim.records import DATA, GREEN, RED

HALF_A_TICK = 0.5e-9  # s


@part
def token_ready(link, interval):
    """Return when the pool has a token for the next packet [s].

    `full_at` is the time at which the pool would be full again but for one token, as in the generic cell rate
    algorithm (ITU-T I.371).
    """
    return link.full_at - (link.tokens - 1.0) * interval


def hold_until_token(link, packet, now):
    """Hold the packet until there is a token; drop it if too many wait for theirs already."""
    if packet.kind != DATA:
        return ENQUEUE
    interval = packet.size / link.token_rate
    leaves = token_ready(link, interval)
    if leaves <= now + HALF_A_TICK:
        leaves = now
    elif leaves - now > link.queue * interval + HALF_A_TICK:  # those before it leave one interval apart
        return DROP
    link.full_at = max(link.full_at, leaves) + interval
    link.hold_until = leaves
    return ENQUEUE


def colour(link, packet, now):
    """Let it be green with a token, red without; nothing waits."""
    if packet.kind != DATA:
        return ENQUEUE
    interval = packet.size / link.token_rate
    packet.colour = RED
    if token_ready(link, interval) <= now + HALF_A_TICK:
        link.full_at = max(link.full_at, now) + interval
        packet.colour = GREEN
    return ENQUEUE


POOL = {
    "rate": Parameter(None, "bytes/s", "(0, inf)", "token_rate", "at which tokens come, by the packets' bytes"),
    "tokens": Integer(5.0, "packets", "[1, 1e9]", about="size of the pool: so many may leave at once after a pause"),
}
leaky_bucket = Discipline(
    "leaky-bucket",
    enqueue=hold_until_token,
    parameters={**POOL, "queue": Integer(10.0, "packets", "[0, 1e9]", about="may wait for tokens; more are dropped")},
    state={"full_at": 0.0},
)
virtual_leaky_bucket = Discipline("virtual-leaky-bucket", enqueue=colour, parameters=POOL, state={"full_at": 0.0})

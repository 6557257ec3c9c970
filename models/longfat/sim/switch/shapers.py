"""Leaky buckets on the access link of a host: packets without a token wait for a token, or are coloured red.

Tokens are generated at a constant rate into a pool of limited size; each data packet takes one. The departure time of a
packet is computed from those of earlier packets, so that tokens need no events. The buckets are for hosts that send
packets of one size; acknowledgments need no tokens (our choice).

The virtual bucket sends packets without a token immediately, coloured red.
"""

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.records import DATA, GREEN, RED
from longfat.sim.plugin.discipline import DROP, ENQUEUE, HALF_A_TICK, Discipline, Parameter


# ITU-T I.371, the generic cell rate algorithm as virtual scheduling: `full_at`, the theoretical arrival time, is the
# time at which the pool is full again; a packet conforms if it arrives at most (tokens - 1) intervals before that time.
@inline
def token_ready(link, interval):
    """Return the time at which the pool has, or had, a token for the next packet [s]."""
    return link.full_at - (link.tokens - 1.0) * interval


# Prithviraj & Williamson, section 2.1: a packet at the head of the queue takes a token; a full queue drops arrivals.
# Linux, sch_tbf.c, tbf_dequeue(): without tokens a timer is set to the time at which there are enough tokens. Our
# choice: the timer expires late by a constant time, and, unlike in Linux, arrivals do not wake the shaper.
def hold_until_token(link, packet, now):
    """Hold the packet until the pool has a token; drop the packet if `queue` packets already wait for tokens."""
    if packet.kind != DATA:
        return ENQUEUE
    interval = packet.size / link.token_rate
    ready = max(now, link.left_at)
    leaves = token_ready(link, interval)
    leaves = ready if leaves <= ready + HALF_A_TICK else leaves + link.lateness
    # Waiting packets leave one interval apart, or in groups if the timer is late. If this packet would have to wait
    # for more than `queue` packets, the queue is full, and the packet is dropped.
    if leaves - now > link.queue * interval + link.lateness + HALF_A_TICK:
        return DROP
    link.full_at = max(link.full_at, leaves) + interval
    link.hold_until = link.left_at = leaves
    return ENQUEUE


# Prithviraj & Williamson, section 2.1, after Hong & Suda (1991): a packet without a token is coloured red and sent
# immediately.
def colour(link, packet, now):
    """Colour the packet green if the pool has a token, which the packet takes, and red otherwise."""
    if packet.kind != DATA:
        return ENQUEUE
    interval = packet.size / link.token_rate
    packet.colour = RED
    if token_ready(link, interval) <= now + HALF_A_TICK:
        link.full_at = max(link.full_at, now) + interval
        packet.colour = GREEN
    return ENQUEUE


_SOURCE = (
    'N. Prithviraj and C. L. Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks", '
    "University of Saskatchewan, about 1995 (the thesis of this title: Research Report 94-7, 1994), section 2.1"
)
POOL = {
    "rate": Parameter(None, "bytes/s", "(0, inf)", "token_rate", "Token rate, in bytes of the packets"),
    "tokens": Parameter(
        5.0, "packets", "[1, 1e9]", about="Size of the token pool: packets that may leave back to back after a pause"
    ),
}
leaky_bucket = Discipline(
    "leaky-bucket",
    enqueue=hold_until_token,
    parameters={
        **POOL,
        "queue": Parameter(
            10.0, "packets", "[0, 1e9]", about="Packets that may wait for tokens; others are dropped", integer=True
        ),
        "lateness": Parameter(0.0, "s", "[0, 1]", about="Time by which the timer that releases a packet is late"),
    },
    state={"full_at": 0.0, "left_at": 0.0},  # s: time at which the pool is full again; last departure
    source=f"{_SOURCE} and figure 1; the timer: A. Kuznetsov and D. Torokhov, Linux's net/sched/sch_tbf.c",
)
virtual_leaky_bucket = Discipline(
    "virtual-leaky-bucket",
    enqueue=colour,
    parameters=POOL,
    state={"full_at": 0.0},
    source=f'{_SOURCE}, after D. Hong and T. Suda, "Congestion Control and Prevention in ATM Networks", IEEE Network '
    "5(4), 1991",
)

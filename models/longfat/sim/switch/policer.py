"""Token-bucket policer: a packet is dropped if the bucket has too few tokens; no packet waits for tokens.

J. Heinanen and R. Guerin, "A Single Rate Three Color Marker", RFC 2697, section 3, with one bucket and without colours:
the bucket holds up to `burst` bytes of tokens, is full at first, and fills at `rate`. In any interval t at most burst +
rate t bytes pass.

Our choice: a packet takes its tokens even if the buffer of the link then drops it, as with a policer in front of the
link. A bucket smaller than a packet, which no such packet could ever pass, ends the run with an error.

>>> policer("8 Mbit/s", burst="15 kB").values["rate"]
1000000.0
"""

from longfat.sim.plugin.discipline import DROP, ENQUEUE, HALF_A_TICK, Discipline, Parameter


# RFC 2697, section 3: a packet of B bytes conforms if the bucket holds at least B tokens; it then takes B tokens.
def enqueue(link, packet, now):
    """Add the tokens since the last arrival; drop the packet if it has more bytes than the bucket has tokens."""
    if packet.size > link.burst:
        raise ValueError("burst =", link.burst, "bytes is out of range: must be at least the size of a packet,",
                         packet.size, "bytes")  # fmt: skip
    link.tokens = min(link.burst, link.tokens + link.token_rate * (now - link.filled_at))
    link.filled_at = now
    if link.tokens + link.token_rate * HALF_A_TICK < packet.size:
        return DROP
    link.tokens -= packet.size
    return ENQUEUE


policer = Discipline(
    "policer",
    enqueue=enqueue,
    parameters={
        "rate": Parameter(None, "bytes/s", "(0, 1e15]", "token_rate", about="Rate at which tokens arrive"),
        "burst": Parameter(15_000.0, "bytes", "[1, 1e15]", about="Bucket size: bytes that may pass back to back"),
    },
    state={"tokens": "burst", "filled_at": 0.0},  # bytes; time at which the tokens were counted
    source='J. Heinanen and R. Guerin, "A Single Rate Three Color Marker", RFC 2697, 1999, section 3, '
    "doi:10.17487/RFC2697",
)

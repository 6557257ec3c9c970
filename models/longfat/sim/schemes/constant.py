"""Constant rate: packets at equal intervals, whatever the network does; lost packets are retransmitted."""

from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme, keep_rate

# Our choice, because a constant rate ignores congestion: a timeout causes retransmissions but leaves the rate
# unchanged.
CONSTANT = Scheme(
    "constant",
    ack=keep_rate,
    timeout=keep_rate,
    controls="rate",
    parameters={
        "rate": Parameter(125_000.0, "bytes/s", "(0, 1e15]", "rate", about="Sending rate"),
        **timers.PARAMETERS,
    },
    source="Ours, because cross traffic and tests need a sender that does not react to congestion",
)

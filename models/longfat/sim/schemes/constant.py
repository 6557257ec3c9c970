"""Constant rate: packets at even distances, whatever happens; what is lost is sent again, so that files end."""

from longfat.sim.schemes import timers
from longfat.sim.schemes.explicit_rate import keep
from longfat.sim.schemes.scheme import Parameter, Scheme

# A timeout, too, only tells what has to be sent again (0.3: reliability never changes the rule of the rate).
CONSTANT = Scheme(
    "constant",
    ack=keep,
    timeout=keep,
    controls="rate",
    parameters={
        "rate": Parameter(125_000.0, "bytes/s", "(0, 1e15]", "rate", about="at which it sends"),
        **timers.PARAMETERS,
    },
    source="schemes.md 0.3",
)

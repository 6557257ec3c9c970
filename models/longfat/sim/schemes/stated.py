"""What schemes share to whom switches state rates: how they begin, and that what is lost changes nothing."""

from longfat.sim.jit import part
from longfat.sim.feedback import DOUBLES, LIMIT
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter

# p
SET_POINT, GAIN, START_RATE = range(3)


@part
def begin(flow, place, whose):
    """A rate that is held for a loop; the header says whose it is, at this place."""
    flow.header[place] = whose
    flow.u[LIMIT] = flow.p[START_RATE] / flow.packet_size
    flow.u[DOUBLES] = 0.0
    return flow.p[START_RATE]


def keep(flow, event):
    """Reliability never changes the rate."""
    return flow.rate


def parameters(start_rate: float) -> dict[str, Parameter]:
    """Of such a scheme, in the order of p, with its own rate to begin with [bytes/s].

    >>> parameters(5e5)["start_rate"].default
    500000.0
    """
    return {
        "set_point": Parameter(10.0, "packets", "[0, 1e6]"),
        "gain": Parameter(0.5, "1", "(0, 1]"),
        "start_rate": Parameter(start_rate, "bytes/s", "(0, 1e15]"),
        **timers.PARAMETERS,
    }

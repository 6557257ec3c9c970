"""What schemes share to whom switches state rates: how they begin, and that what is lost changes nothing."""

from longfat.sim.jit import part
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter

#: The limit of the rate at the start [packets/s], and when it doubles next [s]: see `longfat.sim.feedback`.
STATE = {"limit": 0.0, "doubles": 0.0}


@part
def begin(flow, place, whose):
    """A rate that is held for a loop; the header says whose it is, at this place."""
    flow.header[place] = whose
    flow.limit = flow.start_rate / flow.packet_size
    return flow.start_rate


def keep(flow, event):
    """Reliability never changes the rate."""
    return flow.rate


def parameters(start_rate: float) -> dict[str, Parameter]:
    """Return those of such a scheme, with its own rate to begin with [bytes/s].

    >>> parameters(5e5)["start_rate"].default
    500000.0
    """
    return {
        "set_point": Parameter(10.0, "packets", "[0, 1e6]", about="of its own that shall wait at the switch"),
        "gain": Parameter(0.5, "1", "(0, 1]", about="share of the error that is made good in one loop"),
        "start_rate": Parameter(start_rate, "bytes/s", "(0, 1e15]", about="until a loop has passed"),
        **timers.PARAMETERS,
    }

"""Rules that the explicit-rate schemes share: a start rate, and a rate that losses do not change."""

from longfat.sim.kernel.jit import inline
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter

#: `limit`: limit of the rate at the start [packets/s]; `doubles`: time of its next doubling [s]
#: (`feedback.limited_at_start`).
STATE = {"limit": 0.0, "doubles": 0.0}


@inline
def begin(flow, place, owner):
    """Write `owner` to `flow.header[place]`; return the start rate [bytes/s], valid for one feedback delay."""
    # Our choice, because the papers do not print the start rate: it is fitted to times of Kanakia, Keshav and Mishra
    # (1992).
    flow.header[place] = owner
    flow.limit = flow.start_rate / flow.packet_size
    return flow.start_rate


def parameters(start_rate: float) -> dict[str, Parameter]:
    """Return the parameters of an explicit-rate scheme with a default start rate [bytes/s].

    >>> parameters(5e5)["start_rate"].default
    500000.0
    """
    return {
        "set_point": Parameter(10.0, "packets", "[0, 1e6]", about="Set point of the backlog of the flow at the switch"),
        "gain": Parameter(
            0.5, "1", "(0, 1]", about="Gain: share of the backlog error corrected within one feedback delay"
        ),
        "start_rate": Parameter(start_rate, "bytes/s", "(0, 1e15]", about="Rate during the first feedback delay"),
        **timers.PARAMETERS,
    }

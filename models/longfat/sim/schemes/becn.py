"""Backward explicit congestion notification (BECN): switches notify sources, which then halve their rates.

The switches are `longfat.sim.queues.becn`. A source begins at its peak rate. The time without notification after which
the rate doubles is proportional to the rate; therefore slower sources recover first, which makes shares more equal.
The rules with their sources: docs/rules/explicit-feedback.md.
"""

import math

from longfat.sim.kernel.jit import inline
from longfat.sim.plugin.feedback import OF_BECN, OWNER
from longfat.sim.schemes import timers
from longfat.sim.schemes.scheme import Parameter, Scheme, keep_rate


@inline
def wait(flow, now, rate):
    """Set the time at which the rate doubles, and return `rate` [bytes/s]."""
    # Newman (1993), from memory: the recovery time is proportional to the rate. Our choice: it is at least one packet
    # interval.
    period = max(flow.recovery * rate / flow.peak_rate, flow.packet_size / rate)
    flow.alarm = now + period if rate < flow.peak_rate else math.inf
    return rate


def start(flow, event):
    """Return the peak rate [bytes/s], with which the flow begins."""
    flow.header[OWNER] = OF_BECN
    return flow.peak_rate


def ack(flow, event):
    """Return the rate [bytes/s]; a congestion notification halves it."""
    if event.number >= 0 or event.header[OWNER] != OF_BECN:
        return flow.rate
    # Newman (1993), from memory: notifications reduce the rate to 50 %, 25 %, 12.5 % ... of the peak rate. Our choice:
    # the rate does not fall below `least_rate`.
    return wait(flow, event.now, max(flow.least_rate, 0.5 * flow.rate))


def alarm(flow, event):
    """Return twice the rate [bytes/s], at most the peak rate, after a recovery time without a notification."""
    return wait(flow, event.now, min(flow.peak_rate, 2.0 * flow.rate))


BECN = Scheme(
    "becn",
    start=start,
    ack=ack,
    timeout=keep_rate,  # our choice, because ATM does not retransmit cells: a timeout leaves the rate unchanged
    alarm=alarm,
    controls="rate",
    stamped=True,
    parameters={
        "peak_rate": Parameter(5e6, "bytes/s", "(0, 1e15]", about="Peak rate, with which a source begins"),
        "least_rate": Parameter(530.0, "bytes/s", "(0, 1e15]", about="Lower bound of the rate; at most the peak rate"),
        "recovery": Parameter(
            0.05, "s", "(0, 1e6]", about="Time without notification before the rate doubles; given for the peak rate"
        ),
        **timers.PARAMETERS,
    },
    source=(
        "P. Newman, Backward Explicit Congestion Notification for ATM Local Area Networks, Proc. IEEE GLOBECOM 1993, "
        "pp. 719-723, doi:10.1109/GLOCOM.1993.318176 (abstract; the rest not checked against the original); "
        "recovery time and least rate are ours"
    ),
)

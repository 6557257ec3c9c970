"""Paths without a queue that lose packets in a known way, to judge the long-run rate of a scheme."""

import math

from longfat.sim import Discipline, Simulation
from longfat.sim.kernel import records
from longfat.sim.queues import DROP, ENQUEUE
from tests.sim.lab import one_link

ROUND_TRIP = 0.1  # s
PACKET = 1000  # bytes


def lose_periodically(link, packet, now):
    """Lose one data packet in so many until a time, or all from a time on."""
    if packet.kind == records.DATA:
        link.count += 1
        if now >= link.dead_from:
            return DROP
        if link.count >= link.interval and now < link.until:
            link.count = 0
            return DROP
    return ENQUEUE


def periodic(loss, until=1e9, dead_from=1e9):
    """Return a discipline with one loss in 1/loss packets; the other arguments are in seconds."""
    interval = 1 / loss if loss else 1e18
    values = {"interval": interval, "until": until, "dead_from": dead_from}
    return Discipline("periodic", enqueue=lose_periodically, parameters=values, state={"count": 0})


def simulation(scheme, losing, rng=1, **parameters):
    """Return the simulation of one flow on a path of 100 ms without transmission times and queues.

    `losing` is a discipline, or the probability of independent losses.
    """
    link = {"discipline": losing} if isinstance(losing, Discipline) else {"loss": losing}
    link |= {"rate": math.inf, "delay": ROUND_TRIP / 2, "back": math.inf}
    return Simulation(one_link(scheme, **link, packet=PACKET, parameters=parameters), rng=rng)


def mean_rate(scheme, losing, duration, **parameters):
    """Return the packets sent per round trip, without the first tenth of the time."""
    run = simulation(scheme, losing, **parameters)
    run.advance(duration / 10)
    before = int(run.state.flows[0].sent)
    run.advance(duration)
    return (int(run.state.flows[0].sent) - before) / (0.9 * duration) * ROUND_TRIP

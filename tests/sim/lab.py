"""Networks and runs that many tests of the simulator have in common."""

import math

from longfat.sim import Network, Simulation
from longfat.sim.switch.log import Log


def simulated(net, until, rng=1):
    """Return a simulation of a network until a time [s], which has conserved packets."""
    run = Simulation(net, rng=rng)
    run.advance(until)
    run.packet_counts()
    return run


def logged(flows, discipline, until, *, rate=1e6, buffer=None, rng=1):
    """Return the lines of packets that enter a link and of those that leave it, and the run.

    A line is (time [ns], flow, transmission, size, number). The link s - a before it and b - d behind it take no time;
    `flows` are pairs of a scheme or traffic and its options.
    """
    entered, left = Log(200_000), Log(200_000)
    net = Network().link("s", "a", rate=math.inf, discipline=entered.discipline)
    net.link("a", "b", rate=rate, discipline=discipline, buffer=buffer)
    net.link("b", "d", rate=math.inf, discipline=left.discipline)
    for flow, options in flows:
        net.flow(flow, path=["s", "a", "b", "d"], ack_path="ideal", **options)
    run = simulated(net, until, rng)
    return entered.lines.tolist(), left.lines.tolist(), run

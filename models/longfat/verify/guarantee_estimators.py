"""Delays under schedulers that guarantee rates, as simulators of laws."""

from __future__ import annotations

import math
from typing import Any

from longfat.base.domains import out_of_range
from longfat.sim import Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.queues import Discipline
from longfat.sim.switch.log import Log
from longfat.verify.measured_runs import Result, estimator, packets_sent

OTHERS = 2  # flows that share a link with the one under test
AT_ONCE = 50  # rate at which the burst arrives, over that of a link
MANY = 10**5  # packets

#: Schedulers that share a link in proportion to rates.
SCHEDULERS = ("bit-round", "virtual-clock")


def scheduler(name: str, rates: dict[int, float]) -> Discipline:
    """Return a discipline that shares a link among flows, given by their numbers, in proportion to rates.

    >>> scheduler("virtual-clock", {0: 1e5, 1: 3e5}).values["rates"]
    ((0.0, 100000.0), (1.0, 300000.0))
    """
    table = [[flow, rate] for flow, rate in rates.items()]
    if name == "virtual-clock":
        return queues.virtual_clock(rates=table)
    least = min(rates.values())
    return queues.BIT_ROUND(weights=[[flow, rate / least] for flow, rate in table])


@estimator
def greatest_delay(
    rng: Any, name: str = "bit-round", *, burst: float, guaranteed_rate: float, packet_size: float,
    largest_packet: float, capacity: float, hops: float,
) -> Result:  # fmt: skip
    """Estimate the greatest delay of a flow that begins with a burst, beside greedy others [s].

    On every link two other flows have the rest of the rate, and begin with all that they will ever send, just before.
    A packet's delay begins when its last bit has arrived at the first link, and ends with its transmission on the last
    one; nothing is random.
    """
    if guaranteed_rate >= capacity or packet_size > largest_packet:
        raise out_of_range("guaranteed_rate", guaranteed_rate, "bytes/s", f"(0, {capacity}) in a simulation")
    net, logs, links = Network(), (Log(MANY), Log(MANY)), int(hops)
    own, other = max(1, round(burst / packet_size)), (capacity - guaranteed_rate) / OTHERS
    for k in range(links):
        flows = [1 + OTHERS * k + j for j in range(OTHERS)]
        shares = scheduler(name, {0: guaranteed_rate, **dict.fromkeys(flows, other)})
        net.link(f"n{k}", f"n{k + 1}", rate=capacity, discipline=shares)
    bucket = queues.leaky_bucket(guaranteed_rate, tokens=own, queue=MANY)
    net.link("source", "gate", rate=math.inf, discipline=bucket)
    net.link("gate", "n0", rate=math.inf, discipline=logs[0].discipline)
    net.link(f"n{links}", "sink", rate=math.inf, discipline=logs[1].discipline)
    path = ["source", "gate", *(f"n{k}" for k in range(links + 1)), "sink"]
    span = 2 * burst / guaranteed_rate + links * packet_size / guaranteed_rate
    net.flow(traffic.constant(AT_ONCE * capacity), path=path, packet=round(packet_size), start=packet_size / capacity)
    for k in range(links):
        for _ in range(OTHERS):
            net.flow(traffic.constant(2 * capacity), path=[f"n{k}", f"n{k + 1}"], packet=round(largest_packet))
    simulation = Simulation(net, rng=rng)
    simulation.advance(span)
    enter, leave = logs[0].lines, logs[1].lines
    return float((leave[:, 0] - enter[: len(leave), 0]).max()) * 1e-9, packets_sent(simulation)


@estimator
def fluid_delay(rng: Any, *, burst: float, guaranteed_rate: float) -> Result:
    """Estimate the greatest delay of a burst of a hundred small packets over one link [s]."""
    size, capacity = burst / 100, 3 * guaranteed_rate
    return greatest_delay()(
        rng, burst=burst, guaranteed_rate=guaranteed_rate, packet_size=size, largest_packet=size, capacity=capacity,
        hops=1,
    )  # fmt: skip

"""Packets on one link against the laws of power: Poisson arrivals, throughput measured over delay measured."""

import functools

import numpy as np
import pytest

import longfat as lf
from longfat.laws import power
from longfat.sim import Network
from longfat.sim.network import traffic
from longfat.verify.link_estimators import PACKET, RATE, SERVICE, queue
from longfat.verify.measured_runs import measured

#: 99 % for the verdicts "agrees" of 6 points together, each within the accuracy itself.
ERRORS = {"power": 1 - 0.01 / 6, "power_at": 1, "rng": 11}


@pytest.mark.parametrize("load", [0.5, 0.8])
@pytest.mark.parametrize("variation", [0, 1])
def test_power(variation, load):
    """The law holds; no power exceeds the upper bound. `longfat verify` compares the law at other points."""
    point = {"variation": variation, "propagation": 3.0, "load": load}
    found = lf.testing.compare(
        power.relative_power, functools.partial(queue, quantity="power"), point, within="8 %", **ERRORS
    )
    assert found.verdict == "agrees", found
    assert found.interval[0] < power.greatest_power(RATE, PACKET, 3 * SERVICE, variation) / (RATE / SERVICE)


# Files of one size that are wholly in the switch from their arrival on: shared by packets in turn, or in order.

FILE, LINES = 20, {"fair": 128, "fifo": 1}  # packets; fair queues, of which hardly ever one has two files
FILE_TIME = FILE * SERVICE
FILE_TRIP = 3 * FILE_TIME  # q = 2 in equal shares, sqrt(8) in order of arrival


def power_of_files(rng, service, load):
    """Return the throughput of files over their mean response time [bytes/s^2]."""
    net = Network().link("a", "b", rate=RATE, delay=FILE_TRIP / 2, discipline=service)
    each = traffic.arrivals(load / FILE_TIME / LINES[service], "bully-tyrant")
    net.flow(each, path=["a", "b"], packet=PACKET, file=FILE * PACKET, count=LINES[service], ack_path="ideal")
    data, _ = measured(net, 100 * FILE_TIME, 2100 * FILE_TIME, rng)
    done = data["connections"]
    response = np.nansum(data["transfer_time"] * done) / done.sum()
    return done.sum() * FILE * PACKET / (2000 * FILE_TIME) / response


@pytest.mark.parametrize(("service", "share", "within"), [("fair", 1.0, "10 %"), ("fifo", 1.2, "5 %")])
def test_order_of_arrival_beats_equal_shares(service, share, within):
    """At the knee of processor sharing, q/(1 + q) = 2/3 with q = 2, the power is 2/3/(3 + 3); for FIFO 2/3/(3 + 2)."""
    ceiling = power.power_ceiling(RATE, FILE * PACKET, FILE_TRIP)
    point = {"service": service, "load": 2 / 3}
    found = lf.testing.compare(lambda **_: share * ceiling, power_of_files, point, within=within, **ERRORS)
    assert found.verdict == "agrees", found
    assert found.interval[0] < power.first_come_ceiling(RATE, FILE * PACKET, FILE_TRIP)

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
from tests.examples import is_long

#: 99 % for the verdicts "agrees" of 8 points together, each within the accuracy itself.
ERRORS = {"power": 1 - 0.01 / 8, "power_at": 1, "rng": 11}


@pytest.mark.parametrize("load", [0.5, 0.8])
@pytest.mark.parametrize("variation", [0, 1])
def test_power(variation, load):
    """The law holds; no power exceeds the upper bound. `longfat verify` compares the law at other points."""
    point = {"variation": variation, "propagation": 3.0, "load": load}
    found = lf.testing.compare(power.relative_power, queue("power"), point, within="8 %", **ERRORS)
    assert found.verdict == "agrees", found
    assert found.interval[0] < power.greatest_power(RATE, PACKET, 3 * SERVICE, variation) / (RATE / SERVICE)


# Files of one size that are wholly in the switch from their arrival on: shared by packets in turn, or in order.

FILE, LINES = 20, {"fair": 128, "fifo": 1}  # packets; fair queues, of which hardly ever one has two files
FILE_TIME = FILE * SERVICE
FILE_TRIP = 3 * FILE_TIME  # q = 2 in equal shares, sqrt(8) in order of arrival
FILE_LOADS = (0.4, 2 / 3, 0.8) if is_long() else (2 / 3,)


@functools.cache
def transferred(rng, service, load):
    """Return the mean response time of files [s], and their throughput over it [bytes/s^2]."""
    net = Network().link("a", "b", rate=RATE, delay=FILE_TRIP / 2, discipline=service)
    each = traffic.arrivals(load / FILE_TIME / LINES[service], "bully-tyrant")
    net.flow(each, path=["a", "b"], packet=PACKET, file=FILE * PACKET, count=LINES[service], ack_path="ideal")
    data, _ = measured(net, 100 * FILE_TIME, 2100 * FILE_TIME, rng)
    done = data["connections"]
    response = np.nansum(data["transfer_time"] * done) / done.sum()
    return response, done.sum() * FILE * PACKET / (2000 * FILE_TIME) / response


def files(which, expected, within, **point):
    """Return the comparison of one of the two with an expected value; both are taken from the same runs."""
    return lf.testing.compare(
        lambda **_: expected, lambda rng, **point: transferred(rng, **point)[which], point, within=within, **ERRORS
    )


@pytest.mark.parametrize("load", FILE_LOADS)
@pytest.mark.parametrize(
    ("service", "waiting", "within"),
    [("fair", lambda load: 1 / (1 - load), "10 %"), ("fifo", lambda load: 1 + load / (2 * (1 - load)), "5 %")],
)
def test_files(service, waiting, within, load):
    """Processor sharing, D + S/(1 - rho) but for the last packet of a turn; first come, first served, Pollaczek."""
    found = files(0, FILE_TRIP + FILE_TIME * waiting(load), within, service=service, load=load)
    assert found.verdict == "agrees", found


@pytest.mark.parametrize(("service", "share", "within"), [("fair", 1.0, "10 %"), ("fifo", 1.2, "5 %")])
def test_order_of_arrival_beats_equal_shares(service, share, within):
    """At the knee of processor sharing, q/(1 + q) = 2/3 with q = 2, the power is 2/3/(3 + 3); for FIFO 2/3/(3 + 2)."""
    ceiling = power.power_ceiling(RATE, FILE * PACKET, FILE_TRIP)
    found = files(1, share * ceiling, within, service=service, load=2 / 3)
    assert found.verdict == "agrees", found
    assert found.interval[0] < power.first_come_ceiling(RATE, FILE * PACKET, FILE_TRIP)

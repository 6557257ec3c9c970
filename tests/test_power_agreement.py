"""Packets on one link against the laws of power: Poisson arrivals, throughput measured over delay measured."""

import numpy as np
import pytest

from longfat.laws import power
from longfat.sim import Network, Simulation, results, statistics, traffic
from tests.examples import is_long

PACKET, SERVICE = 20_000, 20e-6  # bytes, s
RATE = PACKET / SERVICE
TRIP = 60e-6  # propagation of the link, 3 service times
REPLICATIONS, LENGTH, WARM_UP = 10, 1e5, 2e3  # service times of each replication
LOADS = (0.3, 0.5, 0.8)
CONFIDENCE = 1 - 0.01 / 12  # 99 % for the 12 intervals together


@pytest.fixture(scope="module")
def measured():
    """Return throughput over mean delay of each replication, by variation, propagation and load."""
    found = {}
    for variation in (0, 1):
        points = [(trip, load) for trip in (0.0, TRIP) for load in LOADS]
        net = Network()
        for k, (trip, load) in enumerate(points):
            net.link(f"a{k}", f"b{k}", rate=RATE, delay=trip)
            source = traffic.poisson(load * RATE, exponential_sizes=variation == 1)
            net.flow(source, path=[f"a{k}", f"b{k}"], packet=PACKET)
        runs = []
        for stream in np.random.default_rng(11).spawn(REPLICATIONS):
            run = Simulation(net, rng=stream)
            run.advance(WARM_UP * SERVICE)
            before = results.snapshot(run)
            run.advance((WARM_UP + LENGTH) * SERVICE)
            runs.append(results.measure(run, before, results.snapshot(run)))
        for k, (trip, load) in enumerate(points):
            found[variation, trip, load] = [float(one["throughput"][k] / one["mean_delay"][k]) for one in runs]
    return found


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("trip", [0.0, TRIP])
@pytest.mark.parametrize("variation", [0, 1])
def test_power(measured, variation, trip, load):
    """The interval contains the law and is within 8 % of it; no power exceeds the upper bound by more than that."""
    law = power.relative_power(load, trip / SERVICE, variation) * RATE / SERVICE
    found = statistics.replications(measured[variation, trip, load], CONFIDENCE)
    assert found.lower < law < found.upper
    assert (found.upper - found.lower) / 2 < 0.08 * law
    ceiling = power.greatest_power(RATE, PACKET, trip, variation)
    assert found.lower < ceiling


def test_the_other_queue_is_told_apart(measured):
    """The interval of M/D/1 at load 0.8 does not contain M/M/1's power, so the check can fail."""
    found = statistics.replications(measured[0, 0.0, 0.8], CONFIDENCE)
    assert found.lower > 1.2 * power.relative_power(0.8) * RATE / SERVICE


def test_power_falls_on_both_sides_of_the_knee(measured):
    """M/D/1 with a propagation delay of 3 service times: the knee is at q/(1 + q) = 0.74, q = sqrt(8)."""
    means = [np.mean(measured[0, TRIP, load]) for load in LOADS]
    assert power.knee_load(3, 0) == pytest.approx(np.sqrt(8) / (1 + np.sqrt(8)))
    assert means[0] < means[1] < means[2] <= power.first_come_ceiling(RATE, PACKET, TRIP) * 1.01


# Files of one size that are wholly in the switch from their arrival on: shared by packets in turn, or in order.

FILE, LINES = 20, 128  # packets; fair queues, of which hardly ever one has two files
FILE_TIME = FILE * SERVICE
FILE_TRIP = 3 * FILE_TIME  # q = 2 in equal shares, sqrt(8) in order of arrival
FILE_LOADS = (0.4, 2 / 3, 0.8) if is_long() else (2 / 3,)


@pytest.fixture(scope="module")
def files():
    """Return throughput [bytes/s] and mean response time [s] of each replication, by service and load."""
    found = {}
    for service, lines in (("fair", LINES), ("fifo", 1)):
        for load in FILE_LOADS:
            net = Network().link("a", "b", rate=RATE, delay=FILE_TRIP / 2, discipline=service)
            each = traffic.arrivals(load / FILE_TIME / lines, "bully-tyrant")
            net.flow(each, path=["a", "b"], packet=PACKET, file=FILE * PACKET, count=lines, ack_path="ideal")
            ones = []
            for stream in np.random.default_rng(5).spawn(REPLICATIONS):
                run = Simulation(net, rng=stream)
                run.advance(100 * FILE_TIME)
                before = results.snapshot(run)
                run.advance(4100 * FILE_TIME)
                one = results.measure(run, before, results.snapshot(run))
                done = one["connections"]
                response = np.nansum(one["transfer_time"] * done) / done.sum()
                ones.append((done.sum() * FILE * PACKET / (4000 * FILE_TIME), response))
            found[service, load] = np.array(ones).T
    return found


@pytest.mark.parametrize("load", FILE_LOADS)
def test_files_in_equal_shares(files, load):
    """Processor sharing: D + S/(1 - rho), and no power above its bound, except for the last packet of a turn."""
    throughput, response = files["fair", load]
    found = statistics.replications(response, CONFIDENCE)
    law = FILE_TRIP + FILE_TIME / (1 - load)
    assert found.lower < law * (1 + 1 / FILE)
    assert found.upper > law * (1 - 1 / FILE)
    assert (found.upper - found.lower) / 2 < 0.1 * law
    measured = statistics.replications(throughput / response, CONFIDENCE)
    ceiling = power.power_ceiling(RATE, FILE * PACKET, FILE_TRIP)
    assert measured.lower < ceiling


@pytest.mark.parametrize("load", FILE_LOADS)
def test_files_in_order_of_arrival(files, load):
    """First come, first served: D + S (1 + rho/(2 (1 - rho))), and no power above the bound of all disciplines."""
    throughput, response = files["fifo", load]
    found = statistics.replications(response, CONFIDENCE)
    law = FILE_TRIP + FILE_TIME * (1 + load / (2 * (1 - load)))
    assert found.lower < law < found.upper
    measured = statistics.replications(throughput / response, CONFIDENCE)
    assert measured.lower < power.first_come_ceiling(RATE, FILE * PACKET, FILE_TRIP)


def test_order_of_arrival_beats_equal_shares(files):
    """At the knee of processor sharing, q/(1 + q) = 2/3 with q = 2, the power is 2/3/(3 + 3); for FIFO 2/3/(3 + 2)."""
    means = {service: np.mean(files[service, 2 / 3][0] / files[service, 2 / 3][1]) for service in ("fair", "fifo")}
    ceiling = power.power_ceiling(RATE, FILE * PACKET, FILE_TRIP)
    assert means["fair"] == pytest.approx(ceiling, rel=1 / FILE)
    assert means["fifo"] == pytest.approx(1.2 * ceiling, rel=1 / FILE)

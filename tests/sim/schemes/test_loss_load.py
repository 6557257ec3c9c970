"""The loss-load source: its choices against other ways to find them, and the packets that it sends."""

import math

import numba
import numpy as np
import pytest
from scipy import optimize

from longfat.sim import Network, Simulation, queues, run
from longfat.sim.kernel.records import RED
from longfat.sim.schemes import loss_load
from tests.sim.lab import simulated
from tests.sim.own import of_flow
from tests.sim.spy import Spy

throughput = numba.njit(lambda a, b, k: loss_load.best_throughput(a, b, k))
response = numba.njit(lambda f, a, b, k, n, r, c: loss_load.response(f, a, b, k, n, r, c))
quickest = numba.njit(lambda a, b, k, n, r, c: loss_load.best_response(a, b, k, n, r, c))
CAPACITY = 5e6  # bytes/s; 10 packets of 500 B a ms


def test_most_throughput_by_hand():
    """The rate of the largest throughput agrees with closed forms.

    For k = 1 it is f^2 + 2 a f = b, so that f = sqrt(a^2 + b) - a. For k = 2 at a = 0: 2 f^3 = b. Alone: the free
    capacity.
    """
    for a, b in ((0.5, 0.7), (-0.3, 0.2), (0.0, 0.01), (40.0, 3.0)):
        assert throughput(a, b, 1.0) == pytest.approx(math.sqrt(a * a + b) - a, rel=1e-12)
    assert throughput(0.0, 0.25, 2.0) == pytest.approx(0.5, rel=1e-14)
    assert throughput(-1.0, 0.0, 10.0) == 1.0
    assert throughput(-0.25, 0.0, 10.0) == 0.25
    # 11 sources, each with (k + 1)/(11 k): a = (k + 1) 10/(11 k) - 1, b = 10 f^(k + 1); it answers the same
    for k in (2.0, 20.0):
        f = (k + 1) / (11 * k)
        assert throughput(10 * f - 1, 10 * f ** (k + 1), k) == pytest.approx(f, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "k", "packets", "round_trip"),
    [
        (0.0, 1.0, 2.0, 1000.0, 0.044),
        (0.3, 0.01, 2.0, 4000.0, 0.044),
        (-0.2, 0.05, 5.0, 1000.0, 0.044),  # the corner without loss, or beyond it
        (-0.9, 0.001, 20.0, 10.0, 0.044),
        (-0.05, 0.3, 5.0, 1e6, 0.01),
        (2.0, 1e-3, 20.0, 300.0, 0.1),
    ],
)
def test_least_time_against_a_fine_search(a, b, k, packets, round_trip):
    """A grid of 10^5 points up to 3 capacities, refined by scipy between its neighbours."""
    grid = np.linspace(1e-4, 3.0, 100_000)
    if a < 0:
        grid = np.sort(np.append(grid, -a))
    times = np.array([response(f, a, b, k, packets, round_trip, 1e4) for f in grid])
    i = int(np.argmin(times))
    found = optimize.minimize_scalar(
        lambda f: response(f, a, b, k, packets, round_trip, 1e4),
        bounds=(grid[max(i - 1, 0)], grid[i + 1]), method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    least = min(times[i], found.fun)
    chosen = quickest(a, b, k, packets, round_trip, 1e4)
    assert response(chosen, a, b, k, packets, round_trip, 1e4) <= least * (1 + 1e-9)


def test_least_time_tends_to_most_throughput():
    for n, r in ((1e9, 0.044), (1000.0, 1e-9)):
        assert quickest(0.5, 0.02, 5.0, n, r, 1e4) == pytest.approx(throughput(0.5, 0.02, 5.0), rel=1e-3)


def dumbbell(count, k=2.0, v=1.0, switch=None, spy=None, file=None, **parameters):
    net = Network()
    net.link("a", "b", rate=CAPACITY, delay=0.01, buffer=1000, discipline=queues.loss_load(k, v, **(switch or {})))
    net.link("b", "a", rate=CAPACITY, delay=0.01)
    if spy is not None:
        net.link("c", "a", rate=math.inf, discipline=spy.discipline)
        net.link("a", "c", rate=math.inf)
    path = ["a", "b"] if spy is None else ["c", "a", "b"]
    net.flow("loss-load", path=path, packet=500, file=file, count=count, parameters={"k": k, **parameters})
    return net


@pytest.mark.parametrize("switch", [{}, {"direct": True}, {"window": 0.02}], ids=str)
def test_equal_sources_settle(switch):
    """Four sources, k = 2: each sends 3/8 of the capacity; a third is lost."""
    simulation = simulated(dumbbell(4, switch=switch), 3.0)
    rates = simulation.state.flows["rate"] / CAPACITY
    assert rates == pytest.approx(np.full(4, 3 / 8), rel=0.03 if "window" in switch else 1e-6)
    # 1/3 at equilibrium; window: declared rates would give a chance that does not fluctuate
    assert [of_flow(simulation, k).loss for k in range(4)] == pytest.approx(np.full(4, 1 / 3), rel=1e-6)


@pytest.mark.parametrize("colours", [1, 2])
def test_as_many_red_packets_as_are_expected_to_be_lost(colours):
    """With v = 2/3 and k = 2 nothing is lost, yet a third of the packets is red, at random or every third."""
    spy = Spy()
    simulation = simulated(dumbbell(2, v=2 / 3, spy=spy, colours=colours), 4.0)
    late = [one for one in spy.data if one.time > 1e9]
    assert len(late) > 25_000
    red = np.array([one.colour == RED for one in late if one.flow == 0])
    share = red.mean()
    if colours == 2:
        assert share == pytest.approx(1 / 3, abs=2 / len(red))
        assert set(np.diff(np.flatnonzero(red))) <= {2, 3, 4}  # every third, but for what it owes at the beginning
    else:
        assert share == pytest.approx(1 / 3, abs=4 * math.sqrt(2 / 9 / len(red)))
        assert np.corrcoef(red[1:], red[:-1])[0, 1] == pytest.approx(0, abs=4 / math.sqrt(len(red)))
    assert simulation.state.flows["dropped"].sum() <= 200  # of the beginning


def test_no_colours():
    spy = Spy()
    Simulation(dumbbell(2, spy=spy, colours=0), rng=1).advance(0.5)
    assert {one.colour for one in spy.data} == {0}


def test_one_packet_first():
    """One packet is sent first, to learn of the path.

    Round trip 20 ms + 0.1 ms for the packet + 0.008 ms for its acknowledgment: then five tokens, and a packet every 0.1
    ms, because it is alone: f = 1. What packets declare is what was chosen.
    """
    spy = Spy()
    Simulation(dumbbell(1, spy=spy), rng=1).advance(0.0215)
    times = [one.time for one in spy.data]
    assert times[:7] == [0, *[20_108_000] * 5, 20_208_000]
    assert [one.header[0] for one in spy.data[:3]] == [0.0, CAPACITY, CAPACITY]


def test_choices_are_a_quarter_of_a_round_trip_apart():
    """The clock of the choices moves 25 ms/4 or more at a time; with `spacing` 0 at every acknowledgment."""
    counts = {}
    for spacing in (0.25, 0.0):
        simulation = simulated(dumbbell(3, spacing=spacing), 0.1)
        seen = set()
        for step in range(200):
            simulation.advance(0.1 + (step + 1) * 0.0005)
            seen.add(float(of_flow(simulation).next_choice_at))
        gaps = np.diff(sorted(seen))
        counts[spacing] = len(seen)
        assert gaps.min() > (0.005 if spacing else 0)
    assert counts[0.25] <= 24 < 150 < counts[0.0]


def test_the_access_link_limits():
    simulation = simulated(dumbbell(1, access_rate=0.3 * CAPACITY), 0.5)
    assert simulation.state.flows[0].rate == pytest.approx(0.3 * CAPACITY)


def test_a_file_gets_through_whatever_is_lost():
    """A third of all transmissions is lost, retransmissions included: 2000 packets need about 3000."""
    data = run(dumbbell(2, file=1e6), rng=1)
    assert data.delivered.values.tolist() == [2000, 2000]
    assert data.sent.values == pytest.approx(np.full(2, 3000), rel=0.05)
    assert float(data.transfer_time.max()) < 0.5


def test_remaining_or_whole_file():
    """Near the end of a file a round trip more counts for much: less is sent than for the whole file."""
    rates = []
    for whole in (0, 1):
        net = dumbbell(1, file=1e6, response=1, entire_file=whole)
        net.flow("loss-load", path=["a", "b"], packet=500, parameters={"k": 2})
        simulation = simulated(net, 0.45)
        assert simulation.state.flows[0].packets - simulation.state.flows[0].una < 800
        rates.append(simulation.state.flows[0].rate / CAPACITY)
    assert rates[0] < 0.9 * rates[1]

"""Credit flow control at the source: what it may send, lost credit, and an allocation that is not used."""

from dataclasses import replace
from itertools import pairwise

import pytest

from longfat.sim import Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.runs import peek
from tests.sim.lab import simulated

CELL, RATE = 53, 530_000.0  # a cell takes 0.1 ms


def link(discipline, parameters, *, loss=0.0, **options):
    """Return a source that is 1 ms from its switch: a link without transmission time, and the switch behind it."""
    net = Network().link("a", "b", rate=1e12, delay=0.001).link("b", "a", rate=1e12, delay=0.001)
    net.link("b", "c", rate=RATE, delay=0.001, buffer=1000, discipline=discipline).link("c", "b", rate=RATE)
    for pair in (("a", "b"), ("b", "a")):
        net.links[pair] = replace(net.links[pair], loss=loss)
    return net.flow("credit", path=["a", "b", "c"], packet=CELL, ack=CELL, parameters=parameters, **options)


def test_the_source_has_credit():
    """n2 = 2, n3 = 1: three cells at 0; the switch forwards the second at 1.1 ms, and two more leave at 2.1 ms."""
    one = Simulation(link(queues.credit(n2=2, n3=1), {"n2": 2, "n3": 1}))
    for time, sent in ((0.0005, 3), (0.00209, 3), (0.00211, 5), (0.00409, 5), (0.00411, 7)):
        one.advance(time)
        assert int(peek.flow(one, "credit-1").transmission) == sent, time


def test_a_file_gets_through_a_lossy_link():
    """Lost cells and lost credit packets: counts are absolute, so that credit does not leak away."""
    one = simulated(link(queues.credit(n2=3, n3=9), {"n2": 3, "n3": 9}, loss=0.1, file=CELL * 300), 120.0, 2)
    assert one.all_done()
    assert one.state.links["dropped"][:2].min() > 5  # cells and credit packets, or acknowledgments


def test_all_credit_can_be_lost():
    """Everything is lost for 0.1 s: the timer sends one packet, whose credit brings the others."""
    net = link(queues.credit(n2=3, n3=9), {"n2": 3, "n3": 9}, file=CELL * 300)
    lost = queues.scripted_loss(times=[[0.01, 0.11, 1]])
    net.links["a", "b"] = replace(net.links["a", "b"], discipline=lost)
    one = simulated(net, 1.0)
    assert not one.all_done()
    one.advance(30.0)
    assert one.all_done()


def test_a_silent_source_returns_to_one_packet():
    """An allocation grows with its use, and is one packet again after a pause longer than its lifetime."""
    writes = traffic.on_off(RATE, 0.1, 0.2)
    discipline = queues.credit(n2=1, adaptive=True, pool=200, interval=0.01)
    one = Simulation(link(discipline, {"n2": 1, "lifetime": 0.01}, application=writes))
    seen = []
    for k in range(60):
        one.advance(0.005 * (k + 1))
        seen.append(float(peek.flow(one, "credit-1").allocation))
    assert max(seen) > 20
    turns = [after for before, after in pairwise(seen) if after < before]
    assert 1.0 in turns
    assert seen[0] == pytest.approx(1.0)

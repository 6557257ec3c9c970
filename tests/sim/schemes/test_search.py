"""SEARCH against a trace by hand, the law of its test, and its drain; a round trip of the diary is 100 ms."""

import math

import pytest

from longfat.laws import tcp
from longfat.sim import Simulation
from tests.sim.lab import one_link
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_numbers
from tests.sim.test_every_plug_in import CHOICES

TRIP = 0.1  # s


def paced(product, buffer=10**8, **parameters):
    """Return a simulation of a path of `product` packets, with a paced sender that doubles in each round trip.

    Choices other than pacing do not matter here; those of `test_every_choice_compiles` need no further compilation.
    """
    link = {"rate": product * 1000 / TRIP, "delay": TRIP / 2, "buffer": buffer, "back": math.inf}
    given = {**CHOICES["cubic"], "growth_limit": math.inf, "delayed_ack": 1, **parameters}
    assert given["pacing"] == 1
    return Simulation(one_link("cubic-search", **link, packet=1000, parameters=given), rng=1)


def until(run, reached, step=1e-3, most=5.0):
    """Advance until a condition on the state of the flow is true; return the time."""
    while not reached(of_flow(run)):
        assert run.now < most
        run.advance(run.now + step)
    return run.now


def test_bins_by_hand():
    """The first acknowledgments come at 0.1 s, and bins end each 35 ms after that: 3.5 round trips in 10 bins.

    At 0.2 s two bins have passed, at 0.135 and 0.17 s, and the end of the next is 0.205 s. 10 packets were delivered
    and 30 sent by 0.17 s; at 0.2 s, with the first of 20 acknowledgments, 11 are delivered.
    """
    diary = Diary("cubic-search", until=0.15, delayed_ack=1, growth_limit=math.inf)
    own = diary.own
    assert own.bin_duration == pytest.approx(0.035)
    assert (own.index, own.acked_bins[0], own.sent_bins[0]) == (0, 1, 10)
    diary.advance(0.205)
    assert (own.index, own.bin_end) == (2, pytest.approx(0.205))
    assert list(own.acked_bins[:3]) == [1, 1, 11]
    assert list(own.sent_bins[:3]) == [10, 10, 30]


@pytest.mark.parametrize(("product", "threshold"), [(300, 0.26), (700, 0.26), (1000, 0.26), (1000, 0.1), (1000, 0.35)])
def test_the_end_of_slow_start_by_the_law(product, threshold):
    """x where the law has the threshold, by bisection: 3.881 for 0.26, or 5.32 products acknowledged.

    The bin that is then open ends 0.35 round trips later. With packets the test is met at 5.30 to 5.44 products
    (tests/laws/test_tcp.py).
    """
    assert tcp.search_difference(3.881) == pytest.approx(0.26, abs=2e-4)
    low, high = 0.0, 20.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if tcp.search_difference(middle) < threshold else (low, middle)
    run = paced(product, threshold=threshold)
    until(run, lambda own: own.drain_target > 0)
    law, leeway = 1 / math.log(2) + low, 0.01 if threshold == 0.26 else 0.02
    assert (1 - leeway) * law < run.state.flows[0].delivered / product < (1.01 + leeway) * law + 0.35


def test_the_drain():
    """Bins of 1.05 round trips hold 1.05 products, the target. A packet leaves for three acknowledged until then.

    The packets in flight fall from F to 1050 with 2/3 of a packet for each acknowledgment, and these come at the rate
    of the link.
    """
    product = 1000
    run = paced(product)
    begin = until(run, lambda own: own.drain_target > 0)
    target, in_flight = of_flow(run).drain_target, int(run.state.flows[0].in_flight)
    assert target == pytest.approx(1.05 * product, rel=0.01)
    end = until(run, lambda own: own.drain_target == 0)
    assert end - begin == pytest.approx(1.5 * (in_flight - target) / product * TRIP, rel=0.02)
    assert of_flow(run).ssthresh == target
    assert run.state.flows[0].window == pytest.approx(target, rel=0.01)
    assert run.state.flows[0].lost == 0


@pytest.mark.parametrize(("products", "threshold", "loses"), [(5, 0.26, False), (4, 0.26, True), (5, 0.9, True)])
def test_the_buffer_that_loses_nothing(products, threshold, loses):
    """What is in flight equals what was acknowledged, 5.32 to 5.67 products, of which the path holds one.

    The buffer has to hold the rest; without the test slow start fills any buffer.
    """
    run = paced(1000, products * 1000, threshold=threshold)
    run.advance(2.0)
    assert (run.state.flows[0].lost > 0) == loses


def test_a_timeout_begins_new_bins():
    """5 to 14, all that follows the initial window, are lost: the timer expires."""
    diary = Diary("cubic-search", drop_numbers(*range(5, 15)), 0.15, delayed_ack=1, initial_window=5, rack=0)
    assert diary.own.bin_duration == pytest.approx(0.035)
    while diary.flow.timeouts == 0:
        diary.advance(diary.run.now + 0.005)
    assert (diary.own.bin_duration, diary.own.drain_target) == (0, 0)

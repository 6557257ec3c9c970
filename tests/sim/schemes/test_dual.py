"""DUAL against Tahoe, a trace by hand, and the queue it should keep."""

import math

import numpy as np
import pytest

from longfat.sim import Network, Simulation, run
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_numbers
from tests.sim.schemes.test_tri_s import late

FIELDS = ("una", "next", "high", "sent", "window", "timeouts")
STATE = ("ssthresh", "reduced_at", "duplicates")


def states(scheme, lost, **parameters):
    """Return the state of a flow in the middle of every round trip of 0.1 s."""
    net = Network().link("a", "b", rate=math.inf, delay=0.05, discipline=drop_numbers(*lost))
    net.link("b", "a", rate=math.inf, delay=0.05)
    net.flow(scheme, path=["a", "b"], packet=1000, file=500_000, parameters=parameters)
    one = Simulation(net, rng=1)
    for k in range(20):
        one.advance(0.05 + 0.1 * k)
        fields, own = one.state.flows[0], of_flow(one)
        yield [float(fields[name]) for name in FIELDS] + [float(own[name]) for name in STATE]


@pytest.mark.parametrize("lost", [(), (10,), (1, 2), tuple(range(7, 15)), (31, 32, 34, 38)])
@pytest.mark.parametrize("options", [{}, {"initial_ssthresh": 4, "initial_window": 2}, {"bugfix": 0}])
def test_tahoe_where_the_round_trip_stays(lost, options):
    """No reduction: the round-trip time does not exceed the middle of equal numbers."""
    assert list(states("dual", lost, **options)) == list(states("tahoe", lost, **options))


def grown(window, times):
    for _ in range(times):
        window += 1 / window
    return window


@pytest.mark.parametrize(("options", "factor"), [({}, 0.875), ({"decrease": 0.5}, 0.5), ({"point": 1}, 1.0)])
def test_every_second_round_trip(options, factor):
    """Every second round trip is compared with the middle; ssthresh is 2.

    The windows are 1; 2; 2.5, 2.9; 3.24, 3.55; ... Rounds end with 0, 1, 3 and 5, and every second one, 1 and 5, is
    compared. From 5 on packets take 0.2 s, more than the middle of 0.1 and 0.2 s: after 5's own growth the window is
    reduced to 7/8, and ssthresh with it; 6 and 7 make it grow again. The next round is not compared.
    """
    diary = Diary("dual", late(5, 0.1), until=0.55, initial_ssthresh=2, **options)
    assert diary.sent(0.3) == [5, 6, 7]
    compared = grown(2.0, 5) * factor  # 1..5
    assert diary.flow.window == pytest.approx(grown(compared, 2), rel=1e-12)
    assert diary.own.ssthresh == pytest.approx(compared if factor < 1 else 2, rel=1e-12)


def test_a_window_of_one():
    """The window is at least one packet."""
    diary = Diary("dual", late(2, 0.1), until=0.65, initial_ssthresh=1, decrease=0.1)
    assert diary.own.ssthresh == 1.0


def test_a_timeout_forgets():
    """After a timeout minimum and maximum are those of round-trip times since then."""
    diary = Diary("dual", drop_numbers(*range(7, 15)), 1.25, min_rto=1)
    assert (diary.own.least, diary.own.most) == pytest.approx((0.1, 0.1))
    diary.advance(1.35)
    assert (diary.own.least, diary.own.most) == (1e300, 0.0)
    diary.advance(1.45)
    assert (diary.own.least, diary.own.most) == pytest.approx((0.1, 0.1))


@pytest.mark.parametrize(("bdp", "buffer"), [(100, 50), (100, 100), (100, 200), (200, 200), (50, 100)])
def test_half_of_the_buffer(bdp, buffer):
    """The queue oscillates below half of the buffer.

    The queue oscillates below Q/2 with an amplitude of 1/8 of the window, and nothing is lost once the slow start has
    shown how long it may get. A round trip is P + q packet times, the middle P + Q/2; it is exceeded by two packets at
    most, which 1/8 of (P + Q/2 + 2) follows. Between the tests the queue falls at most so much.
    """
    rtt = bdp * 1e-3
    net = Network().link("a", "b", rate=1e6, delay=rtt / 2 - 5e-4, buffer=buffer, name="line")
    net.flow("dual", path=["a", "b"], packet=1000, ack_path="ideal")
    data = run(net, duration=1200 * rtt, warm_up=600 * rtt, rng=1, progress=False, sample_every=rtt / 4)
    queue = data.queue_trace.values[len(data.time) // 2 :, 0]
    swing = (bdp + buffer / 2) / 8
    assert float(data.dropped[0]) == 0
    assert float(data.utilisation[0]) == pytest.approx(1, abs=1e-6)
    assert buffer / 2 < queue.max() < buffer / 2 + 5
    assert swing < np.ptp(queue) < swing + 6
    assert 0.38 * buffer < float(data.mean_queue[0]) < 0.5 * buffer

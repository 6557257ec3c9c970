"""Congestion window validation (RFC 7661), by hand: applications that pause or write less than the window allows."""

import math

import pytest

from longfat.sim import Simulation
from longfat.sim.network import traffic
from tests.sim.lab import one_link
from tests.sim.own import of_flow
from tests.sim.schemes.losses import drop_numbers

pytestmark = pytest.mark.plain


def start(application, scheme="sack", delay="50 ms", discipline="fifo", **parameters):
    """Return a simulation of one flow without transmission times."""
    given = {"cwv": 1, "min_rto": 1.0, "delayed_ack": 1, **parameters}
    net = one_link(scheme, rate=math.inf, delay=delay, discipline=discipline, back=math.inf, packet=1000,
                   application=application, parameters=given)  # fmt: skip
    return Simulation(net, rng=1)


def window_at(simulation, time):
    simulation.advance(time)
    return float(simulation.state.flows[0].window)


@pytest.mark.parametrize("scheme", ["sack", "cubic"])
def test_a_pause(scheme):
    """300 packets, and a pause of 2000 s: the window is kept for five minutes, then halved for each five more.

    Section 4.4.3: cwnd = max(cwnd/2, IW), ssthresh = max(ssthresh, 3 cwnd/4). The transfer takes 10 round trips of 0.1
    s with windows of 10, 20, 21, ... packets; the last sample is forgotten a second or two after it.
    """
    run = start(traffic.on_off(1e6, "0.3 s", "2000 s"), scheme, initial_window=10, initial_ssthresh=20)
    window = window_at(run, 4.0)
    assert 25 < window < 40
    assert (run.state.flows[0].una, window_at(run, 299.0)) == (300, window)
    assert window_at(run, 304.0) == window / 2
    assert of_flow(run).ssthresh == 0.75 * window
    assert window_at(run, 604.0) == max(10.0, window / 4)
    assert window_at(run, 1000.0) == 10.0
    run = start(traffic.on_off(1e6, "0.3 s", "2000 s"), scheme, initial_window=10, initial_ssthresh=20, cwv=0)
    assert window_at(run, 1000.0) == window


def test_a_slow_application():
    """A packet each 20 ms in a round trip of 98 ms: five are in flight, of a window of 20 at the start.

    Packet 0 is acknowledged at 98 ms, with 0 to 4 sent: the round ends with the acknowledgment of packet 5, which finds
    5 packets in it and a window of 25. 5 < 25/2: from here on the window stays (section 4.4), and packets are paced
    (section 4.4.2). Without validation each acknowledgment adds a packet: 0 to 45 by 1 s.
    """
    run = start(traffic.constant(5e4), delay="49 ms", initial_window=20)
    assert window_at(run, 0.195) == 25.0
    assert of_flow(run).non_validated_since < 0.0
    assert [window_at(run, time) for time in (0.2, 1.0, 5.0)] == [25.0] * 3
    assert of_flow(run).non_validated_since == pytest.approx(0.198)
    assert run.state.flows[0].rate == pytest.approx(25 * 1000 / 0.098)
    assert window_at(start(traffic.constant(5e4), delay="49 ms", initial_window=20, cwv=0), 1.0) == 66.0


def test_a_loss_in_flight():
    """Packet 50 of that application is lost: 50 to 57 are sent when 53 is acknowledged.

    Section 4.4.1: pipeACK is 5, LossFlightSize 8: a window of 4 in recovery, and (8 - 1)/2 afterwards, 4 without
    validation. 53 is acknowledged at 1.06 + 0.098 s; 50 leaves again then, and its acknowledgment ends recovery.
    """
    for cwv, expected in ((1, 3.5), (0, 4.0)):
        run = start(traffic.constant(5e4), delay="49 ms", discipline=drop_numbers(50), initial_window=20, cwv=cwv)
        assert window_at(run, 1.159) == 4.0
        run.advance(1.2565)
        assert of_flow(run).ssthresh == expected


@pytest.mark.parametrize(("scheme", "factor"), [("sack", 0.5), ("cubic", 0.7)])
def test_a_loss_at_the_end_of_a_burst(scheme, factor):
    """Bursts of 20 packets in 20 ms every 0.5 s, with a window of 60; packet 55 of the third one is lost.

    When 58 is acknowledged, 5 packets are outstanding; pipeACK is 20, below half of the window: the window becomes 20
    times the scheme's factor, and (20 - 1) times it after recovery (section 4.4.1). Without validation SACK takes half
    of the 5, and CUBIC 0.7 of its window.
    """
    run = start(
        traffic.on_off(1e6, "20 ms", "480 ms"), scheme, discipline=drop_numbers(55), initial_window=60,
        initial_ssthresh=60, prr=0,
    )  # fmt: skip
    assert window_at(run, 1.13) == pytest.approx(factor * 20)
    window = window_at(run, 1.3)
    assert (window, of_flow(run).ssthresh) == (pytest.approx(factor * 19), pytest.approx(factor * 19))
    assert of_flow(run).pipe_known == 0
    assert run.state.flows[0].rate == math.inf


def test_a_transfer_that_fills_its_window():
    """Bulk transfer stays in the validated phase, so that nothing changes (section 1)."""
    link = {"rate": "800 kbit/s", "delay": "40 ms", "buffer": 20, "duplex": True}
    runs = [Simulation(one_link("cubic", packet=1000, parameters={"cwv": on}, **link), rng=1) for on in (0, 1)]
    for time in (0.5, 1.0, 2.0):
        windows = [window_at(run, time) for run in runs]
        assert windows[0] == windows[1]
        assert of_flow(runs[1]).non_validated_since < 0.0

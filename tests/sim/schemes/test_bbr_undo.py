"""Losses that prove spurious: what BBR undoes (draft-ietf-ccwg-bbr-06, section 5.5.11)."""

import functools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from longfat.sim import Network, Simulation, queues
from longfat.sim.schemes import bbr_model
from tests.sim.own import of_flow
from tests.sim.schemes.losses import drop_numbers
from tests.sim.schemes.test_bbr import BDP, RATE, steps

DOWN, REFILL, UP = bbr_model.DOWN, bbr_model.REFILL, bbr_model.UP


@pytest.mark.parametrize(
    ("first", "lost", "before", "transmission", "spurious"),
    [
        (7, 3, 2, 9, True),  # the third of three
        (7, 3, 1, 9, False),  # the second of three
        (7, 3, 2, 6, False),  # of an earlier loss recovery
        (7, 0, 0, 9, False),  # undone already: 1 is not 0
    ],
)
def test_whether_all_losses_were_spurious(first, lost, before, transmission, spurious):
    flow = SimpleNamespace(first_lost=first, lost_in_recovery=lost, delivered_in_recovery=before)
    event = SimpleNamespace(transmission=transmission, spurious=1)
    assert bbr_model.is_recovery_spurious.py_func(flow, event) == spurious


def simulated(rows=(), lost=(), **more):
    """Return a run in which packets are late, and others are lost behind the link where they are."""
    net = Network().link(
        "a", "b", rate=RATE, delay=0.02, buffer=200, discipline=queues.scripted_reordering(packets=rows), **more
    )
    net.link("b", "c", rate=math.inf, discipline=drop_numbers(*lost))
    return Simulation(net.flow("bbr", path=["a", "b", "c"], packet=1500, ack_path="ideal"), rng=1)


@functools.cache
def find_up():
    """Return the time at which PROBE_UP begins, and a packet that is sent soon afterwards."""
    for now, mine, flow in steps(simulated(), 6.0, 0.002):
        if mine.phase == UP:
            return now, int(flow.high) + 20
    raise AssertionError


def phases(one, until):
    """Return the phases until a time, each visit once."""
    seen = []
    for _, mine, _flow in steps(one, until, 0.002):
        if not seen or seen[-1] != mine.phase:
            seen.append(int(mine.phase))
    return seen


def test_late_packets_in_probe_up():
    """Three late packets end PROBE_UP and bound the volume, until all of them are acknowledged.

    20 packets of 0.6 ms pass them. Then the state is what it was, by REFILL. If one of the three is really lost, this
    loss recovery was none in vain, and nothing is undone.
    """
    begin, number = find_up()
    one = simulated([[0, number, 3, 20]])
    one.advance(begin)
    assert phases(one, begin + 0.2)[:4] == [UP, DOWN, REFILL, UP]
    mine, flow = of_flow(one), one.state.flows[0]
    assert (flow.lost, mine.recovering, mine.inflight_longterm, mine.undo_state) == (3, 0, math.inf, -1)
    assert flow.window > 1.9 * BDP
    one = simulated([[0, number, 3, 20]], lost=[number + 1])
    one.advance(begin)
    assert phases(one, begin + 0.2)[:3] == [UP, DOWN, bbr_model.CRUISE]
    mine, flow = of_flow(one), one.state.flows[0]
    assert flow.lost == 3
    assert 0.7 * BDP <= mine.inflight_longterm < 2 * BDP


def test_what_is_restored_at_once():
    """When the last late packet is acknowledged, window, bounds and pacing are those of REFILL, as if nothing was."""
    begin, number = find_up()
    one, before = simulated([[0, number, 3, 20]]), 0.0
    one.advance(begin)
    for _, mine, flow in steps(one, begin + 0.3, 0.0005):
        if mine.phase == DOWN:
            assert (mine.undo_state, mine.undo_inflight_longterm, mine.undo_bw_shortterm) == (UP, math.inf, math.inf)
            assert mine.inflight_longterm < math.inf
            assert mine.recovering
        elif mine.phase == REFILL:
            break
        before = float(flow.window)
    assert flow.window >= before > 0
    assert flow.rate == pytest.approx(0.99 * RATE, rel=0.01)
    assert not mine.recovering


def test_late_packets_in_startup():
    """Ten ranges of late packets end Startup; when all have arrived, the flow is in Startup again.

    They are behind 700 packets each, so that their retransmissions and the end of loss recovery come before.
    """
    rows = [[0, 60 + 8 * k, 1, 700] for k in range(10)]
    net = Network().link(
        "a", "b", rate=10 * RATE, delay=0.02, buffer=2000, discipline=queues.scripted_reordering(packets=rows)
    )
    one = Simulation(net.flow("bbr", path=["a", "b"], packet=1500, ack_path="ideal"), rng=1)
    seen = phases(one, 0.8)
    assert seen[0] == bbr_model.STARTUP
    assert seen.count(bbr_model.STARTUP) == 2
    flow, mine = one.state.flows[0], of_flow(one)
    assert (flow.lost, mine.inflight_longterm) == (10, math.inf)


def test_a_late_packet_in_cruise():
    """One late packet in CRUISE, by 120, reduces the short-term model; its acknowledgment forgets that."""
    one = simulated([[0, 2000, 1, 120]])
    reduced = []
    for now, mine, _flow in steps(one, 2.0, 0.002):
        if mine.bw_shortterm < math.inf:
            reduced.append(now)
            assert mine.phase == bbr_model.CRUISE
    assert reduced
    assert np.ptp(reduced) < 0.1
    assert mine.inflight_shortterm == math.inf

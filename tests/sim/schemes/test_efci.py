"""Rate control by one bit of forward feedback (EFCI), by hand, and by backward notifications (BECN)."""

import numpy as np
import pytest

from longfat.sim import Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.runs import peek

CELL, RATE = 53, 5.3e6  # a cell takes 10 us


def link(scheme, discipline, parameters, count=1, delay=0.001, buffer=1000, **options):
    net = Network().link("a", "b", rate=RATE, delay=delay, buffer=buffer, discipline=discipline)
    net.link("b", "a", rate=RATE, delay=delay)
    net.flow(scheme, path=["a", "b"], packet=CELL, ack=CELL, count=count, parameters=parameters, **options)
    return Simulation(net, rng=1)


def rate(one, name):
    return float(peek.flow(one, name).rate)


def test_efci_rises_by_a_share_of_the_peak_rate():
    """Initial 530 kB/s, peak 2.12 MB/s, a 16th of it per RM cell: cells 0 and 32 are the first ones.

    Cell 0 is acknowledged after 2 ms and two transmissions: 530 + 132.5 kB/s. Cells leave every 0.1 ms, then every 0.08
    ms: 0 to 20 by 2.0 ms, then 21 at 2.08 and 32 at 2.08 + 11 x 0.08 = 2.96 ms, acknowledged at 4.98 ms.
    """
    given = {"peak_rate": 2.12e6, "initial_rate": 5.3e5}
    one = link("efci", queues.mark_above(threshold=1e9), given)
    for time, expected in ((0.00201, 5.3e5), (0.00203, 6.625e5), (0.0049, 6.625e5), (0.0051, 7.95e5)):
        one.advance(time)
        assert rate(one, "efci-1") == pytest.approx(expected, rel=1e-12), time
    one.advance(1.0)
    assert rate(one, "efci-1") == 2.12e6


def test_efci_falls_by_a_share_of_itself():
    """Every cell is marked: the rate falls by a 16th of itself per RM cell, down to the least rate.

    From 1 MB/s to 0.2: (15/16)^24 = 0.2125, and the next step would be below.
    """
    given = {"peak_rate": 2.12e6, "initial_rate": 1e6, "least_rate": 2e5}
    net = Network().link("a", "b", rate=9e5, delay=0.001, buffer=1000, discipline=queues.mark_above(threshold=0))
    net.link("b", "a", rate=RATE, delay=0.001).flow("efci", path=["a", "b"], packet=CELL, ack=CELL, parameters=given)
    one, seen = Simulation(net), [1e6]
    for k in range(1200):
        one.advance(0.0001 * (k + 1))
        if rate(one, "efci-1") != seen[-1]:
            seen.append(rate(one, "efci-1"))
    assert seen == pytest.approx([*(1e6 * 0.9375**k for k in range(25)), 2e5], rel=1e-12)


def test_efci_slows_down_without_answers():
    """A link that loses everything after 5 ms: from the third RM cell without an answer on, a 16th less for each."""
    given = {"peak_rate": 5.3e5, "initial_rate": 5.3e5, "missing": 2, "nrm": 8, "least_rate": 1e5}
    lost = queues.scripted_loss(times=[[0.005, 1e6, 1]])
    one = link("efci", lost, given)
    one.advance(0.1)
    assert rate(one, "efci-1") < 4e5
    steps = [rate(one, "efci-1")]
    one.advance(3.0)
    steps.append(rate(one, "efci-1"))
    assert steps[1] <= steps[0]


@pytest.mark.parametrize(
    ("scheme", "discipline"), [("efci", queues.step_marking(packets=50)), ("becn", queues.becn(threshold=50))]
)
def test_sources_share_a_link(scheme, discipline):
    """Four sources of one link: it is well used, and none has less than half of its share."""
    given = {"peak_rate": RATE, "least_rate": 5e4}
    one = link(scheme, discipline, given, count=4, buffer=5000, stagger=0.001)
    one.advance(1.0)
    before = one.state.flows["received"].copy()
    one.advance(3.0)
    got = one.state.flows["received"] - before
    assert got.sum() > 0.7 * 2.0 * RATE / CELL
    assert got.min() > 0.125 * got.sum()


def test_becn_halves_and_doubles_by_hand():
    """Two sources of the link's rate: a notification halves the rate, a recovery time without one doubles it.

    The recovery time of half the peak rate is half of 10 ms.
    """
    given = {"peak_rate": RATE, "recovery": 0.01}
    one = link("becn", queues.becn(threshold=20, filter=0.5), given, count=2)
    one.advance(0.0002)
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [RATE, RATE]
    one.advance(0.0004)  # 20 cells wait after 20 x 10 us; the notification is there at once, the link is the source's
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [RATE / 2, RATE / 2]
    one.advance(0.0051)
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [RATE / 2, RATE / 2]
    one.advance(0.0054)
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [RATE, RATE]


def test_a_pause_ends_a_high_rate():
    """An application that writes for 0.3 s and pauses for 1 s: after ADTF = 0.5 s without an RM cell, ICR again."""
    given = {"peak_rate": 2.12e6, "initial_rate": 1e5}
    writes = traffic.on_off(2.12e6, 0.3, 1.0)
    one = link("efci", queues.mark_above(threshold=1e9), given, application=writes)
    one.advance(0.25)
    assert rate(one, "efci-1") == 2.12e6
    one.advance(1.2)
    assert rate(one, "efci-1") == 2.12e6  # nothing is sent, nothing changes
    for time in np.arange(1.2, 2.7, 0.001):
        one.advance(float(time))
        if rate(one, "efci-1") < 2e5:
            return
    raise AssertionError("the rate was kept")

"""Credit at the source, windows that switches reserve, and rates set by one bit: cells of 53 bytes, by hand."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.runs import peek
from tests.examples import examples
from tests.sim.lab import one_link, simulated

CELL, RATE, FAST = 53, 530_000.0, 5.3e6  # a cell takes 0.1 ms, or 10 us


def state(one, name):
    """Return the state of a flow."""
    return peek.flow(one, name)


def seen(one, name, field, until, step):
    """Return the values that a field of a flow has had at times `step` apart, each as often as it changed."""
    found = [float(getattr(state(one, name), field))]
    for k in range(round(until / step)):
        one.advance(step * (k + 1))
        value = float(getattr(state(one, name), field))
        if value != found[-1]:
            found.append(value)
    return found


def switch(discipline, parameters, *, loss=0.0, **options):
    """Return a source that is 1 ms from its switch: a link without transmission time, and the switch behind it."""
    net = Network().link("a", "b", rate=math.inf, delay=0.001, duplex=True)
    net.link("b", "c", rate=RATE, delay=0.001, buffer=1000, discipline=discipline).link("c", "b", rate=RATE)
    for pair in (("a", "b"), ("b", "a")):
        net.links[pair] = replace(net.links[pair], loss=loss)
    return net.flow("credit", path=["a", "b", "c"], packet=CELL, ack=CELL, parameters=parameters, **options)


def test_the_source_has_credit():
    """n2 = 2, n3 = 1: three cells at 0; the switch forwards the second at 1.1 ms, and two more leave at 2.1 ms."""
    one = Simulation(switch(queues.credit(n2=2, n3=1), {"n2": 2, "n3": 1}))
    for time, sent in ((0.0005, 3), (0.00209, 3), (0.00211, 5), (0.00409, 5), (0.00411, 7)):
        one.advance(time)
        assert int(state(one, "credit-1").transmission) == sent, time


def test_a_file_gets_through_a_lossy_link():
    """Lost cells and lost credit packets: counts are absolute, so that credit does not leak away."""
    one = simulated(switch(queues.credit(n2=3, n3=9), {"n2": 3, "n3": 9}, loss=0.1, file=CELL * 300), 120.0, 2)
    assert one.all_done()
    assert one.state.links["dropped"][:2].min() > 5  # cells and credit packets, or acknowledgments


def test_all_credit_can_be_lost():
    """Everything is lost for 0.1 s: the timer sends one packet, whose credit brings the others."""
    net = switch(queues.credit(n2=3, n3=9), {"n2": 3, "n3": 9}, file=CELL * 300)
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
    one = Simulation(switch(discipline, {"n2": 1, "lifetime": 0.01}, application=writes))
    found = seen(one, "credit-1", "allocation", 0.3, 0.005)
    assert max(found) > 20
    assert 1.0 in [after for before, after in pairwise(found) if after < before]


def chain(buffers, count=1, *, base=2, share=0.5, last=RATE, parameters=None, delay=0.001, **options):
    net = Network()
    for k, buffer in enumerate(buffers):
        discipline = queues.dynamic_window(base=base, share=share)
        rate = last if k == len(buffers) - 1 else RATE
        net.link(f"n{k}", f"n{k + 1}", rate=rate, delay=delay, buffer=buffer, discipline=discipline)
        net.link(f"n{k + 1}", f"n{k}", rate=RATE, delay=delay)
    nodes = [f"n{k}" for k in range(len(buffers) + 1)]
    given = {"base": base, **(parameters or {})}
    return net.flow("dynamic-window", path=nodes, packet=CELL, ack=CELL, count=count, parameters=given, **options)


def test_grants_by_hand():
    """Buffers of 42 and 22 packets, a base window of 2, one queue at each link: half of 40 and 20 free is granted.

    The first request is granted 2 + 20 and 2 + 10: a window of 12. The next one first releases to 12: the second link
    has 22 - 12 = 10 free and grants 5 more, the first one 30 and grants 15: 17. Then 2 (half of 5), 1 and 1 more.
    """
    one = Simulation(chain([42, 22], ack_path="ideal"))
    windows = seen(one, "dynamic-window-1", "granted", 0.08, 0.0002)
    assert windows == [0.0, 2.0, 12.0, 17.0, 19.0, 20.0, 21.0]


def test_a_source_without_data_gives_back():
    """A file leaves its reservation when its last packets are acknowledged; the other flow gets the space."""
    net = chain([62], ack_path="ideal", file=CELL * 300)
    other = {"start": 0.01, "parameters": {"base": 2}, "name": "other", "ack_path": "ideal"}
    net.flow("dynamic-window", path=["n0", "n1"], packet=CELL, ack=CELL, **other)
    one = simulated(net, 0.02)
    early = state(one, "other").granted
    one.advance(1.0)
    assert one.state.flows["received"][0] == 300
    assert state(one, "dynamic-window-1").granted == pytest.approx(2.0)
    assert early <= 30.0 <= state(one, "other").granted


CASES = st.fixed_dictionaries({
    "buffers": st.lists(st.integers(8, 60), min_size=1, max_size=4), "count": st.integers(1, 4),
    "delay": st.sampled_from([0.0, 0.0003, 0.002]), "last": st.sampled_from([RATE / 20, RATE / 3, RATE]),
    "share": st.sampled_from([0.1, 0.5, 1.0]),
})  # fmt: skip


@examples(8, 400)
@given(CASES)
def test_nothing_is_lost(case):
    """Flows that start and pause at random; base windows of 2 for up to 4 flows fit into every buffer."""
    writes = traffic.on_off(RATE, 0.05, 0.08, shape_on=1, shape_off=1)
    one = simulated(chain(**case, application=writes, stagger=0.03, ack_path="ideal"), 1.0)
    assert one.packet_counts()["dropped"] == 0
    assert one.state.flows["received"].min() > 0


def test_a_base_window_that_the_switch_does_not_know_loses():
    """Sources whose base window is larger than that of the switch exceed what is reserved."""
    one = simulated(chain([20], 3, parameters={"base": 10}, last=RATE / 10, ack_path="ideal"), 1.0)
    assert one.packet_counts()["dropped"] > 0


def cells(scheme, discipline, parameters, **options):
    """Return a simulation of flows over a link that a cell takes 10 us, and 1 ms."""
    options = {"rate": FAST, "back": FAST, **options}
    return Simulation(
        one_link(scheme, delay=0.001, buffer=1000, discipline=discipline, packet=CELL, ack=CELL,
                 parameters=parameters, **options), rng=1
    )  # fmt: skip


def rate(one, name):
    return float(state(one, name).rate)


def test_efci_rises_by_a_share_of_the_peak_rate():
    """Initial 530 kB/s, peak 2.12 MB/s, a 16th of it per RM cell: cells 0 and 32 are the first ones.

    Cell 0 is acknowledged after 2 ms and two transmissions: 530 + 132.5 kB/s. Cells leave every 0.1 ms, then every 0.08
    ms: 0 to 20 by 2.0 ms, then 21 at 2.08 and 32 at 2.08 + 11 x 0.08 = 2.96 ms, acknowledged at 4.98 ms.
    """
    given = {"peak_rate": 2.12e6, "initial_rate": 5.3e5}
    one = cells("efci", queues.mark_above(threshold=1e9), given)
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
    one = cells("efci", queues.mark_above(threshold=0), given, rate=9e5)
    rates = seen(one, "efci-1", "rate", 0.12, 0.0001)
    assert rates[1:] == pytest.approx([*(1e6 * 0.9375**k for k in range(25)), 2e5], rel=1e-12)


def test_efci_slows_down_without_answers():
    """A link that loses everything after 5 ms: from the third RM cell without an answer on, a 16th less for each."""
    given = {"peak_rate": 5.3e5, "initial_rate": 5.3e5, "missing": 2, "nrm": 8, "least_rate": 1e5}
    lost = queues.scripted_loss(times=[[0.005, 1e6, 1]])
    one = cells("efci", lost, given)
    one.advance(0.1)
    before = rate(one, "efci-1")
    one.advance(3.0)
    assert rate(one, "efci-1") <= before < 4e5


def test_becn_halves_and_doubles_by_hand():
    """Two sources of the link's rate: a notification halves the rate, a recovery time without one doubles it.

    The recovery time of half the peak rate is half of 10 ms.
    """
    given = {"peak_rate": FAST, "recovery": 0.01}
    one = cells("becn", queues.becn(threshold=20, filter=0.5), given, count=2)
    one.advance(0.0002)
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [FAST, FAST]
    one.advance(0.0004)  # 20 cells wait after 20 x 10 us; the notification is there at once, the link is the source's
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [FAST / 2, FAST / 2]
    one.advance(0.0051)
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [FAST / 2, FAST / 2]
    one.advance(0.0054)
    assert [rate(one, f"becn-1-{k}") for k in (1, 2)] == [FAST, FAST]


def test_a_pause_ends_a_high_rate():
    """An application that writes for 0.3 s and pauses for 1 s: after ADTF = 0.5 s without an RM cell, ICR again."""
    given = {"peak_rate": 2.12e6, "initial_rate": 1e5}
    writes = traffic.on_off(2.12e6, 0.3, 1.0)
    one = cells("efci", queues.mark_above(threshold=1e9), given, application=writes)
    one.advance(0.25)
    assert rate(one, "efci-1") == 2.12e6
    one.advance(1.2)
    assert rate(one, "efci-1") == 2.12e6  # nothing is sent, nothing changes
    for time in np.arange(1.2, 2.7, 0.001):
        one.advance(float(time))
        if rate(one, "efci-1") < 2e5:
            return
    raise AssertionError("the rate was kept")

"""Windows that switches reserve: grants by hand, releases, and no loss whatever happens."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longfat.sim import Network, Simulation, queues
from longfat.sim.network import traffic
from longfat.sim.runs import peek
from tests.sim.lab import simulated

CELL, RATE = 53, 530_000.0  # a cell takes 0.1 ms


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


def granted(one, name="dynamic-window-1"):
    return float(peek.flow(one, name).granted)


def test_grants_by_hand():
    """Buffers of 42 and 22 packets, a base window of 2, one queue at each link: half of 40 and 20 free is granted.

    The first request is granted 2 + 20 and 2 + 10: a window of 12. The next one first releases to 12: the second link
    has 22 - 12 = 10 free and grants 5 more, the first one 30 and grants 15: 17. Then 2 (half of 5), 1 and 1 more.
    """
    one = Simulation(chain([42, 22], ack_path="ideal"))
    seen = [granted(one)]
    for k in range(400):
        one.advance(0.0002 * (k + 1))
        if granted(one) != seen[-1]:
            seen.append(granted(one))
    assert seen == [0.0, 2.0, 12.0, 17.0, 19.0, 20.0, 21.0] or seen == [2.0, 12.0, 17.0, 19.0, 20.0, 21.0]


def test_a_source_without_data_gives_back():
    """A file leaves its reservation when its last packets are acknowledged; the other flow gets the space."""
    net = chain([62], ack_path="ideal", file=CELL * 300)
    other = {"start": 0.01, "parameters": {"base": 2}, "name": "other", "ack_path": "ideal"}
    net.flow("dynamic-window", path=["n0", "n1"], packet=CELL, ack=CELL, **other)
    one = simulated(net, 0.02)
    early = granted(one, "other")
    one.advance(1.0)
    assert one.state.flows["received"][0] == 300
    assert granted(one) == pytest.approx(2.0)
    assert early <= 30.0 <= granted(one, "other")


CASES = st.fixed_dictionaries({
    "buffers": st.lists(st.integers(8, 60), min_size=1, max_size=4), "count": st.integers(1, 4),
    "delay": st.sampled_from([0.0, 0.0003, 0.002]), "last": st.sampled_from([RATE / 20, RATE / 3, RATE]),
    "share": st.sampled_from([0.1, 0.5, 1.0]),
})  # fmt: skip


@settings(max_examples=8)
@given(CASES)
def test_nothing_is_lost(case):
    no_loss(case)


def no_loss(case):
    """Flows that start and pause at random; base windows of 2 for up to 4 flows fit into every buffer."""
    writes = traffic.on_off(RATE, 0.05, 0.08, shape_on=1, shape_off=1)
    one = simulated(chain(**case, application=writes, stagger=0.03, ack_path="ideal"), 1.0)
    assert one.packet_counts()["dropped"] == 0
    assert one.state.flows["received"].min() > 0


@pytest.mark.long
@settings(max_examples=400)
@given(CASES)
def test_nothing_is_lost_in_many_networks(case):
    no_loss(case)


def test_a_base_window_that_the_switch_does_not_know_loses():
    """Sources whose base window is larger than that of the switch exceed what is reserved."""
    one = simulated(chain([20], 3, parameters={"base": 10}, last=RATE / 10, ack_path="ideal"), 1.0)
    assert one.packet_counts()["dropped"] > 0

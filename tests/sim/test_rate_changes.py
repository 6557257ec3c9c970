"""Links whose rate changes: traces by hand, and the same departures decided in advance and at departure."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.sim import Discipline, Network, Simulation
from longfat.sim.network import traffic
from longfat.sim.queues import ENQUEUE
from longfat.sim.runs.assemble import _nearest_fraction
from tests.sim.lab import seen_behind
from tests.sim.own import of_link

MS = 1_000_000  # ns
CHANGES = [("2.5 ms", "4 Mbit/s"), (0.0065, 2e6)]


def watched(discipline, rate, until):
    """Return departures from a link whose rate changes, of packets of 1000 bytes at a rate [bytes/s], and the run."""
    return seen_behind([traffic.constant(rate)], until, rate="8 Mbit/s", discipline=discipline, rate_changes=CHANGES)


@pytest.mark.parametrize("discipline", ["fifo", "fifo-departures"])
def test_by_hand(discipline):
    """A packet of 1000 bytes every 0.5 ms takes 1 ms, then 2 ms, then 0.5 ms.

    They begin at 0, 1, 2, 3, 5, 7, 7.5, ... ms: that of 2 ms and that of 5 ms are in transmission when the rate
    changes, and end at the rate at which they began.
    """
    seen, _ = watched(discipline, 2e6, 0.0091)
    assert [one.time / MS for one in seen] == [1, 2, 3, 5, 7, 7.5, 8, 8.5, 9]


def test_a_change_at_the_beginning_of_a_transmission_counts():
    """Packets at 0, 2.5 and 5 ms: the second begins when the rate changes, and takes 2 ms."""
    seen, _ = watched("fifo", 4e5, 0.0095)
    assert [one.time / MS for one in seen] == [1, 4.5, 7, 8]  # 5 + 2, and 7.5 + 0.5


def test_remainders_begin_anew():
    """At 3 bytes/s a packet of 1 byte takes a third of a second, at 7 bytes/s a seventh: rounded from each change."""
    seen, _ = seen_behind([(traffic.constant(1e3), {"packet": 1})], 2.01, rate=3, rate_changes=[(1, 7)])
    thirds = [333_333_333, 666_666_667, 1_000_000_000]
    assert [one.time for one in seen] == thirds + [1_000_000_000 + round(k * 1e9 / 7) for k in range(1, 8)]


def see(link, packet, now):
    link.seen[packet.number] = link.rate
    return ENQUEUE


def see_late(link, packet, now):
    link.seen[packet.number] = link.rate
    return 0


@pytest.mark.parametrize("hook", ["enqueue", "dequeue"])
def test_plug_ins_see_the_present_rate(hook):
    """Packets arrive every 0.5 ms. At enqueue number 5 is the first to see the second rate, and 13 the third.

    At dequeue packets begin at 0, 1, 2, 3, 5, 7 ms: 3 and 4 see the second rate, 5 the third.
    """
    watch = Discipline("see", **{hook: see if hook == "enqueue" else see_late}, state={"seen": [0.0] * 20})
    _, run = watched(watch, 2e6, 0.0074)
    by_hand = [1e6] * 5 + [5e5] * 8 + [2e6] * 2 if hook == "enqueue" else [1e6] * 3 + [5e5] * 2 + [2e6]
    assert of_link(run).seen.tolist() == by_hand + [0.0] * (20 - len(by_hand))


@given(st.floats(0.125, 1.25e14), st.integers(1, 1000))
def test_the_nearest_fraction_of_a_rate(rate, most):
    """`fractions.Fraction` is another implementation."""
    exact = Fraction(8 * rate).limit_denominator(most)
    assert _nearest_fraction(*(8 * rate).as_integer_ratio(), most) == (exact.numerator, exact.denominator)


def test_many_changes_take_little_time():
    """A trace of a quarter of an hour has 100,000; one by one, as text and Fraction, they took four seconds."""
    changes = [(k / 100, 1e6 + k / 7) for k in range(1, 100_001)]
    begun = time.process_time()
    net = Network().link("a", "b", rate=1e6, rate_changes=changes).flow("reno", path=["a", "b"], ack_path="ideal")
    state = Simulation(net).state
    assert time.process_time() - begun < 2.5
    assert net.links["a", "b"].rate_changes == tuple(changes)
    assert state.rate_changes["time"][[0, 99_999]].tolist() == [10**7, 10**12]
    row = state.rate_changes[4]  # 1e6 + 5/7 bytes/s
    assert (int(row["rate"]), int(row["scale"])) == (56_000_040, 7)

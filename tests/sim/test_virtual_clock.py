"""VirtualClock against a plain list of packets, and rates by hand."""

import pytest

from longfat.sim import Network, queues
from longfat.sim.network import traffic
from tests.sim.lab import simulated
from tests.sim.test_fair_queueing import BYTE, RATE, observed


def referee(arrivals, rates, limit):
    """Zhang (1991): stamp max(now, clock) + size/rate, least stamp first, the greatest is dropped from a full queue."""
    clocks, waiting, sent, dropped, free = [0] * len(rates), [], [], [], 0
    todo = list(arrivals)
    while todo or waiting:
        if waiting and (not todo or free < todo[0][0]):
            first = min(waiting)
            waiting.remove(first)
            _, f, number, size = first
            sent.append((f, number, free))
            free += size * BYTE
            continue
        time, f, size, number = todo.pop(0)
        idle, free = not waiting and free <= time, max(free, time)
        clocks[f] = max(clocks[f], time) + int(size * 1e9 / rates[f])
        waiting.append((clocks[f], f, number, size))
        if not idle and len(waiting) > limit:
            dropped.append(max(waiting)[1])
            waiting.remove(max(waiting))
    return sent, dropped


@pytest.mark.parametrize("limit", [3, 10_000])
def test_the_plain_one(limit):
    """The same packets depart at the same times, and the same number of each flow is dropped."""
    sizes, loads, rates = [997, 613, 1301, 251], [0.5, 0.3, 0.4, 0.1], [0.4e6, 0.25e6, 0.3e6, 0.05e6]
    clocks = queues.virtual_clock(rates=[[k, rate] for k, rate in enumerate(rates)])
    one, arrivals, departures = observed(clocks, loads, sizes, limit, 5, until=1.0, random_sizes=True)
    expected, dropped = referee(arrivals, rates, limit)
    assert len(departures) > 800
    assert departures == expected[: len(departures)]
    assert one.state.flows["dropped"].tolist() == [dropped.count(f) for f in range(4)]
    assert (len(dropped) > 100) == (limit == 3)
    wrong, _ = referee(arrivals, [0.4e6, 0.25e6, 0.29e6, 0.05e6], limit)
    assert departures != wrong[: len(departures)]


def test_rates_by_hand():
    """Two backlogged flows get 3/4 and 1/4 of the link; without a table, a half each.

    Clocks tick by 1000/750,000 s and 1000/250,000 s: three packets of the first for each of the second.
    """
    for table, share in (([[0, "6 Mbit/s"], [1, "2 Mbit/s"]], 0.75), ([], 0.5)):
        net = Network().link("a", "b", rate=RATE, discipline=queues.virtual_clock(rates=table))
        net.flow(traffic.constant(2 * RATE), path=["a", "b"]).flow(traffic.constant(2 * RATE), path=["a", "b"])
        one = simulated(net, 1.0)
        assert one.state.flows["received"].tolist() == pytest.approx([1000 * share, 1000 * (1 - share)], abs=2)


def test_an_idle_flow_saves_no_credit():
    """Of two flows with half of the link each the second begins at 0.3 s, when the first has sent at twice its rate.

    The first one's packets that wait have stamps from 0.6 s on. Those of the second one begin at 0.3 s, so that 150 of
    them go first, at 2 ms each; from 0.45 s on they alternate: 225 by 0.6 s. A clock that only ticks would begin at 0,
    and 300 would go first.
    """
    net = Network().link("a", "b", rate=RATE, discipline=queues.virtual_clock)
    net.flow(traffic.constant(2 * RATE), path=["a", "b"])
    net.flow(traffic.constant(2 * RATE), path=["a", "b"], start=0.3)
    one = simulated(net, 0.6)
    assert one.state.flows["received"][1] == pytest.approx(225, abs=2)
    one.advance(1.6)
    assert one.state.flows["received"][1] == pytest.approx(225 + 500, abs=2)


def test_weights_of_bit_round():
    """Three backlogged flows of weights 1, 2 and 1/2 get 2/7, 4/7 and 1/7 of the link."""
    net = Network().link("a", "b", rate=RATE, discipline=queues.BIT_ROUND(weights=[[1, 2], [2, 0.5]]))
    for _ in range(3):
        net.flow(traffic.constant(2 * RATE), path=["a", "b"])
    one = simulated(net, 1.0)
    assert one.state.flows["received"].tolist() == pytest.approx([2000 / 7, 4000 / 7, 1000 / 7], abs=2)

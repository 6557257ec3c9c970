"""VirtualClock against a plain list of packets, and rates by hand."""

import pytest

from longfat.sim import Network, queues
from longfat.sim.network import traffic
from tests.sim.lab import Queue, simulated, transmissions
from tests.sim.test_fair_queueing import RATE, observed


class Clocks(Queue):
    """Zhang (1991): stamp max(now, clock) + size/rate, least stamp first, the greatest is dropped from a full queue."""

    def __init__(self, rates, limit):
        self.rates, self.limit, self.clocks, self.waiting, self.dropped = rates, limit, [0] * len(rates), [], []

    def put(self, packet, idle):
        _, size, f, _ = packet
        self.clocks[f] = max(self.clocks[f], self.now) + int(size * 1e9 / self.rates[f])
        self.waiting.append((self.clocks[f], f, packet))
        if not idle and len(self.waiting) > self.limit:
            self.dropped.append(max(self.waiting)[1])
            self.waiting.remove(max(self.waiting))

    def take(self):
        if not self.waiting:
            return None
        first = min(self.waiting)
        self.waiting.remove(first)
        return first[2]


@pytest.mark.parametrize("limit", [3, 10_000])
def test_the_plain_one(limit):
    """The same packets depart at the same times, and the same number of each flow is dropped."""
    sizes, loads, rates = [997, 613, 1301, 251], [0.5, 0.3, 0.4, 0.1], [0.4e6, 0.25e6, 0.3e6, 0.05e6]
    clocks = queues.virtual_clock(rates=[[k, rate] for k, rate in enumerate(rates)])
    one, arrivals, departures = observed(clocks, loads, sizes, limit, 5, until=1.0, random_sizes=True)
    plain = Clocks(rates, limit)
    assert len(departures) > 800
    assert departures == transmissions(plain, arrivals)[: len(departures)]
    assert one.state.flows["dropped"].tolist() == [plain.dropped.count(f) for f in range(4)]
    assert (len(plain.dropped) > 100) == (limit == 3)
    wrong = transmissions(Clocks([0.4e6, 0.25e6, 0.29e6, 0.05e6], limit), arrivals)
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

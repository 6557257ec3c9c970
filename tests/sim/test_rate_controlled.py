"""Rate-controlled fair queueing: against a plain reference, and with rates that change while packets are queued."""

import numpy as np
import pytest

from longfat.sim import Discipline, Network
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import queue_of
from longfat.sim.queues import ENQUEUE
from tests.sim.lab import simulated
from tests.sim.test_fair_queueing import BYTE, RATE, observed


def enqueue(link, packet, now):
    """Set the greatest rate of the packet's flow."""
    queue_of(link, packet).rate = link.rates[packet.flow]
    return ENQUEUE


def rate_controlled(rates):
    return Discipline("rates", service="rate-controlled", enqueue=enqueue, state={"rates": rates})


class Reference:
    """Plain implementation with a list per flow.

    An eligible first packet has a tag, others wait until they are eligible. Of equal tags the one that was given first
    is sent first.
    """

    def __init__(self, rates, limit):
        flows = range(len(rates))
        self.rates, self.limit = rates, limit
        self.lists = [[] for _ in flows]
        self.tag, self.last = [None for _ in flows], [0 for _ in flows]
        self.given, self.turn = 0, [0 for _ in flows]
        self.counted, self.charge = [0 for _ in flows], [0 for _ in flows]
        self.v, self.busy_until = 0, -1
        self.sent, self.dropped = [], []

    def span(self, f, size):
        return int(size * 1e9 / self.rates[f])

    def due(self, f):
        return self.counted[f] + self.span(f, self.charge[f])

    def activate(self, f):
        self.tag[f] = self.last[f] = max(self.last[f], self.v) + self.lists[f][0][0]
        self.given += 1
        self.turn[f] = self.given

    def look(self, now):
        """Activate the flows whose first packets are eligible; an idle link sends the smallest tag."""
        for f, waiting in enumerate(self.lists):
            if waiting and self.tag[f] is None and self.due(f) <= now:
                self.activate(f)
        active = [(tag, self.turn[f], f) for f, tag in enumerate(self.tag) if tag is not None]
        if self.busy_until <= now and active:
            self.v, _, f = min(active)
            size, number = self.lists[f].pop(0)
            self.tag[f] = None
            self.counted[f] = max(min(self.due(f), now), now - self.span(f, size))
            self.charge[f] = size
            self.busy_until = now + size * BYTE
            self.sent.append((f, number, now))
            if self.lists[f] and self.due(f) <= now:
                self.activate(f)

    def arrive(self, now, f, size, number):
        if not self.lists[f] and self.due(f) < now:
            self.counted[f], self.charge[f] = now, 0
        at_once = self.busy_until <= now and not self.lists[f] and self.due(f) <= now
        if not at_once and sum(map(len, self.lists)) >= self.limit:
            lengths = [sum(one[0] for one in waiting) + (size if g == f else 0) for g, waiting in enumerate(self.lists)]
            longest = lengths.index(max(lengths))
            if lengths[f] == max(lengths):
                self.dropped.append((f, number))
                return
            taken, gone = self.lists[longest].pop()
            self.dropped.append((longest, gone))
            if not self.lists[longest] and self.tag[longest] is not None:
                self.last[longest] -= taken
                self.tag[longest] = None
        self.lists[f].append((size, number))
        self.look(now)

    def run(self, arrivals, until):
        arrivals = [*arrivals, (until, 0, None, 0)]
        now = 0
        for time, size, f, number in arrivals:
            while True:  # what happens before that
                times = [self.busy_until] if self.busy_until > now else []
                times += [self.due(g) for g, one in enumerate(self.lists) if one and self.due(g) > now]
                if not times or min(times) > time:
                    break
                now = min(times)
                self.look(now)
            now = time
            if f is not None:
                self.arrive(now, f, size, number)
        return self.sent, self.dropped


@pytest.mark.parametrize(
    ("shares", "limit"),
    [((0.31, 0.17, 0.43, 0.07), 1), ((0.11, np.inf, 0.23, 0.05), 6), ((2.0, 0.9, np.inf, 0.3), 40)],
    ids=str,
)
def test_the_plain_one(limit, shares):
    """Random arrivals: the same packets depart and are dropped as in the reference.

    The rates lie below, around and above each flow's share of the link.
    """
    sizes, loads = [997, 613, 1301, 251], [0.4, 0.25, 0.6, 0.1]
    rates = [share * RATE for share in shares]
    run, arrivals, departures = observed(rate_controlled(rates), loads, sizes, limit, 5)
    expected, dropped = Reference(rates, limit).run(arrivals, 2_000_000_000)
    assert [(*one[2:], begin) for begin, one in departures] == expected[: len(departures)]
    assert len(expected) - 1 <= len(departures)  # but for one in transmission
    assert len(departures) > 700
    assert int(run.state.links[1].dropped) == len(dropped) > 100
    for f in range(len(sizes)):
        assert int(run.state.flows[f].dropped) == sum(g == f for g, _ in dropped)


def test_rates_are_kept():
    """Backlogged flows limited to a tenth and a fifth of the link, and an unlimited one, which gets the rest."""
    for rates, expected in (((0.1, 0.2, np.inf), (0.1, 0.2, 0.7)), ((0.1, 0.0, 0.0), (0.1, 0.0, 0.0))):
        ours = rate_controlled([rate * RATE for rate in rates])
        net = Network().link("a", "b", rate=RATE, buffer=1000, discipline=ours)
        for k in range(3):
            net.flow(traffic.constant(2 * RATE * (1 + k / 7)), path=["a", "b"], packet=500, name=f"f{k}")
        run = simulated(net, 0.1)
        before = run.state.flows["received_bytes"].copy()
        run.advance(1.1)
        got = (run.state.flows["received_bytes"] - before) / RATE
        assert got == pytest.approx(np.array(expected), abs=0.002)
        run.packet_counts()

"""Strict priority: departure times by hand, and a list that is scanned, packet by packet."""

from dataclasses import replace

import pytest

from longfat.sim import ENQUEUE, Parameter, Scheme
from longfat.sim.network import traffic
from longfat.sim.queues import discipline
from tests.sim.lab import Stamped, keep_window, logged, observed

PRIORITY = discipline("strict-priority", levels=8)
PRIORITIES = {"best": 0, "low": 5, "middle": 3, "high": 1, "equal": 5}


def start(flow, event):
    return flow.size


def send(flow, packet):
    packet.priority = int(flow.priority)
    return 0


GIVEN = {"priority": Parameter(0.0, "1", "[0, 100]"), "size": Parameter(1.0, "packets", "[1, 1e6]")}
BURST = Scheme(
    "burst", start=start, ack=keep_window, loss=keep_window, timeout=keep_window, send=send, parameters=GIVEN
)


def departures(bursts, buffer=None, until=0.1, discipline=PRIORITY):
    """Return (ms, flow, number) of each transmission; bursts are (name, start [ms], packets), 1 ms per packet."""
    flows = []
    for name, time, size in bursts:
        given = {"priority": float(PRIORITIES[name]), "size": float(size)}
        flows.append((BURST, {"name": name, "start": time / 1000, "file": 1000 * size, "parameters": given}))
    _, left, _ = logged(flows, discipline, until, buffer=buffer)
    return [((line[0] - 1_000_000) / 1e6, bursts[line[1]][0], line[4]) for line in left]


def test_order_by_hand():
    """Four low packets at 0, two of middle priority at 0.5 ms, three high ones at 1.5 ms: none is broken off."""
    assert departures([("low", 0, 4), ("middle", 0.5, 2), ("high", 1.5, 3)]) == [
        (0, "low", 0), (1, "middle", 0), (2, "high", 0), (3, "high", 1), (4, "high", 2), (5, "middle", 1),
        (6, "low", 1), (7, "low", 2), (8, "low", 3),
    ]  # fmt: skip


def test_two_levels_by_hand():
    """With two levels, the default, priorities of 1 and more are one level, in order of arrival."""
    assert departures([("low", 0, 3), ("best", 0.5, 1), ("high", 0.7, 2)], discipline="strict-priority") == [
        (0, "low", 0), (1, "best", 0), (2, "low", 1), (3, "low", 2), (4, "high", 0), (5, "high", 1),
    ]  # fmt: skip


def with_priorities(link, packet, now):
    """Give the packet one of four priorities, by its number."""
    packet.priority = int(packet.transmission % 7) % 4
    return ENQUEUE


class Scanned(Stamped):
    """Plain list of packets (time [ns], size, flow, transmission), which is scanned for each of them."""

    def __init__(self, levels, limit):
        self.levels, self.limit, self.waiting = levels, limit, []

    def put(self, packet, idle):
        level = min(packet[3] % 7 % 4, self.levels - 1)
        if not idle and len(self.waiting) >= self.limit:
            worst = max(self.waiting, key=lambda one: one[:2])  # of the worst level the last
            if worst[0] <= level:
                return
            self.waiting.remove(worst)
        self.waiting.append((level, self.now, packet))


@pytest.mark.parametrize(("levels", "buffer"), [(2, 10_000), (3, 12), (4, 1)])
def test_it_is_the_plain_list(levels, buffer):
    """Order, times and what a full buffer drops agree with a list that is scanned for every packet."""
    setter = replace(discipline("strict-priority", levels=levels), enqueue=with_priorities)
    flows = [(traffic.poisson(6e5), {"packet": size, "name": str(size)}) for size in (1003, 211)]
    seen = observed(flows, setter, 2.0, buffer=buffer, rng=buffer)
    seen.agrees_with(Scanned(levels, buffer))
    assert len(seen.departures) > 2000
    assert (int(seen.run.state.links[1].dropped) > 300) == (buffer < 100)
